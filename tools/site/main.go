// Command site checks the documents of the repository and makes a web site of them.
//
//	site OUT       checks the documents, writes the site to the folder OUT, and checks the site
//	site -check    checks the documents
//
// All documents together have at most 35,000 words. A document has no dead link, no picture without a text in its place, no
// sentence of more than 35 words, no formula that cannot be set, and no term that
// the glossary replaces; nor have the texts of the program. The site
// asks no other server for anything, and is read from a folder or from a server.
//
//	docs.go   the documents        check.go   their faults     nav.go    the list beside every page
//	glossary.go  terms of the field        math.go   formulas
//	page.go   a page of the site   search.go  the index of the search   crawl.go  dead links in the site
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	check := flag.Bool("check", false, "only check the documents")
	root := flag.String("root", ".", "the folder of the repository")
	flag.Parse()
	if err := run(*root, flag.Arg(0), *check); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// run checks the documents below root and, unless that is all, writes the site to out.
func run(root, out string, checkOnly bool) error {
	if !checkOnly && out == "" {
		return errors.New("name the folder of the site")
	}
	set, err := load(root)
	if err != nil {
		return err
	}
	texts, err := set.texts()
	if err != nil {
		return err
	}
	if err := report(append(set.faults(), texts...), "in the documents and texts"); err != nil || checkOnly {
		return err
	}
	if err := set.write(out); err != nil {
		return err
	}
	faults, err := crawl(out)
	if err != nil {
		return err
	}
	if err := report(faults, "in the site"); err != nil {
		return err
	}
	fmt.Printf("site: %d pages in %s, index.html is the first\n", len(set.docs), out)
	return nil
}

// report prints faults and returns an error if there are any.
func report(faults []string, place string) error {
	for _, f := range faults {
		fmt.Fprintln(os.Stderr, f)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%d faults %s", len(faults), place)
	}
	return nil
}

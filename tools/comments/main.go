// Command comments counts words in the comments of Go files that make them hard to read: "where" if it stands for a
// condition, pronouns with a far antecedent, and turns of phrase for which the field has plain words. It fails if there are
// more of them per 1,000 lines of comments than the ceilings allow, and then names the comments with the most. It fails too
// if the program, in the current folder, has more lines of code than its ceiling.
//
//	comments DIR...
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A rule is a set of words and how many of them 1,000 lines of comments may hold. "where" is also the plain word for a
// place: esbuild has 7 of it, age 6, restic 2, and 1 of all of the others together.
type rule struct {
	name    string
	words   *regexp.Regexp
	ceiling float64
}

var rules = []rule{
	{"where", regexp.MustCompile(`(?i)\bwhere\b`), 20},
	{"of which, whose, that of, those of, those that, beside",
		regexp.MustCompile(`(?i)\b(of which|whose|that of|those of|those that|beside)\b`), 20},
	{"what is, what of, what a", regexp.MustCompile(`(?i)\bwhat (is|of|a)\b`), 10},
	{"says whether", regexp.MustCompile(`(?i)\bsays whether\b`), 10},
	{"stands", regexp.MustCompile(`(?i)\bstands\b`), 10},
	{"that of, those that", regexp.MustCompile(`(?i)\b(that of|those that)\b`), 10},
}

// shown is how many comments are named for a rule that does not hold.
const shown = 20

func main() {
	ok, err := check(os.Stdout, os.Args[1:])
	if err == nil {
		var few bool
		few, err = checkLines(os.Stdout, ".", mostLines)
		ok = ok && few
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "comments:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// check counts in the Go files below the folders and reports the rules that do not hold to w.
func check(w io.Writer, dirs []string) (ok bool, err error) {
	c := counts{hits: make([][]hit, len(rules))}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != dir):
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(path) != ".go":
				return nil
			}
			return c.file(path)
		})
		if err != nil {
			return false, err
		}
	}
	return c.report(w), nil
}

// hit is a comment with the words that it holds.
type hit struct {
	at    token.Position
	words []string
}

// counts is what was found: for each rule the comments that hold words of it.
type counts struct {
	lines int
	hits  [][]hit
}

// file counts in a Go file.
func (c *counts) file(path string) error {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, comment := range f.Comments {
		c.lines += set.Position(comment.End()).Line - set.Position(comment.Pos()).Line + 1
		text := plain(comment)
		for i, r := range rules {
			if words := r.words.FindAllString(text, -1); words != nil {
				c.hits[i] = append(c.hits[i], hit{set.Position(comment.Pos()), words})
			}
		}
	}
	return nil
}

// plain returns the text of a comment in one line, as words may be divided between two.
func plain(g *ast.CommentGroup) string { return strings.Join(strings.Fields(g.Text()), " ") }

// report returns whether all rules hold, and names the comments with the most words of those that do not.
func (c counts) report(w io.Writer) bool {
	ok := true
	for i, r := range rules {
		n := 0
		for _, h := range c.hits[i] {
			n += len(h.words)
		}
		if float64(1000*n) <= r.ceiling*float64(c.lines) {
			continue
		}
		ok = false
		fmt.Fprintf(w, "comments: %d times %q in %d lines of comments are %.1f per 1,000; at most %g are allowed. Say \"if\" for a condition, \"reports whether\", and repeat the noun. The most are in:\n",
			n, r.name, c.lines, 1000*float64(n)/float64(c.lines), r.ceiling)
		slices.SortStableFunc(c.hits[i], func(a, b hit) int { return cmp.Compare(len(b.words), len(a.words)) })
		for _, h := range c.hits[i][:min(shown, len(c.hits[i]))] {
			fmt.Fprintf(w, "  %s:%d: %s\n", h.at.Filename, h.at.Line, strings.Join(h.words, ", "))
		}
	}
	return ok
}

// Command mutate runs a mutation test on packages, one after another, and prints how
// many of the mutants their tests kill: per package and in total.
//
//	mutate [-since COMMIT] [-workers N] GREMLINS PACKAGE...
//
// GREMLINS is the program github.com/go-gremlins/gremlins, which makes the mutants.
// Each mutant is judged by the tests of its own package.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

func main() {
	since := flag.String("since", "", "mutate only lines that changed since this commit")
	workers := flag.Int("workers", 2, "mutants to test at a time")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: mutate [-since COMMIT] [-workers N] GREMLINS PACKAGE...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() < 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Args()[1:], *since, *workers); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(gremlins string, packages []string, since string, workers int) error {
	packages, err := list(packages)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	var total score
	var rows []string
	for i, pkg := range packages {
		fmt.Printf("mutate: %s (%d of %d)\n", pkg, i+1, len(packages))
		report := filepath.Join(dir, "report.json")
		if err := unleash(gremlins, pkg, report, since, workers); err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		s, err := readReport(report, pkg)
		if errors.Is(err, os.ErrNotExist) {
			s = score{} // there was nothing to mutate
		} else if err != nil {
			return err
		}
		for _, survivor := range s.survivors {
			fmt.Println("  survived:", survivor)
		}
		rows = append(rows, s.row(pkg))
		total.add(s)
		os.Remove(report)
	}
	fmt.Printf("\n%-28s %7s %9s %11s %10s %6s\n", "package", "killed", "survived", "not covered", "timed out", "score")
	for _, row := range rows {
		fmt.Println(row)
	}
	fmt.Println(total.row("total"))
	return nil
}

// list expands patterns such as ./io/... to the folders of packages that have tests.
func list(patterns []string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"list", "-f",
		`{{if or .TestGoFiles .XTestGoFiles}}{{with .Module}}{{.Path}}{{end}} {{.ImportPath}}{{end}}`}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var dirs []string
	for line := range strings.Lines(string(out)) {
		if module, pkg, found := strings.Cut(strings.TrimSpace(line), " "); found {
			dirs = append(dirs, strings.TrimPrefix(pkg, module+"/"))
		}
	}
	return dirs, nil
}

// unleash mutates one package without those below it.
func unleash(gremlins, pkg, report, since string, workers int) error {
	args := []string{"unleash", "./" + pkg, "--output", report, "--workers", fmt.Sprint(workers),
		// A mutant that does not end is given up after 8 times the duration of the tests.
		"--timeout-coefficient", "8",
		"--exclude-files", "/"} // files are named relative to the package
	if since != "" {
		args = append(args, "--diff", since)
	}
	cmd := exec.Command(gremlins, args...)
	// A cached test result would make the limit of time zero.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-count=1")
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	return cmd.Run()
}

// score counts the mutants of a package by what became of them.
type score struct {
	killed, survived, notCovered, timedOut int
	survivors                              []string // file:line:column and the kind of mutant
}

// readReport reads the report of gremlins on a package.
func readReport(name, pkg string) (score, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return score{}, err
	}
	var report struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Type, Status string
				Line, Column int
			} `json:"mutations"`
		} `json:"files"`
	}
	if err := json.Unmarshal(b, &report); err != nil {
		return score{}, fmt.Errorf("%s: %w", name, err)
	}
	var s score
	for _, f := range report.Files {
		for _, m := range f.Mutations {
			switch m.Status {
			case "KILLED":
				s.killed++
			case "LIVED":
				s.survived++
				s.survivors = append(s.survivors, fmt.Sprintf("%s:%d:%d %s", path.Join(pkg, path.Base(f.Name)), m.Line, m.Column, m.Type))
			case "NOT COVERED":
				s.notCovered++
			case "TIMED OUT":
				s.timedOut++
			}
		}
	}
	return s, nil
}

func (s *score) add(o score) {
	s.killed += o.killed
	s.survived += o.survived
	s.notCovered += o.notCovered
	s.timedOut += o.timedOut
}

// row is a line of the table. A mutant that ran out of time counts as killed: its
// tests would not have passed.
func (s score) row(name string) string {
	rate := "-"
	if judged := s.killed + s.timedOut + s.survived; judged > 0 {
		rate = fmt.Sprintf("%.0f %%", 100*float64(s.killed+s.timedOut)/float64(judged))
	}
	return fmt.Sprintf("%-28s %7d %9d %11d %10d %6s", name, s.killed, s.survived, s.notCovered, s.timedOut, rate)
}

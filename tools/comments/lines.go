package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// product are the folders of the program, and mostLines how many lines of code they may hold: an addition takes
// something out. The goal is 95,000.
var product = []string{"app", "cmd", "denoise", "gpu", "io", "measure", "series", "ui", "volume"}

const mostLines = 107_455

// checkLines counts the lines of code of the folders of the program below root and reports to w if there are more than most.
func checkLines(w io.Writer, root string, most int) (ok bool, err error) {
	total := 0
	for _, dir := range product {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || testSupport(d.Name())):
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			source, err := os.ReadFile(path)
			total += codeLines(source)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	if total > most {
		fmt.Fprintf(w, "comments: %s hold %d lines of code; at most %d are allowed. Take something out for what you put in.\n", strings.Join(product, ", "), total, most)
	}
	return total <= most, nil
}

// testSupport reports whether a package of that name supports tests: enginetest, iotest, apptest.
func testSupport(name string) bool { return strings.HasSuffix(name, "test") && name != "test" }

// codeLines counts the lines of a Go file that hold more than a comment.
func codeLines(source []byte) int {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, func(token.Position, string) {}, 0)
	n, last := 0, 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // inserted by the scanner
		}
		first := file.Line(pos)
		end := first + strings.Count(text, "\n")
		n += end - max(first-1, last)
		last = end
	}
}

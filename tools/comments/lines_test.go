package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCodeLines(t *testing.T) {
	source := "// Package p.\npackage p\n\n/* two\nlines */\nvar s = `a\nb\n` // three\n\nfunc f() { // one\n\tg(); g() // one\n}\n"
	if got := codeLines([]byte(source)); got != 7 {
		t.Errorf("%d lines; want 7", got)
	}
}

// Tests, their support and their data do not count.
func TestCheckLines(t *testing.T) {
	root := t.TempDir()
	for _, dir := range product {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, source := range map[string]string{
		"app/a.go": "package app\n\nvar x int\n", "io/b/b.go": "package b // one\n", "app/a_test.go": "package app\n", "denoise/enginetest/e.go": "package enginetest\n",
		"io/testdata/c.go": "package c\n", "tools/d.go": "package d\n",
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int]bool{2: false, 3: true} {
		var out strings.Builder
		if ok, err := checkLines(&out, root, most); err != nil || ok != want || want == strings.Contains(out.String(), "hold 3 lines") {
			t.Errorf("at most %d: %t, %v, %q", most, ok, err, out.String())
		}
	}
}

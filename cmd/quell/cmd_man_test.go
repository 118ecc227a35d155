package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quell/app/job"
	"quell/denoise"
)

// TestManPages: there is one for each command and filter, with every flag and parameter, and no line that roff takes for
// a request by mistake.
func TestManPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	dir := filepath.Join(t.TempDir(), "man")
	if code, _, stderr := quell(t, "man", dir); code != 0 {
		t.Fatal(stderr)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	for _, cmd := range commands() {
		page := read("quell-" + cmd.Name() + ".1")
		for _, f := range plainFlags(cmd) {
			if !strings.Contains(page, "\n.B "+escaped(flagName(f))+"\n") {
				t.Errorf("%s: nothing about --%s", cmd.Name(), f.Name)
			}
		}
	}
	for _, f := range denoise.Filters() {
		page := read("quell-" + f.Name + ".7")
		for _, p := range f.Params {
			if !strings.Contains(page, "\n.B "+escaped("--"+p.Name)) {
				t.Errorf("%s: nothing about --%s", f.Name, p.Name)
			}
		}
	}
	if page := read("quell.1"); !strings.HasPrefix(page, ".TH QUELL 1 1970-01-02 Quell") || !strings.Contains(page, ".B denoise\n") {
		t.Errorf("%.200s", page)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if code, _, _ := quell(t, "man", dir); code != job.ExitUsage {
		t.Errorf("code %d for a date that is none", code)
	}
}

func TestManRequests(t *testing.T) {
	known := []string{".TH ", ".SH ", ".TP", ".B ", ".PP", ".nf", ".fi"}
	for name, page := range manPages(newRoot(), time.Unix(0, 0)) {
	lines:
		for line := range strings.Lines(page) {
			if !strings.HasPrefix(line, ".") && !strings.HasPrefix(line, "'") {
				continue
			}
			for _, request := range known {
				if strings.HasPrefix(line, request) {
					continue lines
				}
			}
			t.Errorf("%s: %s", name, line)
		}
	}
	for line, want := range map[string]string{".a": `\&.a`, "'a": `\&'a`, "a.b": "a.b", "a-b": `a\-b`, `a\b`: `a\eb`, "2σ": `2\[u03C3]`} {
		if got := escaped(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"quell/app/job"
	"quell/cmd/option"
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
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, is := f.Value.(*option.Param); !is && !f.Hidden && !strings.Contains(page, hyphens.Replace("--"+f.Name)) {
				t.Errorf("%s: nothing about --%s", cmd.Name(), f.Name)
			}
		})
	}
	if page := read("quell-serve-arrays.1"); !strings.Contains(page, "standard input") {
		t.Errorf("%.200s", page)
	}
	ants := read("DenoiseImage.1")
	for flag := range antsFlags {
		if !strings.Contains(ants, hyphens.Replace(flag)) {
			t.Errorf("DenoiseImage: nothing about %s", flag)
		}
	}
	if strings.Contains(ants, "bad arguments") || strings.Contains(ants, hyphens.Replace("--json")) {
		t.Errorf("DenoiseImage has exit codes or flags of other commands: %s", ants)
	}
	for _, f := range denoise.Filters() {
		page := read("quell-" + f.Name + ".7")
		for _, p := range f.Params {
			if !strings.Contains(page, "\n.B "+hyphens.Replace("--"+p.Name)) {
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

// hyphens are as roff has them.
var hyphens = strings.NewReplacer("-", `\-`)

// TestManRequests: no line begins like a request and is none.
func TestManRequests(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := quell(t, "man", dir); code != 0 {
		t.Fatal(stderr)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	known := []string{".TH ", ".SH ", ".TP", ".B ", ".PP", ".nf", ".fi"}
	for _, name := range pages {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
	lines:
		for line := range strings.Lines(string(page)) {
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
}

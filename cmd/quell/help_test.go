package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"quell/app/job"
	"quell/denoise"
)

// helpOf runs a command that prints help, and returns its lines.
func helpOf(t *testing.T, args ...string) []string {
	t.Helper()
	code, stdout, stderr := quell(t, args...)
	if code != 0 || stderr != "" || !strings.HasSuffix(stdout, "\n") {
		t.Fatalf("quell %q: code %d, stderr %q", args, code, stderr)
	}
	return strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
}

// A screen is that of a terminal of the usual size.
const screenColumns, screenRows = 80, 30

func tooWide(t *testing.T, of string, lines []string) {
	t.Helper()
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > screenColumns {
			t.Errorf("%s: a line of %d characters: %s", of, n, line)
		}
	}
}

// TestHelpFitsTheScreen: of every command; the list of all commands alone is longer.
func TestHelpFitsTheScreen(t *testing.T) {
	for _, cmd := range commands() {
		lines := helpOf(t, cmd.Name(), "--help")
		text := strings.Join(lines, "\n")
		tooWide(t, cmd.Name(), lines)
		if len(lines) > screenRows {
			t.Errorf("%s: %d lines", cmd.Name(), len(lines))
		}
		for _, want := range []string{"Usage: quell " + cmd.Name(), "xample", "\n  quell ", "\nFlags:\n  -"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", cmd.Name(), want, text)
			}
		}
		tooWide(t, cmd.Name()+" --all", helpOf(t, "help", cmd.Name(), "--all"))
	}
	lines := helpOf(t)
	tooWide(t, "quell", lines)
	if len(lines) > screenRows+15 {
		t.Errorf("quell: %d lines", len(lines))
	}
}

// TestAllOfHelp: --all names every flag, and the Long text, which the first screen may leave out.
func TestAllOfHelp(t *testing.T) {
	for _, cmd := range commands() {
		lines := helpOf(t, cmd.Name(), "--help", "--all")
		text := strings.Join(lines, "\n")
		if same := strings.Join(helpOf(t, "help", cmd.Name(), "--all"), "\n"); same != text {
			t.Errorf("%s: quell help prints something else than --help", cmd.Name())
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(text, "--"+f.Name) {
				t.Errorf("%s: nothing about --%s", cmd.Name(), f.Name)
			}
		})
		if cmd.Long != "" && !strings.Contains(text, strings.Fields(cmd.Long)[0]) {
			t.Errorf("%s: without its text", cmd.Name())
		}
	}
	if code, _, stderr := quell(t, "info", "x.nii", "--all"); code != 2 || !strings.Contains(stderr, "quell help info --all") {
		t.Errorf("--all without --help: code %d, %s", code, stderr)
	}
}

// TestFirstFlagsExist: the flags of the first screens.
func TestFirstFlagsExist(t *testing.T) {
	named := 0
	for _, g := range table() {
		for _, c := range g.Commands {
			cmd, _, err := newRoot().Find(strings.Fields(c.Name)[:1])
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range c.First {
				if named++; cmd.Flags().Lookup(f.Flag) == nil {
					t.Errorf("%s has no --%s", c.Name, f.Flag)
				}
			}
		}
	}
	if named < 20 {
		t.Errorf("%d flags", named)
	}
}

// TestHelpOfFilters: each names its own parameters, all of them, with their defaults, and no others; its examples run.
func TestHelpOfFilters(t *testing.T) {
	for _, f := range denoise.Filters() {
		lines := helpOf(t, "help", f.Name)
		text := strings.Join(lines, "\n")
		tooWide(t, f.Name, lines)
		named := 0
		for _, line := range lines {
			if strings.HasPrefix(line, "  --") {
				named++
			}
		}
		if named != len(f.Params) {
			t.Errorf("%s: %d parameters, has %d", f.Name, named, len(f.Params))
		}
		for _, p := range f.Params {
			if !strings.Contains(text, "\n  --"+p.Name+" ") && !strings.Contains(text, "\n  --"+p.Name+"\n") || !strings.Contains(text, "default "+p.Default.String()) {
				t.Errorf("%s: nothing about --%s", f.Name, p.Name)
			}
		}
		if same := strings.Join(helpOf(t, "denoise", "--filter", f.Name, "--help"), "\n"); same != text {
			t.Errorf("%s: --filter --help prints something else", f.Name)
		}
		examples := 0
		for _, line := range lines {
			if args, ok := strings.CutPrefix(line, "  quell "); ok {
				examples++
				if code, _, stderr := quell(t, strings.Fields(args)...); code != job.ExitInput { // which is not there
					t.Errorf("%s: %s", args, stderr)
				}
			}
		}
		if examples == 0 {
			t.Errorf("%s: without examples", f.Name)
		}
	}
}

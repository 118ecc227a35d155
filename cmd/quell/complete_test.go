package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/job"
	"quell/cmd/option"
	"quell/denoise"
)

// completed returns what a shell offers for the last of words, without the texts beside it, and the directive.
func completed(t *testing.T, words ...string) (values []string, directive string) {
	t.Helper()
	code, stdout, _ := quell(t, append([]string{"__complete"}, words...)...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != 0 || !strings.HasPrefix(lines[len(lines)-1], ":") {
		t.Fatalf("%q: code %d, %s", words, code, stdout)
	}
	for _, line := range lines[:len(lines)-1] {
		if value, _, _ := strings.Cut(line, "\t"); strings.HasPrefix(value, words[len(words)-1]) || strings.HasPrefix(lines[len(lines)-1], ":8") {
			values = append(values, value) // as the shell does
		}
	}
	return values, lines[len(lines)-1]
}

// TestCompletion: of names, files, values of parameters and series, through what the scripts of all shells call.
func TestCompletion(t *testing.T) {
	at := folder(t)
	dir := filepath.Dir(at("a.nii"))
	recipe := []string{"json"}
	const noFiles, files, ending = ":4", ":0", ":8"
	for _, c := range []struct {
		words     string
		want      []string
		directive string
	}{
		{"denoise a b --filter ", option.FilterNames(), noFiles},
		{"denoise a b --filter od", []string{"odct"}, noFiles},
		{"tune a --filter ", append(option.FilterNames(), option.EveryFilter), noFiles},
		{"denoise a b --preset ", option.PresetNames(), noFiles},
		{"batch a b --preset ct-", []string{"ct-head-bone", "ct-head-slices", "ct-head-soft-tissue"}, noFiles},
		{"denoise a b --engine c", []string{"cpu", "cuda"}, noFiles},
		{"denoise a b --recipe ", recipe, ending},
		{"denoise a b --mask ", nil, files},
		{"denoise a b --noise-out ", nil, files},
		{"denoise ", nil, files},
		{"denoise a b --filter nlm --centre ", []string{"auto", "max", "one"}, noFiles},
		{"denoise a b --filter nlm --h ", []string{"auto", "coupe", "sure"}, noFiles},
		{"denoise a b --preset mr-brain-3d-nlm --h ", []string{"auto", "coupe", "sure"}, noFiles},
		{"denoise a b --filter sadct --gamma ", []string{"auto"}, noFiles},
		{"denoise a b --gamma ", []string{"auto", "sure"}, noFiles}, // of sadct or lpa
		{"denoise a b --filter nlm --k ", []string{"2"}, noFiles},
		{"denoise a b --filter nlm --patch", []string{"--patch-radius", "--patch-sigma", "--patch-weights"}, noFiles},
		{"denoise a b --filter=median --rad", []string{"--radius"}, noFiles},
		{"denoise a b --filter nlm --rad", nil, noFiles},
		{"denoise " + at("a.nii") + " b --series ", []string{"all", "1"}, ":36"},
		{"denoise " + filepath.Join(dir, "gone") + " b --series ", []string{"all"}, noFiles},
		{"denoise --series ", []string{"all"}, noFiles},
		{"help od", []string{"odct"}, noFiles},
		{"help nlm ", nil, noFiles},
		{"completion ", []string{"bash", "zsh", "fish", "powershell"}, noFiles},
		{"bids a b ", []string{"group", "participant"}, noFiles},
	} {
		got, directive := completed(t, strings.Split(c.words, " ")...)
		slices.Sort(got)
		want := slices.Sorted(slices.Values(c.want))
		if !slices.Equal(got, want) || directive != c.directive {
			t.Errorf("%s: %q %s, want %q %s", c.words, got, directive, want, c.directive)
		}
	}
}

// TestParametersComplete: every parameter of every filter offers values that it takes.
func TestParametersComplete(t *testing.T) {
	for _, f := range denoise.Filters() {
		for _, p := range f.Params {
			values, _ := completed(t, "denoise", "a", "b", "--filter", f.Name, "--"+p.Name, "")
			if p.Kind == denoise.Switch {
				continue // alone it is true
			}
			if len(values) == 0 || strings.HasSuffix(values[0], "nii") {
				t.Errorf("%s --%s: %q", f.Name, p.Name, values)
			}
			for _, text := range values {
				v, err := denoise.ParseValue(text)
				if err == nil {
					err = p.Check(v)
				}
				if err != nil {
					t.Errorf("%s --%s %s: %v", f.Name, p.Name, text, err)
				}
			}
		}
	}
}

// TestCompletionScripts: of every shell, which call the program, and of no other shell.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, stdout, stderr := quell(t, "completion", shell); code != 0 || !strings.Contains(stdout, "__complete") || stderr != "" {
			t.Errorf("%s: code %d, %d bytes, %s", shell, code, len(stdout), stderr)
		}
	}
	if code, _, stderr := quell(t, "completion", "bahs"); code != job.ExitUsage || !strings.Contains(stderr, "did you mean bash?") {
		t.Errorf("code %d, %s", code, stderr)
	}
}

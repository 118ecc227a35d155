package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A command in a document is a line of code, or the part of one behind a pipe, a semicolon or &&.
var (
	codeLine     = regexp.MustCompile(`(?m)^    (\S.*)$`)
	remark       = regexp.MustCompile(`  +.*$`)
	substitution = regexp.MustCompile(`[<>]\([^)]*\)`)
	separator    = regexp.MustCompile(`\s(?:\||&&)\s|;\s`)
	inlineCode   = regexp.MustCompile("`((?:quell |--)[^`]*)`")
	flagName     = regexp.MustCompile(`^--([a-z][a-z_-]*)`)
	redirection  = regexp.MustCompile(`\s[<>].*$`)
)

// documents returns the paths of all documents.
func documents(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*/*.md")
	more, _ := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 20 {
		t.Fatalf("%v, %v", files, err)
	}
	return append(append(files, more...), "../../README.md", "../../CONTRIBUTING.md")
}

// TestCommandsInDocuments: the commands that the documents for users show exist, with their flags and arguments.
func TestCommandsInDocuments(t *testing.T) {
	seen := 0
	for _, file := range documents(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range codeLine.FindAllStringSubmatch(string(data), -1) {
			text := substitution.ReplaceAllString(remark.ReplaceAllString(line[1], ""), "FILE")
			for _, part := range separator.Split(text, -1) {
				words := strings.Fields(strings.NewReplacer(`"`, "", "'", "", "...", "").Replace(redirection.ReplaceAllString(part, "")))
				if len(words) < 2 || words[0] != "quell" || words[1] == "help" || words[1] != strings.ToLower(words[1]) {
					continue
				}
				seen++
				for i, word := range words { // what stands for a value
					words[i] = cmp.Or(map[string]string{"N": "1", "L": "1", "NAME": "nlm"}[word], word)
				}
				cmd, args, err := newRoot().Find(words[1:])
				if err != nil || !cmd.HasParent() {
					t.Errorf("%s: %s: %v", file, part, err)
				} else if err := parse(cmd, args); err != nil {
					t.Errorf("%s: %s: %v", file, part, err)
				} else if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
					t.Errorf("%s: %s: %v", file, part, err)
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("%d commands were found", seen)
	}
}

// TestWordsInDocuments: commands and flags in the text of a document exist too, in a line of it or over two.
func TestWordsInDocuments(t *testing.T) {
	flags := map[string]bool{}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	visit(newRoot())
	for _, file := range documents(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range inlineCode.FindAllStringSubmatch(string(data), -1) {
			words := strings.Fields(code[1])
			for _, word := range words {
				if name := flagName.FindStringSubmatch(word); name != nil && !flags[strings.ReplaceAll(name[1], "_", "-")] {
					t.Errorf("%s: %s: no command has --%s", file, code[0], name[1])
				}
			}
			if len(words) < 2 || words[0] != "quell" || words[1] == "help" || words[1] == "DenoiseImage" {
				continue
			}
			if cmd, args, err := newRoot().Find(words[1:]); err != nil || !cmd.HasParent() {
				t.Errorf("%s: %s: %v", file, code[0], err)
			} else if err := parse(cmd, args); err != nil && !strings.Contains(err.Error(), "needs an argument") {
				t.Errorf("%s: %s: %v", file, code[0], err)
			}
		}
	}
}

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A command in a document is a line of code, or the part of one behind a pipe, a semicolon or &&.
var (
	codeLine     = regexp.MustCompile(`(?m)^    (\S.*)$`)
	remark       = regexp.MustCompile(`  +.*$`)
	substitution = regexp.MustCompile(`[<>]\([^)]*\)`)
	separator    = regexp.MustCompile(`\s(?:\||&&)\s|;\s`)
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
				} else if err := cmd.ParseFlags(args); err != nil {
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

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHostExamples: the commands of the examples for workflows and hosts exist, with their flags.
func TestHostExamples(t *testing.T) {
	joined := regexp.MustCompile(`"\n\s+"|\\\\\n`)                   // of a text or a line that goes on
	values := regexp.MustCompile(`\$?\{(?:PRESET|params\.preset)\}`) // a preset
	numbers := regexp.MustCompile(`\$?\{(?:[a-z.]*(threads|cpus|mem_mb|toMega\(\)))\}`)
	others := regexp.MustCompile(`\$?\{[^}]*\}`) // names of files
	command := regexp.MustCompile(`quell denoise [^>\n]*>|(?m)exec quell [^;\n]*`)
	found := 0
	for _, name := range []string{"Snakefile", "main.nf", "slicer.sh"} {
		data, err := os.ReadFile(filepath.Join("../../docs/hosts", name))
		if err != nil {
			t.Fatal(err)
		}
		text := joined.ReplaceAllString(string(data), " ")
		text = others.ReplaceAllString(numbers.ReplaceAllString(values.ReplaceAllString(text, "mr-brain-3d"), "4"), "x")
		for _, line := range command.FindAllString(text, -1) {
			line = strings.NewReplacer("exec ", "", ">", "", "'", "", `"$name"`, "nlm", `"$@"`, "a b", `"`, "").Replace(line)
			cmd, args, err := newRoot().Find(strings.Fields(line)[1:])
			if err == nil {
				err = parse(cmd, args)
			}
			if err == nil && cmd.HasParent() {
				err = cmd.ValidateArgs(cmd.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %s: %v", name, line, err)
			}
			found++
		}
	}
	if found != 6 {
		t.Errorf("%d commands", found)
	}
}

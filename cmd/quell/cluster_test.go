package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var quellLine = regexp.MustCompile(`(?m)(?:^#   |exec |\[")(quell"?,? .*)$`)

// TestClusterExamples: the commands of the examples for clusters exist, with their flags.
func TestClusterExamples(t *testing.T) {
	files, err := filepath.Glob("../../docs/cluster/*.*") // those with commands: scripts and manifests
	if err != nil || len(files) < 5 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := quellLine.FindAllStringSubmatch(string(data), -1)
		if len(lines) == 0 {
			t.Errorf("%s runs no command", file)
		}
		for _, line := range lines {
			text := regexp.MustCompile(`"\$[^"]*(/\d+)"`).ReplaceAllString(line[1], "1$1") // the part of a shard
			text = strings.NewReplacer(`"`, "", ",", "", "]", "").Replace(text)
			cmd, args, err := newRoot().Find(strings.Fields(text)[1:])
			if err != nil || !cmd.HasParent() {
				t.Errorf("%s: %s: %v", file, text, err)
				continue
			}
			if err := parse(cmd, args); err != nil {
				t.Errorf("%s: %s: %v", file, text, err)
				continue
			}
			if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
				t.Errorf("%s: %s: %v", file, text, err)
			}
		}
	}
}

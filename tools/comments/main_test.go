package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder returns a folder with one Go file of 100 lines of comments, of which n hold a text.
func folder(t *testing.T, n int, text string) string {
	t.Helper()
	dir := t.TempDir()
	source := strings.Repeat("// "+text+"\n\n", n) + strings.Repeat("// plain\n\n", 100-n) + "package p\n\nvar s = \"where that of\"\n"
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// At most so many of 100 lines may hold the words.
func TestCeilings(t *testing.T) {
	for text, most := range map[string]int{
		"Where it is": 2, "a file whose name": 2, "beside it": 2, "the last of which": 2, "than those of a": 2, "What is left": 1, "what a line holds": 1,
		"It says whether": 1, "It stands there": 1, "than that of a": 1, "those that are": 1,
	} {
		for n, want := range map[int]bool{0: true, most: true, most + 1: false} {
			var out strings.Builder
			ok, err := check(&out, []string{folder(t, n, text)})
			if err != nil || ok != want {
				t.Errorf("%q %d times: ok is %t, %v", text, n, ok, err)
			}
			if named := strings.Contains(out.String(), "a.go:1: "); named == want {
				t.Errorf("%q %d times: %q", text, n, out.String())
			}
		}
	}
}

// The comment with the most words comes first, and words count that a line break divides.
func TestTheWorstComesFirst(t *testing.T) {
	dir := t.TempDir()
	source := "// One where.\n\npackage p\n\n// Where one is, and that\n// of two, where three are.\nvar x int\n"
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if ok, err := check(&out, []string{dir}); ok || err != nil {
		t.Fatalf("ok is %t, %v", ok, err)
	}
	two, one, of := strings.Index(out.String(), "a.go:5: Where, where"), strings.Index(out.String(), "a.go:1: where"), strings.Index(out.String(), "a.go:5: that of")
	if two < 0 || one < two || of < one {
		t.Errorf("%s", out.String())
	}
}

func TestAFileThatIsNoGo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("no Go"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ok, err := check(&strings.Builder{}, []string{dir}); ok || err == nil {
		t.Errorf("ok is %t, %v", ok, err)
	}
}

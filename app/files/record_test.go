package files

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/denoise"
)

func TestLoadRecipe(t *testing.T) {
	dir := t.TempDir()
	put := func(text string) string {
		path := filepath.Join(dir, "r.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	want := apptest.MustRecipe("nlm", 3).With("h", denoise.Number(10))
	bare, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := LoadRecipe(put(string(bare))); err != nil || !got.Equal(want) {
		t.Errorf("a bare recipe: %v, %v", got, err)
	}
	if got, err := LoadRecipe(put(`{"quell":"9","recipe":` + string(bare) + `}`)); err != nil || !got.Equal(want) {
		t.Errorf("a record: %v, %v", got, err)
	}
	for _, text := range []string{
		"", "[]", "no json", `{"quell":"9"}`, `{"quell":"9","recipe":7}`, `{"version":7,"filter":"nlm","dims":2}`,
		`{"version":1,"filter":"magic","dims":2}`, `{"version":1,"filter":"nlm","dims":2,"parameters":{"H":3}}`,
		`{"version":1,"filter":"nlm","dims":2,"parameters":{"h":-3}}`,
	} {
		if _, err := LoadRecipe(put(text)); job.ExitCode(err) != job.ExitInput {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := LoadRecipe(put(`{"quell":"9"}`)); err == nil || !strings.Contains(err.Error(), "is a sidecar without a recipe") {
		t.Errorf("a record without a recipe: %v", err)
	}
	padded := func(size int) string { return string(bare) + strings.Repeat(" ", size-len(bare)) }
	if _, err := LoadRecipe(put(padded(maxRecipe))); err != nil {
		t.Errorf("a file of %d bytes: %v", maxRecipe, err)
	}
	if _, err := LoadRecipe(put(padded(maxRecipe + 1))); job.ExitCode(err) != job.ExitInput {
		t.Errorf("a file of one byte more: %v", err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "missing.json")} {
		if _, err := LoadRecipe(path); job.ExitCode(err) != job.ExitInput {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestRecordFiles: what counts as a record when an export would replace it.
func TestRecordFiles(t *testing.T) {
	dir := t.TempDir()
	const record = `{"quell":"9"}`
	for what, c := range map[string]struct {
		text string
		want bool
	}{
		"a record":           {record, true},
		"another object":     {`{"recipe":{}}`, false},
		"no JSON":            {"quell", false},
		"the largest":        {record + strings.Repeat(" ", maxRecipe-len(record)), true},
		"larger than any is": {record + strings.Repeat(" ", maxRecipe-len(record)+1), false},
	} {
		path := filepath.Join(dir, "r.json")
		apptest.WriteTestFile(t, path, []byte(c.text))
		if got := IsRecord(path); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
	if IsRecord(dir) || IsRecord(filepath.Join(dir, "missing")) {
		t.Error("a folder or nothing is a record")
	}
}

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
)

// TestDerivativesAreNoInput: of a BIDS dataset, and of nothing else.
func TestDerivativesAreNoInput(t *testing.T) {
	dir := t.TempDir()
	check := func(out string) error {
		return files.Gate{Inputs: []string{dir}, Outputs: []files.Target{{Option: "OUT", Path: filepath.Join(dir, out), Kind: files.BatchOutput}}}.Check()
	}
	description := filepath.Join(dir, "dataset_description.json")
	for _, there := range []bool{false, true} { // the first derivative makes their folder
		if there {
			if err := errors.Join(os.Remove(description), os.Mkdir(filepath.Join(dir, "derivatives"), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		if err := check("derivatives/quell"); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("a folder: %v", err)
		}
		apptest.WriteTestFile(t, description, []byte("{}"))
		if err := check("derivatives/quell"); err != nil {
			t.Errorf("a dataset: %v", err)
		}
	}
	for _, out := range []string{".", "sub-01", "derivatives/../sub-01/x", "derivative"} {
		if err := check(out); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "lies inside the input's folder") {
			t.Errorf("%s: %v", out, err)
		}
	}
}

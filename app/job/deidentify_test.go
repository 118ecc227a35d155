package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/volume"
)

// TestKeyThatCannotBeStored: an export without a stored key has a warning.
func TestKeyThatCannotBeStored(t *testing.T) {
	config := t.TempDir()
	apptest.OwnConfig(t, config)
	path, err := opentest.KeyPath()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	apptest.PutDICOM(t, filepath.Join(dir, "src"), 4, 4, 3)
	run := runtest.Filtered(t, opentest.Reopen(t, filepath.Join(dir, "src")), volume.Region{})
	report, err := roomtest.ExportRun(t.Context(), run, filepath.Join(dir, "out"), job.Options{Deidentify: true}, nil)
	if err != nil || len(report.Warnings) != 3 || !strings.Contains(report.Warnings[2].String(), "pseudonyms.key is damaged") {
		t.Errorf("%v, warnings %q", err, report.Warnings)
	}
}

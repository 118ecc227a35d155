package run_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run"
	"quell/app/run/runtest"
	"quell/volume"
)

// TestExportDeidentified checks that pseudonyms depend on the key next to the
// settings, and that the record holds neither a date nor the hash of the source's
// voxels.
func TestExportDeidentified(t *testing.T) {
	config := t.TempDir()
	apptest.OwnConfig(t, config)
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	apptest.PutDICOM(t, src, 8, 7, 6)
	r := runtest.Filtered(t, opentest.Reopen(t, src), volume.Region{})
	export := func(name string) (uid string) {
		out := filepath.Join(dir, name)
		report, err := roomtest.ExportRun(t.Context(), r, out, job.Options{Deidentify: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Warnings) != 2 || !strings.Contains(report.Warnings[0].String(), "burned into") || !strings.Contains(report.Warnings[1].String(), "which part of the body") {
			t.Errorf("warnings %q", report.Warnings)
		}
		data, err := os.ReadFile(report.Recipe)
		if err != nil {
			t.Fatal(err)
		}
		var record map[string]any
		if err := json.Unmarshal(data, &record); err != nil || record["time"] != nil || record["recipe"] == nil ||
			strings.Contains(string(data), "sha256") || strings.Contains(string(data), run.HashOf(r.Source.Volume)) {
			t.Errorf("record %s: %v", data, err)
		}
		file, err := os.ReadFile(filepath.Join(out, "IM00001.dcm"))
		if err != nil || !bytes.Contains(file, []byte("113100")) || bytes.Contains(file, []byte(r.Source.UID)) {
			t.Errorf("the file names the source's series, or is not marked as de-identified (%v)", err)
		}
		return opentest.Reopen(t, out).UID
	}
	first := export("a")
	key, err := opentest.KeyPath()
	if err != nil || !strings.HasPrefix(key, config) {
		t.Fatalf("key at %s, %v", key, err)
	}
	if info, err := os.Stat(key); err != nil || info.Size() != 32 {
		t.Fatalf("%v, %v", info, err)
	}
	if again := export("b"); again != first {
		t.Error("the same account gives two pseudonyms to one series")
	}
	apptest.OwnConfig(t, t.TempDir())
	if other := export("c"); other == first {
		t.Error("two accounts give the same pseudonym")
	}
}

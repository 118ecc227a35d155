package output_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/output"
	"quell/app/roomtest"
	"quell/app/run"
	"quell/app/run/runtest"
	"quell/volume"
)

func TestRecordReproducesTheRun(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 8, 7, 6)
	s := opentest.Reopen(t, in)
	done := runtest.Filtered(t, s, volume.Region{})
	report, err := roomtest.ExportRun(t.Context(), done, filepath.Join(dir, "out.nii"), job.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := files.LoadRecipe(report.Recipe)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Equal(done.Resolved) || !r.Resolved() {
		t.Errorf("the record holds %v, the run was %v", r, done.Resolved)
	}
	eng, _ := engines.Pick("cpu")
	again, err := run.Denoise(t.Context(), eng, run.Request{Series: s, Recipe: r}, nil)
	if err != nil || !slices.Equal(again.Result.Data, done.Result.Data) {
		t.Errorf("the record does not give the same bits again (%v)", err)
	}

	data, err := os.ReadFile(report.Recipe)
	if err != nil {
		t.Fatal(err)
	}
	var record output.Record
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	if record.Quell != job.Version() || record.Engine.Name != "cpu" || !record.Asked.Get("sigma-range").IsPercent() ||
		record.Source.SHA256 != run.HashOf(s.Volume) || record.Source.Dims != s.Volume.Dims || record.Time.IsZero() {
		t.Errorf("record %s", data)
	}
	if strings.Contains(string(data), dir) || strings.Contains(string(data), "in.nii") {
		t.Errorf("the record names a path: %s", data)
	}
}

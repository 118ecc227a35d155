package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/job"
	"quell/io/dicom/dicomtest"
	"quell/volume"
)

// TestDICOMOf4D: a 4-D series of DICOM leaves as one series with the places of the source, as does
// removed noise and de-identified results, in a folder of files. It takes the place of an earlier
// output that has a folder for each volume.
func TestDICOMOf4D(t *testing.T) {
	for _, maker := range []string{"Siemens", "Siemens mosaic", "Enhanced"} {
		in := apptest.WriteDiffusion(t, dicomtest.Diffusion{Maker: maker, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Gradients: dicomtest.Interleaved()})
		source, all := loadAll(t, in)
		n := len(all)
		out := filepath.Join(t.TempDir(), "out")
		if err := os.MkdirAll(out, 0o755); err != nil {
			t.Fatal(err)
		}
		for k, name := range []string{"001-b-value-0-s-mm2", "002-b-value-1000-s-mm2-direction-1-0-0"} {
			apptest.SaveDICOM(t, filepath.Join(out, name), all[k])
		}
		r := apptest.MustRecipe("median", 2)
		j := job.Job{Input: job.Input{Path: in, All: true}, Recipe: &r, Engine: job.EnginePolicy{Name: "cpu"},
			Output: job.Output{Path: out, Beside: map[string]string{"noise-out": filepath.Join(filepath.Dir(out), "removed")}}}
		hidden := j
		hidden.Output = job.Output{Path: filepath.Join(filepath.Dir(out), "hidden"), Options: job.Options{Deidentify: true}}
		report, err := app.Do(t.Context(), j, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := app.Do(t.Context(), hidden, job.Events{}); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(in, "*"))
		if err != nil || report.Files != len(files) || len(report.Volumes) != n {
			t.Errorf("%s: %d files of %d, %d volumes, %v", maker, report.Files, len(files), len(report.Volumes), err)
		}
		for _, dir := range []string{out, j.Output.Beside["noise-out"], hidden.Output.Path} {
			written, err := os.ReadDir(dir)
			if err != nil || len(written) != len(files) {
				t.Errorf("%s: %d files in %s, %v", maker, len(written), dir, err)
			}
			c, _ := loadAll(t, dir)
			if len(c.Entries) != n {
				t.Fatalf("%s: %d volumes in %s", maker, len(c.Entries), dir)
			}
			for k, e := range c.Entries {
				if e.UID != c.Entries[0].UID || e.GroupIndex != k || e.Group == nil || e.Group.Places[k].String() != source.Entries[k].Group.Places[k].String() {
					t.Errorf("%s: volume %d of %s: %+v", maker, k, dir, e.Group)
				}
			}
		}
	}
}

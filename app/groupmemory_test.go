package app_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"weak"

	"quell/app"
	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/volume"
)

// TestGroupKeepsNoVolume: the outcome of a volume that is done leaves its voxels to the next
// one. With little memory the next volume is read when that is done, and the results are the same.
func TestGroupKeepsNoVolume(t *testing.T) {
	for _, c := range []struct {
		name   string
		format string
		memory int64
		ahead  bool
	}{
		{"read ahead", "ahead.nii", 0, true},
		{"one at a time", "alone.nii", 2 * 4 * 7 * 6 * 5, false},
		{"DICOM", "alone", 2 * 4 * 7 * 6 * 5, false},
	} {
		dir := t.TempDir()
		in := filepath.Join(dir, "in.nii")
		want := apptest.Put4D(t, in, 4, 2)
		r := apptest.MustRecipe("gaussian", 2)
		j := job.Job{Recipe: &r, Measure: true, Memory: c.memory, Output: job.Output{Path: filepath.Join(dir, c.format)}}
		catalog, err := open.Scan(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		var of []weak.Pointer[volume.Volume]
		each := func(s *executor.Slab) {
			run := s.Part.Run
			of = append(of, weak.Make(run.Source.Volume), weak.Make(run.Result))
			runtime.GC()
			runtime.GC() // what has a finalizer is left by the first
			for i, v := range of[:max(len(of)-4, 0)] {
				if v.Value() != nil {
					t.Errorf("%s: volume %d is kept when volume %d is done", c.name, i/2, len(of)/2-1)
				}
			}
			if len(of) == 2 && !c.ahead { // volume 1 has not been read yet
				data, err := os.ReadFile(in)
				if err != nil {
					t.Fatal(err)
				}
				n := len(want[0].Data) * 4
				first := len(data) - 4*n
				copy(data[first+n:first+2*n], data[first:first+n])
				if err := os.WriteFile(in, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if len(of) == 4 && !c.ahead && run.Source.Volume.Data[3] != want[0].Data[3] {
				t.Errorf("%s: volume 1 was read while volume 0 was worked on", c.name)
			}
		}
		src, closeFiles := executor.SourceIn(catalog, catalog.Members(0))
		means := executor.Means{Engine: func() (denoise.Engine, error) { return engines.CPU(), nil }}
		report, err := app.Execute(t.Context(), j, src, means, job.Events{}, lastSink{each})
		closeFiles()
		catalog.Close()
		if err != nil || len(report.Volumes) != 4 || len(of) != 8 {
			t.Fatalf("%s: %d volumes, %v", c.name, len(report.Volumes), err)
		}
		_, all := loadAll(t, j.Output.Path)
		for k, s := range all {
			if s.Volume.Data[3] == 0 || len(all) != 4 {
				t.Errorf("%s: volume %d of %d is empty", c.name, k, len(all))
			}
		}
	}
}

// lastSink calls a function with every slab.
type lastSink struct{ slab func(s *executor.Slab) }

func (lastSink) Begin(context.Context, *executor.Made) error { return nil }

func (l lastSink) Slab(_ context.Context, s *executor.Slab) error { l.slab(s); return nil }

func (lastSink) Finish(context.Context, *executor.Outcome) error { return nil }

func (lastSink) Abort() {}

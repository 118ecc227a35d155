package app_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"quell/app"
	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/volume"
)

// arrivingEngine copies the region; its voxels arrive in two parts, with a call in between.
type arrivingEngine struct {
	apptest.EngineFunc
	between func(a *volume.Arrival) error
}

func (e arrivingEngine) Run(ctx context.Context, _ denoise.Recipe, in denoise.Input, region volume.Region, _ denoise.Progress) (*volume.Volume, error) {
	whole := in.Volume.Crop(region)
	out := volume.New(whole.Geometry)
	out.Unit, out.Mask = whole.Unit, whole.Mask
	half := len(out.Data) / 2
	copy(out.Data[half:], whole.Data[half:])
	a := denoise.BeginArrival(ctx, out)
	a.Add(half, len(out.Data))
	if e.between != nil {
		if err := e.between(a); err != nil {
			a.End(err)
			return nil, err
		}
	}
	copy(out.Data, whole.Data[:half])
	a.End(nil)
	return out, ctx.Err()
}

// TestEarlyWriteIsTheSame checks that a file that is written while the engine computes is the file that is
// written of a complete result, record included, and that it has its name only then.
func TestEarlyWriteIsTheSame(t *testing.T) {
	s := apptest.Wavy(40, 30, 7)
	s.Volume.Mask = make([]bool, len(s.Volume.Data))
	for i := range s.Volume.Mask {
		s.Volume.Mask[i] = i%5 != 0
	}
	for _, c := range []struct{ name, dtype string }{{"a.nii", ""}, {"a.nii.gz", ""}, {"a.nii", "int16"}, {"a.hdr", ""}} {
		t.Run(c.name+c.dtype, func(t *testing.T) {
			write := func(early bool, between func(out string)) string {
				dir := t.TempDir()
				out := filepath.Join(dir, c.name)
				var e denoise.Engine = apptest.EngineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
					return v.Crop(r), nil
				})
				if early {
					e = arrivingEngine{between: func(*volume.Arrival) error { between(out); return nil }}
				}
				recipe := apptest.MustRecipe("median", 2)
				j := job.Job{Recipe: &recipe, Output: job.Output{Path: out, Options: job.Options{Dtype: c.dtype, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}}
				report, err := app.DoOn(t.Context(), app.On{Series: s, Engine: e}, j, job.Events{})
				if err != nil || report.Files == 0 || report.Output != out {
					t.Fatal(report, err)
				}
				return dir
			}
			want := write(false, nil)
			got := write(true, func(out string) {
				if _, err := os.Lstat(out); err == nil {
					t.Error("an output has its name before the run is finished")
				}
			})
			files, err := os.ReadDir(want)
			if err != nil || len(files) < 2 {
				t.Fatal(files, err)
			}
			for _, f := range files {
				a, err1 := os.ReadFile(filepath.Join(want, f.Name()))
				b, err2 := os.ReadFile(filepath.Join(got, f.Name()))
				if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
					t.Errorf("%s differs: %v, %v", f.Name(), err1, err2)
				}
			}
			if more, err := os.ReadDir(got); err != nil || len(more) != len(files) {
				t.Errorf("%v instead of %v (%v)", more, files, err)
			}
		})
	}
}

// TestEarlyWriteOfWhatFails checks that nothing is left of a run that fails or is cancelled,
// and that a result is written which could not be written early.
func TestEarlyWriteOfWhatFails(t *testing.T) {
	s, recipe := apptest.Wavy(40, 30, 7), apptest.MustRecipe("median", 2)
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		between func(a *volume.Arrival, cancel func()) error
		want    error
	}{
		"the engine fails": {func(*volume.Arrival, func()) error { return failed }, failed},
		"cancelled":        {func(_ *volume.Arrival, cancel func()) error { cancel(); return nil }, context.Canceled},
		"computed again":   {func(a *volume.Arrival, _ func()) error { a.End(failed); return nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			dir := t.TempDir()
			out := filepath.Join(dir, "a.nii")
			j := job.Job{Recipe: &recipe, Output: job.Output{Path: out}}
			e := arrivingEngine{between: func(a *volume.Arrival) error { return c.between(a, cancel) }}
			_, err := app.DoOn(ctx, app.On{Series: s, Engine: e}, j, job.Events{})
			if !errors.Is(err, c.want) {
				t.Fatal(err)
			}
			files, err := os.ReadDir(dir)
			if err != nil || c.want != nil && len(files) != 0 || c.want == nil && len(files) != 2 {
				t.Error(files, err)
			}
			if c.want != nil {
				return
			}
			back, err := open.Open(t.Context(), job.Input{Path: out}, job.Events{})
			if err != nil {
				t.Fatal(err)
			}
			defer back.Close()
			for i, x := range back.Series.Volume.Data {
				if x != s.Volume.Data[i] {
					t.Fatalf("voxel %d is %v instead of %v", i, x, s.Volume.Data[i])
				}
			}
		})
	}
}

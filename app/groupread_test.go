package app_test

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/series"
)

// TestVolumesAreComparedBesideTheReadingAhead compares the volumes of a 4-D series while the second one is read ahead: the
// reader that reads ahead is used by one goroutine at a time.
func TestVolumesAreComparedBesideTheReadingAhead(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii.gz")
	apptest.Put4D(t, in, 3, 2)
	catalog, err := open.Scan(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	defer catalog.Close()
	src, done := executor.SourceIn(catalog, catalog.Members(0))
	defer done()
	var busy atomic.Bool
	compared := make(chan struct{})
	release := sync.OnceFunc(func() { close(compared) })
	load, again := src.Load, src.Again
	src.Load = func(ctx context.Context, k int, events job.Events) (*series.Series, error) {
		if !busy.CompareAndSwap(false, true) {
			release()
			t.Errorf("volume %d is read while another one is", k)
		}
		defer busy.Store(false)
		if k == 1 { // until the volumes are compared
			select {
			case <-compared:
			case <-ctx.Done():
			}
		}
		return load(ctx, k, events)
	}
	src.Again = func() (func(context.Context, int) (*series.Series, error), func()) {
		load, done := again()
		return load, func() { done(); release() }
	}
	r := apptest.MustRecipe("nlm", 3)
	j := job.Job{Input: job.Input{Path: in}, Recipe: &r, Output: job.Output{Path: filepath.Join(dir, "out.nii")}, Memory: 1 << 30}
	means := executor.Means{Engine: func() (denoise.Engine, error) { return cpu.New(), nil }}
	if _, err := app.Execute(t.Context(), j, src, means, job.Events{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-compared:
	default:
		t.Error("the volumes were not compared")
	}
}

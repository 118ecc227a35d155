package executor

import (
	"context"
	"errors"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/series"
)

// What needs no filter is done slab by slab only if it is too large to be done whole.
func TestWhatIsDoneInSlabs(t *testing.T) {
	out := job.Output{Path: "out.nii"}
	small := InMemory(apptest.Wavy(9, 8, 30))
	small.Slices = func(context.Context, int) (series.Slices, error) { return nil, errors.New("nothing is read") }
	huge := small
	huge.Geometry.Dims[2] = 1 << 30
	unread := huge
	unread.Slices = nil
	recipe := apptest.MustRecipe("median", 3)
	for what, x := range map[string]struct {
		src  Source
		job  job.Job
		want bool
	}{
		"fits":                     {small, job.Job{Output: out}, false},
		"fits the limit":           {small, job.Job{Output: out, Memory: 4 * 9 * 8 * 30}, false},
		"beyond the limit":         {small, job.Job{Output: out, Memory: 4*9*8*30 - 1}, true},
		"too large":                {huge, job.Job{Output: out}, true},
		"too large to read":        {unread, job.Job{Output: out}, false},
		"too large, to Analyze":    {huge, job.Job{Output: job.Output{Path: "x.hdr"}}, true},
		"too large to resample":    {huge, job.Job{Output: out, Uneven: job.UnevenResample}, false},
		"too large for a filter":   {huge, job.Job{Output: job.Output{Path: "x"}, Recipe: &recipe}, true},
		"Analyze beyond the limit": {huge, job.Job{Output: job.Output{Path: "x.hdr"}, Memory: 1}, true},
	} {
		if got := newExecution(x.job, x.src, Means{}, nil, job.Events{}).plan.Slabs; got != x.want {
			t.Errorf("%s: in slabs: %v", what, got)
		}
	}
}

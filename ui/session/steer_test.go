package session_test

import (
	"math"
	"strings"
	"testing"

	"quell/app/job"
	"quell/denoise/noise"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
	"quell/ui/viewer"
)

// usually is about the sigma of tissueSeries, which a plain strength is divided by
// if the filter follows the noise.
const usually = 4

func (b *bench) follows(h float64) bool {
	return math.Abs(float64(b.shift())-h/usually) < 0.15*h/usually
}

// If the filter follows the noise, previews and runs do; both are stale when it is switched.
func TestTheFilterFollowsTheNoise(t *testing.T) {
	b := newBench(t)
	b.show(tissueSeries(t))
	b.Tuning.Set(b.tuned(8), true)
	b.settle()
	if b.shift() != 8 || b.Noise.Follows() || !b.Noise.CanFollow() {
		t.Fatalf("a shift of %g; want 8", b.shift())
	}
	b.Results.Apply()
	b.settle()
	if b.status() != preview.Whole || !b.Results.Applied() || !b.Measures.Volume().Current {
		t.Fatalf("status %v", b.status())
	}
	b.Noise.ToggleFollow()
	if !b.Noise.Mapping() || b.Noise.Follows() || !b.Noise.CanFollow() {
		t.Fatal("want the map to be computed as a task that the command can cancel")
	}
	b.settle()
	if !b.Noise.Follows() || b.Noise.Map() != nil || b.tint(viewer.Original) != nil {
		t.Fatalf("follows %t, errors %v; want the map to be used and not shown", b.Noise.Follows(), b.errors)
	}
	if !strings.HasPrefix(b.Tasks.Message(), "The filter follows the noise, which is mostly ") || !strings.HasSuffix(b.Tasks.Message(), " HU.") {
		t.Errorf("message %q", b.Tasks.Message())
	}
	if b.Results.Applied() || b.Measures.Volume().Current || b.status() != preview.Slice || !b.follows(8) {
		t.Errorf("status %v with a shift of %g; want a preview of 8 in usual sigmas", b.status(), b.shift())
	}
	if !b.Measures.Slice().Current {
		t.Error("the measures of the slice are not those of its picture")
	}
	b.Results.Apply()
	b.settle()
	run := b.Results.Exportable()
	if b.status() != preview.Whole || !b.Results.Applied() || !b.follows(8) || run.Maps.Noise == nil || !run.Maps.Estimated || !run.Resolved.InSigmas {
		t.Errorf("status %v with a shift of %g", b.status(), b.shift())
	}
	// The background has a sigma too: it is filtered like the rest.
	if run.Maps.Noise.Mask != nil {
		t.Error("the map that steers leaves out voxels")
	}
	b.Noise.ToggleFollow()
	b.settle()
	if b.Noise.Follows() || !b.Results.Applied() || b.status() != preview.Whole || b.shift() != 8 || b.Results.Exportable() == run {
		t.Errorf("status %v with a shift of %g; want the first run again", b.status(), b.shift())
	}
	b.Results.Show(1)
	b.settle()
	if !b.Noise.Follows() || b.Results.Exportable() != run {
		t.Error("the result that follows the noise is not shown again")
	}
	b.Noise.ToggleFollow()
	b.settle()
	// The map is there: it is shown at once, and used at once.
	b.Noise.ToggleMap()
	if b.Noise.Map() == nil {
		t.Error("the map that was found to steer by is computed again to be shown")
	}
	b.Noise.ToggleFollow()
	b.settle()
	if !b.Noise.Follows() || b.Noise.Map() == nil {
		t.Error("following the noise hid the map")
	}
}

func TestFollowingEndsWithItsVoxelsAndWaitsForTasks(t *testing.T) {
	b := newBench(t)
	b.show(tissueSeries(t))
	b.engine.holdRuns()
	b.Results.Apply()
	if b.Noise.CanFollow() {
		t.Error("the filter can be changed to follow the noise while a run is in progress")
	}
	b.Noise.ToggleFollow()
	if b.Tasks.Progress().Kind != desk.Applying {
		t.Error("the map replaced a run")
	}
	b.Tasks.Cancel()
	b.settle()
	b.Noise.ToggleFollow()
	b.Noise.ToggleFollow() // cancels
	b.settle()
	if b.Noise.Follows() || len(b.errors) != 0 {
		t.Errorf("follows after a cancel, errors %v", b.errors)
	}
	b.Noise.ToggleFollow()
	b.settle()
	b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 3})
	b.settle()
	if b.Noise.Follows() {
		t.Error("the filter follows the noise of other voxels")
	}
	ct := rampSeries(t) // 16 x 12 pixels
	ct.Volume.Unit = "HU"
	b.show(ct)
	b.settle()
	b.Noise.ToggleFollow()
	b.settle()
	if len(b.errors) != 1 || !strings.Contains(b.errors[0].Error(), "cannot be mapped") || b.Noise.Follows() {
		t.Errorf("errors %v", b.errors)
	}
}

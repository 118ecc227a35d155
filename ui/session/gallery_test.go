package session_test

import (
	"testing"

	"quell/app/engines"
	"quell/denoise"
	"quell/ui/session/desk"
	"quell/volume"
)

// Every filter is shown on the slice as it is ready; taking one sets its filter and its
// strength in sigmas, as one step of the history.
func TestFiltersAreComparedOnTheSlice(t *testing.T) {
	b := newTissueBench(t)
	before := b.Tuning.Recipe()
	if b.Galleries.Last() != nil || !b.Galleries.CanCompare() || b.Galleries.Comparing() {
		t.Fatal("want no gallery, and a comparison to be possible")
	}
	b.Galleries.Compare()
	if !b.Galleries.Comparing() || b.Galleries.CanCompare() || b.Tasks.Progress().Kind != desk.Comparing || b.Galleries.Last() == nil || b.Galleries.Last().Ended {
		t.Fatal("want a comparison as a task")
	}
	b.loop.until("the first exhibit is there", func() bool { return len(b.Galleries.Last().Exhibits) > 0 })
	b.settle()
	g := b.Galleries.Last()
	if len(g.Exhibits) != len(denoise.Filters()) || !g.Ended || b.Galleries.Comparing() || b.Tasks.Message() != "Every filter was compared." {
		t.Fatalf("%d exhibits, %q", len(g.Exhibits), b.Tasks.Message())
	}
	if g.Input.Dims != [3]int{64, 64, 1} || g.Best < 0 {
		t.Errorf("input %v, best %d; want one", g.Input.Dims, g.Best)
	}
	b.Galleries.Take(-1)
	b.Galleries.Take(len(g.Exhibits))
	if !b.Tuning.Recipe().Equal(before) {
		t.Error("an exhibit that does not exist was taken")
	}
	b.Galleries.Take(g.Best)
	if b.Tuning.Recipe().Filter != g.Exhibits[g.Best].Filter || b.Tuning.Recipe().Get("strength").Float() != g.Exhibits[g.Best].Strength {
		t.Errorf("recipe %s; want %s", b.Tuning.Recipe(), g.Exhibits[g.Best].Asked)
	}
	b.History.Undo()
	if !b.Tuning.Recipe().Equal(before) {
		t.Error("taking an exhibit is not one step of the history")
	}
}

// A cancelled comparison keeps its exhibits and gets no more.
func TestAComparisonIsCancelled(t *testing.T) {
	b := newTissueBench(t)
	b.Galleries.Compare()
	b.Tasks.Cancel()
	b.settle()
	g := b.Galleries.Last()
	if b.Galleries.Comparing() || len(g.Exhibits) != 0 || !g.Ended || b.Tasks.Message() != "Comparing the filters cancelled." {
		t.Errorf("%d exhibits, ended %t, %q", len(g.Exhibits), g.Ended, b.Tasks.Message())
	}
	if len(b.errors) > 0 {
		t.Errorf("errors: %v", b.errors)
	}
}

// An engine that fails is reported once, and another one starts the comparison again.
func TestAComparisonContinuesWithAnotherEngine(t *testing.T) {
	b := newTissueBench(t)
	working := &fakeEngine{shrink: true}
	b.engine.mu.Lock()
	b.engine.fail = engines.ErrFailed
	b.engine.mu.Unlock()
	b.Galleries.Compare()
	b.settle()
	if len(b.errors) == 0 || !b.Galleries.Last().Ended || b.Galleries.Comparing() {
		t.Fatalf("errors %v", b.errors)
	}
	b.ContinueWith(working)
	b.settle()
	if g := b.Galleries.Last(); len(g.Exhibits) != len(denoise.Filters()) {
		t.Errorf("%d exhibits with the other engine", len(g.Exhibits))
	}
}

// Once every filter was compared, all pictures show another slice together, by the strengths that were found; those of the slice
// before are gone at once, and numbers stay those of the first.
func TestTheGalleryScrolls(t *testing.T) {
	b := newTissueBench(t)
	b.Galleries.Compare()
	b.Galleries.Scroll(1)
	g := b.Galleries.Last()
	if g.Shown != g.Index {
		t.Fatal("it scrolls while filters are compared")
	}
	b.settle()
	n, first, input := g.View.Size[2], g.Shown, g.Input
	if n < 2 {
		t.Fatalf("a series of %d slices", n)
	}
	step := 1
	if first == n-1 {
		step = -1
	}
	before := make(map[string]*volume.Volume)
	for _, e := range g.Exhibits {
		before[e.Filter] = e.Part
	}
	b.Galleries.Scroll(step)
	for _, e := range g.Exhibits {
		if e.Part != nil {
			t.Errorf("%s still has the picture of another slice", e.Filter)
		}
	}
	b.settle()
	if g.Shown != first+step || g.Index != first || g.Input == input || g.Input.Affine != b.Series().Volume.Crop(g.View.Region(g.Shown)).Affine {
		t.Errorf("slice %d of the pictures, %d of the numbers", g.Shown, g.Index)
	}
	for _, e := range g.Exhibits {
		if e.Problem.IsZero() && (e.Part == nil || e.Part == before[e.Filter] || e.Part.Dims != g.Input.Dims) {
			t.Errorf("%s has no picture of the slice", e.Filter)
		}
	}
	b.Galleries.Scroll(-1000)
	b.Galleries.Scroll(-1) // at the end
	b.settle()
	if g.Shown != 0 || len(b.errors) > 0 {
		t.Errorf("slice %d, errors %v", g.Shown, b.errors)
	}
	b.Galleries.Scroll(1)
	b.Galleries.Leave()
	b.settle()
	if len(b.errors) > 0 {
		t.Errorf("work that is left gives %v", b.errors)
	}
}

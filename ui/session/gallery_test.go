package session_test

import (
	"testing"

	"quell/app"
	"quell/denoise"
	"quell/ui/session"
)

// Every filter is shown on the slice as it is ready; taking one sets its filter and its
// strength in sigmas, as one step of the history.
func TestFiltersAreComparedOnTheSlice(t *testing.T) {
	b := newTissueBench(t)
	before := b.Recipe()
	if b.Gallery() != nil || !b.CanCompare() || b.Comparing() {
		t.Fatal("want no gallery, and a comparison to be possible")
	}
	b.CompareFilters()
	if !b.Comparing() || b.CanCompare() || b.Progress().Kind != session.Comparing || b.Gallery() == nil || b.Gallery().Ended {
		t.Fatal("want a comparison as a task")
	}
	b.loop.until("the first exhibit is there", func() bool { return len(b.Gallery().Exhibits) > 0 })
	b.settle()
	g := b.Gallery()
	if len(g.Exhibits) != len(denoise.Filters()) || !g.Ended || b.Comparing() || b.Message() != "Every filter was compared." {
		t.Fatalf("%d exhibits, %q", len(g.Exhibits), b.Message())
	}
	if g.Input.Dims != [3]int{64, 64, 1} || g.Best < 0 || g.Exhibits[g.Best].Filter != "nlm" {
		t.Errorf("input %v, best %d; want nlm, which alone lowers the error", g.Input.Dims, g.Best)
	}
	b.TakeExhibit(-1)
	b.TakeExhibit(len(g.Exhibits))
	if !b.Recipe().Equal(before) {
		t.Error("an exhibit that does not exist was taken")
	}
	b.TakeExhibit(g.Best)
	if !b.Recipe().Equal(g.Exhibits[g.Best].Asked) || !b.Recipe().Get("h").IsSigmas() {
		t.Errorf("recipe %s; want %s", b.Recipe(), g.Exhibits[g.Best].Asked)
	}
	b.Undo()
	if !b.Recipe().Equal(before) {
		t.Error("taking an exhibit is not one step of the history")
	}
}

// A cancelled comparison keeps what is there and gets nothing more.
func TestAComparisonIsCancelled(t *testing.T) {
	b := newTissueBench(t)
	b.CompareFilters()
	b.Cancel()
	b.settle()
	g := b.Gallery()
	if b.Comparing() || len(g.Exhibits) != 0 || !g.Ended || b.Message() != "Comparing the filters cancelled." {
		t.Errorf("%d exhibits, ended %t, %q", len(g.Exhibits), g.Ended, b.Message())
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
	b.engine.fail = app.ErrEngineFailed
	b.engine.mu.Unlock()
	b.CompareFilters()
	b.settle()
	if len(b.errors) == 0 || !b.Gallery().Ended || b.Comparing() {
		t.Fatalf("errors %v", b.errors)
	}
	b.ContinueWith(working)
	b.settle()
	if g := b.Gallery(); len(g.Exhibits) != len(denoise.Filters()) {
		t.Errorf("%d exhibits with the other engine", len(g.Exhibits))
	}
}

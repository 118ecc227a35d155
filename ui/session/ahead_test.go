package session_test

import (
	"slices"
	"testing"

	"quell/denoise"
	_ "quell/internal/locale" // English
	"quell/ui/session/preview"
)

// filtered returns the slices that are previewed by f and what follows it.
func (b *bench) filtered(f func()) []int {
	n := b.engine.count()
	f()
	b.settle()
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	return slices.Clone(b.engine.order[n:])
}

// wantFiltered compares the slices that f previews.
func (b *bench) wantFiltered(what string, f func(), want ...int) {
	b.loop.t.Helper()
	if got := b.filtered(f); !slices.Equal(got, want) {
		b.loop.t.Errorf("%s: slices %v are filtered; want %v", what, got, want)
	}
	if b.status() != preview.Slice || b.Preview.Running() {
		b.loop.t.Errorf("%s: status %v, previewing %v", what, b.status(), b.Preview.Running())
	}
}

// The neighbours of the slice on the screen are filtered when it is done, that in
// the direction of the last step first.
func TestTheSlicesBesideAreFilteredAhead(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.wantFiltered("another recipe", func() { b.Tuning.Set(b.tuned(5), true) }, 3, 4, 2)
	b.wantFiltered("a step on", func() { b.State().Cut().Scroll(1) }, 5)
	b.wantFiltered("the last slice", func() { b.State().Cut().Scroll(1) })
	b.wantFiltered("five back", func() { b.State().Cut().Scroll(-5) }, 0, 1)
	b.wantFiltered("another recipe after a step back", func() { b.State().Cut().Scroll(2); b.Tuning.Set(b.tuned(6), true); b.State().Cut().Scroll(-1) }, 1, 0, 2)
	b.Preview.SetAuto(false)
	b.wantFiltered("without automatic previews", func() { b.State().Cut().Scroll(1) })
	if got := b.filtered(func() { b.State().Cut().Scroll(1) }); len(got) > 0 {
		t.Errorf("slices %v are filtered without automatic previews", got)
	}
	b.wantFiltered("one that is asked for", b.Preview.Start, 3)
}

// holdAhead gives the session another recipe and waits until the neighbour of the first
// slice is being filtered.
func (b *bench) holdAhead(h float64) {
	b.loop.t.Helper()
	first := b.State().Cut().Index()
	b.engine.holdAllBut(func(_ denoise.Recipe, slice int) bool { return slice == first })
	b.Tuning.Set(b.tuned(h), true)
	b.loop.until("the slice is previewed and measured", func() bool { return b.status() == preview.Slice && b.Measures.Slice().Current })
	if slice := <-b.engine.held; slice == first {
		b.loop.t.Errorf("slice %d is held", slice)
	}
}

// A slice that is being filtered ahead is not begun again when it is asked for.
func TestASliceAheadIsTakenOver(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.wantFiltered("the next", func() {
		b.holdAhead(5)
		b.State().Cut().Scroll(1)
		if text, _ := b.Preview.Text(); !b.Preview.Running() || text != "Filtering slice 5 …" {
			t.Errorf("%q; want the slice awaited", text)
		}
		b.engine.open()
	}, 3, 4, 5)
}

// If the user scrolls the slices ahead come before the numbers, which are asked for
// once they are there.
func TestNumbersWaitWhileTheUserScrolls(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.State().Cut().Scroll(-2)
	b.settle() // slices 0 to 4 are filtered
	b.engine.holdPreviews()
	b.State().Cut().Scroll(3)
	<-b.engine.held // slice 5
	b.loop.until("the slice is on the screen", func() bool { return b.Screen.Picture().Index == 4 })
	if m := b.Measures.Slice(); b.status() != preview.Slice || b.measures("slice") || m.Current || !m.Known || m.Index != 1 {
		t.Errorf("status %v, measured %v, numbers of slice %d; want those of slice 1 to stay", b.status(), b.measures("slice"), m.Index)
	}
	b.engine.open()
	b.settle()
	if m := b.Measures.Slice(); !m.Current || m.Index != 4 {
		t.Errorf("numbers of slice %d, current %v; want those of slice 4", m.Index, m.Current)
	}
}

// A slice that is filtered ahead gives way to a request, and to a run over the volume.
func TestFilteringAheadGivesWay(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.wantFiltered("another slice", func() {
		b.holdAhead(5)
		b.State().Cut().Scroll(-3)
		b.engine.open()
	}, 3, 4, 0, 1)
	b.wantFiltered("no automatic previews", func() {
		b.holdAhead(6)
		b.Preview.SetAuto(false)
		b.engine.open()
	}, 0, 1)
	b.Preview.SetAuto(true)
	b.settle()
	b.engine.holdRuns()
	b.Results.Apply()
	n := b.engine.count()
	b.State().Cut().ZoomAt(2, 1, 1, 10, 10)
	b.State().Cut().Scroll(1) // previewed before, but not its neighbour
	b.loop.drain()
	if b.filtersAhead() || b.engine.count() != n || b.status() != preview.Slice || !b.Tasks.Busy() {
		t.Errorf("%d slices are filtered beside a run, status %v", b.engine.count()-n, b.status())
	}
}

// The failure of a slice ahead is neither shown nor repeated.
func TestAFailureAheadIsSilent(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.engine.failWith(errEngine)
	got := b.filtered(func() { b.State().Cut().Scroll(1) }) // filtered ahead before: only 5 is new
	if _, problem := b.Preview.Text(); problem || b.status() != preview.Slice || len(b.errors) > 0 || !slices.Equal(got, []int{5}) {
		t.Errorf("slices %v, problem %v, status %v, errors %v", got, problem, b.status(), b.errors)
	}
	if got := b.filtered(func() { b.State().Cut().ZoomAt(2, 1, 1, 10, 10) }); len(got) > 0 {
		t.Errorf("slices %v that failed are repeated", got)
	}
	b.State().Cut().Scroll(1)
	b.settle()
	if _, problem := b.Preview.Text(); !problem {
		t.Error("the failure is not shown where the slice is asked for")
	}
}

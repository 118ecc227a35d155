package session_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"quell/denoise"
	"quell/series"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

// pixels returns a copy of the picture of a pane.
func (b *bench) pixels(role viewer.Role) []uint8 {
	if b.frames[role].Image == nil {
		return nil
	}
	return slices.Clone(b.frames[role].Image.Pix)
}

// newSlowBench plans so long for the next slice that a coarse preview, of search radius 2,
// comes first, and subtracts 1 more for it.
func newSlowBench(t *testing.T) *bench {
	t.Helper()
	b := anotherBench(t)
	b.Tuning.Set(b.tuned(5).With("search-radius", denoise.Number(5)), true)
	b.settle()
	b.engine.mu.Lock()
	b.engine.plan = time.Second
	b.engine.mu.Unlock()
	return b
}

func isCoarse(r denoise.Recipe, _ int) bool { return r.Get("search-radius").Int() == 2 }

// A coarse picture is shown as such, and neither measured nor plotted.
func TestACoarsePictureComesFirst(t *testing.T) {
	b := newSlowBench(t)
	if b.status() != preview.Slice || !b.showsShift(5)() {
		t.Fatalf("status %v, shift %g; want the fine picture last", b.status(), b.shift())
	}
	settled := b.Screen.Picture()
	b.engine.holdAllBut(isCoarse)
	b.Tuning.Set(b.Tuning.Recipe().With("h", denoise.Number(7)), true)
	if b.status() != preview.Stale {
		t.Errorf("status %v; want the old picture first", b.status())
	}
	b.loop.until("the coarse picture is on the screen", b.showsShift(8))
	if r, status, ok := b.Preview.Recipe(); status != preview.Coarse || !ok || !r.Equal(b.Tuning.Recipe()) || !b.Preview.Running() {
		t.Errorf("%s, status %v, previewing %v; want the recipe, coarse", r, status, b.Preview.Running())
	}
	if b.measures("slice") || b.Measures.Slice().Current || b.Structures.Here() != nil {
		t.Error("a coarse picture is measured")
	}
	if b.Screen.Settled() != settled {
		t.Error("a coarse picture is plotted")
	}
	b.State().Cut().ZoomAt(2, 1, 1, 10, 10)
	b.loop.drain()
	if b.status() != preview.Coarse {
		t.Errorf("status %v after a zoom", b.status())
	}
	b.engine.open()
	b.loop.until("the fine picture is on the screen", b.showsShift(7))
	b.settle()
	if b.status() != preview.Slice || b.Screen.Settled() != b.Screen.Picture() || !b.Measures.Slice().Current {
		t.Errorf("status %v; want the fine picture, plotted and measured", b.status())
	}
	if b.Preview.Kept() > 10 {
		t.Errorf("%d previews are kept", b.Preview.Kept())
	}
}

// A coarse picture does not outlive its request: after a failure the original is shown, and
// another slice and recipe have none.
func TestACoarsePictureEndsWithItsRequest(t *testing.T) {
	for name, leave := range map[string]func(b *bench){
		"recipe": func(b *bench) { b.Tuning.Set(b.tuned(9), true) },
		"slice":  func(b *bench) { b.State().Cut().Scroll(2) },
		"voxels": func(b *bench) {
			next := rampSeries(b.loop.t)
			b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return next, nil })
			b.loop.until("the series is open", func() bool { return b.Series() == next })
		},
	} {
		b := newSlowBench(t)
		b.engine.holdAllBut(isCoarse)
		b.Tuning.Set(b.Tuning.Recipe().With("h", denoise.Number(7)), true)
		b.loop.until("the coarse picture is on the screen", b.showsShift(8))
		b.engine.holdPreviews()
		leave(b)
		if b.status() == preview.Coarse {
			t.Errorf("the coarse picture outlives its %s", name)
		}
		b.engine.open()
	}
}

// dimmed says whether a picture is another one in weak light.
func dimmed(got, of []uint8) bool {
	for i := range of {
		if i%4 != 3 && got[i] > of[i]/2 {
			return false
		}
	}
	return len(got) == len(of)
}

// The pictures of the last slice stay until the pictures of the next are there, but
// for the original, which moves at once, and before the filter begins.
func TestTheLastPictureStaysUntilTheNextIsThere(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(5), true)
	b.settle()
	last, first := b.Screen.Picture(), b.State().Cut().Index()
	original, denoised, residual := b.pixels(viewer.Original), b.pixels(viewer.Denoised), b.pixels(viewer.Residual)
	b.engine.holdPreviews()
	n := b.engine.count()
	b.State().Cut().Scroll(-3)
	if b.Screen.Kept() != last || !b.Preview.Running() || b.status() != preview.Waiting {
		t.Fatalf("kept %v, status %v; want the last picture", b.Screen.Kept(), b.status())
	}
	b.Wait() // the frame is queued
	if b.engine.count() != n {
		t.Error("the filter begins before the original is on the screen")
	}
	b.loop.until("the original is on the screen", func() bool { return b.Screen.Picture().Index == b.State().Cut().Index() })
	if slice := <-b.engine.held; slice != first-3 {
		t.Errorf("slice %d is filtered", slice)
	}
	if slices.Equal(b.pixels(viewer.Original), original) || !dimmed(b.pixels(viewer.Denoised), denoised) || !dimmed(b.pixels(viewer.Residual), residual) {
		t.Error("want the next original beside the last result and residual, dimmed")
	}
	if m := b.Measures.Slice(); !m.Known || m.Current || m.Index != first {
		t.Errorf("known %v, current %v, of slice %d; want the numbers of slice %d, not current", m.Known, m.Current, m.Index, first)
	}
	if b.Screen.Settled() != last {
		t.Error("the plot does not stay")
	}
	b.Screen.HoldBefore(true)
	b.loop.until("the original is in both panes", func() bool { return slices.Equal(b.pixels(viewer.Denoised), b.pixels(viewer.Original)) })
	b.Screen.HoldBefore(false)
	b.loop.drain()
	b.engine.open()
	b.loop.until("the slice is filtered", func() bool { return b.status() == preview.Slice })
	if b.Screen.Kept() != last {
		t.Error("the caption is that of the next picture before that is drawn")
	}
	b.settle()
	if b.Screen.Kept() != nil || b.Screen.Settled() != b.Screen.Picture() || slices.Equal(b.pixels(viewer.Denoised), denoised) || b.Measures.Slice().Index != first-3 {
		t.Error("the last picture is still there")
	}
}

// The frame of a slice that is left already does not let the filter begin.
func TestTheFilterWaitsForTheOriginalOfItsSlice(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(5), true)
	b.settle()
	b.engine.holdPreviews()
	b.State().Cut().Scroll(-2)
	b.Wait() // its frame is queued
	b.State().Cut().Scroll(-1)
	left := b.State().Cut().Index() + 1
	b.loop.until("the frame is there", func() bool { return b.Screen.Picture().Index == left })
	if !b.Preview.Held() {
		t.Error("the filter begins before the original is on the screen")
	}
	b.loop.until("the filter begins", func() bool { return !b.Preview.Held() })
	if slice := <-b.engine.held; slice != left-1 || b.Screen.Picture().Index != slice {
		t.Errorf("slice %d is filtered", slice)
	}
	b.engine.open()
	b.settle()
}

// If no result is coming, or the plane is another, nothing of the last slice stays.
func TestNothingStaysWhereNothingIsComing(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(5), true)
	b.settle()
	b.engine.failWith(errEngine)
	b.State().Cut().Scroll(-3)
	b.loop.until("the preview failed", func() bool { _, problem := b.Preview.Text(); return problem })
	b.settle()
	if b.Screen.Kept() != nil || !slices.Equal(b.pixels(viewer.Denoised), b.pixels(viewer.Original)) || b.Measures.Slice().Known {
		t.Error("a picture of another slice stays after a failure")
	}
	b.engine.failWith(nil)
	b.Preview.SetAuto(false)
	b.engine.holdPreviews()
	b.Preview.Start()
	b.loop.drain()
	if b.Screen.Kept() != nil || !b.Preview.Running() {
		t.Errorf("previewing %v; want the original until the preview that was asked for is there", b.Preview.Running())
	}
	b.engine.open()
	b.settle()
	b.Preview.SetAuto(true)
	b.engine.holdPreviews()
	b.State().SetPlane(volume.Coronal)
	b.loop.drain()
	if b.Screen.Kept() != nil || !b.Preview.Running() {
		t.Error("a picture of another plane stays")
	}
	b.engine.open()
}

package session_test

import (
	"errors"
	"testing"
)

// newAppliedBench shows the result of a run over the volume, all measured.
func newAppliedBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.settle()
	b.Tuning.Set(b.tuned(5), true)
	b.Results.Apply()
	b.settle()
	if m := b.Measures.Volume(); !m.Known || !m.Current || b.measures("slice") || b.measures("volume") {
		t.Fatalf("known %v, current %v; want the run measured and nothing in progress", m.Known, m.Current)
	}
	return b
}

// holdSlice scrolls to a slice with measures that wait until the channel that it returns is
// closed.
func (b *bench) holdSlice(t *testing.T) chan struct{} {
	t.Helper()
	b.State().Cut().Scroll(1)
	b.Wait() // the frame is queued
	gate := make(chan struct{})
	b.gate = gate
	b.loop.drain()
	b.gate = nil
	if !b.measures("slice") {
		t.Fatal("the slice that was scrolled to is not being measured")
	}
	return gate
}

// sliceIsKnown settles and wants the numbers of the slice on the screen.
func (b *bench) sliceIsKnown(t *testing.T) {
	t.Helper()
	b.settle()
	if m := b.Measures.Slice(); !m.Known || !m.Current || m.Err != nil || b.Screen.Picture().Index != b.State().Cut().Index() {
		t.Errorf("known %v, current %v, error %v; want the numbers of the slice on the screen", m.Known, m.Current, m.Err)
	}
}

func TestScrollingEndsTheNumbersOfASlice(t *testing.T) {
	b := newAppliedBench(t)
	gate := b.holdSlice(t)
	b.State().Cut().Scroll(1)
	if b.measures("slice") {
		t.Error("the slice that is left is still being measured")
	}
	close(gate)
	b.sliceIsKnown(t)
}

// The answer for a slice comes after the user has left it, and returned.
func TestASliceThatIsLeftAndComesBackIsMeasured(t *testing.T) {
	b := newAppliedBench(t)
	gate := b.holdSlice(t)
	close(gate)
	b.Wait() // the answer is queued
	b.State().Cut().Scroll(1)
	b.State().Cut().Scroll(-1) // before a frame of the other slice
	b.sliceIsKnown(t)
}

// A frame of a slice that is left already is shown, and not measured.
func TestAFrameOfASliceThatIsLeftIsNotMeasured(t *testing.T) {
	b := newAppliedBench(t)
	b.State().Cut().Scroll(1)
	b.Wait() // its frame is queued
	b.State().Cut().Scroll(1)
	left := b.State().Cut().Index() - 1
	b.loop.until("the frame is there", func() bool { return b.Screen.Picture().Index == left })
	if b.measures("slice") {
		t.Error("the slice that is left is being measured")
	}
	b.State().Cut().Scroll(-1) // its picture is still on the screen
	b.sliceIsKnown(t)
}

// holdVolume applies a recipe, and holds the measures of the run.
func (b *bench) holdVolume(t *testing.T, h float64) chan struct{} {
	t.Helper()
	b.settle()
	b.Tuning.Set(b.tuned(h), true)
	b.Results.Apply()
	gate := make(chan struct{})
	b.Wait() // the run is queued
	b.gate = gate
	b.loop.until("the run is there", b.Results.Applied)
	b.gate = nil
	if !b.measures("volume") {
		t.Fatal("the run is not being measured")
	}
	return gate
}

func TestAChangeOfTheRecipeEndsTheNumbersOfTheRun(t *testing.T) {
	b := newBench(t)
	gate := b.holdVolume(t, 5)
	b.Tuning.Set(b.tuned(6), false)
	if b.measures("volume") {
		t.Error("the run of another recipe is still being measured")
	}
	close(gate)
	b.settle()
	if m := b.Measures.Volume(); m.Known || m.Err != nil {
		t.Errorf("known %v, error %v; want no numbers of a run that was left", m.Known, m.Err)
	}
	b.Tuning.Set(b.tuned(5), false)
	if !b.measures("volume") {
		t.Error("the run of the recipe that is back is not being measured")
	}
	b.settle()
	if m := b.Measures.Volume(); !m.Known || !m.Current {
		t.Errorf("known %v, current %v; want the numbers of the run", m.Known, m.Current)
	}
}

// The numbers of the run come after the recipe has changed.
func TestLateNumbersOfTheRunAreDropped(t *testing.T) {
	b := newBench(t)
	close(b.holdVolume(t, 5))
	b.Wait() // the answer is queued
	b.Tuning.Set(b.tuned(6), false)
	b.loop.drain()
	if m := b.Measures.Volume(); m.Known {
		t.Error("the numbers of a run that was left are shown")
	}
	b.Tuning.Set(b.tuned(5), false)
	b.settle()
	if m := b.Measures.Volume(); !m.Known || !m.Current {
		t.Errorf("known %v, current %v; want the numbers of the run", m.Known, m.Current)
	}
}

// Numbers that are known are not computed again, and scrolling does not end the numbers of the
// volume.
func TestNumbersOfTheRunStay(t *testing.T) {
	b := newAppliedBench(t)
	b.Tuning.Set(b.tuned(6), false)
	b.settle()
	b.Tuning.Set(b.tuned(5), false)
	if m := b.Measures.Volume(); b.measures("volume") || !m.Known || !m.Current {
		t.Errorf("measuring %v, known %v, current %v; want the numbers as they were", b.measures("volume"), m.Known, m.Current)
	}
	gate := b.holdVolume(t, 7)
	b.State().Cut().Scroll(1)
	if !b.measures("volume") {
		t.Error("scrolling ends the numbers of the volume")
	}
	close(gate)
	b.settle()
	if m := b.Measures.Volume(); !m.Known || !m.Current {
		t.Errorf("known %v, current %v; want the numbers of the run", m.Known, m.Current)
	}
}

// A newer run does not wait for the numbers of the last.
func TestANewRunEndsTheNumbersOfTheLast(t *testing.T) {
	b := newBench(t)
	gate := b.holdVolume(t, 5)
	b.Tuning.Set(b.tuned(6), true)
	b.Results.Apply()
	b.loop.until("the next run is there", b.Results.Applied)
	if !b.measures("volume") || b.Measures.Volume().Known {
		t.Error("the next run is not being measured")
	}
	close(gate)
	b.settle()
	if m := b.Measures.Volume(); !m.Known || !m.Current {
		t.Errorf("known %v, current %v; want the numbers of the next run", m.Known, m.Current)
	}
}

// A preview that fails leaves the picture; it had ended the numbers of that.
func TestAPreviewThatFailsLeavesTheNumbersOfThePicture(t *testing.T) {
	b := newBench(t)
	gate := b.holdMeasures(b.tuned(5))
	b.engine.failWith(errors.New("no memory"))
	b.Tuning.Set(b.tuned(6), false)
	if b.measures("slice") {
		t.Error("the picture is still being measured while a preview is computed")
	}
	close(gate)
	b.settle()
	if m := b.Measures.Slice(); !m.Known || m.Current || m.Err != nil {
		t.Errorf("known %v, current %v, error %v; want the numbers of the picture that stays", m.Known, m.Current, m.Err)
	}
}

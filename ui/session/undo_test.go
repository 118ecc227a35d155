package session_test

import (
	"slices"
	"testing"

	"quell/ui/viewer"
	"quell/volume"
)

// placeOf is what undo restores of a plane.
func placeOf(b *bench, p volume.Plane) viewer.Placed { return b.State().Placed()[p] }

// The turns of a wheel are one step, every drag is one, and so are a mirrored picture and a
// fitted one; what comes between turns parts them.
func TestUndoOfPlaces(t *testing.T) {
	b := newBench(t)
	b.settle()
	state := b.State()
	turn := func(n int) {
		for range n {
			state.Cut().ZoomAt(1.15, 10, 12, 64, 48)
		}
	}
	var kept []viewer.Placed // before every step
	note := func() { kept = append(kept, placeOf(b, volume.Axial)) }
	note()
	turn(7)
	note()
	state.Cut().PanBy(3, 2, 64, 48)
	state.Cut().PanBy(1, 2, 64, 48)
	state.EndDrag()
	note()
	state.Cut().PanBy(-3, 2, 64, 48)
	state.EndDrag()
	note()
	turn(3)
	note()
	b.Tuning.Set(b.tuned(3), true)
	note()
	turn(2)
	note()
	state.Windows.Set(volume.Window{Width: 7})
	note()
	state.Cut().Clockwise()
	note()
	state.Fit()
	for i, want := range slices.Backward(kept) {
		if b.History.Undo(); placeOf(b, volume.Axial) != want {
			t.Errorf("undo to step %d: %+v, want %+v", i, placeOf(b, volume.Axial), want)
		}
	}
	if b.Document().Edits().CanUndo() {
		t.Error("more steps than gestures")
	}
	turn(1)
	if b.Document().Edits().CanRedo() {
		t.Error("a turn leaves a redo behind")
	}
	b.History.Undo()
	turn(1)
	turn(1)
	b.History.Undo()
	if b.Document().Edits().CanUndo() {
		t.Error("turns after an undo are more than one step")
	}
	b.History.Redo()
	turn(1) // is a step of its own
	b.History.Undo()
	if !b.Document().Edits().CanUndo() {
		t.Error("a turn after a redo went into the step that was restored")
	}
}

// Reset is one step, of the window and all places.
func TestUndoOfAReset(t *testing.T) {
	b := newBench(t)
	b.settle()
	state := b.State()
	state.Windows.Set(volume.Window{Width: 7})
	state.Cut().ZoomAt(2, 10, 12, 64, 48)
	want := state.Placed()
	state.Reset(volume.Window{Width: 9})
	b.History.Undo()
	if state.Windows.Current().Width != 7 || state.Placed() != want {
		t.Errorf("undo of a reset gives a width of %g and %+v", state.Windows.Current().Width, state.Placed())
	}
}

// Another plane fits its picture without a step. Undo after it restores what was there before
// the gesture, and shows the plane of the gesture; undo of anything else leaves the plane.
func TestUndoAcrossPlanes(t *testing.T) {
	b := newBench(t)
	b.settle()
	state := b.State()
	state.Cut().ZoomAt(3, 10, 12, 64, 48)
	state.SetPlane(volume.Coronal)
	state.SetPlane(volume.Axial) // fits it again
	state.Cut().ZoomAt(2, 10, 12, 64, 48)
	state.SetPlane(volume.Coronal)
	b.Tuning.Set(b.tuned(3), true)
	if b.History.Undo(); state.Cut().View().Plane != volume.Coronal {
		t.Error("undo of a recipe shows another plane")
	}
	if b.History.Undo(); state.Cut().View().Plane != volume.Axial || state.Cut().Zoom() != 1 {
		t.Errorf("undo shows %v at a zoom of %g; want axial at 1, as before the gesture", state.Cut().View().Plane, state.Cut().Zoom())
	}
	if b.History.Redo(); state.Cut().View().Plane != volume.Axial || state.Cut().Zoom() != 2 {
		t.Errorf("redo shows %v at a zoom of %g", state.Cut().View().Plane, state.Cut().Zoom())
	}
	state.SetPlane(volume.Sagittal)
	state.Cut().ZoomAt(2, 10, 12, 64, 48)
	if b.History.Undo(); state.Cut().View().Plane != volume.Sagittal || state.Cut().Zoom() != 1 {
		t.Errorf("a turn in another plane went into the step before: %v at %g", state.Cut().View().Plane, state.Cut().Zoom())
	}
}

// If every plane has its pane, undo does not choose one.
func TestUndoBesideThePlanes(t *testing.T) {
	b := newBench(t)
	b.planePanes = [3]viewer.Pane{{Width: 64, Height: 48}, {Width: 64, Height: 48}, {Width: 64, Height: 48}}
	b.settle()
	b.State().In(volume.Coronal).ZoomAt(2, 10, 12, 64, 48)
	b.History.Undo()
	if b.State().Cut().View().Plane != volume.Axial || b.State().In(volume.Coronal).Zoom() != 1 {
		t.Errorf("undo shows %v; the coronal plane has a zoom of %g", b.State().Cut().View().Plane, b.State().In(volume.Coronal).Zoom())
	}
}

// Zoom and pan are no work: the series gives way to the next one.
func TestAZoomIsNoWork(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.State().Cut().ZoomAt(2, 10, 12, 64, 48)
	if b.Document().Edits().Worked() {
		t.Error("a zoom is work")
	}
}

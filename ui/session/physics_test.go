package session_test

import (
	"testing"

	"quell/ui/session/marks"
)

// The figures are of the slice, the result and the ROIs on the screen; figures of earlier ones are not shown.
func TestPhysicsIsOfWhatIsShown(t *testing.T) {
	b := newTissueBench(t)
	if now := b.Physics.Now(); now.Figures != nil || now.Measuring {
		t.Fatal("measured without being watched")
	}
	b.Physics.Watch(true)
	if !b.Physics.Now().Measuring {
		t.Error("it is not being measured")
	}
	b.settle()
	now := b.Physics.Now()
	if now.Figures == nil || now.Figures.Spectra == nil || now.Figures.Spectra.Result == nil || now.Drawn || now.Picture != b.Screen.Picture() {
		t.Fatalf("%+v", now)
	}
	if f := now.Figures; !(f.Spectra.Result.Variance < f.Spectra.Original.Variance) || len(f.Rods) != 0 || f.NoTask.IsZero() {
		t.Errorf("%+v", f)
	}
	b.Tuning.Set(b.tuned(2), true)
	if b.Physics.Now().Figures != nil {
		t.Error("figures of the recipe before are told")
	}
	b.settle()
	second := b.Physics.Now().Figures
	if second == nil || second == now.Figures {
		t.Fatal("the other recipe is not measured")
	}
	b.draw(marks.RectangleTool, [2]float64{10, 10}, [2]float64{41, 41})
	b.settle()
	if now := b.Physics.Now(); now.Figures == nil || !now.Drawn || len(now.Figures.Regions) != 1 {
		t.Errorf("with a rectangle: %+v", now)
	}
	b.State().Cut().Scroll(-1)
	if now := b.Physics.Now(); now.Figures != nil {
		t.Error("figures of the slice before are told")
	}
	b.settle()
	if now := b.Physics.Now(); now.Figures == nil || now.Drawn {
		t.Errorf("the other slice: %+v", now)
	}
}

// A recipe ends the work on the one before, whose answer is dropped; Stop lasts until Start, and ends with the dialog.
func TestPhysicsEndsWithItsResult(t *testing.T) {
	b := newTissueBench(t)
	gate := make(chan struct{})
	b.gate = gate
	b.Physics.Watch(true)
	b.gate = nil
	b.State().Cut().Scroll(-1)
	close(gate)
	b.settle()
	if now := b.Physics.Now(); now.Figures == nil || now.Picture.Index != b.State().Cut().Index() {
		t.Fatalf("%+v", now)
	}
	gate = make(chan struct{})
	b.gate = gate
	b.draw(marks.RectangleTool, [2]float64{4, 4}, [2]float64{40, 40})
	b.gate = nil
	b.Physics.Stop()
	close(gate)
	b.settle()
	if now := b.Physics.Now(); now.Figures != nil || !now.Stopped {
		t.Errorf("stopped: %+v", now)
	}
	b.Physics.Start()
	b.settle()
	if now := b.Physics.Now(); now.Figures == nil || now.Stopped {
		t.Errorf("started again: %+v", now)
	}
}

package viewer

import (
	"testing"

	"quell/volume"
)

// A zoom is reported at once, as one that may go on; a drag at its end; with the places before
// it. What shows another plane or another picture of its own is not reported.
func TestChosenFollowsPlaces(t *testing.T) {
	s := opened(t)
	var calls []Gesture
	redrawn := false
	s.Chosen = func(g Gesture) {
		calls = append(calls, g)
		if redrawn {
			t.Error("the pictures were asked for before the places were noted")
		}
	}
	s.Changed = func() { redrawn = true }
	coronal := s.In(volume.Coronal)
	fit := Placed{Zoom: 1}
	for i, step := range []struct {
		do      func()
		calls   int
		turning bool
		from    func() Placed // of the axial plane, nil for the present ones
	}{
		{func() { s.Cut().ZoomAt(2, 20, 15, 40, 30) }, 1, true, func() Placed { return fit }},
		{func() { s.Cut().ZoomAt(1, 20, 15, 40, 30) }, 1, true, nil}, // changes nothing
		{func() { s.Cut().PanBy(1, 0, 40, 30); redrawn = false; s.Cut().PanBy(1, 0, 40, 30) }, 1, true, nil},
		{s.EndDrag, 2, false, func() Placed { return Placed{Zoom: 2} }},
		{s.EndDrag, 2, false, nil},
		{func() { s.Cut().DragZoom(1.5, 20, 15, 40, 30); redrawn = false; s.Cut().DragZoom(1, 20, 15, 40, 30) }, 2, false, nil},
		{s.EndDrag, 3, false, nil},
		{s.Fit, 4, false, func() Placed { return Placed{Zoom: 3, Pan: fromPan(calls)} }},
		{func() { s.Cut().Mirror(true) }, 5, false, func() Placed { return fit }},
		{func() { s.Cut().Clockwise() }, 6, false, func() Placed { return Placed{Zoom: 1, Turn: volume.Turn{Mirrored: true}} }},
		{func() { s.Cut().ZoomAt(2, 20, 15, 40, 30); redrawn = false; s.Reset(volume.Window{Width: 5}) }, 8, false, nil},
		{func() { coronal.PanBy(1, 1, 40, 30) }, 8, false, nil},
		{s.EndDrag, 9, false, func() Placed { return fit }},
		{func() { s.Cut().PanBy(1, 0, 40, 30); s.SetPlane(volume.Sagittal); s.EndDrag() }, 9, false, nil},
		{func() { s.Cut().PanBy(1, 0, 40, 30); s.Place(s.Placed()); s.EndDrag() }, 9, false, nil},
		{func() { s.Cut().PanBy(1, 0, 40, 30); s.Open(scene(), volume.Window{Width: 4}); s.EndDrag() }, 9, false, nil},
		{func() { s.Cut().PanBy(1, 0, 40, 30); s.Resume(s.Shown); s.EndDrag() }, 9, false, nil},
	} {
		redrawn = false
		step.do()
		if len(calls) != step.calls || calls[len(calls)-1].Turning != step.turning {
			t.Fatalf("step %d: %d calls, turning %v; want %d, %v", i, len(calls), calls[len(calls)-1].Turning, step.calls, step.turning)
		}
		if step.from != nil && calls[len(calls)-1].From[volume.Axial] != step.from() {
			t.Errorf("step %d: began at %+v; want %+v", i, calls[len(calls)-1].From[volume.Axial], step.from())
		}
	}
}

// fromPan returns the pan of the axial plane before the last gesture.
func fromPan(calls []Gesture) [2]float64 {
	return calls[len(calls)-1].From[volume.Axial].Pan
}

// Place restores exactly what Placed returned, beyond the range of a pan by hand too.
func TestPlaceRestores(t *testing.T) {
	s := opened(t)
	for range 12 {
		s.Cut().ZoomAt(1.4, 0, 0, 400, 300)
	}
	s.Cut().Clockwise()
	s.Cut().ZoomAt(7, 399, 10, 400, 300)
	placed, view := s.Placed(), s.Cut().View()
	s.Reset(volume.Window{})
	changes := 0
	s.Changed = func() { changes++ }
	s.Place(placed)
	if s.Placed() != placed || s.Cut().View() != view || changes != 1 {
		t.Errorf("%+v after %d changes; want %+v after 1", s.Placed(), changes, placed)
	}
	empty := New()
	if empty.Place(placed); empty.Cut().Zoom() != 0 {
		t.Error("no picture is placed")
	}
}

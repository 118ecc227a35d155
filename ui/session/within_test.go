package session_test

import (
	"testing"

	"quell/volume"
)

// The measures within the window are those of the picture and the window on the screen, or there are none.
func TestMeasuresWithinTheWindow(t *testing.T) {
	b := newTissueBench(t)
	b.Within.Want()
	b.settle()
	window, first := b.Within.Now()
	if first == nil || first.Truth != nil || window != b.State().Windows.Current() || !(first.Change.MSE > 0) {
		t.Fatalf("%+v in %+v", first, window)
	}
	lo, hi := window.Ends()
	if got := float64(first.Change.Max); got != hi-lo {
		t.Errorf("MAX is %g; want the width %g", got, hi-lo)
	}
	b.State().Windows.Set(volume.Window{Center: 1000, Width: 10})
	if _, now := b.Within.Now(); now != nil {
		t.Error("numbers of the window before are told")
	}
	b.Within.Want()
	b.settle()
	if _, now := b.Within.Now(); now == nil || now.Change.MSE != 0 {
		t.Errorf("all of the picture is black: %+v", now)
	}
	b.Tuning.Set(b.tuned(2), true)
	if _, now := b.Within.Now(); now != nil {
		t.Error("numbers of the recipe before are told")
	}
	b.settle()
	b.Within.Want()
	b.State().Windows.Set(window) // before the answer
	b.settle()
	if _, now := b.Within.Now(); now != nil {
		t.Error("an answer for the window before is told")
	}
	b.Within.Want()
	b.settle()
	if _, now := b.Within.Now(); now == nil || now == first {
		t.Error("the window that comes back is not measured of the new picture")
	}
}

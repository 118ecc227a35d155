package spatial

import (
	"math"
	"testing"
)

func TestTaps(t *testing.T) {
	w := Weights{Radius: [3]int{1, 2, 0}, Scale: [3]float64{1, 0.5, 1}}
	got := w.Taps(1)
	if len(got) != 5 || got[2] != 1 || math.Abs(got[0]-math.Exp(-0.5)) > 1e-15 {
		t.Errorf("taps %v", got)
	}
	if d := w.Distance(1, 2, 0); d != 2 {
		t.Errorf("distance %v; want 2", d)
	}
}

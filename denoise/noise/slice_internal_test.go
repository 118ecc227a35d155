package noise

import (
	"math"
	"testing"
)

// A CT whose slices differ by a quarter has sigma of each slice: one wrong figure does not count, and what is missing lies between.
func TestSigmaAlongSlices(t *testing.T) {
	of := func(sigmas ...float64) Estimate {
		e := Estimate{Method: methodSurfaceFits, Figure: Figure{Sigma: 4, Confidence: Fair}}
		for _, s := range sigmas {
			f := Figure{Sigma: s, Confidence: High}
			if s == 0 {
				f.Confidence = None
			}
			e.PerSlice = append(e.PerSlice, f)
		}
		return e
	}
	for _, c := range []struct {
		e    Estimate
		want bool
	}{
		{of(4, 4, 4.98, 4.98), false}, {of(4, 4, 5.02, 5.02), true}, {of(4, 4, 9, 4, 4), false}, {of(4), false},
		{of(9, 4, 4, 4), false}, {of(4, 4, 0, 0, 6, 6), true},
	} {
		if got := c.e.SlicesDiffer(); got != c.want {
			t.Errorf("%v: %t", c.e.PerSlice, got)
		}
	}
	white := of(4, 4, 8, 8)
	if white.Method = methodDifferences; white.SlicesDiffer() {
		t.Error("no CT has sigma by slice")
	}
	low := of(3, 3, 5, 5)
	for z := range low.PerSlice {
		low.PerSlice[z].Confidence = Low
	}
	if low.Confidence = Low; !low.SlicesDiffer() {
		t.Error("what is wrong with all slices is no difference")
	}
	for _, spacing := range []float64{1, 5} {
		rising := of(2, 2.2, 2.42, 0, 2.93, 3.22, 9, 3.9)
		for z, got := range rising.alongSlices(spacing) {
			if want := 2 * math.Pow(1.1, float64(z)); math.Abs(got/want-1) > 0.07 {
				t.Errorf("%g mm, slice %d: %.2f, want %.2f", spacing, z, got, want)
			}
		}
	}
}

package raster

import (
	"math/rand/v2"
	"testing"
)

// TestLimitsInParts: the limits of values that several cores look at are as in one pass, whichever part
// holds the smallest, the largest and the only fraction.
func TestLimitsInParts(t *testing.T) {
	if got := limitsOf(nil); got != (Limits{}) {
		t.Errorf("of nothing: %+v", got)
	}
	const part = 1 << 20
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]float32, 3*part+5)
	for i := range data {
		data[i] = float32(rng.IntN(100))
	}
	for _, at := range []int{0, part - 1, part, 2*part + 7, 3 * part, len(data) - 1} {
		for _, x := range []float32{-3, 300, 7.5, -0.25} {
			before := data[at]
			data[at] = x
			var want Limits
			want.add(data)
			if got := limitsOf(data); got != want {
				t.Errorf("%g at %d: %+v; want %+v", x, at, got, want)
			}
			data[at] = before
		}
	}
}

// encoderFor is Scaled, which never fails.
func encoderFor(d Datatype, l Limits) Encoder {
	e, _, _ := Scaled(d, l)
	return e
}

// TestCoarseSteps: one large value takes the steps of an integer type from all others, which is said once 99 % of the
// values have less than a 64th of its range.
func TestCoarseSteps(t *testing.T) {
	d, err := DatatypeByName("int16")
	if err != nil {
		t.Fatal(err)
	}
	for hot, want := range map[float32]bool{0: false, 63000: false, 70000: true, 1e6: true} {
		data := make([]float32, 1000) // half of it 0
		for i := range data[:500] {
			data[i] = 512 + float32(i) + 0.5
		}
		data[999] = hot
		e, lost, err := Scaled(d, limitsOf(data))
		if err != nil || lost.IsZero() == want {
			t.Errorf("with %g, in steps of %g: %q, %v", hot, e.Slope, lost, err)
		}
	}
	if _, lost, _ := Scaled(d, limitsOf([]float32{0, 0, 0, 0.5})); !lost.IsZero() {
		t.Errorf("a single value: %q", lost)
	}
	f, _ := DatatypeByName("float32")
	if _, lost, _ := Scaled(f, limitsOf([]float32{1.5, 1e6})); !lost.IsZero() {
		t.Errorf("float32: %q", lost)
	}
}

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

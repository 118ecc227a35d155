package measure_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"quell/measure"
)

// The spectrum of white noise is flat down to the first ring, of which the ground takes 0.43, and half of the noise has a quarter of
// the power, with a cross-power of half.
func TestCrossPowerOfWhiteNoise(t *testing.T) {
	const side = 21
	rng := rand.New(rand.NewPCG(1, 2))
	var places [][]measure.Patch
	for range 600 {
		values, half := make([]float64, side*side), make([]float64, side*side)
		for i := range values {
			values[i] = rng.NormFloat64()
			half[i] = values[i] / 2
		}
		pixel := [2]float64{0.5, 0.5}
		places = append(places, []measure.Patch{measure.NewPatch(side, side, pixel, values), measure.NewPatch(side, side, pixel, half)})
	}
	p := measure.CrossPowerOf(places)
	if p.Nyquist != 1 || len(p.Frequency) != len(p.Power) || len(p.Area) != len(p.Power) {
		t.Fatalf("%+v", p)
	}
	for k, m := range p.Power {
		power := m[0] / (side * side)
		if math.Abs(power-1) > 0.05 || math.Abs(m[1]/m[0]-0.5) > 1e-9 || math.Abs(m[3]/m[0]-0.25) > 1e-9 || m[1] != m[2] {
			t.Errorf("%.2f cycles/mm: %.3f, cross-power %v", p.Frequency[k], power, m)
		}
	}
}

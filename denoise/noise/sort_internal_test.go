package noise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Values are sorted as slices.Sort does, on both sides of the number from which digits do it.
func TestSortFloats(t *testing.T) {
	special := []float64{math.Inf(1), math.Inf(-1), 0, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1, 1, -1}
	rng := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float64{
		"float32":   func() float64 { return float64(float32(20 * rng.Float64())) },
		"normal":    func() float64 { return 1e3 * rng.NormFloat64() },
		"all sizes": func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1000) },
		"equal":     func() float64 { return 7 },
		"few":       func() float64 { return float64(rng.IntN(5) - 2) },
		"not a number": func() float64 {
			if rng.IntN(1000) == 0 {
				return math.NaN()
			}
			return rng.NormFloat64()
		},
	} {
		for _, n := range []int{0, 1, fewFloats, fewFloats + 1, 20000} {
			x := make([]float64, n)
			for i := range x {
				x[i] = draw()
			}
			if name == "all sizes" {
				copy(x, special)
			}
			want := slices.Clone(x)
			slices.Sort(want)
			sortFloats(x)
			if !slices.EqualFunc(x, want, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }) {
				t.Errorf("%d values, %s: not sorted", n, name)
			}
		}
	}
}

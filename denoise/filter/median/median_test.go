package median

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuickselect(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 60; n++ {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(rng.IntN(1 + n/2)) // with many equal ones
		}
		sorted := slices.Clone(s)
		slices.Sort(sorted)
		if got, want := median(slices.Clone(s)), (sorted[(n-1)/2]+sorted[n/2])/2; got != want {
			t.Errorf("median of %v is %v; want %v", s, got, want)
		}
		for k := range n {
			if got := quickselect(slices.Clone(s), k); got != sorted[k] {
				t.Errorf("value %d of %v is %v; want %v", k, s, got, sorted[k])
			}
		}
	}
}

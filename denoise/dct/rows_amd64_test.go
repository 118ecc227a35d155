package dct

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The Go loops and the vector code give the same bits.
func TestSameBitsWithoutVectorCode(t *testing.T) {
	if !useVector {
		t.Skip("this processor runs the Go loops only")
	}
	defer func() { useVector = true }()
	random := rand.New(rand.NewPCG(5, 6))
	in := field([3]int{40, 13, 9}, func(int, int, int) float64 { return 100 * random.NormFloat64() })
	pilot := field(in.Dims, func(int, int, int) float64 { return 100 * random.NormFloat64() })
	rising := new(Spectrum)
	for i := range Largest {
		rising.Across[i] = 0.5 + 0.2*float64(i)
		for k := range Largest {
			rising.Within[i][k] = 0.7 + 0.1*float64(i+2*k)
		}
	}
	for n := 2; n <= Largest; n++ {
		for _, f := range []Filter{
			{In: in, Size: [3]int{n, n, n}, Rule: Rule{Threshold: 100}},
			{In: in, Size: [3]int{n, n, n}, Rule: Rule{Threshold: 100, Spectrum: rising}},
			{In: in, Pilot: &pilot, Size: [3]int{n, n, n}, Rule: Rule{Sigma: 100}},
		} {
			useVector = true
			vector := filtered(f, in.Dims)
			useVector = false
			if !slices.Equal(filtered(f, in.Dims), vector) {
				t.Errorf("blocks of %d, pilot %v: the Go loops give other bits", n, f.Pilot != nil)
			}
		}
	}
}

// At the limit itself a coefficient goes; the next number stays.
func TestThresholdAtTheLimit(t *testing.T) {
	defer func() { useVector = true }()
	for _, useVector = range []bool{useVector, false} {
		c := []float32{3, -3, 3.0000002, -3.0000002, 0, 2, 100, -100}
		kept := make([]float32, 8)
		threshold(c, kept, 3, 8)
		if want := []float32{3, -3, 0, 0, 0, 2, 0, 0}; !slices.Equal(c, want) {
			t.Errorf("removed %v; want %v", c, want)
		}
		if want := []float32{0, 0, 1, 1, 0, 0, 1, 1}; !slices.Equal(kept, want) {
			t.Errorf("kept %v; want %v", kept, want)
		}
	}
}

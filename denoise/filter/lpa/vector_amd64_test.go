package lpa

import (
	"math/rand/v2"
	"slices"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// Pixels side by side have the bits of pixels one by one, for scales of any number and
// length, without noise, and on values that are all alike.
func TestSameBitsWithoutVectorCode(t *testing.T) {
	if !useVector {
		t.Skip("this processor runs the Go loops only")
	}
	defer func() { useVector = true }()
	rng := rand.New(rand.NewPCG(2, 8))
	for _, p := range []Params{
		{Gamma: 1.05, Sigma: 10, Scales: []int{1, 2, 3, 5, 7, 8}}, {Gamma: 2.5, Sigma: 3, Scales: []int{1, 3, 9, 20}},
		{Gamma: 1, Sigma: 0, Scales: []int{1, 2, 3, 4}}, {Gamma: 4, Sigma: 1e-20, Scales: []int{2, 4}}, {Gamma: 1, Sigma: 5, Scales: []int{1}},
		{Gamma: 1, Sigma: 5, Scales: []int{32}},
		{Gamma: 1.5, Sigma: 8, Scales: []int{1, 2, 3, 5, 7, 8}, Rho: &[2][Lags]float64{{0.6, 0.2, -0.1, 0}, {0.4, -0.05, 0, 0}}},
	} {
		for _, levels := range []int{1, 2, 1000} {
			v := volume.New(volume.NewGeometry([3]int{77, 43, 2}, [3]float64{1, 1, 1}))
			for i := range v.Data {
				v.Data[i] = float32(rng.IntN(levels)) * 0.3
			}
			in := denoise.FieldOf(v)
			var results [2][]float32
			for i, vector := range []bool{true, false} {
				useVector = vector
				out := denoise.FieldOf(v.Clone())
				start(p, in, out)()(out.Box, func() bool { return false })
				results[i] = out.Data
			}
			if !slices.Equal(results[0], results[1]) {
				t.Errorf("%+v, %d levels: pixels one by one have other bits than side by side", p, levels)
			}
		}
	}
}

// A row that leaves the input is refused before memory outside of it is read.
func TestEstimateChecksBounds(t *testing.T) {
	tables := []table{{g: []float64{1, 0.5}, sum: make([]float64, 3), q: make([]float64, 3), half: make([]float64, 3)}}
	for d := range directions {
		for _, step := range []int{7, -7} {
			var r row
			r.reset(tables)
			for k := range directions {
				r.direct(k, 0, 1, tables)
			}
			r.direct(d, step, 2, tables)
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("direction %d, step %d: no panic", d, step)
					}
				}()
				r.estimate(make([]float32, 4), make([]float32, 16), 6) // from 13 to 16, or from -1
			}()
		}
	}
}

package convolve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRow compares both forms of the row kernel with the sum of its definition, in
// its order, at lengths around the groups of 4 and of 16 values, between bands that it
// must neither read nor write.
func TestRow(t *testing.T) {
	const band = 8
	for _, n := range []int{0, 4, 12, 16, 20, 32, 44} {
		for _, offsets := range [][]int{{0}, {0, 1, 2}, {31, 0, 50, 7, 7}} {
			rng := rand.New(rand.NewPCG(uint64(n), 5))
			length := n + slices.Max(offsets)
			memory := make([]float64, length+2*band)
			for i := range memory {
				memory[i] = math.NaN()
			}
			src := memory[band : band+length]
			for i := range src {
				src[i] = 300*rng.Float64() - 50
			}
			taps := make([]float64, len(offsets))
			for k := range taps {
				taps[k] = rng.Float64()
			}
			for name, kernel := range map[string]func(dst, src []float64, offsets []int, taps []float64){"loop": rowGo, "kernel": Row} {
				out := make([]float64, n+2*band)
				for i := range out {
					out[i] = -99
				}
				kernel(out[band:band+n], src, offsets, taps)
				for i, x := range out {
					want := -99.0
					if i >= band && i < band+n {
						want = 0
						for k, g := range taps {
							want += float64(g * src[offsets[k]+i-band])
						}
					}
					if math.Float64bits(x) != math.Float64bits(want) {
						t.Fatalf("%s, %d values, offsets %v: value %d is %v; want %v", name, n, offsets, i-band, x, want)
					}
				}
			}
		}
	}
}

// A row that its source does not hold is refused before memory outside of it is
// read.
func TestRowChecksBounds(t *testing.T) {
	for _, c := range []struct{ n, src, offset int }{{8, 7, 0}, {8, 9, 2}, {4, 9, -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d values at %d of %d: no panic", c.n, c.offset, c.src)
				}
			}()
			Row(make([]float64, c.n), make([]float64, c.src), []int{c.offset}, []float64{1})
		}()
	}
}

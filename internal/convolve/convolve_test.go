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

// Both forms of the two conversions give the same bits, at lengths around the groups of 4 values, and write nothing else.
func TestConversions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for n := range 14 {
		src, num, den := make([]float32, n), make([]float64, n), make([]float64, n)
		for i := range n {
			src[i], num[i], den[i] = 90*rng.Float32()-40, 1e3*rng.Float64()-400, rng.Float64()+1e-3
		}
		wide, narrow := make([]float64, n+1), make([]float32, n+1)
		wide[n], narrow[n] = -99, -99
		Widen(wide[:n], src)
		Divide(narrow[:n], num, den)
		for i := range n {
			if want := float32(num[i] / den[i]); wide[i] != float64(src[i]) || narrow[i] != want {
				t.Errorf("%d values: value %d is %v and %v; want %v and %v", n, i, wide[i], narrow[i], src[i], want)
			}
		}
		if wide[n] != -99 || narrow[n] != -99 {
			t.Errorf("%d values: a value beside them was written", n)
		}
	}
}

// A row that its source does not hold is refused before memory outside of it is
// read.
func TestRowsCheckBounds(t *testing.T) {
	values := func(n int) []float64 { return make([]float64, n) }
	for name, read := range map[string]func(){
		"a row too long":   func() { Row(values(8), values(7), []int{0}, []float64{1}) },
		"a row from 2 on":  func() { Row(values(8), values(9), []int{2}, []float64{1}) },
		"a row from -1 on": func() { Row(values(4), values(9), []int{-1}, []float64{1}) },
		"wider than dst":   func() { Widen(values(7), make([]float32, 8)) },
		"few dividends":    func() { Divide(make([]float32, 8), values(7), values(8)) },
		"few divisors":     func() { Divide(make([]float32, 8), values(8), values(7)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			read()
		}()
	}
}

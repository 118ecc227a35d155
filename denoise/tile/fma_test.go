package tile_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"quell/denoise/tile"
)

func TestFMARoundsOnce(t *testing.T) {
	check := func(a, b, c float32) {
		t.Helper()
		exact := func(x float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(x)) }
		sum := exact(a)
		want, _ := sum.Add(sum.Mul(sum, exact(b)), exact(c)).Float32()
		if got := tile.FMA(a, b, c); got != want {
			t.Errorf("%g x %g + %g = %g; want %g", a, b, c, got, want)
		}
	}
	// The product is half way between two float32, and the summand is below the bits of a float64.
	for _, a := range []float32{1 + 0x1p-12, -1 - 0x1p-12, 1 + 0x3p-12} {
		for _, b := range []float32{1 + 0x1p-12, -1 - 0x1p-12} {
			for _, c := range []float32{0, 0x1p-60, -0x1p-60, math.SmallestNonzeroFloat32} {
				check(a, b, c)
			}
		}
	}
	check(0x1p-75, 0x1p-75, 0x1p-149) // half of the smallest float32 and one of them
	check(0x1.8p-75, 0x1p-75, 0)
	rng := rand.New(rand.NewPCG(1, 9))
	random := func() float32 {
		return float32(math.Ldexp(2*rng.Float64()-1, rng.IntN(60)-30))
	}
	for range 20000 {
		check(random(), random(), random())
	}
	for range 20000 { // sums that cancel
		a, b := random(), random()
		check(a, b, -a*b*(1+rng.Float32()*0x1p-20))
	}
	inf := float32(math.Inf(1))
	if got := tile.FMA(inf, 1, 1); got != inf {
		t.Errorf("infinite x 1 + 1 = %g", got)
	}
	if got := tile.FMA(1, 1, -inf); got != -inf {
		t.Errorf("1 - infinite = %g", got)
	}
	if got := tile.FMA(inf, 1, -inf); got == got {
		t.Errorf("infinite less infinite = %g", got)
	}
	if got := tile.FMA(0x1p100, 0x1p100, 0); got != inf {
		t.Errorf("2^200 = %g", got)
	}
}

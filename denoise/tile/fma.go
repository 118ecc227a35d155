//go:build !arm64

package tile

import "math"

// FMA returns a b + c rounded once, as the fused multiply-add of vectors does.
func FMA(a, b, c float32) float32 {
	product := float64(a) * float64(b) // exact
	sum := product + float64(c)
	// Values half way between two float32 end in 28 zeros; only those the second rounding,
	// to float32, could take the wrong way.
	if math.Float64bits(sum)<<36 == 0 {
		sum = oddSum(product, float64(c))
	}
	return float32(sum)
}

// oddSum returns a + b; if it is no float64, the odd one of its two neighbours. Rounding that to
// float32 gives what rounding the exact sum gives (Boldo, Melquiond 2008).
func oddSum(a, b float64) float64 {
	sum := a + b
	t := sum - a
	lost := (a - (sum - t)) + (b - t) // by rounding, exactly
	bits := math.Float64bits(sum)
	if !(lost < 0 || lost > 0) || bits&1 == 1 {
		return sum
	}
	if (lost > 0) == (sum > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

package pairwise

// The row kernels that bnlm has in common with the pairwise filters. n is a multiple of
// tile.Lanes; what rows hold past their end may be read.

// Weigh sets w = 2^-t with t = min(max(0, scale d + bias), MaxExponent).
func Weigh(w, d []float32, scale, bias float32, n int) { weigh(w, d, scale, bias, n) }

// WeighSum sets w = 2^-t with t = min(max(0, scale (a + b + c) - least), MaxExponent), 0 if
// the pair's bit is not set, and adds them to sum and peak, their largest. Least, sum and peak
// hold a number for each lane.
func WeighSum(w, sum, peak, a, b, c, least []float32, scale float32, bits []byte, n int) {
	weighSum(w, sum, peak, a, b, c, least, scale, bits, n)
}

// Alike sets bit k of bits[g] if the means and deviations of the pair 8 g + k pass the
// comparison of alikeGo, and returns the groups that have one, at most 64.
func Alike(bits []byte, ma, mb, da, db []float32, apart, ratio float32, n int) uint64 {
	return alike(bits, ma, mb, da, db, apart, ratio, n)
}

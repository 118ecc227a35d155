// Package convolve adds up weighted rows of values, which separable windows of any kind are
// made of. On amd64 the loop has a vector form, which gives the same bits.
package convolve

// Lanes is how many values are processed at once: rows are whole groups of lanes.
const Lanes = 4

// RoundUp rounds n up to a multiple of Lanes.
func RoundUp(n int) int { return (n + Lanes - 1) &^ (Lanes - 1) }

// rowGo: dst[x] = sum_k taps[k] src[offsets[k]+x] for x < len(dst), added up in
// the order of the taps. It is the definition of Row; processors with AVX2 run a
// form that does the same operations in the same order and gives the same bits
// (convolve_amd64.s). Products are converted explicitly, which keeps compilers from
// fusing them into sums.
func rowGo(dst, src []float64, offsets []int, taps []float64) {
	clear(dst)
	for k, g := range taps {
		from := src[offsets[k]:][:len(dst)]
		for x, v := range from {
			dst[x] += float64(g * v)
		}
	}
}

// widenGo sets dst to src in float64, of the same length. It is the definition of Widen.
func widenGo(dst []float64, src []float32) {
	for x, v := range src {
		dst[x] = float64(v)
	}
}

// divideGo sets dst[x] to num[x] / den[x] in float32. It is the definition of Divide.
func divideGo(dst []float32, num, den []float64) {
	for x := range dst {
		dst[x] = float32(num[x] / den[x])
	}
}

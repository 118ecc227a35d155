package gaussian

// lanes is how many values the row kernel processes at once: its rows are whole
// groups of lanes.
const lanes = 4

// roundUp rounds n up to a multiple of lanes.
func roundUp(n int) int { return (n + lanes - 1) &^ (lanes - 1) }

// convolveGo: dst[x] = sum_k taps[k] src[offsets[k]+x] for x < len(dst), added up in
// the order of the taps. It is the definition of convolve; processors with AVX2 run a
// form that does the same operations in the same order and gives the same bits
// (rows_amd64.s). Products are converted explicitly, which keeps compilers from
// fusing them into sums.
func convolveGo(dst, src []float64, offsets []int, taps []float64) {
	clear(dst)
	for k, g := range taps {
		from := src[offsets[k]:][:len(dst)]
		for x, v := range from {
			dst[x] += float64(g * v)
		}
	}
}

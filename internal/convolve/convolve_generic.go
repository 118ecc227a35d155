//go:build !amd64

package convolve

// Row sets dst[x] to sum_k taps[k] src[offsets[k]+x]. The length of dst is a multiple of Lanes.
func Row(dst, src []float64, offsets []int, taps []float64) { rowGo(dst, src, offsets, taps) }

//go:build !amd64

package convolve

// Row sets dst[x] to sum_k taps[k] src[offsets[k]+x]. The length of dst is a multiple of Lanes.
func Row(dst, src []float64, offsets []int, taps []float64) { rowGo(dst, src, offsets, taps) }

// Widen sets dst to src in float64, of the same length.
func Widen(dst []float64, src []float32) { widenGo(dst, src) }

// Divide sets dst[x] to num[x] / den[x] in float32.
func Divide(dst []float32, num, den []float64) { divideGo(dst, num, den) }

//go:build !amd64

package gaussian

func convolve(dst, src []float64, offsets []int, taps []float64) { convolveGo(dst, src, offsets, taps) }

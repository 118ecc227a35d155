package detect

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// transform returns the discrete Fourier transform of a square, row by row. inverse returns
// the inverse, with the factor 1/n^2.
func transform(values []complex128, side int, inverse bool) []complex128 {
	fft := fourier.NewCmplxFFT(side)
	line := func(in []complex128) []complex128 {
		if inverse {
			return fft.Sequence(nil, in)
		}
		return fft.Coefficients(nil, in)
	}
	out := make([]complex128, len(values))
	for y := range side {
		copy(out[y*side:], line(values[y*side:(y+1)*side]))
	}
	column := make([]complex128, side)
	scale := complex(1, 0)
	if inverse {
		scale = complex(1/float64(side*side), 0)
	}
	for x := range side {
		for y := range side {
			column[y] = out[y*side+x]
		}
		for y, c := range line(column) {
			out[y*side+x] = c * scale
		}
	}
	return out
}

// spectrumOf returns the transform of a region.
func spectrumOf(region []float64) []complex128 {
	in := make([]complex128, len(region))
	for i, x := range region {
		in[i] = complex(x, 0)
	}
	return transform(in, sideOf(region), false)
}

// frequency returns the frequency of sample k of n, in cycles per pixel, from -1/2 to 1/2.
func frequency(k, n int) float64 {
	if 2*k >= n+n%2 {
		k -= n
	}
	return float64(k) / float64(n)
}

// eachFrequency calls f for every sample of a transform of that side, with its radius in cycles per pixel.
func eachFrequency(side int, f func(i int, fx, fy float64)) {
	for y := range side {
		for x := range side {
			f(y*side+x, frequency(x, side), frequency(y, side))
		}
	}
}

// filtered returns a region times gain in the frequency plane.
func filtered(region, gain []float64) []float64 {
	s := spectrumOf(region)
	for i, g := range gain {
		s[i] *= complex(g, 0)
	}
	out := make([]float64, len(region))
	for i, c := range transform(s, sideOf(region), true) {
		out[i] = real(c)
	}
	return out
}

// radial returns the function of the radius, in cycles per pixel, at every sample of a transform of that side.
func radial(side int, f func(radius float64) float64) []float64 {
	out := make([]float64, side*side)
	eachFrequency(side, func(i int, fx, fy float64) { out[i] = f(math.Hypot(fx, fy)) })
	return out
}

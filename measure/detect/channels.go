package detect

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// LaguerreGauss returns count channels of Laguerre-Gauss functions of a width, in pixels, on
// regions of an odd side, with r the distance from the middle in pixels:
//
//	u_j(r) = sqrt(2)/width exp(-pi r^2/width^2) L_j(2 pi r^2/width^2)
//
// Of a disc, a width of two thirds of the diameter is usual, see [WidthFor].
func LaguerreGauss(side int, width float64, count int) [][]float64 {
	channels := make([][]float64, count)
	for j := range channels {
		channels[j] = make([]float64, side*side)
	}
	middle := float64(side-1) / 2
	for y := range side {
		for x := range side {
			dx, dy := float64(x)-middle, float64(y)-middle
			t := 2 * math.Pi * (dx*dx + dy*dy) / (width * width)
			envelope := math.Sqrt2 / width * math.Exp(-t/2)
			before, now := 0.0, 1.0 // L_(j-1) and L_j
			for j := range channels {
				channels[j][y*side+x] = envelope * now
				k := float64(j)
				before, now = now, ((2*k+1-t)*now-k*before)/(k+1)
			}
		}
	}
	return channels
}

// WidthFor returns the width of the Laguerre-Gauss channels for a disc of a diameter, in its unit.
func WidthFor(diameter float64) float64 { return diameter * 2 / 3 }

// LaguerreGaussCount is the usual number of Laguerre-Gauss channels.
const LaguerreGaussCount = 5

// The dense channels of Abbey and Barrett (2001).
const (
	dogCount = 10
	dogFirst = 0.005 // cycles per pixel
	dogStep  = 1.4
	dogRatio = 1.67
)

// DenseDOG returns the ten dense channels of differences of Gaussians on regions of an odd side:
// in the frequency plane, with f in cycles per pixel,
//
//	exp(-f^2/(2 (1.67 s_j)^2)) - exp(-f^2/(2 s_j^2)),  s_j = 0.005 1.4^j,  j = 0 .. 9
func DenseDOG(side int) [][]float64 {
	channels := make([][]float64, dogCount)
	s := dogFirst
	for j := range channels {
		band := radial(side, func(f float64) float64 {
			wide := f / (dogRatio * s)
			return math.Exp(-wide*wide/2) - math.Exp(-f*f/(s*s)/2)
		})
		in := make([]complex128, len(band))
		for i, b := range band {
			in[i] = complex(b, 0)
		}
		channels[j] = make([]float64, side*side)
		half := side / 2
		for i, c := range transform(in, side, true) { // the origin moves to the middle
			x, y := (i%side+half)%side, (i/side+half)%side
			channels[j][y*side+x] = real(c)
		}
		s *= dogStep
	}
	return channels
}

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

// Cut returns the region of a slice about the pixel (column, row), less its mean. The slice has
// width values a row; the side is odd. The error says that the region leaves the slice.
func Cut(slice []float32, width, column, row, side int) ([]float64, error) {
	half := side / 2
	if side%2 == 0 || column < half || row < half || column+half >= width || (row+half+1)*width > len(slice) {
		return nil, fmt.Errorf("a region of %d pixels about column %d, row %d leaves the slice", side, column, row)
	}
	out := make([]float64, 0, side*side)
	var sum float64
	for y := row - half; y <= row+half; y++ {
		for _, v := range slice[y*width+column-half : y*width+column+half+1] {
			out, sum = append(out, float64(v)), sum+float64(v)
		}
	}
	mean := sum / float64(len(out))
	for i := range out {
		out[i] -= mean
	}
	return out, nil
}

// sideOf returns the side of a square region; 0 if it is no square.
func sideOf(region []float64) int {
	if n := int(math.Round(math.Sqrt(float64(len(region))))); n*n == len(region) {
		return n
	}
	return 0
}

// meanOf returns the mean of vectors of one length.
func meanOf(all [][]float64) []float64 {
	mean := make([]float64, len(all[0]))
	for _, v := range all {
		for i, x := range v {
			mean[i] += x
		}
	}
	for i := range mean {
		mean[i] /= float64(len(all))
	}
	return mean
}

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

// less returns a - b.
func less(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i, x := range a {
		out[i] = x - b[i]
	}
	return out
}

package detect

import "math"

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

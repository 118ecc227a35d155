package lesions

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"quell/internal/message"
	"quell/volume"
)

// Shape is the profile of a lesion within the slice.
type Shape string

// The shapes. The size of a disc is its diameter, the size of a Gaussian its width at half its height.
const (
	Disc     Shape = "disc"
	Gaussian Shape = "gaussian"
)

// Lesion is a virtual lesion.
type Lesion struct {
	Shape    Shape   `json:"shape"`
	Size     float64 `json:"size_mm"`
	Contrast float64 `json:"contrast"` // in the unit of the volume, before the blur; not 0
	// Sigmas is the contrast in standard deviations of the noise, if it was given so; 0 if not.
	Sigmas float64 `json:"contrast_sigmas,omitempty"`
	// Slices is how many slices it reaches through, odd; 0 takes what fits the size, see [Lesion.in].
	Slices int `json:"slices"`
}

const (
	// blur is the standard deviation, in pixels, of the blur of a lesion: no image shows sharper edges.
	blur = 0.8
	// leastPixels is the least size of a lesion in pixels. A smaller one is all blur.
	leastPixels = 1.5
	// mostPixels is the largest size of a lesion in pixels, which bounds the region that must be even.
	mostPixels = 40
	// mostSlicesOf is the most slices that a lesion reaches through, which must be even tissue too.
	mostSlicesOf = 9
	// fwhm is the width at half the height of a Gaussian of standard deviation 1.
	fwhm = 2.3548200450309493
)

// in returns the lesion for a volume: 1 slice, 3 if it is at least two slices long, 5 from four on, and so on.
func (l Lesion) in(g volume.Geometry) (Lesion, error) {
	small, large := l.pixels(g)
	switch {
	case l.Shape != Disc && l.Shape != Gaussian:
		return l, message.Errorf(message.UsageRefused, "no lesion is called %q; there are disc and gaussian", string(l.Shape))
	case !(math.Abs(l.Contrast) > 0) || math.IsInf(l.Contrast, 0):
		return l, message.Errorf(message.UsageRefused, "a lesion needs a contrast other than 0")
	case !(small >= leastPixels):
		return l, message.Errorf(message.UsageRefused, "a lesion of %.3g mm is smaller than %g pixels of this series; give at least %.2g mm", l.Size, leastPixels, l.Size*leastPixels/small)
	case large > mostPixels:
		return l, message.Errorf(message.UsageRefused, "a lesion of %.3g mm is larger than %d pixels of this series", l.Size, int(mostPixels))
	case l.Slices < 0 || l.Slices > mostSlicesOf || l.Slices != 0 && l.Slices%2 == 0:
		return l, message.Errorf(message.UsageRefused, "a lesion reaches through an odd number of slices up to %d, not %d", mostSlicesOf, l.Slices)
	}
	if l.Slices == 0 { // about as many as it is long
		l.Slices = 2*int(min(l.Size/g.Spacing[2], float64(g.Dims[2]), mostSlicesOf)/2) + 1
		for l.Slices > min(g.Dims[2], mostSlicesOf) {
			l.Slices -= 2
		}
	}
	return l, nil
}

// pixels returns the size in pixels along the axis with the larger and with the smaller pixels.
func (l Lesion) pixels(g volume.Geometry) (small, large float64) {
	return l.Size / max(g.Spacing[0], g.Spacing[1]), l.Size / min(g.Spacing[0], g.Spacing[1])
}

// added returns what the lesion adds to each of its slices, in a square of that side with the lesion in its middle.
func (l Lesion) added(g volume.Geometry, side int) []float64 {
	out := l.profile(g, side, blur)
	for i := range out {
		out[i] *= l.Contrast
	}
	return out
}

// profile returns the lesion of contrast 1 in a square of that side, in the middle, blurred by a
// Gaussian of that standard deviation in pixels.
func (l Lesion) profile(g volume.Geometry, side int, blurred float64) []float64 {
	half := [2]float64{l.Size / 2 / g.Spacing[0], l.Size / 2 / g.Spacing[1]} // pixels
	out := make([]float64, side*side)
	middle := side / 2
	if l.Shape == Gaussian {
		height := 1.0
		var sd [2]float64
		for c := range sd {
			own := 2 * half[c] / fwhm
			sd[c] = math.Hypot(own, blurred)
			height *= own / sd[c]
		}
		for i := range out {
			x, y := float64(i%side-middle)/sd[0], float64(i/side-middle)/sd[1]
			out[i] = height * math.Exp(-(x*x+y*y)/2)
		}
		return out
	}
	taps := gaussianTaps(blurred)
	margin := len(taps) / 2
	wide := side + 2*margin
	disc := make([]float64, wide*wide)
	for i := range disc {
		disc[i] = coverage(i%wide-wide/2, i/wide-wide/2, half)
	}
	rows := make([]float64, wide*side)
	for y := range wide {
		for x := range side {
			for k, t := range taps {
				rows[y*side+x] += float64(t * disc[y*wide+x+k])
			}
		}
	}
	for y := range side {
		for x := range side {
			for k, t := range taps {
				out[y*side+x] += float64(t * rows[(y+k)*side+x])
			}
		}
	}
	return out
}

// solid returns a disc of contrast 1 slice by slice, in squares of that side: as it is if it lies in one slice, and as a sphere
// in the middle of several, each of which shows the mean over its thickness.
func (l Lesion) solid(g volume.Geometry, side int) (out []float64) {
	if l.Slices == 1 {
		return l.profile(g, side, blur)
	}
	const parts = 8
	for z := range l.Slices {
		plane := make([]float64, side*side)
		for i := range parts {
			part := l
			off := 2 * (float64(z-l.Slices/2) + (float64(i)+0.5)/parts - 0.5) * g.Spacing[2] / l.Size
			if part.Size *= math.Sqrt(1 - off*off); part.Size > 0 {
				floats.AddScaled(plane, 1./parts, part.profile(g, side, blur))
			}
		}
		out = append(out, plane...)
	}
	return out
}

// coverage returns the part of pixel (x, y) that lies in the ellipse with these half axes about 0.
func coverage(x, y int, half [2]float64) float64 {
	const parts = 8
	inside := 0
	for i := range parts * parts {
		dx := (float64(x) + (float64(i%parts)+0.5)/parts - 0.5) / half[0]
		dy := (float64(y) + (float64(i/parts)+0.5)/parts - 0.5) / half[1]
		if dx*dx+dy*dy <= 1 {
			inside++
		}
	}
	return float64(inside) / (parts * parts)
}

// gaussianTaps returns the taps of a Gaussian, with the sum 1.
func gaussianTaps(sd float64) []float64 {
	radius := int(math.Ceil(4 * sd))
	taps := make([]float64, 2*radius+1)
	var sum float64
	for i := range taps {
		x := float64(i-radius) / sd
		taps[i] = math.Exp(-x * x / 2)
		sum += taps[i]
	}
	for i := range taps {
		taps[i] /= sum
	}
	return taps
}

// sideFor returns the side of the region in which observers look at a lesion, in pixels, odd.
func (l Lesion) sideFor(g volume.Geometry) int {
	_, large := l.pixels(g)
	return max(2*int(math.Ceil(large))+1, evenSide)
}

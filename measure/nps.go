package measure

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"

	"quell/internal/message"
)

// Patch is a rectangle of a slice, less the ground: the surface of second order in
// both coordinates that fits best.
type Patch struct {
	Width, Height int
	Pixel         [2]float64 // mm
	Values        []float64  // row by row, with the mean 0
	even          error
}

const (
	// leastSide is the least number of pixels along a side of a patch: fewer give too few
	// frequencies for a curve.
	leastSide = 16
	// mostSide bounds the memory of a transform.
	mostSide = 4096
)

// PatchOf takes the pixels of a rectangle out of a slice. An error says why they have no
// spectrum: the shape is another, too small, or padding lies in it.
func PatchOf(s Slice, o Outline) (Patch, error) {
	if o.Shape != Box {
		return Patch{}, message.Errorf(message.MeasureShape, "a noise power spectrum needs a rectangular ROI")
	}
	pixels := o.Pixels(s.Width, s.Height)
	if len(pixels) == 0 {
		return Patch{}, message.Errorf(message.MeasureFew, "no pixel lies in the ROI")
	}
	first, last := pixels[0], pixels[len(pixels)-1]
	p := Patch{Width: last%s.Width - first%s.Width + 1, Height: last/s.Width - first/s.Width + 1, Pixel: s.Pixel}
	switch {
	case p.Width < leastSide || p.Height < leastSide:
		return Patch{}, message.Errorf(message.MeasureFew, "%d x %d pixels are too few for a spectrum; at least %d x %d are needed", p.Width, p.Height, leastSide, leastSide)
	case p.Width > mostSide || p.Height > mostSide:
		return Patch{}, message.Errorf(message.MeasureMany, "%d x %d pixels are too many for a spectrum; at most %d x %d can be transformed", p.Width, p.Height, mostSide, mostSide)
	}
	vs := make([]float64, len(pixels))
	for k, i := range pixels {
		if s.Mask != nil && !s.Mask[i] {
			return Patch{}, message.Errorf(message.MeasurePadding, "padding lies in the ROI")
		}
		vs[k] = float64(s.Values[i])
	}
	return NewPatch(p.Width, p.Height, p.Pixel, vs), nil
}

// NewPatch takes the ground off the values of a rectangle of any size, row by row. It changes vs.
func NewPatch(width, height int, pixel [2]float64, vs []float64) Patch {
	p := Patch{Width: width, Height: height, Pixel: pixel}
	xs, ys := make([]float64, len(vs)), make([]float64, len(vs))
	for k := range vs {
		xs[k], ys[k] = float64(k%width), float64(k/width)
	}
	for _, c := range [][]float64{xs, ys, vs} {
		center(c)
	}
	higher := terms3(xs, ys)
	rest, base := remove(vs, append([][]float64{xs, ys}, higher[:secondOrder]...))
	p.Values = rest
	p.even = checkEven(rest, square(vs), base, append(higher[secondOrder:], terms4(higher[:secondOrder])...))
	return p
}

// terms4 returns the terms of fourth order, by the terms of second order: a wave about as
// long as the patch has little of the third if its crest lies in the middle.
func terms4(second [][]float64) (out [][]float64) {
	for i, a := range second {
		for _, b := range second[i:] {
			t := product(a, b)
			center(t)
			out = append(out, t)
		}
	}
	return out
}

// secondOrder is how many of terms3 are of second order.
const secondOrder = 3

// Quarters returns the four parts of a patch, each less its own ground; nil if they are too small for a spectrum.
func (p Patch) Quarters() (out []Patch) {
	w, h := p.Width/2, p.Height/2
	if w < leastSide || h < leastSide {
		return nil
	}
	for k := range 4 {
		vs := make([]float64, 0, w*h)
		for row := range h {
			from := (row+k/2*h)*p.Width + k%2*w
			vs = append(vs, p.Values[from:from+w]...)
		}
		out = append(out, NewPatch(w, h, p.Pixel, vs))
	}
	return out
}

// Even returns why the values are not noise on an even background alone, nil if they are. The
// result of a filter need not be tested if its input is even.
func (p Patch) Even() error { return p.even }

// Variance is the variance of the values about the surface that was taken off.
func (p Patch) Variance() float64 { return square(p.Values) / float64(len(p.Values)-terms) }

// terms is how many numbers that surface has.
const terms = 6

// NPS is a noise power spectrum, averaged over ROIs and over directions.
type NPS struct {
	Frequency []float64 `json:"frequency_per_mm"` // the mean of each bin
	Power     []float64 `json:"power_mm2"`        // square of the unit times mm²
	// Area is the area of each bin in the plane of frequencies, in (cycles/mm)²: the
	// sum of Power times Area is Variance.
	Area []float64 `json:"area_per_mm2"`
	// Ground is the share of each bin that the ground took from white noise, and of other noise nearly so:
	// Power / (1 - Ground) is free of that loss.
	Ground   []float64 `json:"ground_share"`
	Variance float64   `json:"variance"`       // square of the unit, less the ground
	Mean     Float     `json:"mean_frequency"` // cycles/mm; NaN if there is no noise
	Peak     Float     `json:"peak_frequency"` // cycles/mm, see [NPS.peak]; NaN if no peak stands out
	Nyquist  float64   `json:"nyquist_per_mm"` // of the axis with the larger pixels; bins beyond it hold oblique directions alone
	ROIs     int       `json:"rois"`

	cells    []float64 // independent values behind each bin
	quarters *NPS      // see [NPS.Refine]
}

// NPSOf returns the noise power spectrum of patches (IEC 62220-1; ICRU Report 54; AAPM
// TG-233, in CT):
//
//	NPS(u, v) = Δx Δy / (Nx Ny) mean |DFT(values - ground)|²
//
// averaged over the patches and over rings of the frequency plane, each as wide as the
// frequencies of the smallest patch are apart. There is no window, so that the integral
// over the plane is the variance (Parseval); the spectrum belongs to the noise blurred by
// the resolution 1 / (Nx Δx), which raises frequencies that have a hundredth of the power
// of others. The ground takes six degrees of freedom out of the lowest frequencies, below
// about one cycle per side of a patch. Mean is the average frequency of AAPM TG-233, Σ f
// NPS(f) / Σ NPS(f) over the radial curve up to the Nyquist frequency.
func NPSOf(patches ...Patch) NPS {
	if len(patches) == 0 {
		return NPS{Mean: Float(math.NaN()), Peak: Float(math.NaN())}
	}
	out := NPS{ROIs: len(patches), Nyquist: math.Inf(1)}
	step, highest := 0.0, 0.0
	for _, p := range patches {
		fx, fy := 1/(2*p.Pixel[0]), 1/(2*p.Pixel[1])
		step = max(step, 2*fx/float64(p.Width), 2*fy/float64(p.Height))
		out.Nyquist = min(out.Nyquist, fx, fy)
		highest = max(highest, math.Hypot(fx, fy))
	}
	bins := int(highest/step) + 2
	frequency, power, area, lost, cells := make([]float64, bins), make([]float64, bins), make([]float64, bins), make([]float64, bins), make([]float64, bins)
	grounds := map[[2]int][]float64{}
	for _, p := range patches {
		spectrum, size := squaredDFT(p), [2]int{p.Width, p.Height}
		if grounds[size] == nil {
			grounds[size] = groundShare(p.Width, p.Height)
		}
		du, dv := 1/(float64(p.Width)*p.Pixel[0]), 1/(float64(p.Height)*p.Pixel[1])
		scale := p.Pixel[0] * p.Pixel[1] / float64(len(p.Values))
		cell := du * dv / float64(len(patches))
		for row := range p.Height {
			for col := range p.Width {
				f := math.Hypot(du*float64(wrapped(col, p.Width)), dv*float64(wrapped(row, p.Height)))
				if f == 0 {
					continue // the mean, which is 0
				}
				k := int(f/step + 0.5)
				frequency[k] += f * cell
				power[k] += scale * spectrum[row*p.Width+col] * cell
				area[k] += cell
				lost[k] += grounds[size][row*p.Width+col] * cell
				cells[k] += 0.5 // a frequency and its negative are one value
			}
		}
	}
	sum, weights := 0.0, 0.0
	for k, a := range area {
		if a == 0 {
			continue
		}
		f := frequency[k] / a
		out.Variance += power[k]
		out.Frequency, out.Power, out.Area = append(out.Frequency, f), append(out.Power, power[k]/a), append(out.Area, a)
		out.Ground, out.cells = append(out.Ground, lost[k]/a), append(out.cells, cells[k])
		if f <= out.Nyquist {
			sum, weights = sum+f*power[k]/a, weights+power[k]/a
		}
	}
	out.Mean = Float(sum / weights)
	out.Peak = Float(out.peak())
	return out
}

// wrapped returns the signed frequency of coefficient k of n.
func wrapped(k, n int) int {
	if k > n/2 {
		return k - n
	}
	return k
}

// squaredDFT returns |DFT|² of a patch, row by row.
func squaredDFT(p Patch) []float64 {
	out := make([]float64, len(p.Values))
	for i, c := range Transform(p) {
		out[i] = real(c)*real(c) + imag(c)*imag(c)
	}
	return out
}

// Transform returns the discrete transform of a patch in two dimensions, row by row.
func Transform(p Patch) []complex128 {
	data := make([]complex128, len(p.Values))
	for i, v := range p.Values {
		data[i] = complex(v, 0)
	}
	rows, columns := fourier.NewCmplxFFT(p.Width), fourier.NewCmplxFFT(p.Height)
	for row := range p.Height {
		line := data[row*p.Width : (row+1)*p.Width]
		rows.Coefficients(line, line)
	}
	line := make([]complex128, p.Height)
	for col := range p.Width {
		for row := range line {
			line[row] = data[row*p.Width+col]
		}
		columns.Coefficients(line, line)
		for row, c := range line {
			data[row*p.Width+col] = c
		}
	}
	return data
}

package measure

import (
	"math"

	"quell/internal/message"
	"quell/volume"
)

// Slice is a picture of values with a place in mm.
type Slice struct {
	Values        []float32 // row by row
	Mask          []bool    // of the values that are not padding; nil: all
	Width, Height int
	Pixel         [2]float64 // distance of columns and of rows, mm
}

// mostSheared is the cosine of the angle of rows and columns up to which they count as
// perpendicular.
const mostSheared = 1e-3

// SliceOf returns slice z of a volume. Its pixels must be rectangles: distances along the
// diagonals of others are not what their sides say.
func SliceOf(v *volume.Volume, z int) (Slice, error) {
	a, b := v.Affine.Column(0), v.Affine.Column(1)
	if math.Abs(a.Dot(b)) > mostSheared*a.Norm()*b.Norm() {
		return Slice{}, message.Errorf(message.MeasureShape, "rows and columns are not at right angles, as in planes across slices of a tilted gantry")
	}
	return Slice{Values: v.Plane(z), Mask: v.PlaneMask(z), Width: v.Dims[0], Height: v.Dims[1], Pixel: [2]float64{a.Norm(), b.Norm()}}, nil
}

// less returns the difference of two slices.
func (s Slice) less(o Slice) Slice {
	out := s
	out.Values = make([]float32, len(s.Values))
	for i, v := range s.Values {
		out.Values[i] = v - o.Values[i]
	}
	return out
}

// Spectra are the noise power spectra of the input and the result of a filter in the same
// ROIs, and of what it removed.
type Spectra struct {
	Original NPS  `json:"original"`
	Result   *NPS `json:"result,omitempty"` // nil without a result
	Residual *NPS `json:"residual,omitempty"`
}

// SpectraOf averages the spectra of all ROIs on all slices; after is nil or as long as
// before. An error says why there are none: one ROI is not even in the input.
func SpectraOf(before, after []Slice, rois []Outline) (Spectra, error) {
	var patches [3][]Patch
	for k, s := range before {
		for _, o := range rois {
			p, err := PatchOf(s, o)
			if err == nil {
				err = p.Even()
			}
			if err != nil {
				return Spectra{}, err
			}
			patches[0] = append(patches[0], p)
			if after == nil {
				continue
			}
			for c, s := range []Slice{after[k], s.less(after[k])} {
				p, err := PatchOf(s, o)
				if err != nil {
					return Spectra{}, err
				}
				patches[c+1] = append(patches[c+1], p)
			}
		}
	}
	out := Spectra{Original: refined(patches[0])}
	if after != nil {
		result, residual := refined(patches[1]), NPSOf(patches[2]...)
		out.Result, out.Residual = &result, &residual
	}
	return out, nil
}

// refined returns the spectrum of patches, with that of their quarters if they are large enough.
func refined(patches []Patch) NPS {
	n := NPSOf(patches...)
	var quarters []Patch
	for _, p := range patches {
		parts := p.Quarters()
		if parts == nil {
			return n
		}
		quarters = append(quarters, parts...)
	}
	n.Refine(NPSOf(quarters...))
	return n
}

// Transfers are the MTFs of the input and the result of a filter across one edge.
type Transfers struct {
	Round    bool            `json:"disc"`
	Radius   float64         `json:"radius_mm,omitempty"` // of a disc
	Original MTF             `json:"original"`
	Result   *MTF            `json:"result,omitempty"`
	Why      message.Message `json:"why,omitzero"` // there is none of the result: a clause
}

// TransfersOf measures across the edge that an ROI shows in the input; after is nil without a
// result. An error says why there is no MTF of the input.
func TransfersOf(before Slice, after *Slice, roi Outline) (Transfers, error) {
	r, err := RimOf(before, roi)
	if err != nil {
		return Transfers{}, err
	}
	out := Transfers{Round: r.Round, Radius: r.Radius}
	if out.Original, err = r.MTF(before); err != nil || after == nil {
		return out, err
	}
	m, err := r.MTF(*after)
	if err != nil {
		out.Why = message.New(message.MeasureNoise, "after the filter %v", err)
		return out, nil //nolint:nilerr // Why holds it
	}
	out.Result = &m
	return out, nil
}

// MeanSlice returns the mean of slices of one size; padding of one is padding of the mean.
func MeanSlice(slices []Slice) Slice {
	out := slices[0]
	if len(slices) == 1 {
		return out
	}
	sums := make([]float64, len(out.Values))
	mask := make([]bool, len(sums))
	for i := range mask {
		mask[i] = true
	}
	for _, s := range slices {
		for i, v := range s.Values {
			sums[i] += float64(v)
			mask[i] = mask[i] && (s.Mask == nil || s.Mask[i])
		}
	}
	out.Values, out.Mask = make([]float32, len(sums)), mask
	for i, v := range sums {
		out.Values[i] = float32(v / float64(len(slices)))
	}
	return out
}

// CrossPower are the spectra of several fields of noise in the same squares, and of each pair of them, over rings of the
// frequency plane as in [NPSOf], free of what the ground took. Powers are in no unit: they are for ratios.
type CrossPower struct {
	Frequency []float64   // of each ring, cycles/mm
	Area      []float64   // of the ring in the plane of frequencies
	Nyquist   float64     // cycles/mm, of the axis with the larger pixels
	Power     [][]float64 // of a ring the matrix of the fields, row by row: the real part of the mean of F_i conj(F_j)
}

// CrossPowerOf adds up places; at each the fields are patches of one size, the same at all places. The first ring
// with power is the first that is returned.
func CrossPowerOf(places [][]Patch) (out CrossPower) {
	first := places[0][0]
	width, height, n := first.Width, first.Height, len(places[0])
	du, dv := 1/(float64(width)*first.Pixel[0]), 1/(float64(height)*first.Pixel[1])
	step := max(du, dv)
	out.Nyquist = min(1/(2*first.Pixel[0]), 1/(2*first.Pixel[1]))
	rings := int(math.Hypot(du*float64(width/2), dv*float64(height/2))/step+0.5) + 1
	power := make([][]float64, rings)
	frequency, area, left := make([]float64, rings), make([]float64, rings), make([]float64, rings)
	ground := groundShare(width, height)
	for k := range power {
		power[k] = make([]float64, n*n)
	}
	transforms := make([][]complex128, n)
	for _, fields := range places {
		for i, p := range fields {
			transforms[i] = Transform(p)
		}
		for at := range width * height {
			f := math.Hypot(du*float64(wrapped(at%width, width)), dv*float64(wrapped(at/width, height)))
			if f == 0 {
				continue
			}
			k := int(f/step + 0.5)
			frequency[k] += f
			area[k]++
			left[k] += 1 - ground[at]
			for i, a := range transforms {
				for j, b := range transforms[:i+1] {
					power[k][i*n+j] += real(a[at])*real(b[at]) + imag(a[at])*imag(b[at])
				}
			}
		}
	}
	for k, m := range power {
		if area[k] == 0 || m[0] == 0 {
			continue
		}
		for i := range n {
			for j := range i + 1 {
				m[i*n+j] /= left[k]
				m[j*n+i] = m[i*n+j]
			}
		}
		out.Frequency, out.Area, out.Power = append(out.Frequency, frequency[k]/area[k]), append(out.Area, area[k]), append(out.Power, m)
	}
	return out
}

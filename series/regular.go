package series

import (
	"math"
	"slices"

	"quell/internal/message"
	"quell/volume"
)

// Part is a run of slices From, From+1, ..., To-1 of a series.
type Part struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// RegularParts divides a series into runs of evenly spaced slices, in their order. A slice
// that belongs to none is a part of its own. A series without a position for every slice
// is one part.
func (s *Series) RegularParts() []Part {
	n := s.Volume.Dims[2]
	if len(s.Sources) != n {
		return []Part{{0, n}}
	}
	step := func(z int) volume.Vec { return s.Sources[z+1].Position.Sub(s.Sources[z].Position) }
	same := func(a, b volume.Vec) bool { return a.Sub(b).Norm() <= evenSteps(a.Norm()) }
	var parts []Part
	for from := 0; from < n; {
		to := from + 1
		switch {
		case from+2 == n: // the last two
			to = n
		case from+2 < n && (same(step(from), step(from+1)) || step(from).Norm() < step(from+1).Norm()):
			// A step that is wider than the next one leads to another part.
			for to++; to < n && same(step(from), step(to-1)); to++ {
			}
		}
		parts = append(parts, Part{from, to})
		from = to
	}
	return parts
}

// evenSteps is the largest difference in mm between the steps of evenly spaced slices;
// positions may be rounded.
func evenSteps(step float64) float64 { return min(max(0.1, 0.02*step), 0.1*step) }

// Section returns a part of a series, evenly spaced, on a grid of its own. It shares the
// voxels.
func (s *Series) Section(p Part) *Series {
	out, v := *s, *s.Volume
	plane := v.SliceVoxels()
	v.Data = v.Data[p.From*plane : p.To*plane]
	if v.Mask != nil {
		v.Mask = v.Mask[p.From*plane : p.To*plane]
	}
	a, dims := v.Affine, [3]int{v.Dims[0], v.Dims[1], p.To - p.From}
	first, last := s.Sources[p.From].Position, s.Sources[p.To-1].Position
	a.SetColumn(3, first)
	if dims[2] > 1 {
		a.SetColumn(2, last.Sub(first).Scale(1/float64(dims[2]-1)))
	}
	v.Geometry = volume.FromAffine(dims, a)
	out.Volume, out.Sources, out.Irregular = &v, s.Sources[p.From:p.To], 0
	out.Findings = s.withoutUneven()
	return &out
}

// withoutUneven returns the findings but those about uneven slices.
func (s *Series) withoutUneven() []Finding {
	return slices.DeleteFunc(slices.Clone(s.Findings), func(f Finding) bool {
		return f.Slicewise && slices.Contains([]Kind{Gap, Spacing, Shift}, f.Kind)
	})
}

// Resampling says how unevenly spaced slices became evenly spaced ones. Lengths are mm
// along the line through the first voxels of the slices, from the first slice on.
type Resampling struct {
	Measured []float64 `json:"measured"` // the heights at which the slices were measured
	Spacing  float64   `json:"spacing"`  // of the new slices, which begin at 0
	Slices   int       `json:"slices"`   // new ones
	Between  int       `json:"between"`  // new ones that lie between two that were measured
	Farthest float64   `json:"farthest"` // largest distance of a new slice from the nearest measured one
}

// AsMessage returns what was done in words.
func (r Resampling) AsMessage() message.Message {
	return message.Text("%d slices measured over %.2f mm became %d slices every %.4g mm; %d of them lie between measured ones, up to %.2f mm from the nearest",
		len(r.Measured), r.Measured[len(r.Measured)-1], r.Slices, r.Spacing, r.Between, r.Farthest)
}

// String returns the words in English.
func (r Resampling) String() string { return r.AsMessage().String() }

// rounding is the part of a step below which a slice counts as measured.
const rounding = 1e-6

// maxResampled bounds the number of new slices for each measured one.
const maxResampled = 32

// Resample returns a series with slices at even distances, spacing mm apart, 0 for the
// usual distance of the series (the median). Values between two slices are interpolated
// linearly; a voxel is valid if those it comes from are. The first slice stays at its
// place, and none lies beyond the last. The result has no sources: no file has its slices.
func (s *Series) Resample(spacing float64) (*Series, error) {
	n := s.Volume.Dims[2]
	if len(s.Sources) != n || n < 2 {
		return nil, message.Errorf(message.SlicesUneven, "the series does not say where each of its slices lies")
	}
	first := s.Sources[0].Position
	whole := s.Sources[n-1].Position.Sub(first)
	along := whole.Unit()
	r := &Resampling{Measured: make([]float64, n), Spacing: spacing}
	var steps []float64
	for z := range n {
		d := s.Sources[z].Position.Sub(first)
		r.Measured[z] = d.Dot(along)
		const sideways = 0.1
		if off := d.Sub(along.Scale(r.Measured[z])).Norm(); off > sideways {
			return nil, message.Errorf(message.SlicesUneven, "slice %d lies %.2f mm beside the line through the others, so that interpolation would blur them", z+1, off)
		}
		if z > 0 {
			steps = append(steps, r.Measured[z]-r.Measured[z-1])
		}
	}
	if r.Spacing == 0 {
		slices.Sort(steps)
		r.Spacing = steps[(len(steps)-1)/2]
	}
	count := math.Floor(whole.Norm()/r.Spacing+rounding) + 1
	if !(count >= 2 && count <= float64(maxResampled*n)) {
		return nil, message.Errorf(message.SlicesUneven, "slices every %g mm over %.1f mm are not between 2 and %d", r.Spacing, whole.Norm(), maxResampled*n)
	}
	r.Slices = int(count)
	v := s.Volume
	a := v.Affine
	a.SetColumn(2, along.Scale(r.Spacing))
	a.SetColumn(3, first)
	out := *s
	out.Volume = volume.New(volume.FromAffine([3]int{v.Dims[0], v.Dims[1], r.Slices}, a))
	out.Volume.Unit, out.Volume.Modality, out.Volume.Encoding = v.Unit, v.Modality, v.Encoding
	if v.Mask != nil {
		out.Volume.Mask = make([]bool, len(out.Volume.Data))
	}
	z := 0
	for k := range r.Slices {
		at := float64(k) * r.Spacing
		for z < n-2 && r.Measured[z+1] <= at {
			z++
		}
		w := min((at-r.Measured[z])/(r.Measured[z+1]-r.Measured[z]), 1)
		r.Farthest = max(r.Farthest, min(at-r.Measured[z], r.Measured[z+1]-at))
		if w > rounding && w < 1-rounding {
			r.Between++
		} else {
			w = math.Round(w)
		}
		mix(out.Volume, k, v, z, float32(w))
	}
	out.Sources, out.Irregular, out.Resampled = nil, 0, r
	out.Findings = append(s.withoutUneven(), Finding{Severity: Warning, Kind: Spacing,
		Text: message.Text("Resampled on request: %s. Interpolated slices have less noise than measured ones.", r)})
	return &out, nil
}

// mix stores in slice k of out slice z of v and the next one; the latter counts w.
func mix(out *volume.Volume, k int, v *volume.Volume, z int, w float32) {
	to, lower, upper := out.Plane(k), v.Plane(z), v.Plane(z+1)
	for i := range to {
		switch w {
		case 0:
			to[i] = lower[i]
		case 1:
			to[i] = upper[i]
		default:
			to[i] = lower[i] + w*(upper[i]-lower[i])
		}
	}
	if v.Mask == nil {
		return
	}
	valid, below, above := out.PlaneMask(k), v.PlaneMask(z), v.PlaneMask(z+1)
	for i := range valid {
		valid[i] = (w == 1 || below[i]) && (w == 0 || above[i])
	}
}

package lesions

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"quell/denoise"
	"quell/denoise/equalise"
	"quell/internal/parallel"
	"quell/measure"
	"quell/volume"
)

// weightsOf returns the number of weights of an equaliser of a recipe.
func weightsOf(r denoise.Recipe) int {
	if r.Dims == 2 {
		return equalise.Levels
	}
	return equalise.Levels * equalise.Slices
}

// spectra returns the spectra of the noise before and of what each weight of 1 takes of what the filter removed, or of the
// whole noise, less a surface of second order: slow anatomy is no noise. Every slice of a region counts, as few samples would
// promise more than other noise keeps. Regions do not count if the filter brought something bright or dark of the surroundings
// into them. Without regions the spectra are empty.
func (r *Response) spectra(whole bool) (measure.CrossPower, error) {
	if len(r.places) == 0 {
		return measure.CrossPower{}, nil
	}
	all, ratios := make([][][]measure.Patch, len(r.places)), make([]float64, len(r.places))
	err := parallel.For(context.Background(), len(all), func(k int) error {
		before := r.patches(voxels(r.before[k], [3]int{}, r.places[k]))
		ratios[k] = variance(r.patches(voxels(r.after[k], [3]int{}, r.places[k]))) / variance(before)
		from := r.before[k]
		if !whole {
			from = r.removed(k)
		}
		fields := [][]measure.Patch{before}
		for _, values := range taken(r.weights, from, r.places[k]) {
			fields = append(fields, r.patches(values))
		}
		for z := range before {
			var slice []measure.Patch
			for _, f := range fields {
				slice = append(slice, f[z])
			}
			all[k] = append(all[k], slice)
		}
		return nil
	})
	usual := slices.Sorted(slices.Values(ratios))[(len(ratios)-1)/2]
	var even [][]measure.Patch
	for k, p := range all {
		if ratios[k] <= leaks*usual {
			even = append(even, p...)
		}
	}
	if len(even) == 0 {
		return measure.CrossPower{}, err
	}
	return measure.CrossPowerOf(even), err
}

// patches returns the slices of a region less their ground. It changes values.
func (r *Response) patches(values []float64) (all []measure.Patch) {
	side, pixel := r.tissue.side, r.tissue.in.Volume.Spacing
	for slice := range slices.Chunk(values, side*side) {
		all = append(all, measure.NewPatch(side, side, [2]float64{pixel[0], pixel[1]}, slice))
	}
	return all
}

func variance(of []measure.Patch) (sum float64) {
	for _, p := range of {
		sum += p.Variance()
	}
	return sum
}

// taken returns what each of n weights takes of v if it is 1 and all others are 0, in a box.
func taken(n int, v *volume.Volume, box volume.Region) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		w := make(equalise.Weights, n)
		w[i] = 1
		out[i] = takenBy(w, v, box)
	}
	return out
}

// takenBy returns what an equaliser takes of v in a box.
func takenBy(w equalise.Weights, v *volume.Volume, box volume.Region) (out []float64) {
	kernel := equalise.NewKernel(w, v.Dims, func(dst []float64, x, y, z int) {
		for k, f := range v.Data[v.Index(x, y, z):][:len(dst)] {
			dst[k] = float64(f)
		}
	})
	kernel.Run(box, func() bool { return false }, func(_, _ int, values []float64) { out = append(out, values...) })
	return out
}

// lost returns the contrast that each of n weights takes of a lesion of which a filter removes removed: added in its place, slice
// by slice.
func lost(n int, removed *volume.Volume, added []float64, place volume.Region) []float64 {
	energy := floats.Dot(added, added)
	out := make([]float64, n)
	for i, values := range taken(n, removed, place) {
		out[i] = floats.Dot(values, added) / energy
	}
	return out
}

// Dial is the way of the equaliser from the original to the filter alone.
type Dial struct {
	frontier equalise.Frontier
	possible float64
}

// Dial solves the way of the equaliser from the original to the filter alone: what each of its weights takes of faint lesions
// is the covariance of what it takes with the input. ok is false without noise.
func (r *Response) Dial() (d Dial, ok bool) {
	power, err := r.spectra(false)
	if err != nil || len(power.Power) == 0 {
		return d, false
	}
	whole, err := r.spectra(true)
	if err != nil {
		return d, false
	}
	var lost, faint [][]float64
	all := make([][][]float64, len(r.places)) // by region and weight
	_ = parallel.For(context.Background(), len(all), func(k int) error {
		all[k] = taken(r.weights, r.removed(k), r.places[k])
		return nil
	})
	t := r.tissue
	for _, probe := range t.probes {
		if probe != t.first && !probe.visible {
			continue
		}
		faint = append(faint, t.faint(probe.plane, probe.support, r.weights))
		of := make([]float64, r.weights)
		for i := range of {
			var sum sums
			for k := range all {
				var own sums
				t.response(&own, probe, k, t.patches(slices.Clone(all[k][i]), t.regions[k].scale)[t.mid])
				sum.add(own)
			}
			of[i] = sum.seen()
		}
		// What is lost of the rest goes by how each weight takes a thing of its kind; the first is the filter alone.
		rest := 1 - probe.ground.rest(1-of[0])
		for i, part := range t.faint(func(int) []float64 { return probe.off }, t.side, r.weights) {
			of[i] = (1-probe.share)*of[i] + probe.share*rest*part
		}
		lost = append(lost, of)
	}
	tissueOf := func(p measure.CrossPower, lost [][]float64) equalise.Tissue {
		return equalise.Tissue{Frequency: p.Frequency, Area: p.Area, Nyquist: p.Nyquist, Power: p.Power, Lost: lost}
	}
	d = Dial{frontier: equalise.NewFrontier(tissueOf(power, lost), UsualBounds), possible: 1}
	if len(whole.Power) > 0 {
		d.possible = tissueOf(whole, faint).Possible(UsualBounds)
	}
	return d, true
}

// At returns the weights of a strength, 0 to 100, and what they leave.
func (d Dial) At(strength float64) (equalise.Weights, Setting) {
	w, l := d.frontier.At(strength)
	return w, Setting{Strength: strength, Kept: l.Kept, Texture: l.Texture, Noise: l.Noise, Floor: l.Floor, Possible: d.possible}
}

// Strongest returns the highest whole strength that stays within the bounds with all below it, and its weights. ok is false
// if only the original does.
func (d Dial) Strongest(b Bounds) (w equalise.Weights, s Setting, ok bool) {
	w, s = d.At(d.frontier.Strongest(b))
	s.Possible = min(s.Possible, s.Noise) // found otherwise: within the bounds it cannot be above
	return w, s, s.Strength > 0
}

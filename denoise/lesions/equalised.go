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

// spectra returns the spectra of the noise before, and of what each weight takes, by region and weight, less a surface of second
// order: slow anatomy is no noise. Every slice of a region counts, as few samples would promise more than other noise keeps.
// Without regions that count the spectra are empty.
func (t *Tissue) spectra(fields [][][][]float64, counts func(k int) bool) measure.CrossPower {
	pixel := [2]float64{t.in.Volume.Spacing[0], t.in.Volume.Spacing[1]}
	var all [][]measure.Patch
	for k, of := range fields {
		if !counts(k) {
			continue
		}
		for z, before := range t.regions[k].slices {
			values := floats.ScaleTo(make([]float64, len(before)), t.regions[k].scale, before)
			slice := []measure.Patch{{Width: t.side, Height: t.side, Pixel: pixel, Values: values}}
			for _, f := range of {
				slice = append(slice, measure.Patch{Width: t.side, Height: t.side, Pixel: pixel, Values: f[z]})
			}
			all = append(all, slice)
		}
	}
	if len(all) == 0 {
		return measure.CrossPower{}
	}
	return measure.CrossPowerOf(all)
}

// fields returns what each weight of 1 takes of the regions' boxes, by region, weight and slice, less their ground.
func (t *Tissue) fields(weights int, from func(k int) (*volume.Volume, volume.Region)) [][][][]float64 {
	all := make([][][][]float64, len(t.regions))
	_ = parallel.For(context.Background(), len(all), func(k int) error {
		box, place := from(k)
		for _, values := range taken(weights, box, place) {
			all[k] = append(all[k], t.patches(values, 1))
		}
		return nil
	})
	return all
}

// even returns which regions count: not those into which the filter brought something bright or dark of the surroundings.
func (r *Response) even() func(k int) bool {
	ratios := make([]float64, len(r.places))
	for k, place := range r.places {
		region, before, after := r.tissue.regions[k], 0.0, 0.0
		for z, values := range r.tissue.patches(voxels(r.after[k], place), region.scale) {
			before, after = before+floats.Dot(region.slices[z], region.slices[z]), after+floats.Dot(values, values)
		}
		ratios[k] = after / before
	}
	usual := slices.Sorted(slices.Values(ratios))[(len(ratios)-1)/2]
	return func(k int) bool { return ratios[k] <= leaks*usual }
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

// Dial is the way of the equaliser from the original to the filter alone.
type Dial struct {
	frontier equalise.Frontier
	possible float64
}

// Dial solves the way of the equaliser from the original to the filter alone: what each of its weights takes of faint lesions
// is the covariance of what it takes with the input. ok is false without noise.
func (r *Response) Dial(b Bounds) (d Dial, ok bool) {
	t := r.tissue
	if len(t.regions) == 0 {
		return d, false
	}
	fields := t.fields(r.weights, func(k int) (*volume.Volume, volume.Region) { return r.removed(k), r.places[k] })
	power := t.spectra(fields, r.even())
	if len(power.Power) == 0 {
		return d, false
	}
	var lost [][]float64
	for _, probe := range t.probes {
		if probe != t.first && !probe.visible {
			continue
		}
		of := make([]float64, r.weights)
		for i := range of {
			var sum sums
			for k, region := range t.regions {
				var own sums
				t.response(&own, probe, k, fields[k][i][t.mid])
				own.kept /= region.scale
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
	return Dial{frontier: equalise.NewFrontier(tissueOf(power, lost), b), possible: t.possible(r.weights, b)}, true
}

func tissueOf(p measure.CrossPower, lost [][]float64) equalise.Tissue {
	return equalise.Tissue{Frequency: p.Frequency, Area: p.Area, Nyquist: p.Nyquist, Power: p.Power, Lost: lost}
}

// possible returns the least noise that any filter leaves within the bounds, by an equaliser of so many weights of the noise
// itself. It is found once, whatever the filter.
func (t *Tissue) possible(weights int, b Bounds) float64 {
	t.once.Lock()
	defer t.once.Unlock()
	key := asked{weights, b}
	if least, ok := t.once.possible[key]; ok {
		return least
	}
	margin := make(equalise.Weights, weights).Reach()
	fields := t.fields(weights, func(k int) (*volume.Volume, volume.Region) {
		box := t.regions[k].box.Grow(margin, t.in.Volume.Geometry)
		return t.in.Volume.Crop(box), t.regions[k].box.Offset(box.Min)
	})
	least := 1.0
	if power := t.spectra(fields, func(int) bool { return true }); len(power.Power) > 0 {
		var faint [][]float64
		for _, probe := range t.probes {
			if probe == t.first || probe.visible {
				faint = append(faint, t.faint(probe.plane, probe.support, weights))
			}
		}
		least = tissueOf(power, faint).Possible(b)
	}
	t.once.possible[key] = least
	return least
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

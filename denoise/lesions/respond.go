package lesions

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"quell/denoise"
	"quell/denoise/equalise"
	"quell/denoise/verdict"
	"quell/internal/parallel"
	"quell/measure"
	"quell/volume"
)

// Response is what a filter alone does to a tissue: every equaliser of it follows without another run.
type Response struct {
	tissue *Tissue
	noises *noises
	places []volume.Region // of the regions, in their boxes
}

// Run filters the regions alone, by a resolved recipe as it is. The error is the context's or the engine's.
func (t *Tissue) Run(ctx context.Context, e denoise.Engine, recipe denoise.Recipe) (Sample, error) {
	r, err := t.respond(ctx, e, recipe, 0)
	if err != nil {
		return Sample{}, err
	}
	return r.sample(nil), nil
}

// Respond filters the regions by a resolved recipe at full strength, with what the kernel of an equaliser reads around them.
func (t *Tissue) Respond(ctx context.Context, e denoise.Engine, recipe denoise.Recipe) (*Response, error) {
	return t.respond(ctx, e, recipe, weightsOf(recipe))
}

func (t *Tissue) respond(ctx context.Context, e denoise.Engine, recipe denoise.Recipe, weights int) (*Response, error) {
	program, err := recipe.Bind(t.in.Volume.Geometry)
	if err != nil {
		return nil, err
	}
	var margin [3]int
	if weights > 0 {
		margin = make(equalise.Weights, weights).Reach()
	}
	in := Request{Input: t.in}.input()
	r := &Response{tissue: t, noises: &noises{weights: weights, dials: map[string]Dial{}}}
	crops := make([]crop, len(t.regions))
	for i, region := range t.regions {
		crops[i] = cropOf(in, region.box, margin, program)
		place := from(crops[i].place, crops[i].box.Min)
		r.places, r.noises.before = append(r.places, place), append(r.noises.before, crops[i].source())
		place.Min[2] = (place.Min[2] + place.Max[2] - 1) / 2
		place.Max[2] = place.Min[2] + 1
		r.noises.middles = append(r.noises.middles, place)
	}
	r.noises.after, err = runAll(ctx, e, recipe, program.Lattice, crops)
	r.noises.solve(func(values []float64) measure.Patch {
		pixel := t.in.Volume.Spacing
		return measure.NewPatch(t.side, t.side, [2]float64{pixel[0], pixel[1]}, values)
	})
	return r, err
}

// removed returns what the filter alone removes from the k-th box.
func (r *Response) removed(k int) *volume.Volume {
	out := r.noises.before[k].Clone()
	for i, x := range r.noises.after[k].Data {
		out.Data[i] -= x
	}
	return out
}

// sample returns what an equaliser does, nil for the filter alone.
func (r *Response) sample(w equalise.Weights) Sample {
	values := make([][]float64, len(r.places))
	_ = parallel.For(context.Background(), len(values), func(k int) error {
		of := r.noises.after[k]
		if w != nil {
			of = r.noises.before[k]
		}
		values[k] = voxels(of, [3]int{}, r.places[k])
		if w != nil {
			for i, x := range takenBy(w, r.removed(k), r.places[k]) {
				values[k][i] -= x
			}
		}
		return nil
	})
	return r.tissue.sample(values)
}

// Figures returns the figures of the filter with an equaliser, nil for the filter alone.
func (r *Response) Figures(w equalise.Weights) verdict.Figures { return r.sample(w).Figures() }

// Dial solves the way of the equaliser from the original to the filter alone: what each of its weights takes of faint lesions
// is the covariance of what it takes with the input. ok is false without noise.
func (r *Response) Dial() (Dial, bool) {
	t := r.tissue
	all := make([][][]float64, len(r.places)) // by region and weight
	_ = parallel.For(context.Background(), len(all), func(k int) error {
		all[k] = taken(r.noises.weights, r.removed(k), r.places[k])
		return nil
	})
	p := Panel{noise: r.noises}
	for _, probe := range t.probes {
		if probe != t.first && !probe.visible {
			continue
		}
		row := Row{Lesion: probe.Lesion, lostFaint: t.faint(probe.values, probe.support, r.noises.weights)}
		for i := range r.noises.weights {
			var sum sums
			for k := range all {
				var own sums
				t.response(&own, probe, k, t.patches(append([]float64{}, all[k][i]...), t.regions[k].scale))
				sum.add(own)
			}
			row.lost = append(row.lost, sum.seen())
		}
		// What is lost of the rest goes by how each weight takes a thing of its kind.
		rest := 1 - probe.ground.rest(1-floats.Sum(row.lost))
		for i, part := range t.faint(probe.off, t.side, r.noises.weights) {
			row.lost[i] = (1-probe.share)*row.lost[i] + probe.share*rest*part
		}
		p.Rows = append(p.Rows, row)
	}
	return p.Dial()
}

// faint is what each weight takes of something in a square of that side, in each slice of a region, of which a filter removes all.
func (t *Tissue) faint(values []float64, side, weights int) []float64 {
	margin := make(equalise.Weights, weights).Reach()
	wide := side + 2*margin[0]
	alone := volume.New(volume.NewGeometry([3]int{wide, wide, t.depth + 2*margin[2]}, [3]float64{1, 1, 1}))
	place := volume.Region{Min: margin, Max: [3]int{margin[0] + side, margin[1] + side, margin[2] + t.depth}}
	for z := place.Min[2]; z < place.Max[2]; z++ {
		for k, x := range values {
			alone.Data[alone.Index(margin[0]+k%side, margin[1]+k/side, z)] = float32(x)
		}
	}
	return lost(weights, alone, values, place)
}

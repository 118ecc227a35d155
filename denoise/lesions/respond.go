package lesions

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"quell/denoise"
	"quell/denoise/equalise"
	"quell/denoise/verdict"
	"quell/internal/parallel"
	"quell/volume"
)

// Response is what a filter alone does to a tissue: every equaliser of it follows without another run.
type Response struct {
	tissue        *Tissue
	before, after []*volume.Volume // the regions with what the kernel of an equaliser reads around them
	places        []volume.Region  // of the regions, in these boxes
	weights       int              // of an equaliser
}

// Run filters the regions alone, by a resolved recipe as it is. The error is the context's or the engine's.
func (t *Tissue) Run(ctx context.Context, e denoise.Engine, recipe denoise.Recipe) (Sample, error) {
	r, err := t.respond(ctx, e, recipe, 0)
	if err != nil {
		return Sample{}, err
	}
	return r.Sample(nil), nil
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
	r := &Response{tissue: t, weights: weights}
	crops := make([]crop, len(t.regions))
	for i, region := range t.regions {
		crops[i] = cropOf(in, region.box, margin, program)
		r.places, r.before = append(r.places, crops[i].place.Offset(crops[i].box.Min)), append(r.before, crops[i].source())
	}
	r.after, err = runAll(ctx, e, recipe, program.Lattice, crops)
	return r, err
}

// Alone returns a response without the volume that it is of, to be kept: for figures, not for another dial.
func (r *Response) Alone() *Response {
	out := *r
	out.tissue = r.tissue.Apart()
	return &out
}

// removed returns what the filter alone removes from the k-th box.
func (r *Response) removed(k int) *volume.Volume {
	out := r.before[k].Clone()
	for i, x := range r.after[k].Data {
		out.Data[i] -= x
	}
	return out
}

// Sample returns what an equaliser does, nil for the filter alone.
func (r *Response) Sample(w equalise.Weights) Sample {
	values := make([][]float64, len(r.places))
	_ = parallel.For(context.Background(), len(values), func(k int) error {
		of := r.after[k]
		if w != nil {
			of = r.before[k]
		}
		values[k] = voxels(of, r.places[k])
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
func (r *Response) Figures(w equalise.Weights) verdict.Figures { return r.Sample(w).Figures() }

// faint is what each weight takes, in the middle slice of a region, of something in squares of that side of which a filter
// removes all; plane returns its slices.
func (t *Tissue) faint(plane func(z int) []float64, side, weights int) []float64 {
	margin := make(equalise.Weights, weights).Reach()
	wide := side + 2*margin[0]
	alone := volume.New(volume.NewGeometry([3]int{wide, wide, t.depth + 2*margin[2]}, [3]float64{1, 1, 1}))
	place := volume.Region{Min: margin, Max: [3]int{margin[0] + side, margin[1] + side, margin[2] + t.depth}}
	for z := range t.depth {
		for k, x := range plane(z) {
			alone.Data[alone.Index(margin[0]+k%side, margin[1]+k/side, margin[2]+z)] = float32(x)
		}
	}
	place.Min[2] += t.depth / 2
	place.Max[2] = place.Min[2] + 1
	added, out := plane(t.depth/2), make([]float64, weights)
	for i, values := range taken(weights, alone, place) {
		out[i] = floats.Dot(values, added) / floats.Dot(added, added)
	}
	return out
}

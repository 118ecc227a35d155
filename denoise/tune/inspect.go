package tune

import (
	"context"
	"fmt"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/volume"
)

// fewest is how many voxels of the foreground an inspection rests on at least.
const fewest = 400

// Inspection is what the residual of a result shows, place by place.
type Inspection struct {
	Structure float64 `json:"structure"` // mean square of the anatomy in the residual, in sigmas squared
	// Spectrum is the residual's against the noise's own, fine to coarse; without the
	// bands that too few voxels show.
	Spectrum []Band `json:"spectrum,omitempty"`
	// Place is the place of the most anatomy in the residual; nil if it shows none.
	Place *Place `json:"place,omitempty"`
	// Found is the place at which something was removed or added that the filter did not; nil if
	// none was found.
	Found *Finding `json:"-"`
	// FoundWhy says what was found, and Foreign that the recipe makes another result everywhere.
	FoundWhy message.Message `json:"-"`
	Foreign  bool            `json:"-"`
	// Slices is the structure of each slice of the region; empty if it has one.
	Slices []float64 `json:"-"`
	// Map is the anatomy in the residual, voxel by voxel of the region: its amplitude in
	// sigmas, 0 if the residual looks like noise. nil without noise, and if Result.WithoutMap
	// asks for none.
	Map *volume.Volume `json:"-"`
}

// Result is what is inspected.
type Result struct {
	Input  denoise.Input   // that was filtered, the whole of it
	After  *volume.Volume  // the result: the voxels of Region
	Region volume.Region   // of Input.Volume that is inspected; zero: all of it
	Recipe *denoise.Recipe // that made After, resolved; nil if it is not known
	// Made states that the caller saw Recipe make After. Otherwise it is run again, to see
	// whether it does.
	Made bool
	// Noise is the noise of Input.Volume; under a noise map, of the volume divided by
	// it, as [denoise.FactsFor] finds it.
	Noise noise.Estimate
	// Foreground says which voxels of Input.Volume count; nil: the voxels of
	// [noise.Foreground].
	Foreground func(i int) bool
	// WithoutMap leaves out Inspection.Map, which is as large as After.
	WithoutMap bool

	unit float64 // of the volumes in the unit of the series, see [Result.stabilise]
}

// Inspect looks for anatomy in the residual of a result, and for places at which something was removed or added that its
// filter does not. The recipe is run again on the region, unless Result.Made: After must be what it makes. Without a recipe
// the filter of the registry with the result most like After shows what an honest result looks like.
//
// Without known noise only the recipe is run again. Errors: the result does not fit its input, the context's, or the engine's.
func Inspect(ctx context.Context, engine denoise.Engine, r Result) (in Inspection, err error) {
	if err := r.complete(ctx); err != nil {
		return in, err
	}
	other, err := r.remade(ctx, engine)
	if err != nil {
		return in, err
	}
	if other.differs > 0 {
		in.Found, in.Foreign, in.FoundWhy = other.found(r.Region), other.share() > everywhere, other.why(r.Region)
		in.Place = &in.Found.Place
		if in.Foreign {
			return in, nil
		}
	}
	if e := r.Noise; e.Confidence == "" || !e.Sentence().IsZero() || e.Weak() {
		return in, nil
	}
	if err := r.divide(ctx); err != nil {
		return in, err
	}
	if err := r.stabilise(ctx); err != nil {
		return in, err
	}
	left := r.residue()
	if left.count(fewest) < fewest {
		return in, nil
	}
	if !r.WithoutMap {
		in.Map = volume.New(r.After.Geometry)
	}
	s, err := left.structure(ctx, in.Map)
	if err != nil {
		return in, err
	}
	in.Spectrum, in.Structure = s.bands, total(s.slices).structure()
	if len(s.slices) > 1 {
		for _, of := range s.slices {
			in.Slices = append(in.Slices, of.structure())
		}
	}
	if in.Found != nil {
		return in, nil
	}
	in.Place = r.place(s.slices)
	if r.Recipe != nil {
		return in, nil
	}
	stand, err := r.standIn(ctx, engine, same)
	if err != nil {
		return in, err
	}
	f, by, err := r.unseen(ctx, engine, stand)
	if err == nil && f != nil {
		in.Found, in.Place, in.FoundWhy = f, &f.Place, by.why(f)
	}
	return in, err
}

// divide turns a result under a noise map into the result of the filter's own passes,
// on voxels in sigmas: errors count relative to the noise at their place. The recipe
// of a filter that reads the map itself is of no use then.
func (r *Result) divide(ctx context.Context) (err error) {
	if r.Input.Noise == nil {
		return nil
	}
	if r.After, err = r.Input.DividedResult(ctx, r.After, r.Region); err != nil {
		return err
	}
	if r.Input, err = r.Input.Divided(ctx); err != nil || r.Recipe == nil {
		return err
	}
	f, err := denoise.FilterByName(r.Recipe.Filter)
	if err != nil {
		return err
	}
	plain := *r.Recipe
	plain.InSigmas = false
	if r.Recipe = &plain; f.ReadsNoise {
		r.Recipe = nil
	}
	return nil
}

// stabilise turns a result that was computed with stabilised noise into the result
// of the filter's own passes, with Gaussian noise.
func (r *Result) stabilise(ctx context.Context) (err error) {
	if r.Recipe == nil || r.Recipe.Stabilisation() == 0 {
		return nil
	}
	r.unit = r.Recipe.Stabilisation()
	if r.Input, err = r.Input.Stabilised(ctx, r.unit); err != nil {
		return err
	}
	if r.After, err = denoise.StabilisedResult(ctx, r.After, r.unit); err != nil {
		return err
	}
	plain := r.Recipe.Unstabilised()
	r.Recipe, r.Noise = &plain, r.Noise.Stabilised(r.unit)
	return nil
}

// complete fills in what the zero value means, and checks the rest.
func (r *Result) complete(ctx context.Context) error {
	if err := r.Input.Check(); err != nil {
		return err
	}
	g := r.Input.Volume.Geometry
	if r.Region == (volume.Region{}) {
		r.Region = g.Bounds()
	}
	if err := r.Region.Validate(g); err != nil {
		return err
	}
	if r.After == nil || r.After.Dims != r.Region.Dims() {
		return fmt.Errorf("the result does not have the %v voxels that are inspected", r.Region.Dims())
	}
	if r.Foreground == nil {
		var err error
		if r.Foreground, err = noise.Foreground(ctx, r.Input.Masked()); err != nil {
			return err
		}
	}
	// A slice on its own has its own noise.
	if d := r.Region.Dims(); d[2] == 1 {
		r.Noise.Figure = r.Noise.Slice(r.Region.Min[2])
	}
	return nil
}

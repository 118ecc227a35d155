package tune

import (
	"context"
	"errors"
	"math"
	"slices"

	"quell/denoise"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// A recipe makes one result. The recipe is run again on all of the region, and every voxel is
// compared: what differs by more than the engines do, and more than the file could round, was
// not made by the recipe.

const (
	// agreement is the most by which engines differ, as a share of the range, see [denoise.Engine].
	agreement = 1e-4
	// clippedNoise is how many sigmas below 0 what a recipe makes is noise that a file of unsigned integers clips.
	clippedNoise = 5
	// everywhere is the share of the voxels that differ from which on no single place is the reason.
	everywhere = 0.5
	// roundedSample is how many voxels of a slice its step is taken from at most, and
	// fewestLevels is how many values it must have for the distance of two to be a step.
	roundedSample = 1 << 14
	fewestLevels  = 64
)

// other is how a result differs from what its recipe makes.
type other struct {
	differs int // voxels, of those that hold data
	of      int
	spot    spot
	turn    turn
}

// compare runs the recipe again and returns how After differs from it. It is to be called before
// the result is divided by a noise map or stabilised.
func (r Result) compare(ctx context.Context, engine denoise.Engine) (o other, err error) {
	made, err := engine.Run(ctx, *r.Recipe, r.Input, r.Region, nil)
	if err != nil {
		return o, err
	}
	lo, hi, err := r.Input.Volume.Range(ctx)
	if err != nil {
		return o, err
	}
	tolerance := agreement * (float64(hi) - float64(lo))
	allowed, ends, err := allowances(ctx, made, r.After, tolerance)
	if err != nil {
		return o, err
	}
	clips := r.clips(float64(lo), float64(hi), ends, tolerance)
	differs := func(k, i int) float64 {
		a, b := float64(made.Data[i]), float64(r.After.Data[i])
		switch diff := b - a; {
		case math.Abs(diff) <= allowed[k], allowed[k] > tolerance && clips(a, b):
			return 0
		default:
			return diff
		}
	}
	n := made.SliceVoxels()
	left := r.inSigmas(anywhere, func(k, i, of int) float64 {
		diff := differs(k, k*n+i)
		if r.Input.Noise != nil {
			diff /= float64(r.Input.Noise.Data[of])
		}
		return diff
	})
	counts, held := make([]int, made.Dims[2]), make([]int, made.Dims[2])
	err = parallel.For(ctx, made.Dims[2], func(k int) error {
		data, use := make([]float32, n), make([]bool, n)
		left.slice(k, data, use)
		for i, use := range use {
			if use {
				held[k]++
			}
			if data[i] != 0 {
				counts[k]++
			}
		}
		return nil
	})
	for k := range counts {
		o.differs, o.of = o.differs+counts[k], o.of+held[k]
	}
	if err != nil || o.differs == 0 {
		return o, err
	}
	if o.spot, err = left.strongest(ctx); err != nil {
		return o, err
	}
	o.turn = o.spot.turn(valuesOf(made), valuesOf(r.After), made.Dims)
	return o, nil
}

// clips returns a function that reports whether a type of a file made b of a. A type has room for the input's values, or
// begins at 0, which noise alone goes below: another end is of a window.
func (r Result) clips(lo, hi float64, ends [2]float64, tolerance float64) func(a, b float64) bool {
	least := lo
	if ends[0] == 0 && r.Noise.Sigma > 0 {
		least = -clippedNoise * r.Noise.Sigma
	}
	return func(a, b float64) bool {
		return b == ends[0] && a < b && (b <= lo+tolerance || b == 0 && a >= least) || b == ends[1] && a > b && b >= hi-tolerance
	}
}

// allowances returns by how much each slice of a result may differ from what was made, and the
// ends of its range: of values of a file that rounds, half a step more than the engines.
func allowances(ctx context.Context, made, after *volume.Volume, tolerance float64) (allowed []float64, ends [2]float64, err error) {
	allowed = make([]float64, after.Dims[2])
	lo, hi, err := after.Range(ctx)
	if err != nil {
		return nil, ends, err
	}
	ends = [2]float64{float64(lo), float64(hi)}
	err = parallel.For(ctx, after.Dims[2], func(k int) error {
		allowed[k] = tolerance
		a, b := made.Plane(k), after.Plane(k)
		for i := range a {
			if math.Abs(float64(a[i])-float64(b[i])) > tolerance {
				allowed[k] += 0.501 * step(b)
				break
			}
		}
		return nil
	})
	return allowed, ends, err
}

// step returns the distance of the values that a slice can have, as integers of a scale have one;
// 0 if it has fewer than fewestLevels values. The step of floating-point numbers is next to nothing.
func step(plane []float32) float64 {
	every := len(plane)/roundedSample + 1
	var values []float32
	for i := 0; i < len(plane); i += every {
		values = append(values, plane[i])
	}
	slices.Sort(values)
	if values = slices.Compact(values); len(values) < fewestLevels {
		return 0
	}
	least := math.Inf(1)
	for i, a := range values[1:] {
		least = min(least, float64(a)-float64(values[i]))
	}
	return least
}

// share returns the share of the voxels that differ.
func (o other) share() float64 { return float64(o.differs) / math.Max(float64(o.of), 1) }

// why says that the recipe does not make the result, and the place at which it differs most.
func (o other) why(region volume.Region) message.Message {
	f := o.found(region)
	switch {
	case o.share() > everywhere:
		return message.New(message.VerdictRecipe, "This recipe does not make this result: %.0f %% of the voxels differ, most %s.", 100*o.share(), f)
	case f.Change == Added:
		return message.New(message.VerdictRecipe, "This recipe does not make this result: something was added %s.", f)
	}
	return message.New(message.VerdictRecipe, "This recipe does not make this result: something was removed %s.", f)
}

// found returns the place at which the two differ most.
func (o other) found(region volume.Region) *Finding {
	f := o.spot.finding(region, o.turn)
	f.Recipe = true
	return f
}

// remade returns how After differs from what its recipe makes; nothing without a recipe, if it is
// known to have made After, or if the engine cannot run it.
func (r Result) remade(ctx context.Context, engine denoise.Engine) (other, error) {
	if r.Recipe == nil || r.Made {
		return other{}, nil
	}
	o, err := r.compare(ctx, engine)
	if errors.Is(err, denoise.ErrUnsupported) {
		return other{}, nil
	}
	return o, err
}

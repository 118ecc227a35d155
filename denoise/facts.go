package denoise

import (
	"cmp"
	"context"
	"math"

	"quell/denoise/noise"
	"quell/volume"
)

// Facts is what automatic values depend on. It is computed once per volume and
// serves previews, runs, tuning and verdicts alike.
type Facts struct {
	Lo, Hi float32 // smallest and largest valid voxel
	Noise  noise.Estimate

	// Foreground says which voxels count for verdicts, see [noise.Foreground]; nil
	// if it was not found.
	Foreground func(i int) bool

	// Alike is how different neighbours may be, in sigmas, for the mean of them to have the
	// least error, see [Facts.alike]; 0 if it was not measured.
	Alike float64

	// AlikePatches is how different patches may be, in sigmas, for the mean of their centres
	// to have the least error, see [Facts.alikePatches]; 0 if it was not measured.
	AlikePatches float64

	// PseudoSigma is sigma from the pseudo-residuals, see [noise.PseudoResiduals], in the unit of
	// the volume; 0 if it was not measured.
	PseudoSigma float64

	// Usual is above 0 for the facts of a volume divided by its noise map: the
	// sigma that is usual in the map, in the unit of the volume.
	Usual float64
}

// ForegroundOf returns Foreground, which it finds in v, the volume of the facts, if they hold none. The
// error is the context's.
func (f Facts) ForegroundOf(ctx context.Context, v *volume.Volume) (func(i int) bool, error) {
	if f.Foreground != nil {
		return f.Foreground, nil
	}
	return noise.Foreground(ctx, v)
}

// VerdictFacts reads a whole volume, on all cores, and returns what verdicts and pictures depend
// on: all but Alike, AlikePatches and PseudoSigma, by which recipes are resolved. The error is the context's.
func VerdictFacts(ctx context.Context, v *volume.Volume) (Facts, error) {
	e, err := noise.Of(ctx, v)
	if err != nil {
		return Facts{}, err
	}
	return verdictFacts(ctx, v, e)
}

// verdictFacts is VerdictFacts of a volume with noise that is known.
func verdictFacts(ctx context.Context, v *volume.Volume, e noise.Estimate) (f Facts, err error) {
	f.Noise = e
	if f.Lo, f.Hi, err = v.Range(ctx); err != nil {
		return Facts{}, err
	}
	if f.Foreground, err = noise.Foreground(ctx, v); err != nil {
		return Facts{}, err
	}
	return f, nil
}

// FactsOf reads a whole volume, on all cores. The error is the context's.
func FactsOf(ctx context.Context, v *volume.Volume) (Facts, error) {
	e, err := noise.Of(ctx, v)
	if err != nil {
		return Facts{}, err
	}
	return FactsWith(ctx, v, e)
}

// FactsWith is FactsOf of a volume with noise that [noise.Of] has found already.
func FactsWith(ctx context.Context, v *volume.Volume, e noise.Estimate) (Facts, error) {
	f, err := verdictFacts(ctx, v, e)
	if err != nil {
		return Facts{}, err
	}
	if f.Alike, err = f.alike(ctx, v); err != nil {
		return Facts{}, err
	}
	if f.AlikePatches, err = f.alikePatches(ctx, v); err != nil {
		return Facts{}, err
	}
	if f.PseudoSigma, err = noise.PseudoResiduals(ctx, v); err != nil {
		return Facts{}, err
	}
	return f, nil
}

// width is the range of the values.
func (f Facts) width() float64 { return float64(f.Hi) - float64(f.Lo) }

// negligible is Negligible relative to the range of the values. It is below the
// resolution of float32.
const negligible = 1e-10

// Negligible returns a positive number that is small relative to every difference
// between the volume's values. It stands in for 0 in parameters that must be
// positive: a filter with this strength averages equal voxels and equal patches
// only. It scales with the volume.
func (f Facts) Negligible() float64 {
	size := f.width()
	if size == 0 { // a constant volume, for which any strength does the same
		size = math.Abs(float64(f.Hi))
	}
	if size == 0 {
		size = 1
	}
	return negligible * size
}

// AutoSigma returns the sigma that automatic values are multiples of: the best value of the estimate if its interval is
// narrow, its low end else, which removes less and harms nothing, and 0 if there is no noise.
func (f Facts) AutoSigma() float64 {
	if f.Noise.Negligible || f.Noise.Confidence == noise.None {
		return 0
	}
	return f.Noise.Acting()
}

// UsualSigma is the estimated sigma in the unit of the volume: under a noise map the one that is usual there.
func (f Facts) UsualSigma() float64 { return f.Noise.Sigma * cmp.Or(f.Usual, 1) }

// Trust says how much of the estimated sigma automatic values use, from 0 to 1.
func (f Facts) Trust() float64 {
	if f.Noise.Sigma == 0 {
		return 0
	}
	return f.AutoSigma() / f.Noise.Sigma
}

// NoiseShare returns the estimated sigma over the range of the values; 0 for a
// constant volume.
func (f Facts) NoiseShare() float64 {
	if f.Range() == 0 {
		return 0
	}
	return f.Noise.Sigma / f.Range()
}

// Range is the width of the range of the values that shares of the noise are taken of, see [noise.Estimate.Range].
func (f Facts) Range() float64 { return f.Noise.Range(f.Lo, f.Hi) }

// NoiseSigma is the rule of noise levels: the estimated noise.
var NoiseSigma = &AutoRule{Amount: func(_ Recipe, _ volume.Geometry, f Facts) float64 { return f.AutoSigma() }}

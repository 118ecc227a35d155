package denoise

import (
	"context"
	"math"

	"quell/denoise/noise"
	"quell/denoise/rice"
	"quell/internal/message"
	"quell/volume"
)

// Magnitude images have Rician noise: under a weak signal it has another standard
// deviation, and lifts the mean. A recipe that stabilises it by a sigma s runs as
//
//	d      = f(v / s)                 pass StabiliseNoise
//	e      = the filter's passes on d, for noise of sigma 1
//	result = s nu, E[f | nu] = e      pass RestoreSignal
//
// with f and its unbiased inverse of package rice, whichever the filter. Parameters in
// the volume's unit are divided by s for the passes.

// The names of the passes around a filter's own, and of the fields between them.
const (
	StabiliseNoise = "stabilise noise"
	RestoreSignal  = "restore signal"

	stabilised         = "stabilised voxels"
	filteredStabilised = "filtered stabilised voxels"
)

// Stabilise is a parameter of every filter that does not read a noise map itself:
// the sigma of the Rician noise that is stabilised, 0 for none. Register adds it.
var Stabilise = Param{
	Name: stabiliseName, Label: "Stabilise Rician", Kind: Float, Unit: valueUnit,
	Min: 0, Max: Largest, Lo: 0, Hi: 3, Step: 0.05, Default: Auto,
	Auto: &AutoRule{Amount: autoStabilise, Spares: func(r Recipe) bool { return !r.mayStabilise() }},
	Help: "Sigma of the Rician noise of MR magnitude images, which is made equal everywhere before the filter; the bias of dark regions is removed after it. 0 is off. Auto turns it on where the background shows such noise.",
	Ignored: func(r Recipe) message.Message {
		if f, err := FilterByName(r.Filter); err == nil && f.CorrectsRician != nil && f.CorrectsRician(r) {
			return message.Text("the Rician correction of the filter does its work")
		}
		return message.Message{}
	},
}

const (
	stabiliseName = "stabilise"
	valueUnit     = "value" // of parameters in the volume's unit
)

// autoStabilise is the estimated noise in magnitude images with a background that
// shows Rician noise, and 0 elsewhere.
func autoStabilise(r Recipe, _ volume.Geometry, f Facts) float64 {
	if !f.magnitude() || f.Trust() < 1 || !r.mayStabilise() {
		return 0
	}
	return f.Noise.Sigma
}

// magnitude reports whether the volume shows the noise of magnitude images.
func (f Facts) magnitude() bool {
	return f.Noise.Model == noise.Rician && f.Noise.ModelKnown && f.Lo >= 0
}

// inSigmas returns the function that makes a voxel one with noise of sigma 1, Rician noise
// stabilised.
func (f Facts) inSigmas() func(v float32) float64 {
	sigma := f.Noise.Sigma
	if f.magnitude() {
		return func(v float32) float64 { return rice.Stabilise(float64(v) / sigma) }
	}
	return func(v float32) float64 { return float64(v) / sigma }
}

// mayStabilise reports whether automatic stabilisation may come to more than 0: no
// correction of the filter's own is on, and every parameter in the volume's unit
// follows the noise. A number there asks for the plain filter, as does a recipe that
// knows no noise.
func (r Recipe) mayStabilise() bool {
	f, err := FilterByName(r.Filter)
	if err != nil || f.CorrectsRician != nil && f.CorrectsRician(r) {
		return false
	}
	follows := false
	for _, p := range f.Params {
		if p.Unit != valueUnit || p.Name == stabiliseName || !r.ignores(p).IsZero() {
			continue
		}
		v := r.Get(p.Name)
		if follows = v.IsAuto() || v.IsSigmas() || v.IsSURE(); !follows {
			return false
		}
	}
	return follows
}

// Stabilisation returns the sigma by which a resolved recipe stabilises Rician noise,
// 0 for none.
func (r Recipe) Stabilisation() float64 {
	if v := r.Get(stabiliseName); v.IsNumber() && r.Ignores(stabiliseName).IsZero() {
		return v.Float()
	}
	return 0
}

// StabilisationFor returns the sigma by which r stabilises Rician noise in a volume of
// geometry g with facts f, 0 for none.
func (r Recipe) StabilisationFor(g volume.Geometry, f Facts) (float64, error) {
	filter, err := FilterByName(r.Filter)
	if err != nil {
		return 0, err
	}
	p, ok := filter.Param(stabiliseName)
	if !ok || !r.ignores(p).IsZero() {
		return 0, nil
	}
	v, err := p.resolve(r, p.inSigmas(r, f), g, f)
	return v.Float(), err
}

// Unstabilised returns what the filter's own passes run by in r, which must be
// resolved: [Recipe.UnstabilisedBy] of its stabilisation.
func (r Recipe) Unstabilised() Recipe { return r.UnstabilisedBy(r.Stabilisation()) }

// UnstabilisedBy returns what the filter's own passes run by in r if it stabilises
// noise of sigma s: numbers in the volume's unit divided by s, and no stabilisation.
// If s is 0 it is r itself.
func (r Recipe) UnstabilisedBy(s float64) Recipe {
	if s == 0 {
		return r
	}
	f, err := FilterByName(r.Filter)
	if err != nil {
		return r
	}
	for _, p := range f.Params {
		if v := r.Get(p.Name); p.Unit == valueUnit && v.IsNumber() && r.ignores(p).IsZero() {
			r = r.With(p.Name, Number(p.clamp(v.num/s)))
		}
	}
	return r.With(stabiliseName, Number(0))
}

// stabilised returns the facts of a volume after r has stabilised noise of that sigma.
func (f Facts) stabilised(r Recipe, sigma float64) Facts {
	f.Lo, f.Hi = float32(rice.Stabilise(float64(f.Lo)/sigma)), float32(rice.Stabilise(float64(f.Hi)/sigma))
	f.Noise = r.StabilisedNoise(f.Noise, sigma)
	f.PseudoSigma /= sigma // that of the volume as it is
	return f
}

// StabilisedNoise returns the figure of the noise after r has stabilised noise of
// that sigma: as much as e says, or more if r gives the sigma.
func (r Recipe) StabilisedNoise(e noise.Estimate, sigma float64) noise.Estimate {
	if r.Get(stabiliseName).IsNumber() {
		known := noise.Known(1)
		known.Correlation = e.Correlation
		return known
	}
	return e.Stabilised(sigma)
}

// stabilised returns the program that runs p, which is bound for noise of sigma 1, on
// magnitude images with noise of the given sigma.
func (p Program) stabilised(sigma float64) Program {
	p.Stabilised = sigma
	return p.between(
		eachVoxel(8, func(v float32, _ []Field, _ int) float64 {
			return rice.Stabilise(float64(v) / sigma)
		}, Pass{Name: StabiliseNoise, Inputs: []string{Voxels}, Output: stabilised, Everywhere: true}),
		eachVoxel(10, func(v float32, _ []Field, _ int) float64 {
			return rice.Signal(float64(v)) * sigma
		}, Pass{Name: RestoreSignal, Inputs: []string{filteredStabilised}, Output: Result}),
	)
}

// Stabilised returns the input of a filter's own passes in a run on in that stabilises
// noise of that sigma: see [Recipe.Unstabilised]. in must have no noise map.
func (in Input) Stabilised(ctx context.Context, sigma float64) (Input, error) {
	v, err := eachOf(ctx, in.Volume, func(x float32, _ int) float32 {
		return float32(rice.Stabilise(float64(x) / sigma))
	})
	in.Volume = v
	return in, err
}

// StabilisedResult returns the result of a filter's own passes in a run that
// stabilises noise of that sigma and returned v.
func StabilisedResult(ctx context.Context, v *volume.Volume, sigma float64) (*volume.Volume, error) {
	return eachOf(ctx, v, func(x float32, _ int) float32 {
		return float32(rice.Mean(math.Max(float64(x), 0) / sigma))
	})
}

package denoise

import (
	"context"
	"math"
	"slices"

	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/volume"
)

// Noise with a sigma that differs from place to place is brought to sigma 1 for the
// filter, whichever it is:
//
//	s      = v / sigma               pass DivideBySigma
//	f      = the filter's passes on s, resolved for noise of sigma 1
//	result = f sigma                 pass MultiplyBySigma
//
// so that no filter knows of it. The same shape, a transform of the voxels before
// the filter's passes and its inverse after them (Program.between), stabilises the
// noise of magnitude images (stabilise.go).

// The names of the passes around a filter's own, and of the fields between them.
const (
	DivideBySigma   = "divide by sigma"
	MultiplyBySigma = "multiply by sigma"

	divided         = "voxels in sigmas"
	filteredDivided = "filtered voxels in sigmas"
)

// leastSigma is the smallest sigma that counts, relative to the map's median.
const leastSigma = 0.01

// sigmaSamples is about how many voxels of a map its median is taken of.
const sigmaSamples = 1 << 12

// usualSigma returns the sigma that is usual in the noise map: Usual, or the median of its
// positive numbers if the volume holds data. It is 0 if there is none, and 1 if
// the volume holds no data. Of a large map it reads a sample, which depends on the
// dims alone.
func (in Input) usualSigma() float32 {
	if in.Usual > 0 {
		return in.Usual
	}
	u := NewUsualSigma(len(in.Noise.Data))
	u.Add(in)
	if len(u.positive) == 0 && u.step > 1 {
		u = &UsualSigma{step: 1}
		u.Add(in)
	}
	return u.Value()
}

// UsualSigma finds the usual sigma of a noise map that is read in parts, see Input.Usual.
type UsualSigma struct {
	step, next int // of the voxels that are looked at, and the next of them
	seen       int // voxels
	data       bool
	positive   []float32
}

// NewUsualSigma returns one for a map of so many voxels.
func NewUsualSigma(voxels int) *UsualSigma {
	return &UsualSigma{step: max(voxels/sigmaSamples, 1) | 1} // odd: the sample visits all columns
}

// Add looks at the next voxels of the map.
func (u *UsualSigma) Add(in Input) {
	m := in.Noise
	for ; u.next-u.seen < len(m.Data); u.next += u.step {
		i := u.next - u.seen
		if !in.Volume.Valid(i) || (in.Mask != nil && !in.Mask[i]) {
			continue
		}
		u.data = true
		if s := m.Data[i]; s > 0 && s <= math.MaxFloat32 && m.Valid(i) {
			u.positive = append(u.positive, s)
		}
	}
	u.seen += len(m.Data)
}

// Value returns the usual sigma: 0 if the map has none, and 1 if the volume holds no data.
func (u *UsualSigma) Value() float32 {
	if len(u.positive) > 0 {
		slices.Sort(u.positive)
		return u.positive[len(u.positive)/2]
	}
	if u.data {
		return 0
	}
	return 1
}

// counts reports whether sigma is a figure, in a map with that usual sigma: a
// positive, finite number of at least a hundredth of it.
func counts(sigma, usual float32) bool {
	return sigma > 0 && sigma >= leastSigma*usual && sigma <= math.MaxFloat32
}

// figureOr returns sigma, or the usual one if it is no figure.
func figureOr(sigma, usual float32) float32 {
	if counts(sigma, usual) {
		return sigma
	}
	return usual
}

// LeastSigma is the smallest sigma in a noise map that counts, for a normalised
// program: below it a voxel has no figure.
func (p Program) LeastSigma() float32 { return leastSigma * p.UsualSigma }

// Normalises reports whether a run of r on in brings the noise to sigma 1 by the
// noise map: whether there is one, which the filter does not read itself.
func (r Recipe) Normalises(in Input) bool {
	f, err := FilterByName(r.Filter)
	return err == nil && in.Noise != nil && !f.ReadsNoise
}

// Normalised returns the program that runs p, which is bound for noise of sigma 1,
// on volumes with noise of the sigma in a map. usual is the sigma of voxels that
// are excluded for lack of one, which patches may nevertheless read; it must be
// positive.
func (p Program) Normalised(usual float32) Program {
	sigma := func(noise *Field, i int) float32 { return figureOr(noise.Data[i], usual) }
	p.UsualSigma = usual
	return p.between(
		eachVoxel(2, func(v float32, in []Field, i int) float64 {
			return float64(v) / float64(sigma(&in[1], i))
		}, Pass{Name: DivideBySigma, Inputs: []string{Voxels, NoiseMap}, Output: divided, Everywhere: true}),
		eachVoxel(2, func(v float32, in []Field, i int) float64 {
			return float64(v) * float64(sigma(&in[1], i))
		}, Pass{Name: MultiplyBySigma, Inputs: []string{filteredDivided, NoiseMap}, Output: Result}),
	)
}

// between returns the program that runs p between two passes: p's passes read what
// forward computes in place of the voxels, and what they compute is the first input
// of inverse.
func (p Program) between(forward, inverse Pass) Program {
	passes := []Pass{forward}
	for _, pass := range p.Passes {
		pass.Inputs = slices.Clone(pass.Inputs)
		for i, name := range pass.Inputs {
			if name == Voxels {
				pass.Inputs[i] = forward.Output
			}
		}
		if pass.Output == Result {
			pass.Output = inverse.Inputs[0]
		}
		passes = append(passes, pass)
	}
	p.Passes = append(passes, inverse)
	return p
}

// eachVoxel completes a pass that computes every voxel from the same voxel v of its
// first input; a second one, of the same box, is read at index i. It takes
// nanoseconds for each voxel.
func eachVoxel(nanoseconds float64, f func(v float32, in []Field, i int) float64, p Pass) Pass {
	p.Work = 1
	p.Reference = func(in []Field, x, y, z int) float64 {
		return f(in[0].At(x, y, z), in, in[len(in)-1].Index(x, y, z))
	}
	p.CPU = CPUPass{
		Tile: [3]int{512, 64, 4}, Nanoseconds: nanoseconds,
		Start: func(in []Field, out Field) func() Worker {
			compute := func(tile volume.Region, stop func() bool) {
				for z := tile.Min[2]; z < tile.Max[2]; z++ {
					for y := tile.Min[1]; y < tile.Max[1]; y++ {
						if stop() {
							return
						}
						x := tile.Min[0]
						from, second, to := in[0].Index(x, y, z), in[len(in)-1].Index(x, y, z), out.Index(x, y, z)
						for i := range tile.Max[0] - x {
							if p.Everywhere || out.Valid(to+i) {
								out.Data[to+i] = float32(f(in[0].Data[from+i], in, second+i))
							}
						}
					}
				}
			}
			return func() Worker { return compute }
		},
	}
	return p
}

// Divided returns what a filter's own passes read in a run on in: the volume divided
// by its noise map, as [Program.Normalised] does, without the map. Voxels that have
// no figure are excluded. Without a map it is in itself.
func (in Input) Divided(ctx context.Context) (Input, error) {
	if in.Noise == nil {
		return in, nil
	}
	usual := in.usualSigma()
	v, err := eachOf(ctx, in.Masked(), func(x float32, i int) float32 {
		return x / figureOr(in.Noise.Data[i], usual)
	})
	return Input{Volume: v, Guide: in.Guide}, err
}

// DividedResult returns a result of a run on in, the voxels of a region, divided by the
// noise map as [Input.Divided] divides the volume. Without a map it is the result itself.
func (in Input) DividedResult(ctx context.Context, result *volume.Volume, region volume.Region) (*volume.Volume, error) {
	if in.Noise == nil {
		return result, nil
	}
	usual, sigma := in.usualSigma(), in.Noise.Crop(region)
	return eachOf(ctx, result, func(x float32, i int) float32 { return x / figureOr(sigma.Data[i], usual) })
}

// eachOf returns a volume of f of every voxel of v and its index. The error is the
// context's.
func eachOf(ctx context.Context, v *volume.Volume, f func(x float32, i int) float32) (*volume.Volume, error) {
	out := *v
	out.Data = volume.Make[float32](len(v.Data))
	n := v.SliceVoxels()
	err := parallel.For(ctx, v.Dims[2], func(z int) error {
		for i := z * n; i < (z+1)*n; i++ {
			out.Data[i] = f(v.Data[i], i)
		}
		return nil
	})
	return &out, err
}

// inSigmas returns the value of p in r, a plain number in the volume's unit as a
// multiple of sigma if that is the unit of the voxels.
func (p Param) inSigmas(r Recipe, f Facts) Value {
	v := r.Get(p.Name)
	if f.Usual == 0 || r.InSigmas || p.Unit != valueUnit || v.kind != kindNumber {
		return v
	}
	return Number(p.clamp(v.num / f.Usual))
}

// FactsFor returns the facts that a run on in resolves recipes by, for filters that
// do not read the noise map themselves: the facts of the volume, or of the volume
// divided by its noise map. The error may be the context's.
func FactsFor(ctx context.Context, in Input) (Facts, error) {
	if in.Noise == nil {
		return FactsOf(ctx, in.Masked())
	}
	e, err := noise.Of(ctx, in.Masked())
	if err != nil {
		return Facts{}, err
	}
	return FactsInSigmas(ctx, in, &e)
}

// FactsInSigmas returns the facts of the volume divided by its noise map. The model and the correlation of the noise,
// which a map does not hold, are those of the estimate of the volume; nil leaves them out.
func FactsInSigmas(ctx context.Context, in Input, e *noise.Estimate) (f Facts, err error) {
	if err := in.Check(); err != nil {
		return Facts{}, err
	}
	v := in.Masked()
	f.Noise, f.PseudoSigma, f.Usual = noise.Known(1), 1, float64(in.usualSigma())
	if e != nil {
		f.Noise.Model, f.Noise.ModelKnown, f.Noise.Correlation = e.Model, e.ModelKnown, e.Correlation
		if e.InTissue() {
			f.Noise.Method = e.Method
		}
		if f.Foreground, err = noise.Foreground(ctx, v); err != nil {
			return Facts{}, err
		}
	}
	f.Lo, f.Hi, err = v.RangeOver(ctx, in.Noise)
	return f, err
}

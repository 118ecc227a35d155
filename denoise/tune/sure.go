package tune

import (
	"context"
	"errors"
	"math"
	"slices"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/volume"
)

// Risk is what is estimated of a result, in units of the variance of the noise at the
// places looked at: 1 is the noisy volume's own error.
type Risk struct {
	MSE      float64 `json:"mse"`      // mean squared error
	Residual float64 `json:"residual"` // mean square of the residual
	Kept     float64 `json:"kept"`     // share of the noise that the result keeps: div F / N
	Voxels   int     `json:"voxels"`   // that they are means of
}

// RMSE returns the root of the mean squared error in sigmas of the noise. The estimate of a mean square has an error
// of its own and can be below 0; the root is 0 then.
func (r Risk) RMSE() float64 { return RMSE(r.MSE) }

// RMSE is [Risk.RMSE] of a mean squared error alone.
func RMSE(mse float64) float64 { return math.Sqrt(math.Max(mse, 0)) }

// probe estimates risks on boxes of one volume, of many recipes by the same
// perturbation. It is safe for concurrent use if its engine is.
type probe struct {
	engine denoise.Engine
	noise  noiseModel
	parts  []*part
	spare  func() (*probe, error) // of other boxes of the volume; nil if there are none
	// together states that all boxes, the spare ones as well, lie in one scope: a run that measures
	// by perturbation gives the spare ones at no cost.
	together bool
}

// noiseModel is the noise that a probe assumes.
type noiseModel struct {
	sigma       float64
	correlation *noise.Correlation // nil: white
	// within returns the standard deviation in a box; nil: it is sigma everywhere.
	within func(ctx context.Context, box volume.Region) (float64, error)
}

// power returns the variance of the noise in a box, relative to sigma squared.
func (m noiseModel) power(ctx context.Context, box volume.Region) (float64, error) {
	if m.within == nil {
		return 1, nil
	}
	s, err := m.within(ctx, box)
	return s * s / (m.sigma * m.sigma), err
}

// errNoForeground is returned if there is no box to estimate from.
var errNoForeground = message.Errorf(message.VerdictNone, "no voxel of the foreground contains data")

// check refuses an input that does not fit itself, and no noise.
func (m noiseModel) check(in denoise.Input) error {
	if err := in.Check(); err != nil {
		return err
	}
	if !(m.sigma > 0) {
		return message.Errorf(message.TuneStrength, "without noise there is nothing to compare strengths by")
	}
	return nil
}

// newProbe prepares estimates for the voxels of a region of in that use marks; nil
// marks every voxel that holds data, and the zero region is the volume. reach is the
// largest reach of the recipes that will be compared; seed chooses the perturbation.
// Errors: no voxel to estimate from, no noise, or the context's.
func newProbe(ctx context.Context, e denoise.Engine, in denoise.Input, reach [3]int, m noiseModel, use func(i int) bool, within volume.Region, seed uint64) (*probe, error) {
	if err := m.check(in); err != nil {
		return nil, err
	}
	v := in.Masked()
	if within == (volume.Region{}) {
		within = v.Bounds()
	}
	counts := func(i int) bool { return v.Valid(i) && (use == nil || use(i)) }
	first, spare, err := boxes(ctx, v, within, reach, counts)
	if err != nil {
		return nil, err
	}
	if len(first) == 0 {
		return nil, errNoForeground
	}
	around, together := shared(first, reach, v.Geometry)
	if !together {
		return probeOn(ctx, e, in, reach, m, counts, first, spare, seed)
	}
	for _, box := range spare {
		around = enclosing(around, box)
	}
	whole := newScope(in, around, reach, seed) // of all boxes
	at := around.Grow(reach, v.Geometry).Min
	return probeWith(ctx, e, m, first, spare, true, func(_ int, box volume.Region) *part {
		return whole.part(v.Geometry, box, box.Offset(at), counts)
	})
}

// probeOn returns a probe of boxes that each have a scope of its own.
func probeOn(ctx context.Context, e denoise.Engine, in denoise.Input, reach [3]int, m noiseModel, counts func(i int) bool, first, spare []volume.Region, seed uint64) (*probe, error) {
	return probeWith(ctx, e, m, first, spare, false, func(k int, box volume.Region) *part {
		return newPart(in, box, reach, counts, seed+uint64(k))
	})
}

// probeWith returns a probe of boxes, and of spare ones, as parts; k counts all of them. together
// states that the parts have one scope in common.
func probeWith(ctx context.Context, e denoise.Engine, m noiseModel, first, spare []volume.Region, together bool, partOf func(k int, box volume.Region) *part) (*probe, error) {
	on := func(boxes []volume.Region, from int) (p *probe, err error) {
		p = &probe{engine: e, noise: m, together: together}
		for k, box := range boxes {
			a := partOf(from+k, box)
			a.half = k % 2
			if a.power, err = m.power(ctx, box); err != nil {
				return nil, err
			}
			p.parts = append(p.parts, a)
		}
		if !together && e.Info().Overhead > 0 {
			merged(p.parts)
		}
		return p, nil
	}
	p, err := on(first, 0)
	if err == nil && len(spare) > 0 {
		p.spare = func() (*probe, error) { return on(spare, len(first)) }
	}
	return p, err
}

// tally is the sums over some voxels. The divergence counts by the variance of the noise
// at its place, as its part in the risk does.
type tally struct {
	denoise.Stein
	voxels int
	noise  float64 // the variance of the noise, summed over the voxels, in sigmas squared
}

func (t tally) plus(o tally) tally {
	return tally{sum(t.Stein, o.Stein), t.voxels + o.voxels, t.noise + o.noise}
}

func (t tally) risk(sigma float64) Risk {
	r := Risk{Residual: t.Residual / t.noise / (sigma * sigma), Kept: t.Divergence / t.noise, Voxels: t.voxels}
	r.MSE = r.Residual - 1 + 2*r.Kept
	return r
}

// tallies returns the sums over either half of the boxes, for each recipe. The recipes
// are of one filter and differ in its strength alone. They must be resolved, as automatic
// values would differ between two runs. Stein's unbiased risk estimate of u = F(v) is
//
//	MSE = |v - u|^2 / (N sigma^2) - 1 + 2 kept,  kept = div F / N
//
// with the sigma of the boxes, the sum of sigma^2 div F over them, and N sigma^2 the sum for
// their noise. In white noise a filter may know its divergence (denoise.Filter.Stein); if it
// does not, if the noise is correlated, and on a GPU, it is measured by two runs
// (montecarlo.go).
func (p *probe) tallies(ctx context.Context, recipes []denoise.Recipe) ([][2]tally, error) {
	if slices.ContainsFunc(recipes, func(r denoise.Recipe) bool { return !r.Resolved() }) {
		return nil, errors.New("tune: the recipe is not resolved")
	}
	byPart, err := p.stein(ctx, recipes)
	if err != nil {
		return nil, err
	}
	out := make([][2]tally, len(recipes))
	for k, a := range p.parts { // in order: the same bits on any number of cores
		for i := range recipes {
			t := tally{byPart[k][i], a.voxels, a.power * float64(a.voxels)}
			t.Divergence *= a.power
			out[i][a.half] = out[i][a.half].plus(t)
		}
	}
	return out, nil
}

// stein returns the sums by part and recipe.
func (p *probe) stein(ctx context.Context, recipes []denoise.Recipe) ([][]denoise.Stein, error) {
	byPart := make([][]denoise.Stein, len(p.parts))
	if len(recipes) == 0 {
		return byPart, nil
	}
	pass, ok, err := p.pass(recipes)
	if err != nil {
		return nil, err
	}
	if ok {
		return p.closedForm(ctx, pass, len(recipes))
	}
	for _, r := range recipes {
		sums, err := p.monteCarlo(ctx, r)
		if err != nil {
			return nil, err
		}
		for k, s := range sums {
			byPart[k] = append(byPart[k], s)
		}
	}
	return byPart, nil
}

// pass returns the closed form of recipes, if they have one here.
func (p *probe) pass(recipes []denoise.Recipe) (pass denoise.SteinPass, ok bool, err error) {
	f, err := denoise.FilterByName(recipes[0].Filter)
	if err != nil {
		return pass, false, err
	}
	if p.noise.correlation == nil && p.engine.Info().Overhead == 0 && f.Stein != nil && p.plain() && recipes[0].Stabilisation() == 0 && recipes[0].Mixed() == 1 {
		pass, ok = f.Stein(recipes)
	}
	return pass, ok, nil
}

// takeSpare adds the spare boxes at once, if a run that measures a recipe gives them anyway.
func (p *probe) takeSpare(r denoise.Recipe) error {
	if _, closed, err := p.pass([]denoise.Recipe{r}); err != nil || closed || !p.together || p.spare == nil {
		return err
	}
	more, err := p.spare()
	if err != nil {
		return err
	}
	p.parts, p.spare = append(p.parts, more.parts...), nil
	return nil
}

// plain reports whether the voxels are all that is read: a noise map or a guide
// would have a part in the result.
func (p *probe) plain() bool {
	return !slices.ContainsFunc(p.parts, func(a *part) bool { return a.in.Noise != nil || a.in.Guide != nil })
}

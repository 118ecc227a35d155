package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/volume"
)

// Verdict says how a result relates to the best that its filter can do.
type Verdict string

// The verdicts.
const (
	Clean   Verdict = "clean"   // the input holds no noise to speak of
	Under   Verdict = "under"   // noise is left that the filter could remove
	Matched Verdict = "matched" // within 15 % of the least error
	Over    Verdict = "over"    // structure is lost for the noise that is removed
	Unknown Verdict = "unknown" // there is no ground to judge on
)

// Tolerance is the excess over the least mean squared error up to which a result counts as matched.
const Tolerance = 0.15

// The excess over the least mean squared error up to which a result counts as
// matched: before the best strength, and beyond it, if structure is lost that
// nothing brings back.
const (
	tolerance = Tolerance
	cautious  = 0.1
)

// leastMSE is the smallest error, in sigmas squared, that excesses are taken
// relative to: estimates are no better.
const leastMSE = 0.05

// fewest is how many voxels of the foreground a verdict rests on at least.
const fewest = 400

// Judgement is a verdict with its grounds.
type Judgement struct {
	Verdict    Verdict          `json:"verdict"`
	Why        message.Message  `json:"why"`            // one sentence, or two
	Code       message.Kind     `json:"code,omitempty"` // of the reason
	Confidence noise.Confidence `json:"confidence"`
	Excess     float64          `json:"excess"`    // estimated mean squared error over the least, less 1
	Best       float64          `json:"best"`      // the strength with the least, over the result's; 0 if that is 0
	Structure  float64          `json:"structure"` // mean square of the structure in the residual, in sigmas squared
	// Spectrum is the residual's against the noise's own, fine to coarse; without the
	// bands that too few voxels show.
	Spectrum []Band `json:"spectrum,omitempty"`
	// Lost is the share of its contrast that the object which lost most has lost at
	// least; 0 if none lost much, or if the verdict rests on the error alone.
	Lost float64 `json:"lost,omitempty"`
	// Place is the place of the most structure in the residual, or of the object
	// that lost most; nil if it shows none.
	Place *Place `json:"place,omitempty"`
	// Found is the place at which something was removed or added that the filter did not; nil if
	// none was found. The verdict is then Over, or Unknown if the recipe makes another result.
	Found *Finding `json:"found,omitempty"`
	// Slices judges each slice of the region by its own voxels and noise. It is
	// empty if the region is judged as a whole: one slice, or no ground.
	Slices []SliceJudgement `json:"slices,omitempty"`
	Curve  *Curve           `json:"curve,omitempty"`
	// Map is the structure in the residual, voxel by voxel of the region: its amplitude in
	// sigmas, 0 if the residual looks like noise. nil without noise, and if Result.WithoutMap
	// asks for none.
	Map *volume.Volume `json:"-"`
}

// SliceJudgement is the verdict on one slice.
type SliceJudgement struct {
	Verdict   Verdict         `json:"verdict"`
	Why       message.Message `json:"why"`            // one sentence
	Code      message.Kind    `json:"code,omitempty"` // of the reason
	Structure float64         `json:"structure"`      // as Judgement.Structure, of the slice
}

// Result is what is judged.
type Result struct {
	Input  denoise.Input   // that was filtered, the whole of it
	After  *volume.Volume  // the result: the voxels of Region
	Region volume.Region   // of Input.Volume that is judged; zero: all of it
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
	// Curve is the curve of the recipe over its strength, of the whole volume, if it
	// is known: the recipe is then not run again.
	Curve *Curve
	// WithoutMap leaves out Judgement.Map, which is as large as After.
	WithoutMap bool

	unit float64 // of the volumes in the unit of the series, see [Result.stabilise]
}

// Judge says how a result relates to the best that its filter can do, and at which
// place its residual shows structure. The recipe is run again on the region, unless
// Result.Made, and at other strengths on boxes of it: After must be what it makes. Without a recipe the filter of the registry with the result most
// like After stands in.
//
// If the noise, the voxels or the filter give no ground the verdict is Unknown and
// Why says what is missing. Errors: the result does not fit its input, the
// context's, or the engine's.
func Judge(ctx context.Context, engine denoise.Engine, r Result) (Judgement, error) {
	j, err := r.verdict(ctx, engine)
	j.Code = j.Why.Kind()
	for i, s := range j.Slices {
		j.Slices[i].Code = s.Why.Kind()
	}
	return j, err
}

// verdict is Judge without the codes of the reasons.
func (r Result) verdict(ctx context.Context, engine denoise.Engine) (Judgement, error) {
	if err := r.complete(ctx); err != nil {
		return Judgement{}, err
	}
	other, err := r.remade(ctx, engine)
	if err != nil {
		return Judgement{}, err
	}
	if other.share() > everywhere {
		return other.foreign(r.Region), nil
	}
	j, err := r.byNoise(ctx, engine)
	if err == nil && other.differs > 0 {
		other.tell(&j, r.Region)
	}
	return j, err
}

// byNoise judges by the noise and the error of a result that its recipe made.
func (r Result) byNoise(ctx context.Context, engine denoise.Engine) (Judgement, error) {
	if j, ok := withoutNoise(r.Noise); ok {
		return j, nil
	}
	if err := r.divide(ctx); err != nil {
		return Judgement{}, err
	}
	if err := r.stabilise(ctx); err != nil {
		return Judgement{}, err
	}
	left := r.residue()
	if n := left.count(fewest); n < fewest {
		return unknown(message.New(message.VerdictNone, "Only %d voxels of the foreground can be judged; %d are needed.", n, fewest)), nil
	}
	var stand standIn
	if r.Recipe == nil {
		var err error
		if stand, err = r.standIn(ctx, engine, same); err != nil {
			return Judgement{}, err
		}
	}
	j, x, err := r.judge(ctx, engine, stand)
	if err != nil {
		return Judgement{}, err
	}
	if !r.WithoutMap {
		j.Map = volume.New(r.After.Geometry)
	}
	s, err := left.structure(ctx, j.Map)
	if err != nil {
		return Judgement{}, err
	}
	per := s.slices
	j.Spectrum = s.bands
	j.Structure = total(per).structure()
	j.Place = r.place(per)
	j.weigh(x)
	if j.Curve != nil && len(per) > 1 {
		j.Slices = j.Curve.judgeSlices(x, per)
	}
	if j.Verdict == Matched || slices.ContainsFunc(j.Slices, func(s SliceJudgement) bool { return s.Verdict == Matched }) {
		faded, err := r.faded(ctx)
		if err != nil {
			return Judgement{}, err
		}
		j.fade(faded, r.Region)
	}
	j.name()
	if r.Recipe == nil {
		f, by, err := r.unseen(ctx, engine, stand)
		if err != nil {
			return Judgement{}, err
		}
		if f != nil {
			j.find(f, by, r.Region)
		}
	}
	return j, nil
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
		return fmt.Errorf("the result does not have the %v voxels that are judged", r.Region.Dims())
	}
	if r.Foreground == nil {
		var err error
		if r.Foreground, err = noise.Foreground(ctx, r.Input.Masked()); err != nil {
			return err
		}
	}
	// A slice on its own is judged by its own noise.
	if d := r.Region.Dims(); d[2] == 1 {
		r.Noise.Figure = r.Noise.Slice(r.Region.Min[2])
	}
	return nil
}

// judge judges by the curve of the recipe, or without one by the curve of what stands in for it;
// x is the strength on that curve.
func (r Result) judge(ctx context.Context, engine denoise.Engine, stand standIn) (j Judgement, x float64, err error) {
	if r.Recipe == nil {
		return r.judgeBlind(ctx, engine, stand)
	}
	x, ok := StrengthOf(*r.Recipe, r.Input.Volume.Geometry, r.Noise.Sigma)
	if !ok {
		return unknown(message.New(message.TuneStrength, "%s with these parameters has no strength to be judged.", r.Recipe.Filter)), 0, nil
	}
	if r.Curve != nil {
		return r.Curve.judge(x, r.Noise), x, nil
	}
	c, err := r.search(ctx, engine, *r.Recipe, x)
	if err != nil {
		return Judgement{}, 0, err
	}
	return c.judge(x, r.Noise), x, nil
}

// search returns the curve of a recipe with a point at strength x.
func (r Result) search(ctx context.Context, engine denoise.Engine, recipe denoise.Recipe, x float64) (Curve, error) {
	return Search(ctx, engine, r.Input, recipe, r.Noise,
		Options{Also: math.Max(x, math.SmallestNonzeroFloat64), Region: r.Region, Foreground: r.Foreground, unit: r.unit, quick: true})
}

// unknown is the verdict if a ground is missing.
func unknown(why message.Message) Judgement {
	return Judgement{Verdict: Unknown, Confidence: noise.None, Why: why}
}

// withoutNoise judges if the noise is not known or negligible.
func withoutNoise(e noise.Estimate) (j Judgement, ok bool) {
	switch {
	case e.Confidence == "":
		return unknown(message.New(message.VerdictNone, "The noise has not been measured yet.")), true
	case !e.Sentence().IsZero():
		return unknown(e.Sentence()), true
	case e.Negligible || e.Sigma == 0:
		return Judgement{Verdict: Clean, Confidence: e.Confidence,
			Why: message.New(message.VerdictNothing, "The input holds no noise that can be told from its own texture: leave it as it is.")}, true
	}
	return Judgement{}, false
}

// judge reads the curve at a strength that is one of its points.
func (c Curve) judge(x float64, e noise.Estimate) Judgement {
	best := c.Points[c.Best]
	at := best
	for _, p := range c.Points {
		if math.Abs(p.Strength-x) < math.Abs(at.Strength-x) {
			at = p
		}
	}
	times := best.Strength / at.Strength
	j := Judgement{Confidence: e.Confidence, Excess: c.excess(at.MSE), Curve: &c}
	if at.Strength > 0 {
		j.Best = times
	}
	j.Verdict = c.verdict(j.Excess, at.Strength)
	gain := 100 * (1 - best.MSE/at.MSE)
	switch j.Verdict {
	case Matched:
		j.Why = message.New(message.VerdictLeast, "The error is estimated within %.0f %% of the least that this filter reaches.", 100*math.Max(j.Excess, 0.01))
	case Under:
		j.Why = message.New(message.VerdictNoise, "Noise is left: %s would lower the error by %.0f %%.", better(times), gain)
	default:
		j.Why = message.New(message.VerdictStructure, "Structure is removed with the noise: %s would lower the error by %.0f %%.", better(times), gain)
	}
	return j
}

// contradicted is the excess from which the structure in the residual of all voxels
// overrules the error that was estimated on boxes, which may hold few edges.
const contradicted = 0.3

// weigh makes a matched result, of strength x, one of over if the structure in its
// residual alone exceeds the least error: lost structure is a part of the error.
func (j *Judgement) weigh(x float64) {
	if j.Verdict != Matched || j.Curve == nil || j.Place == nil {
		return
	}
	if j.Structure <= j.Curve.at(x).MSE || j.Curve.excess(j.Structure) <= contradicted {
		return
	}
	j.Verdict = Over
	j.Why = message.New(message.VerdictStructure, "The structure in the residual, most of all the %s, is by itself more than the least error.", j.Place)
}

// farTimes is the factor from which on a multiple of the result's strength is no guide:
// that strength is next to nothing.
const farTimes = 50

// better names the best strength and the result's; both may be 0.
func better(times float64) message.Message {
	switch {
	case times == 0:
		return message.Text("no filter")
	case times > farTimes || math.IsNaN(times):
		return message.Text("more strength")
	}
	return message.Text("%.2g times the strength", times)
}

// excess returns by how much an error exceeds the least of the curve.
func (c Curve) excess(mse float64) float64 {
	least := c.Points[c.Best].MSE
	return (mse - least) / math.Max(least, leastMSE)
}

// verdict returns the verdict on an excess at a strength.
func (c Curve) verdict(excess, x float64) Verdict {
	side, most := Over, cautious
	if x < c.Points[c.Best].Strength {
		side, most = Under, tolerance
	}
	if excess <= most {
		return Matched
	}
	return side
}

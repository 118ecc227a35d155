package tune

import (
	"context"
	"fmt"
	"math"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// Without the recipe another stands in: of all filters and strengths the one whose
// result is most like the one to be judged. Its curve is that of what was done, as
// far as it does the same.

// resembles is the share of the change that a stand-in must make for its curve to
// be read: 1 is the same result.
const resembles = 0.75

// judgeBlind judges without the recipe. Its confidence is never high.
func (r Result) judgeBlind(ctx context.Context, engine denoise.Engine) (Judgement, float64, error) {
	s, err := r.standIn(ctx, engine)
	if err != nil {
		return Judgement{}, 0, err
	}
	switch {
	case s.change == 0:
		j := Judgement{Verdict: Under, Confidence: noise.Low, Why: "Nothing was removed." + withoutRecipe}
		return j, 0, nil
	case s.share < resembles:
		j, err := r.judgeResidual(ctx)
		return j, 0, err
	}
	c, err := r.search(ctx, engine, s.recipe, s.strength)
	if err != nil {
		return Judgement{}, 0, err
	}
	j := c.judge(s.strength, r.Noise)
	j.Confidence = lower(j.Confidence)
	j.Why += fmt.Sprintf(" Judged without the recipe, as %s %d-D, which makes %.0f %% of the change.", s.recipe.Filter, s.recipe.Dims, 100*s.share)
	return j, s.strength, nil
}

const withoutRecipe = " Judged without the recipe."

// lower returns the confidence of a verdict without the recipe.
func lower(c noise.Confidence) noise.Confidence {
	if c == noise.High {
		return noise.Fair
	}
	return noise.Low
}

// standIn is a recipe that stands in for the unknown one.
type standIn struct {
	recipe   denoise.Recipe
	strength float64
	share    float64 // of the change that it makes
	change   float64 // sum of squares of the residual
}

// looks is how many boxes results are compared in.
const looks = 4

// standIn returns the filter and strength whose result is most like After.
func (r Result) standIn(ctx context.Context, engine denoise.Engine) (best standIn, err error) {
	v := r.Input.Masked()
	all, err := defaults(v.Dims[2] > 1)
	if err != nil {
		return best, err
	}
	found, _, err := boxes(ctx, v, r.Region, [3]int{}, func(i int) bool { return v.Valid(i) && r.Foreground(i) })
	if err != nil {
		return best, err
	}
	for len(found) > looks {
		n := len(found)
		for k := range looks {
			found[k] = found[(2*k+1)*n/(2*looks)]
		}
		found = found[:looks]
	}
	facts, err := known(ctx, r.Input, r.Noise)
	if err != nil {
		return best, err
	}
	best.share = math.Inf(-1)
	for _, recipe := range all {
		s, err := newSteps(v.Geometry, recipe, facts)
		if err != nil {
			return best, err
		}
		change := 0.0
		compare := func(x float64) error {
			tried, err := s.at(x)
			if err != nil {
				return err
			}
			apart := 0.0
			change = 0
			for _, box := range found {
				a, c, err := r.apart(ctx, engine, v, tried, box)
				if err != nil {
					return err
				}
				apart, change = apart+a, change+c
			}
			best.change = change
			if change > 0 && 1-apart/change > best.share {
				best.recipe, best.strength, best.share = tried, x, 1-apart/change
			}
			return nil
		}
		xs := s.grid()
		before := best.share
		for _, x := range xs {
			if err := compare(x); err != nil {
				return best, err
			}
			if change == 0 {
				return best, nil
			}
		}
		if s.param.Kind == denoise.Float && best.share > before {
			ratio := math.Sqrt(xs[1] / xs[0])
			for range 3 {
				middle := best.strength
				for _, x := range []float64{middle / ratio, middle * ratio} {
					if err := compare(x); err != nil {
						return best, err
					}
				}
				ratio = math.Sqrt(ratio)
			}
		}
	}
	return best, nil
}

// defaults returns the default recipe of every filter that has a strength, in each
// of its dimensions; in three only for a volume.
func defaults(several bool) ([]denoise.Recipe, error) {
	var all []denoise.Recipe
	for _, f := range denoise.Filters() {
		for _, dims := range f.Dims {
			recipe, err := denoise.NewRecipe(f.Name, dims)
			if err != nil {
				return nil, err
			}
			if f.Strength.Param != "" && (dims == 2 || several) {
				all = append(all, recipe)
			}
		}
	}
	return all, nil
}

// apart returns the sum of squares between the result of a recipe and After in a
// box, and that of the change that After made. v is the masked input.
func (r Result) apart(ctx context.Context, engine denoise.Engine, v *volume.Volume, recipe denoise.Recipe, box volume.Region) (apart, change float64, err error) {
	program, err := recipe.Bind(v.Geometry)
	if err != nil {
		return 0, 0, err
	}
	a := newPart(r.Input, box, program.Reach(), func(i int) bool { return v.Valid(i) && r.Foreground(i) })
	u, err := engine.Run(ctx, recipe, a.in, a.box, nil)
	if err != nil {
		return 0, 0, err
	}
	k := 0
	each(v.Geometry, box, func(i int) {
		if a.use[k] {
			x, y, z := i%v.Dims[0], i/v.Dims[0]%v.Dims[1], i/v.SliceVoxels()
			after := float64(r.After.At(x-r.Region.Min[0], y-r.Region.Min[1], z-r.Region.Min[2]))
			apart += (float64(u.Data[k]) - after) * (float64(u.Data[k]) - after)
			change += (float64(v.Data[i]) - after) * (float64(v.Data[i]) - after)
		}
		k++
	})
	return apart, change, nil
}

// Where nothing resembles the result, the two volumes alone give the residual r
// and, by the covariance of their high frequencies, the share of the noise that is
// kept. A residual that holds removed noise alone has |r|^2 = (1 - kept) sigma^2;
// the factor
//
//	t = (1 - kept) sigma^2 / |r|^2
//
// by which r would have to be scaled for the least error is near 1 at the best
// strength of most filters, above it before and below it after.
const (
	blindUnder = 1.3
	blindOver  = 0.88
	mostKept   = 0.5 // a result that keeps more of the noise is not the best that there is
)

// judgeResidual judges by the two volumes alone.
func (r Result) judgeResidual(ctx context.Context) (Judgement, error) {
	v := r.Input.Masked()
	if r.Region != v.Bounds() {
		v = v.Crop(r.Region)
	}
	use := make([]bool, len(v.Data))
	k, sum, n := 0, 0.0, 0.0
	each(r.Input.Volume.Geometry, r.Region, func(i int) {
		if use[k] = v.Valid(k) && r.Foreground(i); use[k] {
			d := float64(v.Data[k]) - float64(r.After.Data[k])
			sum, n = sum+d*d, n+1
		}
		k++
	})
	kept, err := noise.Kept(ctx, v, r.After, func(i int) bool { return use[i] })
	if err != nil {
		return Judgement{}, err
	}
	residual := sum / math.Max(n, 1) / (r.Noise.Sigma * r.Noise.Sigma)
	j := Judgement{Confidence: noise.Low}
	switch t := (1 - kept) / math.Max(residual, 1e-12); {
	case t > blindUnder || kept > mostKept && t > blindOver:
		j.Verdict = Under
		j.Why = fmt.Sprintf("%.0f %% of the noise is left, and the residual holds little else.", 100*kept)
	case t < blindOver:
		j.Verdict = Over
		j.Why = fmt.Sprintf("The residual holds %.1f times the variance of the noise that was removed: structure is lost.", 1/t)
	default:
		j.Verdict = Matched
		j.Why = "The residual is as strong as the noise that was removed."
	}
	j.Why += withoutRecipe
	return j, nil
}

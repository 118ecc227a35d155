package tune

import (
	"context"
	"fmt"
	"math"

	"quell/denoise"
	"quell/denoise/noise"
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

// tolerance is the excess over the least mean squared error up to which a result
// counts as matched.
const tolerance = 0.15

// Judgement is a verdict with its grounds.
type Judgement struct {
	Verdict    Verdict          `json:"verdict"`
	Why        string           `json:"why"` // one sentence
	Confidence noise.Confidence `json:"confidence"`
	Excess     float64          `json:"excess"`    // estimated mean squared error over the least, less 1
	Best       float64          `json:"best"`      // the strength with the least, over the result's
	Structure  float64          `json:"structure"` // mean square of the residual beyond the removed noise, in sigmas squared
	Curve      *Curve           `json:"curve,omitempty"`
}

// Judge estimates where a resolved recipe stands on the curve of its strength. e
// describes the noise of in. Where the noise or the filter gives no ground, the
// verdict is Unknown and Why says what is missing.
func Judge(ctx context.Context, engine denoise.Engine, in denoise.Input, r denoise.Recipe, e noise.Estimate) (Judgement, error) {
	if j, ok := withoutNoise(e); ok {
		return j, nil
	}
	x, ok := StrengthOf(r, in.Volume.Geometry, e.Sigma)
	if !ok {
		return Judgement{Verdict: Unknown, Confidence: noise.None, Why: r.Filter + " with these parameters has no strength to be judged."}, nil
	}
	c, err := Search(ctx, engine, in, r, e, Options{Also: math.Max(x, math.SmallestNonzeroFloat64)})
	if err != nil {
		return Judgement{}, err
	}
	return c.judge(x, e), nil
}

// withoutNoise judges where the noise is not known or negligible.
func withoutNoise(e noise.Estimate) (j Judgement, ok bool) {
	switch {
	case e.Confidence == noise.None:
		return Judgement{Verdict: Unknown, Confidence: noise.None, Why: "The noise is not known: " + e.Why + "."}, true
	case e.Negligible || e.Sigma == 0:
		return Judgement{Verdict: Clean, Confidence: e.Confidence,
			Why: "The input holds no noise that can be told from its own texture: leave it as it is."}, true
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
	j := Judgement{Confidence: e.Confidence, Excess: at.MSE/best.MSE - 1, Best: best.Strength / at.Strength, Curve: &c}
	switch {
	case j.Excess <= tolerance:
		j.Verdict = Matched
		j.Why = fmt.Sprintf("The error is estimated within %.0f %% of the least that this filter reaches.", 100*math.Max(j.Excess, 0.01))
	case at.Strength < best.Strength:
		j.Verdict = Under
		j.Why = fmt.Sprintf("Noise is left: %.2g times the strength would lower the error by %.0f %%.", j.Best, 100*(1-best.MSE/at.MSE))
	default:
		j.Verdict = Over
		j.Why = fmt.Sprintf("Structure is removed with the noise: %.2g times the strength would lower the error by %.0f %%.", j.Best, 100*(1-best.MSE/at.MSE))
	}
	return j
}

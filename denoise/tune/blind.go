package tune

import (
	"context"
	"fmt"

	"quell/denoise/noise"
	"quell/volume"
)

// Without the recipe, Judge cannot run the filter again. The two volumes give the
// residual r and, by the covariance of their high frequencies, the share of the
// noise that is kept. A residual that holds removed noise alone has
// |r|^2 = (1 - kept) sigma^2; the factor
//
//	t = (1 - kept) sigma^2 / |r|^2
//
// by which r would have to be scaled for the least error is near 1 at the best
// strength of every filter, above it before and below it after.
const (
	blindUnder = 1.2
	blindOver  = 0.87
)

// JudgeBlind judges a result by the two volumes alone, in the voxels that use
// marks. It is less certain than Judge: its confidence is never high.
func JudgeBlind(ctx context.Context, before, after *volume.Volume, use func(i int) bool, e noise.Estimate) (Judgement, error) {
	if j, ok := withoutNoise(e); ok {
		return j, nil
	}
	kept, err := noise.Kept(ctx, before, after, use)
	if err != nil {
		return Judgement{}, err
	}
	sum, n := 0.0, 0.0
	for i := range before.Data {
		if use(i) {
			r := float64(before.Data[i]) - float64(after.Data[i])
			sum, n = sum+r*r, n+1
		}
	}
	if n == 0 {
		return Judgement{Verdict: Unknown, Confidence: noise.None, Why: "No voxel of the foreground counts."}, nil
	}
	residual := sum / n / (e.Sigma * e.Sigma)
	j := Judgement{Confidence: noise.Fair, Structure: max(residual-(1-kept), 0)}
	if e.Confidence == noise.Low {
		j.Confidence = noise.Low
	}
	const basis = " Judged without the recipe."
	switch t := (1 - kept) / max(residual, 1e-12); {
	case t > blindUnder || kept > 0.75:
		j.Verdict = Under
		j.Why = fmt.Sprintf("%.0f %% of the noise is left, and the residual holds little else.", 100*kept) + basis
	case t < blindOver:
		j.Verdict = Over
		j.Why = fmt.Sprintf("The residual holds %.1f times the variance of the noise that was removed: structure is lost.", 1/t) + basis
	default:
		j.Verdict = Matched
		j.Why = "The residual is as strong as the noise that was removed." + basis
	}
	return j, nil
}

package judge_test

import (
	"math"
	"testing"

	"quell/app/apptest"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/measure"
)

// A result under a noise map is judged in units of the noise at its place.
func TestVerdictsUnderANoiseMap(t *testing.T) {
	noisy, sigma := apptest.RampedDisc(t)
	maps := run.Maps{Noise: sigma}
	wrong := denoise.Facts{Hi: 1, Noise: noise.Known(100)} // of the series alone, which do not serve
	for want, r := range map[verdict.Word]denoise.Recipe{
		verdict.Nothing: apptest.MustRecipe("bilateral", 2).With("strength", denoise.Number(2)),
		verdict.Fades:   apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(3)),
	} {
		run, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: noisy, Recipe: r, Maps: maps}, nil)
		if err != nil {
			t.Fatal(err)
		}
		run.Facts = &wrong
		m, err := judge.Measure(t.Context(), nil, run, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.Judgement != want {
			t.Errorf("%s: %s; want %s", m.Judgement, m.Why, want)
		}
		// Sigma is in the unit of the series: the root mean square of the map over the disc.
		if math.Abs(m.Sigma-10) > 1.5 || len(m.Slices) != 3 || math.Abs(m.Slices[1].Sigma-m.Sigma) > 0.5 || m.Slices[1].SigmaConfidence != m.SigmaConfidence {
			t.Errorf("sigma %g, of the slices %+v", m.Sigma, m.Slices)
		}
		lo, hi, err := noisy.Volume.Range(t.Context())
		if err != nil || m.Change.Max != measure.Float(float64(hi)-float64(lo)) {
			t.Errorf("MAX %g; want the range of the series, %v", m.Change.Max, err)
		}
	}
}

// A map of other noise by far gives no verdict; its numbers stand.
func TestAMapOfOtherNoiseGivesNoVerdict(t *testing.T) {
	noisy, sigma := apptest.RampedDisc(t)
	for i := range sigma.Data {
		sigma.Data[i] *= 3
	}
	after := noisy.Volume.Clone()
	for i := range after.Data {
		after.Data[i]++
	}
	a, err := judge.Assess(t.Context(), judge.Input{Before: noisy, After: after, Maps: run.Maps{Noise: sigma}})
	if err != nil || a.Judgement != verdict.Unknown || a.SigmaConfidence != noise.None {
		t.Errorf("%s: %s, %v", a.Judgement, a.Why, err)
	}
}

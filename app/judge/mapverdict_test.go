package judge_test

import (
	"math"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/measure"
)

// A result under a noise map is judged in units of the noise at its place.
func TestVerdictsUnderANoiseMap(t *testing.T) {
	noisy, sigma := apptest.RampedDisc(t)
	maps := run.Maps{Noise: sigma}
	tuned, err := run.Tune(t.Context(), cpu.New(), run.TuneRequest{Series: noisy, Recipe: apptest.MustRecipe("bilateral", 2), Maps: maps})
	if err != nil {
		t.Fatal(err)
	}
	wrong := denoise.Facts{Hi: 1, Noise: noise.Known(100)} // of the series alone, which do not serve
	for want, r := range map[tune.Verdict]denoise.Recipe{
		tune.Matched: tuned.Recipe,
		tune.Under:   apptest.MustRecipe("bilateral", 2).With("sigma-range", denoise.Sigmas(0.7)),
		tune.Over:    apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(3)),
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
		if m.Verdict != want || m.Confidence == noise.High || m.SigmaConfidence != m.Confidence {
			t.Errorf("%s (%s): %s; want %s", m.Verdict, m.Confidence, m.Why, want)
		}
		// Sigma is in the unit of the series: the root mean square of the map over the disc.
		if math.Abs(m.Sigma-10) > 1.5 || len(m.Slices) != 3 || math.Abs(m.Slices[1].Sigma-m.Sigma) > 0.5 || m.Slices[1].SigmaConfidence != m.Confidence {
			t.Errorf("sigma %g, of the slices %+v", m.Sigma, m.Slices)
		}
		lo, hi, err := noisy.Volume.Range(t.Context())
		if err != nil || m.Change.Max != measure.Float(float64(hi)-float64(lo)) {
			t.Errorf("MAX %g; want the range of the series, %v", m.Change.Max, err)
		}
	}
}

// A map of other noise by far gives no ground for a verdict; its numbers stand.
func TestAMapOfOtherNoiseGivesNoVerdict(t *testing.T) {
	noisy, sigma := apptest.RampedDisc(t)
	for i := range sigma.Data {
		sigma.Data[i] *= 3
	}
	a, err := judge.Assess(t.Context(), judge.Input{Before: noisy, After: noisy.Volume, Maps: run.Maps{Noise: sigma}})
	if err != nil || a.Verdict != tune.Unknown || !strings.Contains(a.Why.String(), "times that of the noise map") || a.SigmaConfidence != noise.None || a.ResidualSD != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

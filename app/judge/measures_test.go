package judge_test

import (
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/measure"
)

// TestVerdictsOfRealFilters: on an image with known noise, the verdicts agree with
// what the pictures show.
func TestVerdictsOfRealFilters(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	clean := apptest.Disc(64, 3)
	noisy, err := run.AddNoise(t.Context(), clean, job.AddedNoise{Model: noise.Gaussian, Sigma: 10, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engines.Pick("cpu")
	if err != nil {
		t.Fatal(err)
	}
	tuned, err := run.Tune(t.Context(), eng, run.TuneRequest{Series: noisy, Recipe: apptest.MustRecipe("nlm", 3)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		recipe denoise.Recipe
		want   tune.Verdict
	}{
		{"nlm, tuned", tuned.Recipe, tune.Matched},
		{"nlm, weak", apptest.MustRecipe("nlm", 3).With("h", denoise.Number(2)), tune.Under},
		{"a heavy blur", apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(3)), tune.Over},
	} {
		run, err := run.Denoise(t.Context(), eng, run.Request{Series: noisy, Recipe: c.recipe}, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := judge.Measure(t.Context(), nil, run, clean)
		if err != nil {
			t.Fatal(err)
		}
		if m.Verdict != c.want {
			t.Errorf("%s: %s (residual SD %.2f of sigma %.2f, structure %.3f), want %s",
				c.name, m.Verdict, float64(m.ResidualSD), m.Sigma, m.Structure, c.want)
		}
		if m.Truth == nil || m.Start == nil || m.Truth.Max != measure.Float(200) || m.Start.Max != measure.Float(200) {
			t.Fatalf("%s: truth %v, start %v", c.name, m.Truth, m.Start)
		}
		if alone, err := judge.Measure(t.Context(), nil, run, nil); err != nil || alone.Change.Max != m.Change.Max || alone.Change.PSNR != m.Change.PSNR || alone.Change.SSIM != m.Change.SSIM {
			t.Errorf("%s: against the original %+v, and without a reference %+v; %v", c.name, m.Change, alone.Change, err)
		}
		if better := m.Truth.MSE < m.Start.MSE; better != (c.want != tune.Over) {
			t.Errorf("%s: MSE %v from %v", c.name, m.Truth.MSE, m.Start.MSE)
		}
	}
}

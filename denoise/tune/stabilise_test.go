package tune_test

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/rice"
	"quell/denoise/tune"
	"quell/volume"
)

// magnitudes is the MR phantom as a magnitude image, without and with noise.
func magnitudes(t *testing.T, sigma float64) (truth, noisy *volume.Volume, f denoise.Facts) {
	t.Helper()
	truth, _ = head(t, 0)
	noisy, err := noise.AddNoise(t.Context(), truth, noise.Rician, sigma, 5)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = denoise.FactsOf(t.Context(), noisy); err != nil {
		t.Fatal(err)
	}
	f.Noise = noise.Known(sigma)
	f.Noise.Model = noise.Rician
	return truth, noisy, f
}

// The risk of a recipe that stabilises the noise follows the error of what the filter's
// own passes compute, and the strengths are strengths of the recipe.
func TestRiskOfStabilisedNoise(t *testing.T) {
	const sigma = 10
	truth, noisy, facts := magnitudes(t, sigma)
	in, engine := denoise.Input{Volume: noisy}, cpu.New()
	r, err := denoise.NewRecipe("bilateral", 2)
	if err != nil {
		t.Fatal(err)
	}
	c, err := tune.Search(t.Context(), engine, in, r, facts.Noise, tune.Options{Foreground: facts.Foreground})
	if err != nil {
		t.Fatal(err)
	}
	s := facts.Noise.Sigma
	for _, p := range c.Points {
		if x := p.Value.Float() / s; math.Abs(x-p.Strength) > 1e-9*x {
			t.Errorf("%g sigma is %s, with sigma %g", p.Strength, p.Value, s)
		}
	}
	best := c.Points[c.Best]
	resolved, err := tune.WithStrength(r, best.Strength, noisy.Geometry).Resolve(noisy.Geometry, facts)
	if err != nil || resolved.Stabilisation() != s || math.Abs(resolved.Get("sigma-range").Float()-best.Value.Float()) > 1e-9*s {
		t.Fatalf("%s, %v; want %s stabilised by %g", resolved, err, best.Value, s)
	}
	after, err := engine.Run(t.Context(), resolved, in, noisy.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	// The error of the passes is the error of the means of what they restore.
	sum, n := 0.0, 0.0
	for i, x := range after.Data {
		if facts.Foreground(i) {
			d := rice.Mean(float64(x)/s) - rice.Mean(float64(truth.Data[i])/s)
			sum, n = sum+d*d, n+1
		}
	}
	if mse := sum / n; math.Abs(best.MSE/mse-1) > 0.25 {
		t.Errorf("estimated error %.3f, true %.3f", best.MSE, mse)
	}
}

// The closed form holds for the plain filter: with stabilised noise the risk comes
// from two runs.
func TestStabilisedNoiseHasNoClosedForm(t *testing.T) {
	_, noisy, facts := magnitudes(t, 10)
	r := set(t, "nlm", 3, "h=11 search-radius=1 stabilise=10")
	resolved, err := r.Resolve(noisy.Geometry, facts)
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	p := probe(t, counted{cpu.New(cpu.Threads(1)), &runs}, noisy, resolved, 1)
	if _, err := p.Risk(t.Context(), resolved); err != nil {
		t.Fatal(err)
	}
	if runs == 0 {
		t.Error("the closed form of the plain filter was taken")
	}
}

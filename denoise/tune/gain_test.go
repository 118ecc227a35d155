package tune_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/phantom"
	"quell/volume"
)

// resolvedBy returns the default recipes of filters, in that dimensionality if they have it, resolved by facts of v.
func resolvedBy(t *testing.T, facts denoise.Facts, v *volume.Volume, dims int, filters ...string) (all []denoise.Recipe) {
	t.Helper()
	for _, name := range filters {
		f, err := denoise.FilterByName(name)
		if err != nil {
			t.Fatal(err)
		}
		d := dims
		if !slices.Contains(f.Dims, dims) {
			d = f.Dims[0]
		}
		r, err := denoise.NewRecipe(name, d)
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.Resolve(v.Geometry, facts); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// squaredError returns the mean squared error of voxels in the foreground.
func squaredError(data []float32, p pair, facts denoise.Facts) float64 {
	sum, n := 0.0, 0.0
	for i, x := range data {
		if facts.Foreground(i) {
			d := float64(x) - float64(p.truth.Data[i])
			sum, n = sum+d*d, n+1
		}
	}
	return sum / n
}

// trueGain runs a recipe on the whole volume.
func trueGain(t *testing.T, r denoise.Recipe, p pair, facts denoise.Facts) float64 {
	t.Helper()
	u, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: p.noisy}, p.noisy.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return 10 * math.Log10(squaredError(p.noisy.Data, p, facts)/squaredError(u.Data, p, facts))
}

// brainlike is the MR phantom with white noise of sigma 10, and its facts with the noise as an estimate of
// that confidence.
func brainlike(t *testing.T, c noise.Confidence) (pair, denoise.Facts) {
	t.Helper()
	ph, err := phantom.New("mr", phantom.Size{Dims: [3]int{128, 144, 10}, Spacing: [3]float64{1.6, 1.6, 4}})
	if err != nil {
		t.Fatal(err)
	}
	truth, err := ph.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := gaussian(t, "mr phantom", truth, 10, 77)
	e := noise.Known(10)
	e.Confidence = c
	facts, err := denoise.FactsWith(t.Context(), p.noisy, e)
	if err != nil {
		t.Fatal(err)
	}
	return p, facts
}

// A gain that is stated is the true one, and bounds lie below it; a noise that is known less well leaves
// lower bounds, and one that is hardly known none.
func TestGainsAreTheTrueOnes(t *testing.T) {
	p, facts := brainlike(t, noise.High)
	in := denoise.Input{Volume: p.noisy}
	recipes := resolvedBy(t, facts, p.noisy, 2, "lpa", "bilateral", "odct")
	gains, err := tune.Gains(t.Context(), cpu.New(), in, recipes, facts)
	if err != nil {
		t.Fatal(err)
	}
	facts.Noise.Confidence = noise.Fair
	fair, err := tune.Gains(t.Context(), cpu.New(), in, recipes, facts)
	if err != nil {
		t.Fatal(err)
	}
	facts.Noise.Confidence = noise.Low
	low, err := tune.Gains(t.Context(), cpu.New(), in, recipes, facts)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range gains {
		if truth := trueGain(t, g.Recipe, p, facts); math.Abs(g.DB-truth) > max(g.DB-g.AtLeast, 0.3) || g.AtLeast > truth || g.Careful > g.DB {
			t.Errorf("%s: %.2f dB expected, %.2f at least, %.2f carefully; %.2f are true", g.Recipe.Filter, g.DB, g.AtLeast, g.Careful, truth)
		}
		if fair[i].AtLeast >= g.AtLeast || fair[i].DB != g.DB || !math.IsInf(low[i].AtLeast, -1) || low[i].Known() {
			t.Errorf("%s: at least %.2f dB by noise known well, %.2f by fairly known, %.2f by hardly known", g.Recipe.Filter, g.AtLeast, fair[i].AtLeast, low[i].AtLeast)
		}
	}
}

// TestGainsSeeTooMuchNoise: if sigma is a third too much no gain is bounded, as errors come out below what is left of
// the noise; if it is right or too little they are.
func TestGainsSeeTooMuchNoise(t *testing.T) {
	p, facts := brainlike(t, noise.High)
	recipes := resolvedBy(t, facts, p.noisy, 2, "odct", "nlm")
	for _, x := range []struct {
		sigma float64
		want  bool
	}{{9, true}, {10, true}, {13, false}} {
		facts.Noise.Sigma = x.sigma
		gains, err := tune.Gains(t.Context(), cpu.New(), denoise.Input{Volume: p.noisy}, recipes, facts)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range gains {
			if got := !math.IsInf(g.AtLeast, -1); got != x.want {
				t.Errorf("sigma %g, %s: bounded %t by an error of %.3f", x.sigma, g.Recipe.Filter, got, g.MSE)
			}
		}
	}
}

// Gains have the same bits on any number of cores.
func TestGainsDoNotDependOnCores(t *testing.T) {
	p, facts := brainlike(t, noise.High)
	recipes := resolvedBy(t, facts, p.noisy, 2, "bilateral", "bnlm", "prinlm")
	var all [2][]tune.Gain
	for k, cores := range []int{1, 3} {
		var err error
		if all[k], err = tune.Gains(t.Context(), cpu.New(cpu.Threads(cores)), denoise.Input{Volume: p.noisy}, recipes, facts); err != nil {
			t.Fatal(err)
		}
	}
	for i, g := range all[0] {
		if other := all[1][i]; g.DB != other.DB || g.AtLeast != other.AtLeast || g.Careful != other.Careful {
			t.Errorf("%s: %v on one core, %v on three", g.Recipe.Filter, g, other)
		}
	}
}

// Without noise, without foreground and after a cancel there is no gain.
func TestGainsNeedNoiseAndForeground(t *testing.T) {
	p, facts := brainlike(t, noise.High)
	in, recipes := denoise.Input{Volume: p.noisy}, resolvedBy(t, facts, p.noisy, 2, "bilateral")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tune.Gains(cancelled, cpu.New(), in, recipes, facts); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
	empty := facts
	empty.Foreground = func(int) bool { return false }
	if _, err := tune.Gains(t.Context(), cpu.New(), in, recipes, empty); err == nil {
		t.Error("a gain without foreground")
	}
	facts.Noise.Sigma = 0
	if _, err := tune.Gains(t.Context(), cpu.New(), in, recipes, facts); err == nil {
		t.Error("a gain without noise")
	}
}

package nlm_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"quell/denoise"
	_ "quell/denoise/filter"
	"quell/denoise/filter/nlm"
	"quell/denoise/noise"
	"quell/volume"
)

// with returns the typed parameters of nlm with the given settings on a volume of range
// 0 to 255 with noise e.
func with(t *testing.T, dims int, set string, e noise.Estimate) nlm.Params {
	t.Helper()
	r, err := nlm.Filter.Recipe(denoise.Case{Dims: dims, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	g := volume.NewGeometry([3]int{32, 32, 16}, [3]float64{1, 1, 1})
	if r, err = r.Resolve(g, denoise.Facts{Hi: 255, Noise: e}); err != nil {
		t.Fatal(err)
	}
	p, err := r.Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	return p.Params.(nlm.Params)
}

// The automatic h in sigmas has the best PSNR of a grid of strengths, within 0.35
// dB, on brains and phantoms with sigma 10 and more (docs/benchmarks/quality.md).
func TestAutomaticStrength(t *testing.T) {
	for _, c := range []struct {
		dims   int
		set    string
		lo, hi float64
	}{
		{3, "", 1.08, 1.16}, {3, "search-radius=2", 1.16, 1.25}, {3, "search-radius=5", 0.9, 1.1}, {3, "patch-radius=2", 0.98, 1.03},
		{3, "patch-radius=0", 2, 2.5}, {3, "patch-weights=uniform", 1.05, 1.12},
		{2, "", 1.36, 1.7}, {2, "search-radius=5", 1.3, 1.5}, {2, "search-radius=8", 1.22, 1.42}, {2, "patch-radius=2", 1.34, 1.54},
		{2, "patch-radius=2 search-radius=5", 1.2, 1.42}, {2, "patch-radius=0", 2, 2.5}, {2, "search-radius=0", 1.5, 2.5},
		{3, "search-radius=32 patch-radius=8", 0.3, 0.8},
	} {
		if x := with(t, c.dims, c.set, noise.Known(10)).H / 10; x < c.lo || x > c.hi {
			t.Errorf("%d-D %q: h is %.3f sigma; want %g to %g", c.dims, c.set, x, c.lo, c.hi)
		}
	}
	// Weak noise gets more, from a share of 2.5 % of the range down.
	of := func(share float64) float64 { return with(t, 3, "centre=max", noise.Known(share*255)).H / (share * 255) }
	for share, more := range map[float64]float64{0.06: 0, 0.0251: 0, 0.0125: 0.225, 0.0225: 0.045} {
		if x := of(share) - of(0.04); math.Abs(x-more) > 1e-9 {
			t.Errorf("at %.2f %% of the range h is %.4f sigma more; want %.4f", 100*share, x, more)
		}
	}
}

// With centre one h in sigmas follows the number of neighbours and the share of the noise
// in the range of the values.
func TestAutomaticStrengthOfCentreOne(t *testing.T) {
	for _, c := range []struct {
		dims int
		set  string
		want float64
	}{
		{2, "", 2.44 - 0.17*math.Log(48)}, {2, "search-radius=5 patch-radius=2", 2.44 - 0.17*math.Log(120)}, {3, "", 2.44 - 0.17*math.Log(342)},
		{2, "search-radius=0", 2.44},
	} {
		for share, more := range map[float64]float64{0.04: 0, 0.0251: 0, 0.0125: 0.125, 0.005: 0.2} {
			if x := with(t, c.dims, c.set+" centre=one", noise.Known(share*255)).H / (share * 255); math.Abs(x-c.want-more) > 1e-9 {
				t.Errorf("%d-D %q, noise of %.2f %% of the range: h is %.4f sigma; want %.4f", c.dims, c.set, 100*share, x, c.want+more)
			}
		}
	}
	for _, share := range []float64{0.005, 0.04} {
		if x := with(t, 2, "patch-radius=0 centre=one", noise.Known(share*255)).H / (share * 255); math.Abs(x-2.3) > 1e-9 {
			t.Errorf("single voxels: h is %.4f sigma; want 2.3", x)
		}
	}
}

// In the soft tissue of a CT h in sigmas rises with the correlation of the noise and
// with its strength in HU, and is more in slices.
func TestAutomaticStrengthInTissue(t *testing.T) {
	factor := func(dims int, sigma float64, c *noise.Correlation) float64 {
		e := noise.Known(sigma)
		e.Method, e.Correlation = "surface fits", c
		p := with(t, dims, "", e)
		if p.Centre != nlm.CentreOne {
			t.Errorf("noise of %g HU: the centre has weight max", sigma)
		}
		return p.H / sigma / (2.5 - 0.17*math.Log(map[int]float64{2: 48, 3: 342}[dims]))
	}
	correlated := func(rho float64) *noise.Correlation {
		c := &noise.Correlation{Across: [3]float64{1}}
		c.InPlane[noise.MaxLag][noise.MaxLag] = 1
		c.InPlane[noise.MaxLag][noise.MaxLag+1], c.InPlane[noise.MaxLag][noise.MaxLag-1] = rho, rho
		return c
	}
	for _, c := range []struct{ sigma, rho, want float64 }{
		{8, 0, 1}, {16, 0, 1 + 0.2*math.Ln2}, {4, 0, 1 - 0.2*math.Ln2}, {8, 1, 1.5}, {8, 0.5, 1.125}, {8, 2, 1 + 0.25*2.5}, {0.1, 0, 0},
	} {
		for dims, more := range map[int]float64{2: 0.13, 3: 0} {
			want := c.want + more
			if c.sigma == 0.1 {
				want = 0.5 // the least
			}
			if x := factor(dims, c.sigma, correlated(c.rho)); math.Abs(x-want) > 1e-9 {
				t.Errorf("%d-D, noise of %g HU with rho %g: the factor is %g; want %g", dims, c.sigma, c.rho, x, want)
			}
		}
	}
	if x := factor(3, 8, nil); math.Abs(x-1) > 1e-9 {
		t.Errorf("white noise of 8 HU: the factor is %g", x)
	}
}

// The centre has the weight of a perfect match in weak noise and on CT, unless the
// recipe gives a number for h or says otherwise.
func TestAutomaticCentre(t *testing.T) {
	tissue := noise.Known(60)
	tissue.Method = "surface fits"
	share := func(x float64) noise.Estimate { return noise.Known(x * 255) }
	for _, c := range []struct {
		dims int
		set  string
		e    noise.Estimate
		want nlm.CentreRule
	}{
		{2, "", share(0.0349), nlm.CentreOne}, {2, "", share(0.0351), nlm.CentreMax},
		{3, "", share(0.0219), nlm.CentreOne}, {3, "", share(0.0221), nlm.CentreMax},
		{3, "", tissue, nlm.CentreOne}, {2, "", tissue, nlm.CentreOne}, {3, "h=1.2sigma", tissue, nlm.CentreOne}, {3, "sigma=0", tissue, nlm.CentreOne},
		{3, "h=9", tissue, nlm.CentreMax}, {3, "h=9", share(0.01), nlm.CentreMax}, {3, "weighting=lk", tissue, nlm.CentreMax},
		{3, "centre=max", tissue, nlm.CentreMax}, {3, "centre=one", share(0.1), nlm.CentreOne}, {3, "h=9 centre=one", share(0.1), nlm.CentreOne},
	} {
		if p := with(t, c.dims, c.set, c.e); p.Centre != c.want {
			t.Errorf("%d-D %q, noise of %.2f %% of the range: centre rule %d", c.dims, c.set, 100*c.e.Sigma/255, p.Centre)
		}
	}
}

// If every strength harms with centre max, h only averages equal patches.
func TestAutomaticStrengthDoesNoHarm(t *testing.T) {
	estimate := func(share float64, c noise.Confidence) noise.Estimate {
		e := noise.Known(share * 255)
		e.Confidence = c
		return e
	}
	for _, c := range []struct {
		dims  int
		share float64
		conf  noise.Confidence
		off   bool
	}{
		{3, 0.011, noise.High, false}, {2, 0.0129, noise.High, true}, {2, 0.0131, noise.High, false}, {3, 0.003, noise.High, false},
		{3, 0.0219, noise.Fair, true}, {3, 0.0221, noise.Fair, false}, {2, 0.0221, noise.Fair, false},
		{3, 0.015, noise.Low, true}, {3, 0.0219, noise.Low, true}, {3, 0.0221, noise.Low, false}, {3, 0.1, noise.Low, false},
		{3, 0.1, noise.None, true},
	} {
		h := with(t, c.dims, "centre=max", estimate(c.share, c.conf)).H
		if off := h < 1e-6; off != c.off {
			t.Errorf("%d-D, noise of %.2f %% of the range, %s confidence: h is %g", c.dims, 100*c.share, c.conf, h)
		}
		if given := with(t, c.dims, "h=9", estimate(c.share, c.conf)).H; given != 9 {
			t.Errorf("a given 9 became %g", given)
		}
	}
}

// Noise that is known roughly is acted on at the low end of its interval, by the centre that leaves alone what resembles nothing.
func TestRoughNoiseIsActedOn(t *testing.T) {
	for _, c := range []struct {
		low, acting float64
		want        nlm.CentreRule
	}{{8.01, 10, nlm.CentreMax}, {7.9, 7.9, nlm.CentreOne}} {
		e := noise.Known(10)
		e.Low = c.low
		for _, set := range []string{"", "centre=max"} {
			p := with(t, 3, set, e)
			if set == "" && p.Centre != c.want || !(p.H > 0.5*c.acting) {
				t.Errorf("from %g %s: h is %g, centre rule %d", c.low, set, p.H, p.Centre)
			}
		}
		if p := with(t, 3, "rician=true", e); p.Sigma != c.acting {
			t.Errorf("from %g: sigma is %g", c.low, p.Sigma)
		}
	}
}

// Without stabilisation Rician is on by itself if the background shows it, and sigma
// with it, unless the recipe says otherwise.
func TestAutomaticRician(t *testing.T) {
	magnitude := noise.Known(10)
	magnitude.Model = noise.Rician
	guess := magnitude
	guess.ModelKnown = false
	weak := magnitude
	weak.Sigma, weak.Confidence = 2, noise.Low
	for _, c := range []struct {
		set    string
		e      noise.Estimate
		rician bool
		sigma  float64
	}{
		{"", magnitude, true, 10}, {"", guess, false, 0}, {"", noise.Known(10), false, 0}, {"", weak, false, 0}, {"", noise.Estimate{Model: noise.Rician, ModelKnown: true}, false, 0},
		{"h=1.2sigma", magnitude, true, 10}, {"sigma=7", magnitude, true, 7}, {"sigma=0.5sigma", magnitude, true, 5},
		{"h=9", magnitude, false, 0}, {"sigma=0", magnitude, false, 0}, {"weighting=lk", magnitude, false, 0}, {"rician=false", magnitude, false, 0},
		{"h=9 rician=true", magnitude, true, 10}, {"rician=true", noise.Known(10), true, 10}, {"rician=true", weak, true, 2}, {"rician=true sigma=0", magnitude, true, 0},
		{"rician=false sigma=4", magnitude, false, 4}, {"h=9 sigma=4", magnitude, false, 4},
	} {
		plain := " stabilise=0"
		if strings.Contains(c.set, "rician=true") {
			plain = "" // which refuses any
		}
		if p := with(t, 3, c.set+plain, c.e); p.Rician != c.rician || p.Sigma != c.sigma {
			t.Errorf("%q, %s noise (known: %v): rician %v, sigma %g; want %v, %g", c.set, c.e.Model, c.e.ModelKnown, p.Rician, p.Sigma, c.rician, c.sigma)
		}
	}
}

// Rician noise is stabilised, which leaves nlm nothing to correct, unless the recipe asks for
// the correction or for plain numbers.
func TestRicianNoiseIsStabilised(t *testing.T) {
	magnitude := noise.Known(10)
	magnitude.Model = noise.Rician
	g := volume.NewGeometry([3]int{32, 32, 16}, [3]float64{1, 1, 1})
	for set, want := range map[string]string{
		"": "stabilise=10 rician=false sigma=0", "h=1.2sigma": "stabilise=10 rician=false sigma=0", "sigma=0.5sigma": "stabilise=10 rician=false sigma=5",
		"rician=true": "stabilise=0 rician=true sigma=10", "stabilise=0": "stabilise=0 rician=true sigma=10", "rician=false": "stabilise=10 rician=false sigma=0",
		"h=9": "stabilise=0 rician=false sigma=0", "sigma=7": "stabilise=0 rician=true sigma=7",
	} {
		r, err := nlm.Filter.Recipe(denoise.Case{Dims: 3, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.Resolve(g, denoise.Facts{Hi: 255, Noise: magnitude}); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("stabilise=%g rician=%s sigma=%s", r.Stabilisation(), r.Get("rician"), r.Get("sigma"))
		if got != want {
			t.Errorf("%q: %s; want %s", set, got, want)
		}
	}
}

// What was measured of the patches scales h by its ratio to what is usual at that noise: with
// centre one in three dimensions by its root, unless it is a CT.
func TestAutomaticStrengthFollowsTheAnatomy(t *testing.T) {
	g := volume.NewGeometry([3]int{32, 32, 16}, [3]float64{1, 1, 1})
	method := ""
	of := func(dims int, set string, share, measured float64) float64 {
		e := noise.Known(share * 255)
		e.Method = method
		r, err := nlm.Filter.Recipe(denoise.Case{Dims: dims, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.Resolve(g, denoise.Facts{Hi: 255, Noise: e, AlikePatches: measured}); err != nil {
			t.Fatal(err)
		}
		return r.Get("h").Float()
	}
	for _, c := range []struct {
		dims            int
		set             string
		share, t, scale float64
	}{
		{2, "centre=one", 0.04, 1.75, 1}, {2, "centre=one", 0.04, 1.75 * 1.2, 1.2}, {2, "centre=one", 0.0125, 1.875 * 1.2, 1.2}, {2, "centre=one", 0.04, 1.75 * 0.8, 0.8},
		{2, "centre=one", 0.04, 1.75 * 1.59, 1.59}, {2, "centre=one", 0.04, 1.75 * 1.61, 1.6}, {2, "centre=one", 0.04, 1.75 * 0.61, 0.61}, {2, "centre=one", 0.04, 1.75 * 0.59, 0.6},
		{3, "centre=one", 0.04, 1.75 * 1.44, 1.2}, {3, "centre=one", 0.04, 1.75 * 2.4, math.Sqrt(2.4)}, {2, "centre=max", 0.04, 1.75 * 1.2, 1.2}, {3, "centre=max", 0.04, 1.75 * 1.2, 1.2},
		{3, "patch-radius=0", 0.04, 3, 1}, {2, "centre=one", 0.04, 0, 1},
	} {
		if x := of(c.dims, c.set, c.share, c.t) / of(c.dims, c.set, c.share, 0); math.Abs(x-c.scale) > 1e-6 {
			t.Errorf("%d-D %q, noise of %.2f %% of the range, patches alike up to %.2f sigma: h is %.4f times as large; want %g", c.dims, c.set, 100*c.share, c.t, x, c.scale)
		}
	}
	method = "surface fits"
	for dims, usual := range map[int]float64{2: 1.94 * 1.13, 3: 1.94 * 1.13} { // of 8 HU
		if x := of(dims, "", 8.0/255, 1.2*usual) / of(dims, "", 8.0/255, 0); math.Abs(x-1.2) > 1e-6 {
			t.Errorf("%d-D, CT: h is %.4f times as large; want 1.2", dims, x)
		}
	}
}

// A recipe of numbers does not need the noise of the volume.
func TestNumbersNeedNoNoise(t *testing.T) {
	for set, want := range map[string]bool{
		"": true, "h=9": false, "h=9 rician=false": false, "h=9 sigma=4": false, "weighting=lk": false, "h=9 sigma=1sigma": true,
		"h=9 rician=true": true, "h=9 rician=true sigma=4": false, "rician=false": true, "sigma=0": true, "weighting=lk rician=true": true,
	} {
		r, err := nlm.Filter.Recipe(denoise.Case{Dims: 3, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		if _, sigma := r.Needs(); sigma != want {
			t.Errorf("%q needs the noise: %v", set, sigma)
		}
	}
}

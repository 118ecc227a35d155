package denoise_test

import (
	"math"
	"strings"
	"testing"

	"quell/denoise"
	_ "quell/denoise/filter"
	"quell/denoise/filter/bilateral"
	"quell/denoise/filter/gaussian"
	"quell/denoise/filter/lpa"
	"quell/denoise/filter/median"
	"quell/denoise/filter/nlm"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/volume"
)

var (
	grid  = volume.NewGeometry([3]int{64, 64, 20}, [3]float64{0.5, 0.8, 3})
	facts = denoise.Facts{Lo: -1000, Hi: 1000, Noise: noise.Known(20)}
)

func newRecipe(t *testing.T, filter string, dims int) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func resolve(t *testing.T, r denoise.Recipe, f denoise.Facts) denoise.Recipe {
	t.Helper()
	out, err := r.Resolve(grid, f)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Resolved() {
		t.Errorf("%s: resolved to %s, which is not", r, out)
	}
	again, err := out.Resolve(grid, denoise.Facts{Lo: 0, Hi: 7, Noise: noise.Known(99)})
	if err != nil || !again.Equal(out) {
		t.Errorf("%s: resolved again it became %s, %v", out, again, err)
	}
	return out
}

// bind returns the typed parameters of r with facts f.
func bind[P any](t *testing.T, r denoise.Recipe, f denoise.Facts) P {
	t.Helper()
	p, err := resolve(t, r, f).Bind(grid)
	if err != nil {
		t.Fatal(err)
	}
	return p.Params.(P)
}

func TestResolve(t *testing.T) {
	if newRecipe(t, "nlm", 3).Resolved() || newRecipe(t, "bilateral", 2).Resolved() {
		t.Error("automatic values count as resolved")
	}
	n := bind[nlm.Params](t, newRecipe(t, "nlm", 3), facts)
	if n.H < 20 || n.H > 40 || n.Sigma != 0 || n.Rician {
		t.Errorf("automatic nlm is h %v, sigma %v, rician %v; want 1 to 2 sigmas, 0 and off", n.H, n.Sigma, n.Rician)
	}
	if s := bind[lpa.Params](t, newRecipe(t, "lpa", 2), facts).Sigma; s != 20 {
		t.Errorf("automatic lpa sigma is %v", s)
	}
	// 2 sigma = 2 mm: 4 voxels of 0.5 mm, 2.5 of 0.8, 0.67 of 3.
	b := bind[bilateral.Params](t, newRecipe(t, "bilateral", 3).With("sigma-range", denoise.Percent(15)), facts)
	if b.SigmaRange != 300 || b.Radius != [3]int{4, 3, 1} {
		t.Errorf("bilateral resolved to %+v", b)
	}
	if b.Scale != [3]float64{0.5, 0.8, 3} {
		t.Errorf("bilateral scale is %v", b.Scale)
	}
	flat := bind[gaussian.Params](t, newRecipe(t, "gaussian", 2), facts)
	if flat.Radius != [3]int{4, 3, 0} {
		t.Errorf("2-D radius is %v", flat.Radius)
	}
	voxels := newRecipe(t, "gaussian", 3).With("voxel-units", denoise.Bool(true)).With("sigma-spatial", denoise.Number(1.5))
	if p := bind[gaussian.Params](t, voxels, facts); p.Radius != [3]int{3, 3, 3} || !near(p.Scale[2], 1/1.5, 1e-15) {
		t.Errorf("in voxel units: %+v", p)
	}
	if p := bind[median.Params](t, newRecipe(t, "median", 2).With("radius", denoise.List(1, 2, 3)), facts); p.Radius != [3]int{1, 2, 0} {
		t.Errorf("median radius in 2-D is %v", p.Radius)
	}
}

// Without noise or range the strengths are positive all the same.
func TestResolveWithoutNoise(t *testing.T) {
	for _, f := range []denoise.Facts{{}, {Lo: 5, Hi: 5}, {Lo: -1, Hi: -1}, {Lo: -1e-30, Hi: 1e-30}, {Lo: -3e38, Hi: 3e38}} {
		if h := bind[nlm.Params](t, newRecipe(t, "nlm", 3), f).H; !(h > 0) {
			t.Errorf("%+v: h is %v", f, h)
		}
		r := newRecipe(t, "bilateral", 3).With("sigma-range", denoise.Percent(0))
		if s := bind[bilateral.Params](t, r, f).SigmaRange; !(s > 0) {
			t.Errorf("%+v: range sigma is %v", f, s)
		}
	}
}

// Automatic values are proportional to the volume's values, from the smallest to
// the largest.
func TestResolveScales(t *testing.T) {
	h := func(f denoise.Facts) float64 { return bind[nlm.Params](t, newRecipe(t, "nlm", 3), f).H }
	sigma := func(f denoise.Facts) float64 {
		return bind[bilateral.Params](t, newRecipe(t, "bilateral", 3), f).SigmaRange
	}
	one := denoise.Facts{Lo: -1, Hi: 1, Noise: noise.Known(0.25)}
	flat := denoise.Facts{Lo: -1, Hi: 1}
	for _, c := range []float64{0x1p-90, 0x1p-30, 0x1p30, 0x1p126} {
		scale := func(f denoise.Facts) denoise.Facts {
			return denoise.Facts{Lo: float32(c) * f.Lo, Hi: float32(c) * f.Hi, Noise: noise.Known(c * f.Noise.Sigma)}
		}
		for name, value := range map[string]func(denoise.Facts) float64{"h": h, "sigma-range": sigma} {
			for _, f := range []denoise.Facts{one, flat} {
				if got, want := value(scale(f)), c*value(f); got != want {
					t.Errorf("%s of a volume times %g with sigma %g is %g; want %g", name, c, f.Noise.Sigma, got, want)
				}
			}
		}
	}
}

// TestResolveForIgnoresExcludedVoxels resolves automatic values of a volume in which an
// outlier is excluded: the range and the noise are from the other voxels.
func TestResolveForIgnoresExcludedVoxels(t *testing.T) {
	v, err := noise.AddNoise(t.Context(), flat([3]int{12, 12, 6}, 100), noise.Gaussian, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	in := denoise.Input{Volume: v, Mask: make([]bool, len(v.Data))}
	for i := range in.Mask {
		in.Mask[i] = i%12 != 0 // the first column
		if !in.Mask[i] {
			v.Data[i] = 9000
		}
	}
	want := factsOf(t, in.Masked())
	for _, r := range []denoise.Recipe{newRecipe(t, "nlm", 3), newRecipe(t, "bilateral", 3)} {
		got, err := r.ResolveFor(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if expected, err := r.Resolve(v.Geometry, want); err != nil || !got.Equal(expected) {
			t.Errorf("resolved to %s, want %s, %v", got, expected, err)
		}
	}
}

func TestResolveRefusals(t *testing.T) {
	for want, r := range map[string]denoise.Recipe{
		"along x":         newRecipe(t, "gaussian", 3).With("sigma-spatial", denoise.Number(100)),
		"must rise":       newRecipe(t, "lpa", 2).With("scales", denoise.List(1, 3, 3)),
		"outside":         newRecipe(t, "nlm", 3).With("h", denoise.Number(-1)),
		"no 3-D form":     {Version: denoise.RecipeVersion, Filter: "lpa", Dims: 3},
		"no filter":       {Version: denoise.RecipeVersion, Filter: "blur", Dims: 2},
		"not a number":    newRecipe(t, "nlm", 3).With("h", denoise.Word("x")),
		"is not possible": newRecipe(t, "nlm", 3).With("search-radius", denoise.Auto),
		"tuning finds":    newRecipe(t, "nlm", 3).With("h", denoise.SURE),
		"is not its":      newRecipe(t, "nlm", 3).With("sigma", denoise.SURE),
	} {
		if _, err := r.Resolve(grid, facts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want one that says %q", r, err, want)
		}
	}
}

// Multiples of sigma become numbers, 0 the stand-in for 0 if 0 is not allowed. Without an
// estimate they are refused with its reason.
func TestResolveSigmas(t *testing.T) {
	for _, c := range []struct {
		filter, param string
		x, want       float64
	}{
		{"nlm", "h", 1.5, 30}, {"nlm", "h", 0, facts.Negligible()}, {"nlm", "sigma", 0, 0}, {"nlm", "sigma", 0.5, 10},
		{"bilateral", "sigma-range", 2.5, 50}, {"lpa", "sigma", 1, 20}, {"lpa", "sigma", 0, 0},
		{"bilateral", "sigma-range", 1e300, denoise.Largest},
	} {
		r := newRecipe(t, c.filter, 2).With(c.param, denoise.Sigmas(c.x))
		if width, noise := r.Needs(); r.Resolved() || !width || !noise {
			t.Errorf("%s: resolved %v, needs the range %v and the noise %v", r, r.Resolved(), width, noise)
		}
		if got := resolve(t, r, facts).Get(c.param); got.String() != denoise.Number(c.want).String() {
			t.Errorf("%s: %s is %s; want %g", r, c.param, got, c.want)
		}
	}
	unknown := denoise.Facts{Lo: 0, Hi: 1, Noise: noise.Estimate{Figure: noise.Figure{Confidence: noise.None, Why: message.Verbatim("it is too small")}}}
	_, err := newRecipe(t, "nlm", 2).With("h", denoise.Sigmas(1)).Resolve(grid, unknown)
	if err == nil || !strings.Contains(err.Error(), "h: 1sigma") || !strings.Contains(err.Error(), "it is too small") {
		t.Errorf("without an estimate: %v", err)
	}
	if got := resolve(t, newRecipe(t, "nlm", 2).With("h", denoise.Sigmas(0)), unknown).Get("h").Float(); got != unknown.Negligible() {
		t.Errorf("0sigma without an estimate is %g", got)
	}
}

// Coupe's strength is the root of 2 times the sigma from pseudo-residuals: of the volume as it is,
// also if its noise is stabilised, and 1 under a noise map. Without that figure it is refused.
func TestResolveRules(t *testing.T) {
	f := facts
	f.PseudoSigma = 20
	for _, c := range []struct {
		set  string
		want float64
	}{{"h=coupe", 20 * math.Sqrt2}, {"h=coupe sigma=3", 20 * math.Sqrt2}, {"h=coupe stabilise=4", 20 * math.Sqrt2}} {
		filter, err := denoise.FilterByName("nlm")
		if err != nil {
			t.Fatal(err)
		}
		r, err := filter.Recipe(denoise.Case{Dims: 3, Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if width, noise := r.Needs(); r.Resolved() || !width || !noise {
			t.Errorf("%s: resolved %v, needs the range %v and the noise %v", r, r.Resolved(), width, noise)
		}
		resolved := resolve(t, r, f)
		if got := resolved.Get("h").Float(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: h is %g; want %g", r, got, c.want)
		}
		if got := resolved.Get("centre").String(); got != "max" {
			t.Errorf("%s: the centre is %s; want max, as with a number", r, got)
		}
	}
	if _, err := newRecipe(t, "bnlm", 3).With("h", denoise.Word("coupe")).Resolve(grid, facts); err == nil || !strings.Contains(err.Error(), "give h a number") {
		t.Errorf("without the figure: %v", err)
	}
	v := volume.New(volume.NewGeometry([3]int{12, 12, 12}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i * i % 97)
	}
	r := newRecipe(t, "nlm", 3).With("h", denoise.Word("coupe"))
	found, err := r.ResolveFor(t.Context(), denoise.Input{Volume: v})
	if err != nil {
		t.Fatal(err)
	}
	sigma, err := noise.PseudoResiduals(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if got := found.Get("h").Float(); math.Abs(got-math.Sqrt2*sigma) > 1e-9*sigma {
		t.Errorf("h is %g; want %g", got, math.Sqrt2*sigma)
	}
	flat := volume.New(v.Geometry)
	for i := range flat.Data {
		flat.Data[i] = 2
	}
	found, err = r.ResolveFor(t.Context(), denoise.Input{Volume: v, Noise: flat})
	if err != nil {
		t.Fatal(err)
	}
	if got := found.Get("h").Float(); !found.InSigmas || math.Abs(got-math.Sqrt2) > 1e-9 {
		t.Errorf("under a noise map h is %g (in sigmas: %v); want the root of 2", got, found.InSigmas)
	}
}

func TestReach(t *testing.T) {
	for _, c := range []struct {
		r    denoise.Recipe
		want [3]int
	}{
		{newRecipe(t, "nlm", 3).With("search-radius", denoise.Number(5)).With("patch-radius", denoise.Number(2)), [3]int{7, 7, 7}},
		{newRecipe(t, "nlm", 2), [3]int{4, 4, 0}},
		{newRecipe(t, "bilateral", 3), [3]int{4, 3, 1}},
		{newRecipe(t, "gaussian", 2), [3]int{4, 3, 0}},
		{newRecipe(t, "median", 3).With("radius", denoise.List(1, 2, 3)), [3]int{1, 2, 3}},
		{newRecipe(t, "lpa", 2), [3]int{7, 7, 0}},
	} {
		p, err := resolve(t, c.r, facts).Bind(grid)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Reach(); got != c.want {
			t.Errorf("%s reaches %v; want %v", c.r, got, c.want)
		}
	}
}

// A sigma that the recipe gives drives the automatic values of its filter, whatever was estimated.
func TestGivenSigmaDrivesAutomaticValues(t *testing.T) {
	weak, missing, known := facts, facts, facts
	weak.Noise = noise.Estimate{Figure: noise.Figure{Sigma: 3, Confidence: noise.Low}, Negligible: true}
	missing.Noise = noise.Estimate{Figure: noise.Figure{Confidence: noise.None}}
	known.Noise = noise.Known(40)
	n := 0
	for _, f := range denoise.Filters() {
		if _, ok := f.Param("sigma"); !ok {
			continue
		}
		for _, dims := range f.Dims {
			n++
			given := newRecipe(t, f.Name, dims).With("sigma", denoise.Number(40)).With(denoise.Stabilise.Name, denoise.Number(0))
			want := resolve(t, given, known)
			for name, of := range map[string]denoise.Facts{"negligible": weak, "missing": missing} {
				if got := resolve(t, given, of); !got.Equal(want) {
					t.Errorf("%s, %d-D, noise %s: %s, want %s", f.Name, dims, name, got, want)
				}
			}
			if p, _ := f.Param(f.Strength.Param); p.Unit == "value" && want.Get(p.Name).Float() < 10 {
				t.Errorf("%s, %d-D: %s is %s at a given noise of 40", f.Name, dims, p.Name, want.Get(p.Name))
			}
			none := given.With("sigma", denoise.Number(0)) // says that nothing is subtracted, not that there is no noise
			if f.Name == "nlm" && resolve(t, none, known).Get("h").Float() < 10 {
				t.Error("nlm: a sigma of 0 is taken for the noise")
			}
		}
	}
	if n < 8 {
		t.Errorf("%d forms of filters have a sigma", n)
	}
}

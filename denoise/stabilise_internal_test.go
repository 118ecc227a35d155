package denoise

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/denoise/noise"
	"quell/denoise/rice"
	"quell/internal/message"
	"quell/volume"
)

// withStrength registers a filter of one pass with its strength in the volume's unit
// and returns its recipe; bound receives the recipes that it binds.
func withStrength(t *testing.T, bound *Recipe) Recipe {
	t.Helper()
	r := withProbe(t, func(r Recipe, _ volume.Geometry) (Program, error) {
		if bound != nil {
			*bound = r
		}
		return chain("voxels>result"), nil
	})
	f := &registered[len(registered)-1]
	f.Params[0].Unit, f.Params[0].Min, f.Params[0].Max, f.Params[0].Lo = valueUnit, Positive, Largest, 0.1
	return r.With("amount", Auto)
}

// magnitude holds the facts of a magnitude image of range 0 to 200 with noise of
// sigma 8.
func magnitude() Facts {
	f := Facts{Lo: 0, Hi: 200, Noise: noise.Known(8)}
	f.Noise.Model = noise.Rician
	return f
}

// Stabilisation turns itself on if the background shows Rician noise, for recipes
// that follow the noise.
func TestAutomaticStabilisation(t *testing.T) {
	r := withStrength(t, nil)
	gaussian, guess, negative, weak, texture := magnitude(), magnitude(), magnitude(), magnitude(), magnitude()
	gaussian.Noise.Model = noise.Gaussian
	guess.Noise.ModelKnown = false
	negative.Lo = -0.5
	weak.Noise.Sigma, weak.Noise.Low, weak.Noise.Confidence = 3.1, 1, noise.Low
	texture.Noise.Sigma, texture.Noise.Confidence = 3.3, noise.Low
	for _, c := range []struct {
		name string
		r    Recipe
		f    Facts
		want float64
	}{
		{"magnitude", r, magnitude(), 8}, {"gaussian", r, gaussian, 0}, {"a guess", r, guess, 0}, {"negative values", r, negative, 0},
		{"hardly noise", r, weak, 0}, {"noise of low confidence", r, texture, 3.3},
		{"multiple of sigma", r.With("amount", Sigmas(2)), magnitude(), 8}, {"number", r.With("amount", Number(9)), magnitude(), 0},
		{"percentage", r.With("amount", Percent(9)), magnitude(), 0}, {"off", r.With("stabilise", Number(0)), magnitude(), 0},
		{"number for both", r.With("amount", Number(9)).With("stabilise", Number(7)), gaussian, 7},
		{"its own sigma", r.With("stabilise", Sigmas(0.5)), gaussian, 4},
	} {
		out, err := c.r.Resolve(unitGrid, c.f)
		if err != nil || out.Stabilisation() != c.want || !out.Resolved() {
			t.Errorf("%s: %s, %v; want %g", c.name, out, err, c.want)
		}
	}
	if !r.With("amount", SURE).mayStabilise() || r.With("amount", SURE).With("stabilise", Number(0)).Stabilisation() != 0 {
		t.Error("a strength to be found follows the noise")
	}
	for want, value := range map[string]Value{"probe 3-D amount=3": Number(0), "probe 3-D amount=3 stabilise=2.5": Number(2.5), "probe 3-D amount=3 stabilise=1sigma": Sigmas(1)} {
		if got := r.With("amount", Number(3)).With("stabilise", value).String(); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
	// Only a recipe that may stabilise needs the noise for it.
	for _, c := range []struct {
		strength Value
		sigma    bool
	}{{Auto, true}, {Sigmas(1), true}, {Number(9), false}, {Percent(9), false}} {
		if _, sigma := r.With("amount", c.strength).Needs(); sigma != c.sigma {
			t.Errorf("strength %s needs the noise: %t", c.strength, sigma)
		}
	}
	f := &registered[len(registered)-1]
	f.Params[0].Ignored = func(Recipe) message.Message { return message.Text("it has none") }
	if r.mayStabilise() {
		t.Error("a recipe without a value in the volume's unit follows the noise")
	}
	f.Params[0].Ignored = nil
	f.Params[2].Name = "magnitude"
	f.CorrectsRician = func(r Recipe) bool { return r.Get("magnitude").On() }
	own := Recipe{Version: RecipeVersion, Filter: "probe", Dims: 3, Params: map[string]Value{"amount": Auto, "magnitude": Bool(false)}}
	for on, want := range map[bool]float64{false: 8, true: 0} {
		if out, err := own.With("magnitude", Bool(on)).Resolve(unitGrid, magnitude()); err != nil || out.Stabilisation() != want || own.With("magnitude", Bool(on)).mayStabilise() == on {
			t.Errorf("a filter whose own correction is on (%t): %s, %v; want %g", on, out, err, want)
		}
	}
	both := own.With("magnitude", Bool(true)).With("stabilise", Number(8))
	if err := both.Validate(); err == nil || !strings.Contains(err.Error(), "stabilise has no effect: the Rician correction") || both.Stabilisation() != 0 {
		t.Errorf("both corrections: %v", err)
	}
	if err := own.With("stabilise", Number(8)).Validate(); err != nil {
		t.Error(err)
	}
}

// Automatic values are the values of the stabilised volume, in the volume's unit.
func TestValuesOfStabilisedRecipes(t *testing.T) {
	var bound Recipe
	r := withStrength(t, &bound).With("stabilise", Number(5))
	width := rice.Stabilise(200./5) * 5
	for _, c := range []struct {
		given Value
		want  float64
	}{
		{Number(12), 12}, {Sigmas(1.2), 6}, {Auto, 5}, {Percent(10), width / 10},
	} {
		out, err := r.With("amount", c.given).Resolve(unitGrid, magnitude())
		if err != nil || math.Abs(out.Get("amount").Float()-c.want) > 1e-4 || out.InSigmas {
			t.Errorf("%s resolves to %s, %v; want %g", c.given, out, err, c.want)
		}
		again, err := out.Resolve(unitGrid, magnitude())
		if err != nil || !again.Equal(out) {
			t.Errorf("%s resolves to %s, %v", out, again, err)
		}
	}
	r, err := r.With("amount", Number(12)).Resolve(unitGrid, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Bind(unitGrid)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, pass := range p.Passes {
		names = append(names, pass.Name)
	}
	if want := []string{StabiliseNoise, "voxels>result", RestoreSignal}; !slices.Equal(names, want) || p.Stabilised != 5 || !p.Recipe.Equal(r) {
		t.Errorf("passes %q, sigma %g, recipe %s", names, p.Stabilised, p.Recipe)
	}
	if bound.Get("amount").Float() != 12./5 || bound.Stabilisation() != 0 || !bound.Equal(r.Unstabilised()) {
		t.Errorf("the filter is bound with %s", bound)
	}
	// In sigmas a strength stays in its domain.
	for _, c := range []struct{ strength, sigma, want float64 }{{Positive, 16, Positive}, {16 * Positive, 16, Positive}, {Largest, 0.5, Largest}, {Largest / 2, 0.5, Largest}, {Largest / 4, 0.5, Largest / 2}} {
		if got := r.With("amount", Number(c.strength)).UnstabilisedBy(c.sigma).Get("amount").Float(); got != c.want {
			t.Errorf("%g by a sigma of %g: %g; want %g", c.strength, c.sigma, got, c.want)
		}
	}
	if plain := r.With("stabilise", Number(0)); !plain.Unstabilised().Equal(plain) {
		t.Errorf("without stabilisation %s became %s", plain, plain.Unstabilised())
	}
	if outline, err := withoutMap(r).Outline(unitGrid); err != nil || len(outline.Passes) != 3 {
		t.Errorf("outline of %d passes, %v", len(outline.Passes), err)
	}
	// A noise map comes first: v / sigma, with noise of sigma 1, is stabilised.
	in := Input{Volume: row(10, 20, 30), Noise: row(4, 4, 2)}
	mapped, err := r.With("stabilise", Sigmas(1)).With("amount", Number(8)).ProgramFor(t.Context(), in, in.Volume.Bounds())
	if err != nil || len(mapped.Passes) != 5 || mapped.Stabilised != 1 || mapped.UsualSigma != 4 || bound.Get("amount").Float() != 2 {
		t.Errorf("%d passes, sigma %g, strength %s, %v", len(mapped.Passes), mapped.Stabilised, bound.Get("amount"), err)
	}
	if mapped.Passes[0].Name != DivideBySigma || mapped.Passes[1].Name != StabiliseNoise || mapped.Passes[3].Name != RestoreSignal {
		t.Error("the passes are in another order")
	}
}

func withoutMap(r Recipe) Recipe {
	r.InSigmas = false
	return r
}

// The facts are the facts of the transformed values; a given sigma is known.
func TestFactsOfStabilisedVolumes(t *testing.T) {
	f := magnitude()
	f.Noise.Confidence, f.Noise.Correlation = noise.Fair, &noise.Correlation{}
	f.Noise.PerSlice = []noise.Figure{{Sigma: 12, Confidence: noise.High}}
	r := withStrength(t, nil)
	for _, c := range []struct {
		value      Value
		sigma      float64
		left       float64 // sigma after it
		confidence noise.Confidence
		slice      float64
	}{
		{Auto, 8, 1, noise.Fair, 1.5}, {Sigmas(0.5), 4, 2, noise.Fair, 3}, {Number(4), 4, 1, noise.High, 1},
	} {
		got := f.stabilised(r.With("stabilise", c.value), c.sigma)
		if got.Lo != 0 || got.Hi != float32(rice.Stabilise(200/c.sigma)) || got.Noise.Sigma != c.left || got.Noise.Model != noise.Gaussian ||
			got.Noise.Correlation != f.Noise.Correlation || got.Noise.Confidence != c.confidence || got.Noise.Slice(0).Sigma != c.slice {
			t.Errorf("%s: %+v", c.value, got)
		}
		if s, err := r.With("stabilise", c.value).StabilisationFor(unitGrid, f); s != c.sigma || err != nil {
			t.Errorf("%s stabilises by %g, %v; want %g", c.value, s, err, c.sigma)
		}
	}
	if f.Noise.PerSlice[0].Sigma != 12 {
		t.Error("the facts themselves were changed")
	}
	if s, err := (Recipe{Filter: "none"}).StabilisationFor(unitGrid, f); s != 0 || err == nil {
		t.Errorf("a filter that does not exist stabilises by %g, %v", s, err)
	}
}

// The input and the result of the filter's own passes come back from the volumes that
// a run reads and returns.
func TestStabilisedVolumes(t *testing.T) {
	in := Input{Volume: row(0, 8, 30, 5, -1), Mask: []bool{true, true, false, true, true}}
	got, err := in.Stabilised(t.Context(), 4)
	if err != nil || &got.Mask[0] != &in.Mask[0] || in.Volume.Data[1] != 8 {
		t.Fatalf("%+v, %v", got, err)
	}
	result, err := StabilisedResult(t.Context(), in.Volume, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range in.Volume.Data {
		if want := float32(rice.Stabilise(float64(x) / 4)); got.Volume.Data[i] != want {
			t.Errorf("%g is stabilised to %g; want %g", x, got.Volume.Data[i], want)
		}
		if want := float32(rice.Mean(max(float64(x), 0) / 4)); result.Data[i] != want {
			t.Errorf("%g was %g; want %g", x, result.Data[i], want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := in.Stabilised(ctx, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Every filter has the parameter except the filters that read the noise map, which
// are in the volume's unit.
func TestEveryFilterCanStabilise(t *testing.T) {
	withStrength(t, nil)
	if f := registered[len(registered)-1]; f.Params[len(f.Params)-2].Name != stabiliseName || f.Params[len(f.Params)-1].Name != strengthName {
		t.Error("a filter lacks the parameter")
	}
	reads := registered[len(registered)-1]
	reads.Name, reads.ReadsNoise, reads.Params = "reads", true, reads.Params[:2]
	Register(reads)
	if _, ok := registered[len(registered)-1].Param(stabiliseName); ok {
		t.Error("a filter that reads the noise map has the parameter")
	}
	if _, ok := registered[len(registered)-1].Param(strengthName); !ok {
		t.Error("a filter that reads the noise map lacks the strength")
	}
	if got := (Recipe{Filter: "none"}); got.Stabilisation() != 0 || got.mayStabilise() || !got.Unstabilised().Equal(got) && got.Filter != "none" {
		t.Error("a filter that does not exist stabilises")
	}
}

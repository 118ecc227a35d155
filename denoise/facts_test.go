package denoise_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"quell/denoise"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/volume"
)

// The stand-in for 0 is relative to the range, of a constant volume to its value, and of
// a volume of zeros to 1.
func TestNegligible(t *testing.T) {
	for _, c := range []struct {
		facts denoise.Facts
		want  float64
	}{
		{denoise.Facts{Lo: -1000, Hi: 3000}, 4e-7}, {denoise.Facts{Lo: 20, Hi: 20}, 2e-9},
		{denoise.Facts{Lo: -20, Hi: -20}, 2e-9}, {denoise.Facts{}, 1e-10}, {denoise.Facts{Lo: -4, Hi: 4}, 8e-10},
	} {
		if got := c.facts.Negligible(); !near(got, c.want, 1e-12) {
			t.Errorf("%v to %v: %g; want %g", c.facts.Lo, c.facts.Hi, got, c.want)
		}
	}
}

func TestFactsOfAConstantVolume(t *testing.T) {
	if f := factsOf(t, flat([3]int{8, 8, 8}, -3)); f.Lo != -3 || f.Hi != -3 || f.Noise.Sigma != 0 {
		t.Errorf("range %v to %v, sigma %v; want -3 to -3 without noise", f.Lo, f.Hi, f.Noise.Sigma)
	}
}

// The facts of verdicts are the facts of recipes, except for what only recipes need.
func TestVerdictFacts(t *testing.T) {
	v := flat([3]int{64, 64, 3}, 100)
	for i := range v.Data {
		v.Data[i] += float32(i % 64 / 32 * 100)
	}
	v, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := denoise.VerdictFacts(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	all := factsOf(t, v)
	for i := range v.Data {
		if f.Foreground(i) != all.Foreground(i) {
			t.Fatalf("voxel %d is in one foreground alone", i)
		}
	}
	if all.Alike == 0 || all.AlikePatches == 0 || all.PseudoSigma == 0 {
		t.Errorf("%v, %v, %v: not measured", all.Alike, all.AlikePatches, all.PseudoSigma)
	}
	f.Foreground, all.Foreground, all.Alike, all.AlikePatches, all.PseudoSigma = nil, nil, 0, 0, 0
	if !reflect.DeepEqual(f, all) {
		t.Errorf("%+v; want %+v", f, all)
	}
}

// Whatever reads a whole volume returns the context's error and no numbers, at
// whichever poll the context ends.
func TestCancel(t *testing.T) {
	v, err := noise.AddNoise(t.Context(), flat([3]int{6, 6, 3}, 100), noise.Gaussian, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(context.Context) (any, error){
		"FactsOf": func(ctx context.Context) (any, error) {
			f, err := denoise.FactsOf(ctx, v)
			if err == nil && f.Foreground == nil {
				return f, errors.New("there is no foreground")
			}
			if err == nil {
				f.Foreground = nil // functions cannot be compared
			}
			return f, err
		},
		"AddNoise": func(ctx context.Context) (any, error) {
			return noise.AddNoise(ctx, v, noise.Rician, 1, 1)
		},
		"ResolveFor, noise": func(ctx context.Context) (any, error) {
			return newRecipe(t, "nlm", 3).ResolveFor(ctx, denoise.Input{Volume: v})
		},
		"ResolveFor, range": func(ctx context.Context) (any, error) {
			return newRecipe(t, "bilateral", 3).With("sigma-range", denoise.Percent(15)).ResolveFor(ctx, denoise.Input{Volume: v})
		},
		"ResolveFor, numbers": func(ctx context.Context) (any, error) {
			return newRecipe(t, "median", 3).ResolveFor(ctx, denoise.Input{Volume: v})
		},
	} {
		for n := 0; ; n++ {
			got, err := read(enginetest.CancelAtPoll(t.Context(), n))
			if err == nil {
				if want, _ := read(t.Context()); n == 0 || !reflect.DeepEqual(got, want) {
					t.Errorf("%s, cancelled at poll %d, returned %v without an error; want %v", name, n, got, want)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || !reflect.ValueOf(got).IsZero() {
				t.Fatalf("%s, cancelled at poll %d, returned %v, %v", name, n, got, err)
			}
		}
	}
}

// A recipe of plain numbers is resolved without reading the volume, and a percentage
// without estimating the noise.
func TestResolveForReadsWhatIsNeeded(t *testing.T) {
	v := flat([3]int{8, 8, 8}, 100)
	v.Data[0] = 50
	polls := func(r denoise.Recipe) int64 {
		ctx := enginetest.CancelAtPoll(t.Context(), 1<<30)
		if _, err := r.ResolveFor(ctx, denoise.Input{Volume: v}); err != nil {
			t.Fatal(err)
		}
		return ctx.Count()
	}
	numbers := polls(newRecipe(t, "median", 3))
	width := polls(newRecipe(t, "bilateral", 3).With("sigma-range", denoise.Percent(15)))
	noise := polls(newRecipe(t, "nlm", 3))
	ignored := polls(newRecipe(t, "nlm", 3).Set("weighting", denoise.Word("lk")))
	if numbers != 1 || ignored != 1 || width <= numbers || noise <= width {
		t.Errorf("polls: %d for numbers, %d for an ignored auto, %d for a percentage, %d for the noise", numbers, ignored, width, noise)
	}
}

// Masked leaves the input as it is and excludes what either mask excludes.
func TestMasked(t *testing.T) {
	v := flat([3]int{2, 2, 1}, 1)
	if got := (denoise.Input{Volume: v}).Masked(); got != v {
		t.Error("an input without a mask is copied")
	}
	mask := []bool{true, true, false, false}
	got := denoise.Input{Volume: v, Mask: mask}.Masked()
	if !reflect.DeepEqual(got.Mask, mask) || v.Mask != nil || &got.Data[0] != &v.Data[0] {
		t.Errorf("mask %v of a volume without one", got.Mask)
	}
	v.Mask = []bool{true, false, true, false}
	got = denoise.Input{Volume: v, Mask: mask}.Masked()
	if want := []bool{true, false, false, false}; !reflect.DeepEqual(got.Mask, want) || !reflect.DeepEqual(v.Mask, []bool{true, false, true, false}) {
		t.Errorf("mask %v; want %v", got.Mask, want)
	}
	if err := (denoise.Input{Volume: &volume.Volume{Data: []float32{1}}}).Check(); err == nil {
		t.Error("a volume without a valid geometry was accepted")
	}
}

// flat returns a constant volume.
func flat(dims [3]int, value float32) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = value
	}
	return v
}

// factsOf returns the facts of v.
func factsOf(t testing.TB, v *volume.Volume) denoise.Facts {
	t.Helper()
	f, err := denoise.FactsOf(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func near(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*math.Abs(want)
}

// Automatic values follow the best value of a narrow interval, and the low end of a wide one.
func TestTrust(t *testing.T) {
	for _, c := range []struct {
		share      float64
		confidence noise.Confidence
		low, high  float64 // of the interval, relative to sigma
		want       float64
	}{
		{0.001, noise.High, 0.95, 1.05, 1}, {0.1, noise.None, 1, 1, 0}, {0.5, noise.Low, 0.4, 1, 0.4},
		{0.01, noise.Fair, 0.81, 1.19, 1}, {0.01, noise.Low, 0.79, 1.1, 0.79}, {0.01, noise.Low, 0.9, 1.21, 0.9},
	} {
		f := denoise.Facts{Lo: -500, Hi: 500, Noise: noise.Known(1000 * c.share)}
		f.Noise.Confidence = c.confidence
		f.Noise.Low, f.Noise.High = c.low*f.Noise.Sigma, c.high*f.Noise.Sigma
		if got := f.Trust(); math.Abs(got-c.want) > 1e-9 || !near(f.NoiseShare(), c.share, 1e-12) || !near(f.AutoSigma(), got*1000*c.share, 1e-12) {
			t.Errorf("%g of the range, %s: trust %g, share %g, sigma %g; want trust %g", c.share, c.confidence, got, f.NoiseShare(), f.AutoSigma(), c.want)
		}
		f.Noise.Negligible = true
		if f.AutoSigma() != 0 {
			t.Errorf("negligible noise gives the automatic sigma %g", f.AutoSigma())
		}
	}
	ct := flat([3]int{64, 64, 3}, 40)
	ct.Unit = "HU"
	noisy, err := noise.AddNoise(t.Context(), ct, noise.Gaussian, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := factsOf(t, noisy)
	f.Hi = 3000
	if !f.Noise.InTissue() || f.Trust() != 1 || (denoise.Facts{Noise: noise.Known(1)}).Noise.InTissue() {
		t.Errorf("tissue %v, trust %g", f.Noise.InTissue(), f.Trust())
	}
	if (denoise.Facts{Lo: 3, Hi: 3, Noise: noise.Known(1)}).NoiseShare() != 0 {
		t.Error("the noise of a constant volume has a share")
	}
}

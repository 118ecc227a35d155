package cpu_test

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/volume"
)

func run(t *testing.T, r denoise.Recipe, in denoise.Input) *volume.Volume {
	t.Helper()
	out, err := cpu.New().Run(t.Context(), r, in, in.Volume.Bounds(), nil)
	if err != nil {
		t.Fatalf("%s: %v", r, err)
	}
	return out
}

// scaledFacts returns the facts of c v for each c. They are found once for all filters, as that
// takes longer than most runs.
func scaledFacts(t *testing.T, v *volume.Volume, scales ...float64) map[float64]denoise.Facts {
	t.Helper()
	facts := map[float64]denoise.Facts{}
	for _, c := range scales {
		facts[c] = factsOf(t, enginetest.Scaled(denoise.Input{Volume: v}, c).Volume)
	}
	return facts
}

// resolve returns r with the automatic values that follow from facts.
func resolve(t *testing.T, r denoise.Recipe, v *volume.Volume, f denoise.Facts) denoise.Recipe {
	t.Helper()
	r, err := r.Resolve(v.Geometry, f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With automatic parameters the filter of c v is c times the filter of v; for
// powers of two to the bit.
func TestResultsScaleExactly(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	noisy := phantom(t, [3]int{60, 41, 6})
	clean := volume.New(noisy.Geometry) // without noise, with h as Facts.Negligible
	for i := range clean.Data {
		clean.Data[i] = float32(1 + i/20%3)
	}
	padded := noisy.Clone()
	padded.Mask = make([]bool, len(padded.Data))
	for i := range padded.Mask {
		padded.Mask[i] = i%11 != 0
	}
	for name, v := range map[string]*volume.Volume{"noisy": noisy, "clean": clean, "padded": padded} {
		facts := scaledFacts(t, v, 1, 0x1p-60, 0x1p-30, 0x1p30, 0x1p60, 0x1p100)
		for _, filter := range denoise.Filters() {
			for _, dims := range filter.Dims {
				r, err := denoise.NewRecipe(filter.Name, dims)
				if err != nil {
					t.Fatal(err)
				}
				in := enginetest.Input(t, r, v)
				want := run(t, resolve(t, r, v, facts[1]), in)
				for c, f := range facts {
					got := run(t, resolve(t, r, v, f), enginetest.Scaled(in, c))
					for i := range got.Data {
						got.Data[i] /= float32(c)
					}
					if !slices.Equal(got.Data, want.Data) {
						t.Errorf("%s, %s: the result of %g v is not %g times that of v", r, name, c, c)
					}
				}
			}
		}
	}
}

// Volumes in small units: an ADC map in m2/s is around 1e-9.
func TestSmallUnits(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{32, 32, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 1
		if i%32 >= 16 {
			v.Data[i] = 3
		}
	}
	v, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 0.05, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, filter := range denoise.Filters() {
		r, err := denoise.NewRecipe(filter.Name, filter.Dims[0])
		if err != nil {
			t.Fatal(err)
		}
		in := enginetest.Input(t, r, v)
		want, got := run(t, r, in), run(t, r, enginetest.Scaled(in, 1e-9))
		for i, w := range want.Data {
			if d := math.Abs(float64(got.Data[i])*1e9 - float64(w)); !(d <= 1e-5) {
				t.Fatalf("%s: voxel %d is %g times 1e-9; want %g", r, i, float64(got.Data[i])*1e9, w)
			}
		}
	}
}

// Values with squares or differences that exceed float32 give finite results that
// agree with the reference, whatever the parameters.
func TestExtremeValues(t *testing.T) {
	settings := map[string]string{
		"nlm":                     "search-radius=2",
		"nlm strong":              "search-radius=2 h=1e38",
		"nlm weak":                "search-radius=2 h=1e-37",
		"nlm weak one":            "search-radius=2 h=1e-37 centre=one",
		"nlm small patch sigma":   "search-radius=2 h=1e9 patch-sigma=0.05",
		"nlm rician":              "search-radius=2 h=1e9 rician=true sigma=1",
		"nlm rician auto":         "search-radius=2 rician=true sigma=auto",
		"nlm rician strong":       "search-radius=2 h=1e38 rician=true sigma=0",
		"nlm rician noise":        "search-radius=2 h=1 rician=true sigma=1e38",
		"nlm lk":                  "search-radius=2 weighting=lk",
		"nlm lk 4 rician":         "search-radius=2 weighting=lk k=4 rician=true sigma=auto",
		"bilateral":               "",
		"bilateral strong":        "sigma-range=1e38",
		"bilateral weak":          "sigma-range=1e-37",
		"lpa":                     "",
		"lpa noise":               "sigma=1e38",
		"prinlm":                  "search-radius=2",
		"prinlm strong":           "search-radius=2 h=1e38",
		"prinlm weak":             "search-radius=2 h=1e-37",
		"prinlm weak one":         "search-radius=2 h=1e-37 centre=one",
		"odct":                    "",
		"odct noise":              "sigma=1e38",
		"odct weak":               "sigma=1e-37",
		"gaussian":                "",
		"median":                  "",
		"twopass":                 "",
		"twopass uniform weights": "guide-weights=uniform",
	}
	for name, set := range settings {
		filter, err := denoise.FilterByName(firstWord(name))
		if err != nil {
			t.Fatal(err)
		}
		r, err := filter.Recipe(denoise.Case{Dims: 2, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		for _, scale := range []float32{1e-36, 1e-20, 1, 1e15, 1e18, 1e20, 1e30, 2e37} {
			v := volume.New(volume.NewGeometry([3]int{24, 16, 1}, [3]float64{1, 1, 1}))
			for i := range v.Data {
				v.Data[i] = scale * float32(i%17-3*(i%5)) // -12 to 16
			}
			in := enginetest.Input(t, r, v)
			got := run(t, r, in)
			if err := got.Validate(); err != nil {
				t.Errorf("%s at %g: %v", name, scale, err)
				continue
			}
			want, err := cpu.Reference(t.Context(), r, in, v.Bounds())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := enginetest.Agree(got, want, 28*float64(scale)); err != nil {
				t.Errorf("%s at %g: %v", name, scale, err)
			}
		}
	}
}

func firstWord(s string) string {
	for i, c := range s {
		if c == ' ' {
			return s[:i]
		}
	}
	return s
}

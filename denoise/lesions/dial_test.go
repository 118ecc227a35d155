package lesions_test

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/lesions"
	"quell/internal/message"
	"quell/volume"
)

// dialOf returns the dial of a recipe at full strength.
func dialOf(t *testing.T, v *volume.Volume, r denoise.Recipe) (*lesions.Response, lesions.Dial) {
	t.Helper()
	response, err := tissue(t, v).Respond(t.Context(), cpu.New(), r)
	if err != nil {
		t.Fatal(err)
	}
	d, ok := response.Dial(lesions.UsualBounds)
	if !ok {
		t.Fatal("there is no dial")
	}
	return response, d
}

// What one run says of a strength is what a run with its equaliser gives.
func TestSettingsAreThoseOfEqualisers(t *testing.T) {
	for filter, c := range map[string]struct {
		dims int
		set  map[string]denoise.Value
	}{
		"gaussian":  {2, map[string]denoise.Value{"sigma-spatial": denoise.Number(0.9)}},
		"bilateral": {3, map[string]denoise.Value{"sigma-range": denoise.Number(12)}},
		"nlm":       {2, map[string]denoise.Value{"h": denoise.Number(8), "search-radius": denoise.Number(3)}},
	} {
		v := flat(t, [3]int{150, 150, 2*c.dims + 5})
		r := recipe(t, filter, c.dims, c.set)
		response, d := dialOf(t, v, r)
		if w, none := d.At(0); none.Kept != 1 || math.Abs(none.Texture-1) > 1e-12 || math.Abs(none.Noise-1) > 1e-12 || slices.Max(w) != 0 {
			t.Errorf("%s: strength 0 leaves %+v", filter, none)
		}
		for _, strength := range []float64{35, 80, 100} {
			w, got := d.At(strength)
			_, alone := dialOf(t, v, r.Equalised(strength, w))
			_, want := alone.At(100)
			if math.Abs(got.Texture-want.Texture) > 1e-3 || math.Abs(got.Noise-want.Noise) > 1e-3 || math.Abs(got.Floor-want.Floor) > 1e-3 {
				t.Errorf("%s at %g leaves %+v, measured %+v", filter, strength, got, want)
			}
			// The setting has the least of all lesions, the figures have the smallest. What a surface hides of it is linear in the
			// weights for the one and a power of the rest for the other: they are apart by less than the 0.015 held in hand.
			if kept := float64(response.Figures(w).ContrastKept); got.Kept > kept+0.01 || got.Kept < kept-0.05 {
				t.Errorf("%s at %g keeps %.4f, by the figures %.4f", filter, strength, got.Kept, kept)
			}
		}
	}
}

// The dial stops at the last whole strength that keeps 0.015 beyond its bounds.
func TestDialStopsAtItsBounds(t *testing.T) {
	_, d := dialOf(t, flat(t, [3]int{150, 150, 1}), recipe(t, "gaussian", 2, map[string]denoise.Value{"sigma-spatial": denoise.Number(1)}))
	at := func(strength float64) lesions.Setting {
		_, s := d.At(strength)
		return s
	}
	const held, near = 0.015, 0.003
	for _, b := range []lesions.Bounds{lesions.UsualBounds, {Kept: 0.95}, {Texture: 0.95}, {Floor: 0.6}, {Kept: at(40).Kept}} {
		_, s, ok := d.Strongest(b)
		next := at(s.Strength + 1)
		if !ok || s.Kept < b.Kept+held-near || s.Texture < b.Texture+held-near && b.Texture > 0 || s.Floor < b.Floor+held-near && b.Floor > 0 ||
			next.Kept >= b.Kept+held && next.Texture >= b.Texture+held && next.Floor >= b.Floor+held {
			t.Errorf("%+v: %+v, then %+v", b, s, next)
		}
	}
	if _, s, ok := d.Strongest(lesions.Bounds{}); !ok || s.Strength != 100 {
		t.Errorf("without bounds the dial stops at %+v", s)
	}
	if _, s, ok := d.Strongest(lesions.Bounds{Kept: 1.01}); ok || s.Strength != 0 {
		t.Errorf("nothing is within the bound, and the dial goes to %+v", s)
	}
	if s := at(50); !(s.Possible > 0.3 && s.Possible < 0.95) {
		t.Errorf("%.2f of the noise is possible", s.Possible)
	}
}

func TestUsualSizes(t *testing.T) {
	for pixel, want := range map[float64][3]float64{1: {3, 5, 8}, 0.42: {1.3, 2.1, 3.4}, 0.0331: {0.099, 0.17, 0.26}} {
		got := lesions.UsualSizes(volume.NewGeometry([3]int{9, 9, 9}, [3]float64{pixel, pixel / 2, 1}))
		for i, size := range got {
			if math.Abs(size-want[i]) > 1e-9 {
				t.Errorf("pixels of %g mm: %v, want %v", pixel, got, want)
			}
		}
	}
}

// If a series has no room the largest lesions are left out, and then those of several slices.
func TestFitting(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1})
	for name, c := range map[string]struct {
		length int
		fits   func(sizes, length int) bool
		sizes  int
		want   int
	}{
		"room":        {0, func(int, int) bool { return true }, 3, 0},
		"smaller":     {0, func(sizes, length int) bool { return sizes < 2 || length == 1 }, 1, 0},
		"shorter":     {0, func(_, length int) bool { return length == 1 }, 3, 1},
		"both":        {0, func(sizes, length int) bool { return sizes < 3 && length == 1 }, 2, 1},
		"as asked":    {3, func(_, length int) bool { return length == 3 }, 3, 3},
		"no shorter":  {3, func(_, length int) bool { return length == 1 }, 0, 0},
		"no room yet": {0, func(int, int) bool { return false }, 0, 0},
	} {
		p, err := lesions.Fitting(g, c.length, func(sizes []float64, length int) (lesions.Panel, error) {
			if !c.fits(len(sizes), length) {
				return lesions.Panel{}, message.Errorf(message.VerdictNone, "no room")
			}
			return lesions.Panel{Places: len(sizes), Seed: uint64(length)}, nil
		})
		if p.Places != c.sizes || p.Seed != uint64(c.want) || (err == nil) != (c.sizes > 0) {
			t.Errorf("%s: %d sizes of %d slices, %v; want %d, %d", name, p.Places, p.Seed, err, c.sizes, c.want)
		}
	}
}

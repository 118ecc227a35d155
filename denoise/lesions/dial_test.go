package lesions_test

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/lesions"
	"quell/internal/message"
	"quell/volume"
)

// What one run says of a strength is what a run at that strength gives.
func TestSettingsAreThoseOfMixtures(t *testing.T) {
	v := flat(t, [3]int{150, 150, 3})
	l := lesions.Lesion{Shape: lesions.Disc, Size: 5, Contrast: 12}
	for filter, set := range map[string]map[string]denoise.Value{
		"gaussian":  {"sigma-spatial": denoise.Number(0.9)},
		"bilateral": {"sigma-range": denoise.Number(12)},
		"nlm":       {"h": denoise.Number(8), "search-radius": denoise.Number(3)},
	} {
		r := recipe(t, filter, 2, set)
		full := measured(t, request(v, r, l))
		none := full.Setting(0)
		if none.Kept != 1 || math.Abs(none.Texture-1) > 1e-12 || math.Abs(none.Noise-1) > 1e-12 {
			t.Errorf("%s: strength 0 leaves %+v", filter, none)
		}
		for _, strength := range []float64{35, 80, 100} {
			want := measured(t, request(v, r.With("strength", denoise.Number(strength)), l)).Setting(100)
			got := full.Setting(strength)
			if math.Abs(got.Kept-want.Kept) > 1e-4 || math.Abs(got.Texture-want.Texture) > 1e-4 || math.Abs(got.Noise-want.Noise) > 1e-4 {
				t.Errorf("%s at %g: %+v, measured %+v", filter, strength, got, want)
			}
		}
	}
}

func measured(t *testing.T, q lesions.Request) lesions.Panel {
	t.Helper()
	p, err := lesions.Measure(t.Context(), cpu.New(), q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The dial stops at the last whole strength within both bounds.
func TestDialStopsAtItsBounds(t *testing.T) {
	v := flat(t, [3]int{150, 150, 1})
	p := measured(t, request(v, recipe(t, "gaussian", 2, map[string]denoise.Value{"sigma-spatial": denoise.Number(1)}), lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 20}))
	if !p.Rows[0].Visible() {
		t.Fatalf("%+v", p.Rows[0])
	}
	for _, b := range []lesions.Bounds{lesions.UsualBounds, {Kept: 0.95}, {Texture: 0.95}, {Kept: p.Setting(40).Kept}, {Texture: p.Setting(40).Texture}} {
		s, ok := p.Strongest(b)
		next := p.Setting(s.Strength + 1)
		if !ok || s.Kept < b.Kept || s.Texture < b.Texture || next.Kept >= b.Kept && next.Texture >= b.Texture {
			t.Errorf("%+v: %+v, then %+v", b, s, next)
		}
	}
	if s, ok := p.Strongest(lesions.Bounds{}); !ok || s.Strength != 100 {
		t.Errorf("without bounds the dial stops at %+v", s)
	}
	if s, ok := p.Strongest(lesions.Bounds{Kept: 1.01}); ok || s.Strength != 0 {
		t.Errorf("nothing is within the bound, and the dial goes to %+v", s)
	}
	// A lesion that was not visible before does not limit the dial.
	faint := measured(t, request(v, p.Recipe, lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 20}, lesions.Lesion{Shape: lesions.Disc, Size: 2, Contrast: 0.5}))
	if faint.Rows[1].Visible() || faint.Setting(100).Kept != faint.Rows[0].Kept.Value {
		t.Errorf("%+v", faint.Setting(100))
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

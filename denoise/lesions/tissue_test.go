package lesions_test

import (
	"context"
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/volume"
)

func tissue(t *testing.T, v *volume.Volume) *lesions.Tissue {
	t.Helper()
	tissue, err := lesions.FindTissue(context.Background(), denoise.Input{Volume: v}, volume.Region{}, noise.Known(5), nil)
	if err != nil {
		t.Fatal(err)
	}
	return tissue
}

// The contrast kept of faint lesions is that of inserted ones, and a run on the regions gives the same figures as the
// whole result.
func TestFiguresAgreeWithInsertedLesions(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		dims   [3]int
		filter string
		as     int
		set    map[string]denoise.Value
	}{
		{[3]int{150, 150, 1}, "gaussian", 2, map[string]denoise.Value{"sigma-spatial": denoise.Number(1), "radius": denoise.List(5)}},
		{[3]int{150, 150, 1}, "nlm", 2, nil},
		{[3]int{150, 150, 1}, "bilateral", 2, nil},
		{[3]int{96, 96, 9}, "gaussian", 3, nil},
		{[3]int{96, 96, 9}, "odct", 3, nil},
	} {
		v := flat(t, c.dims)
		r := recipe(t, c.filter, c.as, c.set)
		found := tissue(t, v)
		result, err := cpu.New().Run(ctx, r, denoise.Input{Volume: v}, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		f := found.Of(result, v.Bounds()).Figures()
		part, err := found.Run(ctx, cpu.New(), r)
		if err != nil {
			t.Fatal(err)
		}
		if part.Figures() != f {
			t.Errorf("%s: the regions alone give %+v, the whole %+v", c.filter, part.Figures(), f)
		}
		l := found.Lesion
		l.Contrast = 1 // a fifth of sigma
		p, err := lesions.Measure(ctx, cpu.New(), request(v, r, l))
		if err != nil {
			t.Fatal(err)
		}
		got, want := f.Contrast(), p.Rows[0].Kept
		t.Logf("%s %d-D: contrast %.3f (%.3f to %.3f), inserted %.3f; noise %.3f, texture %.3f", c.filter, c.as, got.Value, got.Low, got.High, want.Value, f.Noise().Value, f.Texture().Value)
		if math.Abs(got.Value-want.Value) > 0.03 || want.Value < got.Low || want.Value > got.High {
			t.Errorf("%s %d-D keeps %.3f (%.3f to %.3f), inserted %.3f", c.filter, c.as, got.Value, got.Low, got.High, want.Value)
		}
	}
}

// Figures of a mixture are those of the mixed result; an equal result removes nothing.
func TestFiguresOfAMixture(t *testing.T) {
	ctx := context.Background()
	v := flat(t, [3]int{120, 120, 1})
	found := tissue(t, v)
	result, err := cpu.New().Run(ctx, recipe(t, "nlm", 2, nil), denoise.Input{Volume: v}, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	half := v.Clone()
	for i, u := range result.Data {
		half.Data[i] = 0.5*half.Data[i] + 0.5*u
	}
	a, b := found.Of(result, v.Bounds()).At(50), found.Of(half, v.Bounds()).Figures()
	for _, d := range []float64{a.Noise().Value - b.Noise().Value, a.Contrast().Value - b.Contrast().Value, a.Texture().Value - b.Texture().Value} {
		if math.Abs(d) > 1e-4 {
			t.Errorf("the mixture has %+v, its volume %+v", a, b)
		}
	}
	if f := found.Of(v, v.Bounds()).Figures(); f.NoiseRemoved != 0 || f.ContrastKept != 1 || f.TextureKept != 1 {
		t.Errorf("an equal result has %+v", f)
	}
	strength, f := found.Of(result, v.Bounds()).Strongest(verdict.Usual)
	if strength <= 0 || strength >= 100 || !verdict.Usual.Within(f) || verdict.Usual.Within(found.Of(result, v.Bounds()).At(strength+1)) {
		t.Errorf("strength %g leaves %+v", strength, f)
	}
}

// Without homogeneous regions nothing is known.
func TestNoTissue(t *testing.T) {
	v := flat(t, [3]int{60, 60, 1})
	for i := range v.Data {
		v.Data[i] += float32(40 * (i % 60 / 4 % 2))
	}
	if f := tissue(t, v).Of(v, v.Bounds()).Figures(); f.Noise().Known() {
		t.Errorf("stripes have %+v", f)
	}
}

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

// The figures of an equaliser follow from one run of the filter: they are those of its result. The dial solves it within its
// bounds, and an equal result removes nothing.
func TestFiguresOfAnEqualiser(t *testing.T) {
	ctx := context.Background()
	v := flat(t, [3]int{120, 120, 1})
	found := tissue(t, v)
	full := recipe(t, "nlm", 2, nil)
	response, err := found.Respond(ctx, cpu.New(), full)
	if err != nil {
		t.Fatal(err)
	}
	d, ok := response.Dial()
	if !ok {
		t.Fatal("no dial")
	}
	w, s, ok := d.Strongest(lesions.UsualBounds)
	if !ok || s.Kept < lesions.UsualBounds.Kept-0.005 || s.Texture < lesions.UsualBounds.Texture-0.005 {
		t.Fatalf("%+v", s)
	}
	result, err := cpu.New().Run(ctx, full.Equalised(s.Strength, w), denoise.Input{Volume: v}, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, want := response.Figures(w), found.Of(result, v.Bounds()).Figures()
	if !got.Close(want, 2e-3) {
		t.Errorf("the response gives %+v, the result %+v", got, want)
	}
	t.Logf("strength %g: %+v; the dial says %+v", s.Strength, got, s)
	if !verdict.Usual.Within(got) || got.Noise().Value < 0.1 {
		t.Errorf("the dial leaves %+v", got)
	}
	if f := found.Of(v, v.Bounds()).Figures(); !f.Close(verdict.Unchanged(), 1e-9) {
		t.Errorf("an equal result has %+v", f)
	}
}

// Without homogeneous regions nothing is known, and the dial has no way to solve.
func TestNoTissue(t *testing.T) {
	v := flat(t, [3]int{60, 60, 1})
	for i := range v.Data {
		v.Data[i] += float32(40 * (i % 60 / 4 % 2))
	}
	found := tissue(t, v)
	if f := found.Of(v, v.Bounds()).Figures(); f.Noise().Known() {
		t.Errorf("stripes have %+v", f)
	}
	response, err := found.Respond(context.Background(), cpu.New(), recipe(t, "nlm", 2, nil))
	if err != nil {
		t.Fatal(err)
	}
	if f := response.Figures(nil); f.Noise().Known() {
		t.Errorf("a filter of stripes has %+v", f)
	}
	if _, ok := response.Dial(); ok {
		t.Error("stripes have a dial")
	}
}

// In thin slices the objects that figures are of reach through three slices, whatever the pixels: as many as they would at least.
func TestObjectsOfThinSlicesAreLong(t *testing.T) {
	for pixel, want := range map[float64]int{0.5: 1, 1: 3, 2: 3} {
		v := flat(t, [3]int{90, 90, 9})
		v.Spacing[0], v.Spacing[1] = pixel, pixel
		if got := tissue(t, v).Lesion; got.Slices != want {
			t.Errorf("pixels of %g mm: %+v, want %d slices", pixel, got, want)
		}
	}
}

package run_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"quell/app/apptest"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/series"
	"quell/volume"
)

// counting counts runs.
type counting struct {
	denoise.Engine
	runs *atomic.Int32
}

func (e counting) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, p denoise.Progress) (*volume.Volume, error) {
	e.runs.Add(1)
	return e.Engine.Run(ctx, r, in, region, p)
}

// even is a series of one value within walls: little even tissue if they are near.
func even(t *testing.T, dims [3]int, sigma float64, wall int) *series.Series {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 1000
		if wall > 0 && (i%dims[0]%wall == 0 || i/dims[0]%dims[1]%wall == 0) {
			v.Data[i] = 1500
		}
	}
	if sigma > 0 {
		var err error
		if v, err = noise.AddNoise(t.Context(), v, noise.Gaussian, sigma, 5); err != nil {
			t.Fatal(err)
		}
	}
	return &series.Series{Volume: v}
}

// A strength between the original and the filter alone has an equaliser, which reproduces the run. It is solved once for a
// series. Without noise the share is the same at all frequencies, and the run says so.
func TestAStrengthHasAnEqualiser(t *testing.T) {
	s := even(t, [3]int{96, 96, 1}, 10, 0)
	engine := counting{cpu.New(), new(atomic.Int32)}
	r := apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(1.2))
	half := r.With("strength", denoise.Number(50))
	got, err := run.Denoise(t.Context(), engine, run.Request{Series: s, Recipe: half}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Resolved.Equaliser) != 4 || got.Tuned == nil || got.Tuned.Dial == nil || got.Tuned.Dial.Strength != 50 || len(got.Tuned.Doubts) > 0 {
		t.Fatalf("%v, %+v", got.Resolved.Equaliser, got.Tuned)
	}
	before := engine.runs.Load()
	again, err := run.Denoise(t.Context(), engine, run.Request{Series: s, Recipe: got.Resolved}, nil)
	if err != nil || !slices.Equal(again.Result.Data, got.Result.Data) || engine.runs.Load() != before+1 {
		t.Errorf("the resolved recipe gives another result in %d runs, %v", engine.runs.Load()-before, err)
	}
	before = engine.runs.Load()
	more, err := run.Denoise(t.Context(), engine, run.Request{Series: s, Recipe: r.With("strength", denoise.Number(60))}, nil)
	if err != nil || slices.Equal(more.Resolved.Equaliser, got.Resolved.Equaliser) || engine.runs.Load() != before+1 {
		t.Errorf("another strength has %v in %d runs, %v", more.Resolved.Equaliser, engine.runs.Load()-before, err)
	}
	visible, err := run.Denoise(t.Context(), engine, run.Request{Series: s, Recipe: r.With("strength", denoise.Visible)}, nil)
	if err != nil || visible.Tuned.Dial == nil || visible.Tuned.Dial.Kept < 0.898 || visible.Tuned.Dial.Texture < 0.898 || visible.Tuned.Dial.Floor < 0.248 {
		t.Errorf("%+v, %v", visible, err)
	}
	silent, err := run.Denoise(t.Context(), engine, run.Request{Series: even(t, [3]int{40, 40, 1}, 0, 0), Recipe: half}, nil)
	if err != nil || silent.Resolved.Equaliser != nil || silent.Resolved.Mixed() != 0.5 || len(silent.Tuned.Doubts) != 1 {
		t.Errorf("%+v, %v", silent, err)
	}
}

// Few places of homogeneous tissue, as in a chest, are enough for a dial, and too few are none.
func TestFewPlacesOfEvenTissue(t *testing.T) {
	r := apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(1)).With("strength", denoise.Visible)
	facts := denoise.Facts{Hi: 1500, Noise: noise.Known(10)}
	for _, c := range []struct {
		side int
		ok   bool
	}{{48, true}, {32, false}} { // 9 places, and 4
		s := even(t, [3]int{c.side, c.side, 1}, 10, 16)
		got, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: r, Facts: &facts}, nil)
		if (err == nil) != c.ok || c.ok && len(got.Resolved.Equaliser) == 0 && got.Resolved.Mixed() < 1 {
			t.Errorf("side %d: %v", c.side, err)
		}
	}
}

// A reader's bounds change the strength of visible: they may keep more, or less than the verdict asks for.
func TestBoundsOfAReader(t *testing.T) {
	s := even(t, [3]int{96, 96, 1}, 10, 0)
	r := apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(1.2))
	last := 1.0
	for _, c := range []struct {
		text                 string
		kept, texture, floor float64
	}{{"visible:0.97,0.97,0.6", 0.97, 0.97, 0.6}, {"visible", 0.9, 0.9, 0.25}, {"visible:0.8,0.75", 0.8, 0.75, 0.25}} {
		v, err := denoise.ParseValue(c.text)
		if err != nil {
			t.Fatal(err)
		}
		done, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: r.With("strength", v)}, nil)
		if err != nil || done.Tuned.Dial == nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if d := done.Tuned.Dial; d.Kept < c.kept-0.002 || d.Texture < c.texture-0.002 || d.Floor < c.floor-0.002 || d.Noise > last-0.03 {
			t.Errorf("%s: %+v", c.text, d)
		} else {
			last = d.Noise
		}
	}
}

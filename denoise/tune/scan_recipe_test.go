package tune_test

import (
	"math"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/volume"
)

// put adds a disc of a radius to slices from..to.
func put(v *volume.Volume, x, y, from, to, radius int, by float32) {
	for z := from; z < to; z++ {
		for dy := -radius; dy <= radius; dy++ {
			for dx := -radius; dx <= radius; dx++ {
				if dx*dx+dy*dy <= radius*radius {
					v.Data[v.Index(x+dx, y+dy, z)] += by
				}
			}
		}
	}
}

// filtered is what a recipe makes of a volume.
func filtered(t *testing.T, r denoise.Recipe, v *volume.Volume) *volume.Volume {
	t.Helper()
	out, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// rounded is what a file of integers of a scale keeps, of values from lo on.
func rounded(v *volume.Volume, step, lo float64) *volume.Volume {
	out := v.Clone()
	for i, a := range out.Data {
		out.Data[i] = float32(max(math.Round(float64(a)/step)*step, lo))
	}
	return out
}

// clipped is v within the ends of a window.
func clipped(v *volume.Volume, lo, hi float32) *volume.Volume {
	out := v.Clone()
	for i, x := range out.Data {
		out.Data[i] = min(max(x, lo), hi)
	}
	return out
}

func TestARecipeMustMakeTheResult(t *testing.T) {
	_, without := head(t, 10)
	e, err := noise.Of(t.Context(), without)
	if err != nil {
		t.Fatal(err)
	}
	r := sweeps[1].recipe(t, 2, 10, without)
	with := without.Clone()
	put(with, 40, 50, 5, 7, 4, 40)
	lo, hi, err := with.Range(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	within := float32(0.9e-4 * (hi - lo))
	honest := filtered(t, r, with)
	erased := filtered(t, r, without)
	moved := func(by float32) *volume.Volume {
		v := honest.Clone()
		v.Data[v.Index(20, 60, 3)] += by
		return v
	}
	mirrored := honest.Clone()
	for i := range mirrored.Data {
		mirrored.Data[i] = honest.Data[i/80*80+79-i%80]
	}
	lit := honest.Clone()
	put(lit, 30, 60, 8, 9, 2, 20)
	for name, c := range map[string]struct {
		after  *volume.Volume
		change tune.Change // "" for none
		share  bool        // differs everywhere
	}{
		"honest":                {honest, "", false},
		"integers":              {rounded(honest, 1, -1000), "", false},
		"integers from 0 on":    {rounded(honest, 1, 0), "", false},
		"coarse integers":       {rounded(honest, 3.7, 0), "", false},
		"a window of integers":  {clipped(rounded(honest, 1, -1000), 40, hi+1), tune.Removed, false},
		"one from above":        {clipped(rounded(honest, 1, -1000), lo-1, 150), tune.Removed, false},
		"the whole range":       {clipped(rounded(honest, 1, -1000), lo, hi), "", false},
		"as engines differ":     {moved(within), "", false},
		"more than they differ": {moved(1.3 * within), tune.Added, false},
		"erased":                {erased, tune.Removed, false},
		"erased, of integers":   {rounded(erased, 1, 0), tune.Removed, false},
		"lit":                   {lit, tune.Added, false},
		"input":                 {with, tune.Added, true},
		"mirrored":              {mirrored, "any", true},
	} {
		j, err := tune.Inspect(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: with}, After: c.after, Recipe: &r, Noise: e, WithoutMap: true})
		if err != nil {
			t.Fatal(err)
		}
		told := strings.HasPrefix(j.FoundWhy.String(), "This recipe does not make this result")
		switch {
		case told != (c.change != "") || told != (j.Found != nil):
			t.Errorf("%s: %s, %+v", name, j.FoundWhy, j.Found)
		case c.share != j.Foreign:
			t.Errorf("%s: %v, %s", name, j.Foreign, j.FoundWhy)
		case told && !c.share && j.Found.Change != c.change:
			t.Errorf("%s: %s; want %s", name, j.Found.Change, c.change)
		}
		if strings.HasPrefix(name, "erased") {
			if p := j.Found.Place; max(p.X-40, 40-p.X, p.Y-50, 50-p.Y) > 1 || p.Slice < 4 || p.Slice > 5 || j.Found.Radius < 3 || j.Found.Slices < 2 || j.Found.Z < 30 || !j.Found.Recipe {
				t.Errorf("%s: found %+v", name, j.Found)
			}
		}
	}
	j, err := tune.Inspect(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: with}, After: erased, Recipe: &r, Made: true, Noise: e, WithoutMap: true})
	if err != nil || j.Found != nil {
		t.Errorf("known to be made by its recipe: %+v, %v", j.Found, err)
	}
}

// A lesion is found that is gone from a result which is the input everywhere else: no filter did that.
func TestALesionGoneFromTheInput(t *testing.T) {
	_, without := head(t, 10)
	e, err := noise.Of(t.Context(), without)
	if err != nil {
		t.Fatal(err)
	}
	with := without.Clone()
	put(with, 40, 50, 5, 7, 4, 40)
	for name, after := range map[string]*volume.Volume{"gone": without, "kept": with} {
		j, err := tune.Inspect(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: with}, After: after, Noise: e, WithoutMap: true})
		if err != nil {
			t.Fatal(err)
		}
		if name == "kept" {
			if j.Found != nil {
				t.Errorf("the input itself: %+v", j.Found)
			}
		} else if j.Found == nil || max(j.Found.Place.X-40, 40-j.Found.Place.X, j.Found.Place.Y-50, 50-j.Found.Place.Y) > 3 {
			t.Errorf("a lesion is gone: %s, %+v", j.FoundWhy, j.Found)
		}
	}
}

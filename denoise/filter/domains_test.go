package filter_test

import (
	"fmt"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
)

// The domain and the default of every parameter: recipes in records and scripts rely on
// them.
func TestDomainsAndDefaults(t *testing.T) {
	want := map[string]string{
		"bilateral radius":        "0 to 64, auto",
		"bilateral sigma-range":   "above 0, auto",
		"bilateral sigma-spatial": "0.001 to 1000, 1",
		"bilateral voxel-units":   "false",
		"gaussian radius":         "0 to 64, auto",
		"gaussian sigma-spatial":  "0.001 to 1000, 1",
		"gaussian voxel-units":    "false",
		"lpa gamma":               "0.001 to 100, 1.05",
		"lpa scales":              "1 to 32, 1,2,3,5,7,8",
		"lpa sigma":               "0 or more, auto",
		"median radius":           "0 to 16, 1",
		"nlm centre":              "max",
		"nlm correlation":         "-100 to 100, 0",
		"nlm h":                   "above 0, auto",
		"nlm k":                   "1 to 4, 2",
		"nlm patch-radius":        "0 to 8, 1",
		"nlm patch-sigma":         "0.05 to 100, 1",
		"nlm patch-weights":       "gaussian",
		"nlm rician":              "auto",
		"nlm search-radius":       "0 to 32, 3",
		"nlm sigma":               "0 or more, auto",
		"nlm weighting":           "gaussian",
	}
	got := map[string]string{}
	for _, f := range denoise.Filters() {
		for _, p := range f.Params {
			text := p.Default.String()
			if p.Kind == denoise.Float || p.Kind == denoise.Int || p.Kind == denoise.Ints {
				text = fmt.Sprintf("%s, %s", p.Domain(), text)
			}
			got[f.Name+" "+p.Name] = text
		}
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %q; want %q", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d parameters; want %d", len(got), len(want))
	}
}

// The steps per voxel of nlm, from which the cost on a GPU is estimated: patches up to
// radius 3 cost nothing more, larger ones and those of lk all their voxels.
func TestWorkOfNLM(t *testing.T) {
	for set, want := range map[string]float64{
		"search-radius=2 patch-radius=3": 25, "search-radius=2 patch-radius=4": 25 * 81,
		"search-radius=1 patch-radius=1 weighting=lk": 9 * 9, "search-radius=0 patch-radius=0": 1,
	} {
		f, err := denoise.FilterByName("nlm")
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Recipe(denoise.Case{Dims: 2, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.Resolve(grid, denoise.Facts{Lo: 0, Hi: 100, Noise: noise.Known(5)}); err != nil {
			t.Fatal(err)
		}
		p, err := r.Bind(grid)
		if err != nil || p.Passes[0].Work != want {
			t.Errorf("%s: %+v, %v; want %g steps", set, p.Passes, err, want)
		}
	}
}

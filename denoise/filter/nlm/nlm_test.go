package nlm

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
)

func near(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*math.Abs(want)
}

func TestTaps(t *testing.T) {
	r := denoise.Recipe{Dims: 2, Params: map[string]denoise.Value{
		"patch-radius": denoise.Number(2), "search-radius": denoise.Number(3),
		"patch-weights": denoise.Word("gaussian"), "patch-sigma": denoise.Number(1),
	}}
	p := newParams(r)
	sum := 0.0
	for k, a := range p.Taps {
		sum += a
		if want := math.Exp(-0.5*float64((k-2)*(k-2))) * p.Taps[2]; !near(a, want, 1e-14) {
			t.Errorf("tap %d is %v; want %v", k, a, want)
		}
	}
	if len(p.Taps) != 5 || !near(sum, 1, 1e-15) {
		t.Errorf("taps %v", p.Taps)
	}
	u := newParams(r.With("patch-weights", denoise.Word("uniform")).With("patch-radius", denoise.Number(1)))
	if !slices.Equal(u.Taps, []float64{1. / 3, 1. / 3, 1. / 3}) {
		t.Errorf("uniform taps %v", u.Taps)
	}
}

package run

import (
	"slices"
	"testing"

	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// A filter that only averages across slices competes if the slices are to be mixed: three or more, thin and even, unless
// every slice is to be filtered on its own.
func TestWhatMixesSlicesCompetes(t *testing.T) {
	for _, c := range []struct {
		slices, dims int
		spacing      float64
		slicewise    bool
		want         bool
	}{
		{3, 0, 2.75, false, true}, {3, 3, 2.75, false, true}, {3, 2, 2.75, false, false},
		{2, 0, 2.75, false, false}, {3, 0, 2.76, false, false}, {3, 0, 2.75, true, false}, {3, 3, 2.75, true, false},
	} {
		s := &series.Series{Volume: volume.New(volume.NewGeometry([3]int{8, 8, c.slices}, [3]float64{1, 1, c.spacing}))}
		if c.slicewise {
			s.Findings = []series.Finding{{Slicewise: true}}
		}
		all, err := candidates(s, c.dims)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(all, func(r denoise.Recipe) bool { return r.Filter == "slab" }); got != c.want || len(all) < 7 {
			t.Errorf("%+v: slab competes: %t, %d recipes", c, got, len(all))
		}
	}
}

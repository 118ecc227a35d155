package odct

import (
	"testing"

	"quell/denoise"
	"quell/volume"
)

// Blocks have 4 or 8 voxels along an axis, or as many as there are, and a threshold in
// the unit of the volume.
func TestBind(t *testing.T) {
	for _, c := range []struct {
		dims   int
		volume [3]int
		size   [3]int
		reach  [3]int
	}{
		{3, [3]int{40, 30, 20}, [3]int{4, 4, 4}, [3]int{3, 3, 3}},
		{3, [3]int{40, 3, 2}, [3]int{4, 3, 2}, [3]int{3, 2, 1}},
		{2, [3]int{40, 30, 20}, [3]int{8, 8, 1}, [3]int{7, 7, 0}},
		{2, [3]int{5, 30, 20}, [3]int{5, 8, 1}, [3]int{4, 7, 0}},
	} {
		r := denoise.Recipe{Filter: Filter.Name, Dims: c.dims}.With("threshold", denoise.Number(3)).With("sigma", denoise.Number(7))
		p, err := bind(r, volume.NewGeometry(c.volume, [3]float64{1, 1, 1}))
		if err != nil {
			t.Fatal(err)
		}
		if want := (Params{Size: c.size, Threshold: 21}); p.Params != want || p.Reach() != c.reach {
			t.Errorf("%d-D of %v: %+v, reach %v; want %+v, %v", c.dims, c.volume, p.Params, p.Reach(), want, c.reach)
		}
	}
}

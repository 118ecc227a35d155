package bnlm

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// Slices more than 4 mm apart, and neighbours that are seldom alike, take less in 3-D.
func TestTissue(t *testing.T) {
	for _, c := range []struct {
		dims        int
		z, alike, t float64
	}{
		{3, 4, 0, 1.12}, {3, 4.1, 0, 0.46}, {2, 9, 0, 1.17}, {2, 9, 1, 1.17}, {3, 4, 3.5, 1.12}, {3, 4, 9, 1.12}, {3, 4, 2.8, 1.12 * 0.512}, {3, 4, 1, 1.12 * 0.4},
	} {
		if got := tissue(c.dims, volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, c.z}), denoise.Facts{Alike: c.alike}); math.Abs(got-c.t) > 1e-12 {
			t.Errorf("%+v: %g", c, got)
		}
	}
}

package tune

import (
	"testing"

	"quell/volume"
)

// fields is a residual and a difference, with a disc of radius 3 in the middle of slice 1.
func fields(inLeft, inOther, around float32) (left, other residue) {
	g := volume.NewGeometry([3]int{48, 48, 3}, [3]float64{1, 1, 1})
	field := func(disc, elsewhere float32) residue {
		return residue{Geometry: g, slice: func(z int, data []float32, use []bool) {
			for i := range data {
				x, y := i%48-24, i/48-24
				use[i], data[i] = true, elsewhere
				if (x+48)/6%2 == 0 {
					data[i] = -elsewhere
				}
				if z == 1 && x*x+y*y <= 9 {
					data[i] += disc
				}
			}
		}}
	}
	return field(inLeft, 0), field(inOther, around)
}

// A disc is a finding if it stands out of the residual and of the difference, to the same side.
func TestSuspect(t *testing.T) {
	for name, c := range map[string]struct {
		left, other, around float32
		share               float64
		want                bool
	}{
		"both":                         {1, 0.5, 0, 1, true},
		"the residual, just":           {4.6 / 5.3852, 0.5, 0, 1, true},
		"the residual, not quite":      {4.4 / 5.3852, 0.5, 0, 1, false},
		"the difference, just":         {1, 5.1 * 0.3 / 5.3852, 0, 1, true},
		"the difference, not quite":    {1, 4.8 * 0.3 / 5.3852, 0, 1, false},
		"to the other side":            {1, -0.5, 0, 1, false},
		"less than a tenth":            {4, 0.39, 0, 1, false},
		"a tenth":                      {4, 0.41, 0, 1, true},
		"as apart all around":          {1, 0.5, 0.3, 1, false},
		"a stand-in that is not exact": {1, 0.5, 0, 0.8, false},
	} {
		left, other := fields(c.left, c.other, c.around)
		s, err := left.suspect(t.Context(), other, leastUsual*leastUsual+unlike*(1-c.share), stands, apart)
		if err != nil {
			t.Fatal(err)
		}
		if (s != nil) != c.want {
			t.Errorf("%s: %+v; want %v", name, s, c.want)
		}
		if s != nil && (s.at != [3]int{24, 24, 1} || s.radius != 3 || s.slices != 1) {
			t.Errorf("%s: found %+v", name, s)
		}
	}
}

package volume_test

import (
	"slices"
	"testing"

	"quell/volume"
)

// reordered stores a volume with its axes exchanged and reversed: axis c of the result is axis[c] of v.
func reordered(v *volume.Volume, axis [3]int, flip [3]bool) *volume.Volume {
	var g volume.Geometry
	origin := v.Affine.Column(3)
	for c, a := range axis {
		g.Dims[c] = v.Dims[a]
		column := v.Affine.Column(a)
		if flip[c] {
			origin = origin.Add(column.Scale(float64(v.Dims[a] - 1)))
			column = column.Scale(-1)
		}
		g.Affine.SetColumn(c, column)
		g.Spacing[c] = v.Spacing[a]
	}
	g.Affine.SetColumn(3, origin)
	out := volume.New(g)
	out.Mask = make([]bool, len(out.Data))
	for z := range g.Dims[2] {
		for y := range g.Dims[1] {
			for x := range g.Dims[0] {
				at, from := [3]int{x, y, z}, [3]int{}
				for c, a := range axis {
					if from[a] = at[c]; flip[c] {
						from[a] = g.Dims[c] - 1 - at[c]
					}
				}
				i, k := g.Index(x, y, z), v.Index(from[0], from[1], from[2])
				out.Data[i], out.Mask[i] = v.Data[k], v.Mask[k]
			}
		}
	}
	return out
}

// TestInOrderOf brings a volume that is stored in any of the 48 orders back, bit for bit, and no other.
func TestInOrderOf(t *testing.T) {
	v := ramp(turned([3]int{4, 4, 5}, [3]float64{1, 1, 2}, volume.Vec{3, -4, 5}, 0.3, 0.2))
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = i%7 > 0
	}
	for _, axis := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		for bits := range 8 {
			other := reordered(v, axis, [3]bool{bits&1 > 0, bits&2 > 0, bits&4 > 0})
			back, ok := other.InOrderOf(v.Geometry, 0.01)
			if !ok || !slices.Equal(back.Data, v.Data) || !slices.Equal(back.Mask, v.Mask) || back.Geometry != v.Geometry && back != other {
				t.Fatalf("axes %v, reversed %03b: %v", axis, bits, ok)
			}
			for shift, want := range map[float64]bool{0.009: true, 0.011: false} {
				moved := *other
				moved.Affine[1][3] += shift
				if _, ok := moved.InOrderOf(v.Geometry, 0.01); ok != want {
					t.Fatalf("axes %v, reversed %03b, %g mm away: %v", axis, bits, shift, ok)
				}
			}
		}
	}
	for what, g := range map[string]volume.Geometry{
		"other dims":    volume.NewGeometry([3]int{4, 5, 5}, [3]float64{1, 1, 2}),
		"other spacing": turned([3]int{4, 4, 5}, [3]float64{1, 1, 2.1}, volume.Vec{3, -4, 5}, 0.3, 0.2),
		"turned":        turned([3]int{4, 4, 5}, [3]float64{1, 1, 2}, volume.Vec{3, -4, 5}, 0.4, 0.2),
		"flat":          {Dims: [3]int{4, 4, 5}},
	} {
		if _, ok := v.InOrderOf(g, 0.01); ok {
			t.Errorf("%s: taken for the same grid", what)
		}
	}
}

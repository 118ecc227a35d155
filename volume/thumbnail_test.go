package volume_test

import (
	"slices"
	"testing"

	"quell/volume"
)

// TestShrink averages the voxels under each pixel: all of them, and at least one.
func TestShrink(t *testing.T) {
	row := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(i)
		}
		return v
	}
	for _, c := range []struct {
		name       string
		cols, rows int
		x, y       float64 // spacing
		side       int
		wantCols   int
		want       []float32
	}{
		{"ten to four", 10, 1, 1, 1, 4, 4, []float32{0.5, 3, 5.5, 8}},
		{"2.6 columns are three", 8, 9, 1.3, 4, 9, 3, nil},
		{"2.4 columns are two", 8, 9, 1.2, 4, 9, 2, nil},
		{"seven to three", 1, 7, 1, 1, 3, 1, []float32{0.5, 2.5, 5}},
		{"one pixel", 1, 6, 1, 0.4, 1, 1, []float32{2.5}},
		{"at least one row", 10, 1, 1, 0.1, 5, 5, []float32{0.5, 2.5, 4.5, 6.5, 8.5}},
		{"at least one column", 1, 10, 0.1, 1, 5, 1, []float32{0.5, 2.5, 4.5, 6.5, 8.5}},
		{"enlarged", 2, 2, 1, 1, 3, 3, []float32{0, 0, 1, 0, 0, 1, 2, 2, 3}},
		{"both ways", 4, 4, 1, 1, 2, 2, []float32{2.5, 4.5, 10.5, 12.5}},
	} {
		v := volume.New(volume.NewGeometry([3]int{c.cols, c.rows, 1}, [3]float64{c.x, c.y, 1}))
		copy(v.Data, row(len(v.Data)))
		got := v.Shrink(c.side)
		if c.want == nil {
			if got.Dims != [3]int{c.wantCols, 9, 1} {
				t.Errorf("%s: %v", c.name, got.Dims)
			}
			continue
		}
		if got.Dims != [3]int{c.wantCols, len(c.want) / c.wantCols, 1} || !slices.Equal(got.Data, c.want) {
			t.Errorf("%s: %v %v, want %v", c.name, got.Dims, got.Data, c.want)
		}
	}
}

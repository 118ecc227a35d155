package noise

import (
	"testing"

	"quell/volume"
)

// TestForegroundBits: every voxel of rows and slices that begin anywhere in words and tasks is
// asked for once, by its place, unless it is padding.
func TestForegroundBits(t *testing.T) {
	for _, dims := range [][3]int{{1, 1, 1}, {64, 1, 1}, {65, 3, 2}, {61, 37, 31}} { // the last beyond one task
		v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
		v.Mask = make([]bool, len(v.Data))
		for i := range v.Mask {
			v.Mask[i] = i%7 != 3
		}
		counts := func(x, y, z int) bool { return (x*x+3*y+5*z)%4 < 2 }
		bits, err := foregroundBits(t.Context(), v, func(y, z int) []bool {
			row := make([]bool, dims[0])
			for x := range row {
				row[x] = counts(x, y, z)
			}
			return row
		})
		if err != nil {
			t.Fatal(err)
		}
		for z := range dims[2] {
			for y := range dims[1] {
				for x := range dims[0] {
					i := v.Index(x, y, z)
					if got, want := bits[i>>6]>>(i&63)&1 != 0, v.Mask[i] && counts(x, y, z); got != want {
						t.Fatalf("%v: voxel %d, %d, %d: %v", dims, x, y, z, got)
					}
				}
			}
		}
	}
}

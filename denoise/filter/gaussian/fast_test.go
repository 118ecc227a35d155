package gaussian

import (
	"slices"
	"testing"
)

// TestSmooth compares the convolution along each axis of a small block with the sum of its
// definition, and checks that it stops on request.
func TestSmooth(t *testing.T) {
	dims := [3]int{4, 3, 5}
	src := make([]float64, 60)
	for i := range src {
		src[i] = float64(i * i % 17)
	}
	taps := []float64{1, 2, 4, 8, 16} // not symmetric, and as powers of two without rounding
	at := func(p [3]int) float64 {
		for c := range 3 {
			if p[c] < 0 || p[c] >= dims[c] {
				return 0
			}
		}
		return src[(p[2]*dims[1]+p[1])*dims[0]+p[0]]
	}
	for axis := range 3 {
		got := make([]float64, 60)
		for i := range got {
			got[i] = -99 // what was there before
		}
		smooth(got, src, dims, axis, taps, func() bool { return false })
		for i, x := range got {
			want := 0.0
			for k, tap := range taps {
				p := [3]int{i % 4, i / 4 % 3, i / 12}
				p[axis] += k - 2
				want += tap * at(p)
			}
			if x != want {
				t.Fatalf("axis %d, voxel %d: %g, want %g", axis, i, x, want)
			}
		}
		whole := slices.Clone(got)
		calls := 0
		clear(got)
		smooth(got, src, dims, axis, taps, func() bool { calls++; return calls > 2 })
		for i, x := range got {
			if want := map[bool]float64{true: whole[i]}[i < 24]; x != want {
				t.Errorf("axis %d, stopped after two slices: voxel %d is %g, want %g", axis, i, x, want)
			}
		}
	}
}

// TestTileSizes: tiles of one slice in 2-D, else cubes that are wider than their halo.
func TestTileSizes(t *testing.T) {
	for radius, want := range map[[3]int][3]int{
		{9, 9, 0}: {256, 128, 1}, {3, 3, 3}: {128, 32, 32}, {16, 16, 16}: {128, 32, 32}, {17, 17, 17}: {128, 34, 34}, {20, 40, 30}: {128, 80, 60},
	} {
		if got := tileSize(radius); got != want {
			t.Errorf("radius %v: tiles of %v, want %v", radius, got, want)
		}
	}
}

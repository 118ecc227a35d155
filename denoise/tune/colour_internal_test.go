package tune

import (
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// TestColoured compares correlated noise with the sum of its definition, in its order, in slices
// narrower and wider than the kernel.
func TestColoured(t *testing.T) {
	c := blotchy()
	k := colouringKernel(c)
	for _, dims := range [][3]int{{3, 2, 2}, {13, 10, 2}, {16, 1, 1}} {
		nx, ny := dims[0], dims[1]
		g := volume.NewGeometry(dims, [3]float64{1, 1, 1})
		white, err := coloured(t.Context(), g, nil, 5)
		if err != nil {
			t.Fatal(err)
		}
		got, err := coloured(t.Context(), g, c, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range got {
			x, y, first := i%nx, i/nx%ny, i/(nx*ny)*nx*ny
			want := 0.0
			for j := range kernelSide {
				for h := range kernelSide {
					from := first + wrap(y+j-noise.MaxLag, ny)*nx + wrap(x+h-noise.MaxLag, nx)
					want += float64(k[j][h] * float64(white[from]))
				}
			}
			if math.Float32bits(a) != math.Float32bits(float32(want)) {
				t.Fatalf("%v: voxel %d is %g; want %g", dims, i, a, want)
			}
		}
	}
}

package noise

import (
	"context"

	"quell/internal/parallel"
	"quell/volume"
)

// Foreground returns a function that says whether a voxel belongs to the part of
// the volume that a person looks at and whose noise is known: soft tissue of CT,
// -30 to 130 HU, and elsewhere the windows above the threshold that parts them into
// two classes. It is decided for windows of 5 x 5 pixels. Beyond soft tissue, at the
// edges of bone, in lung and fat, the residual of a CT holds more than its noise at
// any strength. The error is the context's.
func Foreground(ctx context.Context, v *volume.Volume) (func(i int) bool, error) {
	const side = 5
	nx, ny := (v.Dims[0]+side-1)/side, (v.Dims[1]+side-1)/side
	means := make([]window, nx*ny*v.Dims[2])
	err := parallel.For(ctx, v.Dims[2], func(z int) error {
		// In float64: the sum of values near the largest float32 overflows it.
		sums, counts := make([]float64, nx*ny), make([]float64, nx*ny)
		for y := range v.Dims[1] {
			for x := range v.Dims[0] {
				i := v.Index(x, y, z)
				if v.Valid(i) {
					at := y/side*nx + x/side
					sums[at] += float64(v.Data[i])
					counts[at]++
				}
			}
		}
		for at, n := range counts {
			if n > 0 {
				means[z*nx*ny+at].mean = float32(sums[at] / n)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	low, high := float32(tissueLow), float32(tissueHigh)
	if !IsCT(v) {
		low, high = float32(0.6*threshold(means)), float32(1e38)
	}
	return func(i int) bool {
		x, y, z := i%v.Dims[0], i/v.Dims[0]%v.Dims[1], i/(v.Dims[0]*v.Dims[1])
		m := means[z*nx*ny+y/side*nx+x/side].mean
		return v.Valid(i) && m >= low && m <= high
	}, nil
}

package noise

import (
	"context"

	"quell/internal/parallel"
	"quell/volume"
)

// Foreground returns a function that says whether a voxel belongs to the part of the
// volume that a person looks at and in which the noise is known: soft tissue of CT,
// -30 to 130 HU, and elsewhere the windows above the threshold that parts them into
// two classes, without values that stand alone, such as burnt-in text. It is decided for windows of 5 x 5 pixels. Beyond soft tissue, at the
// edges of bone, in lung and fat, the residual of a CT holds more than its noise at
// any strength. The error is the context's.
func Foreground(ctx context.Context, v *volume.Volume) (func(i int) bool, error) {
	const side = 5
	water, ct := Hounsfield(v)
	if !ct {
		var err error
		if v, _, _, err = withoutExtremes(ctx, v); err != nil {
			return nil, err
		}
	}
	nx, ny := (v.Dims[0]+side-1)/side, (v.Dims[1]+side-1)/side
	means := make([]window, nx*ny*v.Dims[2])
	err := parallel.For(ctx, v.Dims[2], func(z int) error {
		// In float64: the sum of values near the largest float32 overflows it.
		sums, counts := make([]float64, nx*ny), make([]float64, nx*ny)
		for y := range v.Dims[1] {
			row := v.Index(0, y, z)
			for at := range nx {
				sum, n := &sums[y/side*nx+at], &counts[y/side*nx+at]
				for i := row + at*side; i < row+min((at+1)*side, v.Dims[0]); i++ {
					if v.Valid(i) {
						*sum += float64(v.Data[i])
						*n++
					}
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
	soft := softTissue(water)
	low, high := float32(soft.low), float32(soft.high)
	if !ct {
		low, high = float32(0.6*threshold(means)), float32(1e38)
	}
	inside := make([]bool, v.Dims[0]*ny*v.Dims[2]) // a row of voxels for each row of windows
	for i := range inside {
		m := means[i/v.Dims[0]*nx+i%v.Dims[0]/side].mean
		inside[i] = m >= low && m <= high
	}
	bits, err := foregroundBits(ctx, v, func(y, z int) []bool {
		return inside[(z*ny+y/side)*v.Dims[0]:][:v.Dims[0]]
	})
	if err != nil {
		return nil, err
	}
	return func(i int) bool { return bits[i>>6]>>(i&63)&1 != 0 }, nil
}

// foregroundBits returns a bit for every voxel: whether it is valid and counts, by rows of the
// volume. Verdicts ask for all voxels several times.
func foregroundBits(ctx context.Context, v *volume.Volume, row func(y, z int) []bool) ([]uint64, error) {
	const share = 1 << 16 // voxels that one task decides: whole words
	n, nx, ny := len(v.Data), v.Dims[0], v.Dims[1]
	bits := make([]uint64, (n+63)/64)
	return bits, parallel.For(ctx, (n+share-1)/share, func(task int) error {
		for i, end := task*share, min((task+1)*share, n); i < end; {
			x, y, z := i%nx, i/nx%ny, i/(nx*ny)
			counts := row(y, z)[x:min(nx, x+end-i)]
			for k, c := range counts {
				if at := i + k; c && v.Valid(at) {
					bits[at>>6] |= 1 << (at & 63)
				}
			}
			i += len(counts)
		}
		return nil
	})
}

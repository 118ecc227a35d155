package noise

import (
	"context"
	"math"

	"quell/internal/parallel"
	"quell/volume"
)

// PseudoResiduals returns the standard deviation of white noise from the pseudo-residuals
// of a volume (Gasser 1986; Coupe 2008, section III-D), in its unit:
//
//	e_i     = sqrt(n / (n + 1)) (v_i - mean of the n nearest neighbours of i)
//	sigma^2 = mean of e_i^2
//
// with the six neighbours of a voxel of a volume, n = 6, or the four of a pixel if there are
// fewer than three slices. Structure counts as noise, so that it is too large by some per cent: Of is the
// better estimate, and this is the one that h = sqrt(2 beta) sigma of the paper was set
// with. Voxels at an edge of the volume, or beside one that is excluded, are left out; the result
// is 0 if none is left. It works on all cores; the error is the context's.
func PseudoResiduals(ctx context.Context, v *volume.Volume) (float64, error) {
	steps := []int{1, v.Dims[0]}
	if v.Dims[2] > 2 {
		steps = append(steps, v.SliceVoxels())
	}
	n := float64(2 * len(steps))
	first, last := 0, v.Dims[2]
	if len(steps) == 3 {
		first, last = 1, v.Dims[2]-1
	}
	type sums struct{ squares, count float64 }
	slices := make([]sums, last-first) // added in order, so that the bits do not depend on the cores
	err := parallel.For(ctx, len(slices), func(k int) error {
		var s sums
		for y := 1; y < v.Dims[1]-1; y++ {
			for x := 1; x < v.Dims[0]-1; x++ {
				i := v.Index(x, y, first+k)
				around, used := 0.0, v.Valid(i)
				for _, step := range steps {
					used = used && v.Valid(i-step) && v.Valid(i+step)
					around += float64(v.Data[i-step]) + float64(v.Data[i+step])
				}
				if !used {
					continue
				}
				e := float64(v.Data[i]) - around/n
				s.squares += e * e
				s.count++
			}
		}
		slices[k] = s
		return nil
	})
	var all sums
	for _, s := range slices {
		all.squares, all.count = all.squares+s.squares, all.count+s.count
	}
	if err != nil || all.count == 0 {
		return 0, err
	}
	return math.Sqrt(n / (n + 1) * all.squares / all.count), nil
}

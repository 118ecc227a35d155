package cpu

import (
	"context"
	"fmt"

	"quell/denoise"
	"quell/volume"
)

// Reference runs a recipe by the definitions of docs/FILTERS.md, in float64, one
// voxel after another: slow, plain, and what every engine is tested against.
// It returns the voxels of region, as Engine.Run does.
func Reference(r denoise.Recipe, in *volume.Volume, region volume.Region) (*volume.Volume, error) {
	r, err := prepare(context.Background(), r, in, region)
	if err != nil {
		return nil, err
	}
	var at func(x, y, z int) float64
	switch r.Filter {
	case "gaussian":
		p := r.Gaussian(in.Geometry)
		at = func(x, y, z int) float64 { return referenceGaussian(p, in, x, y, z) }
	case "median":
		p := r.Median()
		at = func(x, y, z int) float64 { return referenceMedian(p, in, x, y, z) }
	case "bilateral":
		p := r.Bilateral(in.Geometry)
		at = func(x, y, z int) float64 { return referenceBilateral(p, in, x, y, z) }
	case "nlm":
		p := r.NLM()
		at = func(x, y, z int) float64 { return referenceNLM(p, in, x, y, z) }
	case "lpa":
		p := r.LPA()
		at = func(x, y, z int) float64 { return referenceLPA(p, in, x, y, z) }
	default:
		return nil, fmt.Errorf("%s: %w", r.Filter, denoise.ErrUnsupported)
	}
	out := in.Crop(region)
	i := 0
	for z := region.Min[2]; z < region.Max[2]; z++ {
		for y := region.Min[1]; y < region.Max[1]; y++ {
			for x := region.Min[0]; x < region.Max[0]; x++ {
				if out.Valid(i) {
					out.Data[i] = float32(at(x, y, z))
				}
				i++
			}
		}
	}
	return out, nil
}

// prepare checks what Run and Reference are given and resolves the recipe.
func prepare(ctx context.Context, r denoise.Recipe, in *volume.Volume, region volume.Region) (denoise.Recipe, error) {
	if err := in.Geometry.Validate(); err != nil {
		return r, err
	}
	if len(in.Data) != in.Voxels() || (in.Mask != nil && len(in.Mask) != in.Voxels()) {
		return r, fmt.Errorf("%d values and %d mask values for %d voxels", len(in.Data), len(in.Mask), in.Voxels())
	}
	if err := region.Validate(in.Geometry); err != nil {
		return r, err
	}
	return r.ResolveFor(ctx, in)
}

// window calls f with every voxel j != i of the window around i = (x, y, z)
// that is inside the volume and not padding: its indices and its place in Data.
func window(in *volume.Volume, radius [3]int, x, y, z int, f func(jx, jy, jz, j int)) {
	for jz := max(z-radius[2], 0); jz <= min(z+radius[2], in.Dims[2]-1); jz++ {
		for jy := max(y-radius[1], 0); jy <= min(y+radius[1], in.Dims[1]-1); jy++ {
			for jx := max(x-radius[0], 0); jx <= min(x+radius[0], in.Dims[0]-1); jx++ {
				j := in.Index(jx, jy, jz)
				if in.Valid(j) && (jx != x || jy != y || jz != z) {
					f(jx, jy, jz, j)
				}
			}
		}
	}
}

// mirror returns the index that stands in for i on an axis of n voxels: the
// volume repeats as in a mirror that doubles the edge voxel, with period 2n.
func mirror(i, n int) int {
	i %= 2 * n
	if i < 0 {
		i += 2 * n
	}
	if i >= n {
		i = 2*n - 1 - i
	}
	return i
}

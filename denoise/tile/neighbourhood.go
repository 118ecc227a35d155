package tile

import (
	"quell/denoise"
	"quell/volume"
)

// Neighbours calls f with every voxel j != i of the neighbourhood of
// i = (x, y, z) that is inside the volume and not excluded: its indices and its
// position in in.Data. The neighbourhood is the box of half widths radius.
func Neighbours(in *denoise.Field, radius [3]int, x, y, z int, f func(jx, jy, jz, j int)) {
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

// Count returns the number of voxels in a neighbourhood, i included.
func Count(radius [3]int) float64 {
	return float64(2*radius[0]+1) * float64(2*radius[1]+1) * float64(2*radius[2]+1)
}

// EachVoxel returns a worker that sets every valid voxel of a tile of out to
// f(x, y, z), row by row. load, if not nil, is called before each tile.
func EachVoxel(out *denoise.Field, load func(tile volume.Region), f func(x, y, z int) float32) denoise.Worker {
	return func(tile volume.Region, stop func() bool) {
		if load != nil {
			load(tile)
		}
		for z := tile.Min[2]; z < tile.Max[2]; z++ {
			for y := tile.Min[1]; y < tile.Max[1]; y++ {
				if stop() {
					return
				}
				row := out.Index(0, y, z)
				for x := tile.Min[0]; x < tile.Max[0]; x++ {
					if out.Valid(row + x) {
						out.Data[row+x] = f(x, y, z)
					}
				}
			}
		}
	}
}

package kernels

import (
	"sort"

	"quell/volume"
)

// banding divides a region into bands for which the kernels of a pass use scratch memory one
// after another. bytes returns that memory for a band of the given dims anywhere in the volume;
// it does not fall when a side grows.
type banding struct {
	most  int64 // bytes, unless a single row of voxels needs more
	bytes func(dims [3]int) int64
}

// of returns the bands of a region, which are contiguous in its memory: slices, as many together as
// there is room for, or rows of one slice, at least one.
func (b banding) of(region volume.Region) []volume.Region {
	d := region.Dims()
	fit := func(c int) int { // the most along axis c, one along those after it
		return sort.Search(d[c], func(n int) bool {
			band := d
			for i := c; i < 3; i++ {
				band[i] = 1
			}
			band[c] = n + 1
			return b.bytes(band) > b.most
		})
	}
	rows, slices := d[1], fit(2)
	if slices == 0 {
		rows, slices = max(fit(1), 1), 1
	}
	var bands []volume.Region
	for z := region.Min[2]; z < region.Max[2]; z += slices {
		for y := region.Min[1]; y < region.Max[1]; y += rows {
			band := region
			band.Min[1], band.Min[2] = y, z
			band.Max[1], band.Max[2] = min(y+rows, region.Max[1]), min(z+slices, region.Max[2])
			bands = append(bands, band)
		}
	}
	return bands
}

// scratch returns the most bytes of a band of a region of the given dims.
func (b banding) scratch(dims [3]int) int64 {
	return min(b.bytes(dims), max(b.most, b.bytes([3]int{dims[0], 1, 1})))
}

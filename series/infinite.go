package series

import (
	"math"
	"slices"
	"sync"

	"quell/volume"
)

// Infinite are the voxels of a file that are infinite. They are masked, as filters neither use nor change them, and a
// format that can hold them gets them back. Its methods may be called from any goroutine; those of nil do nothing.
type Infinite struct {
	grid volume.Geometry

	mu   sync.RWMutex
	bits [2][]uint64 // by voxel: above, below; nil for none
}

// NewInfinite returns none of the voxels of a grid.
func NewInfinite(grid volume.Geometry) *Infinite { return &Infinite{grid: grid} }

// Note notes which of some values are infinite, of the voxels from number first on.
func (f *Infinite) Note(first int, values []float32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, v := range values {
		if v-v == 0 || v != v {
			continue
		}
		if f.bits[0] == nil {
			f.bits = [2][]uint64{make([]uint64, (f.grid.Voxels()+63)/64), make([]uint64, (f.grid.Voxels()+63)/64)}
		}
		sign := 0
		if v < 0 {
			sign = 1
		}
		f.bits[sign][(first+i)/64] |= 1 << ((first + i) % 64)
	}
}

// Restore returns the values of voxels of a grid, from number first on, with those infinite that are so in the file. The
// grid is the file's or a part of it. values themselves are returned if there is none.
func (f *Infinite) Restore(grid volume.Geometry, first int, values []float32) []float32 {
	if f == nil {
		return values
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	inverse, err := f.grid.Affine.Inverse()
	if f.bits[0] == nil || err != nil {
		return values
	}
	origin := grid.Affine.Column(3)
	corner := inverse.Apply(origin[0], origin[1], origin[2]) // of the part, in the file
	x0, y0, z0 := int(math.Round(corner[0])), int(math.Round(corner[1])), int(math.Round(corner[2]))
	whole := volume.Region{Min: [3]int{x0, y0, z0}, Max: [3]int{x0 + grid.Dims[0], y0 + grid.Dims[1], z0 + grid.Dims[2]}}
	for c := range 3 {
		if whole.Min[c] < 0 || whole.Max[c] > f.grid.Dims[c] {
			return values // another grid
		}
	}
	own := false
	for i := range values {
		k := first + i
		at := f.grid.Index(x0+k%grid.Dims[0], y0+k/grid.Dims[0]%grid.Dims[1], z0+k/grid.SliceVoxels())
		for sign, bits := range f.bits {
			if bits[at/64]>>(at%64)&1 == 0 {
				continue
			}
			if !own {
				values, own = slices.Clone(values), true
			}
			values[i] = float32(math.Inf(1 - 2*sign))
		}
	}
	return values
}

package gpu

import (
	"context"
	"hash/maphash"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"quell/internal/parallel"
	"quell/volume"
)

// Fingerprints show whether a slice on the device still equals the volume's. A
// slice has one for each of its tiles, squares of tileSide voxels (the last in a
// row or column may be smaller), because a sagittal or coronal slice reads a strip
// of every axial slice and only the strip's tiles are compared.
const tileSide = 64

// seed makes fingerprints comparable within this process.
var seed = maphash.MakeSeed()

// tiles returns the range of tiles that contain the voxels first <= i < last of
// a row or column.
func tiles(first, last int) (from, to int) {
	return first / tileSide, (last + tileSide - 1) / tileSide
}

// fingerprints returns the fingerprints of slices z0 to z1, masks included: for
// each slice one per tile, x fastest.
func fingerprints(v *volume.Volume, z0, z1 int) [][]uint64 {
	_, nx := tiles(0, v.Dims[0])
	_, ny := tiles(0, v.Dims[1])
	prints := make([][]uint64, z1-z0)
	for i := range prints {
		prints[i] = make([]uint64, nx*ny)
	}
	forBands(volume.Slices(v.Geometry, z0, z1), func(z, ty int) {
		fingerprintBand(prints[z-z0][ty*nx:(ty+1)*nx], v, z, ty, 0)
	})
	return prints
}

// unchanged reports whether the tiles that a region touches have the
// fingerprints in known, which begins at the region's first slice.
func unchanged(v *volume.Volume, r volume.Region, known [][]uint64) bool {
	_, nx := tiles(0, v.Dims[0])
	tx0, tx1 := tiles(r.Min[0], r.Max[0])
	var changed atomic.Bool
	forBands(r, func(z, ty int) {
		now := make([]uint64, tx1-tx0)
		fingerprintBand(now, v, z, ty, tx0)
		if !slices.Equal(now, known[z-r.Min[2]][ty*nx+tx0:ty*nx+tx1]) {
			changed.Store(true)
		}
	})
	return !changed.Load()
}

// forBands calls f on all cores for every band, the tiles side by side in one
// slice, that a region touches.
func forBands(r volume.Region, f func(z, ty int)) {
	ty0, ty1 := tiles(r.Min[1], r.Max[1])
	bands := r.Dims()[2] * (ty1 - ty0)
	parts := min(bands, 4*runtime.GOMAXPROCS(0))
	err := parallel.For(context.Background(), parts, func(part int) error {
		for i := part * bands / parts; i < (part+1)*bands/parts; i++ {
			f(r.Min[2]+i/(ty1-ty0), ty0+i%(ty1-ty0))
		}
		return nil
	})
	if err != nil {
		panic(err) // f panicked
	}
}

// fingerprintBand adds to prints the tiles tx, tx+1, ... of band ty of slice z.
func fingerprintBand(prints []uint64, v *volume.Volume, z, ty, tx int) {
	x0, x1 := tx*tileSide, min((tx+len(prints))*tileSide, v.Dims[0])
	y0, y1 := ty*tileSide, min((ty+1)*tileSide, v.Dims[1])
	if x1-x0 < v.Dims[0] {
		prefetch(v, z, x0, x1, y0, y1)
	}
	for y := y0; y < y1; y++ {
		row := v.Index(0, y, z)
		for i := range prints {
			first, last := row+x0+i*tileSide, row+min(x0+(i+1)*tileSide, x1)
			voxels := v.Data[first:last]
			prints[i] = combine(prints[i], maphash.Bytes(seed, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(voxels))), 4*len(voxels))))
			if v.Mask != nil {
				prints[i] = combine(prints[i], maphash.Bytes(seed, boolBytes(v.Mask[first:last])))
			}
		}
	}
}

// prefetch reads one voxel of every cache line of a strip. The hash of a row
// waits for its voxels, and the processor does not fetch rows ahead that are far
// apart; these reads are independent of each other, which halves the time for a
// sagittal slice.
//
//go:noinline
func prefetch(v *volume.Volume, z, x0, x1, y0, y1 int) (sum float32) {
	const line = 64 / 4
	for y := y0; y < y1; y++ {
		for i, end := v.Index(x0, y, z), v.Index(x1-1, y, z); i <= end; i += line {
			sum += v.Data[i]
		}
	}
	return sum
}

// combine returns the fingerprint of what has fingerprint a followed by what has
// hash b.
func combine(a, b uint64) uint64 { return (a^a>>32)*0x9e3779b97f4a7c15 + b }

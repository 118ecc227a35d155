package gpu

import (
	"context"
	"math"
	"runtime"
	"strings"
	"unsafe"

	"quell/gpu/wire"
	"quell/internal/message"
	"quell/internal/parallel"
)

// A chunk is what one put or get transfers: at most a staging buffer of float32
// voxels, and fewer if that gives every core some to pack.
const (
	maxChunkVoxels = stagingBytes / 4
	minChunkVoxels = 64 << 10 // worth a core
)

// chunkVoxels returns the voxels per chunk of a transfer of n voxels.
func chunkVoxels(n int) int {
	return min(max(n/runtime.GOMAXPROCS(0), minChunkVoxels), maxChunkVoxels)
}

// encode writes voxels into a staging buffer: as int16, which halves the bytes on
// the bus, if that is exact, else as float32.
func encode(staging []byte, voxels []float32) wire.Format {
	narrow := unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(staging))), len(voxels))
	for i, v := range voxels {
		// The result of converting a value that does not fit is undefined in Go,
		// but no int16 converts back to the same bits. Comparing bits keeps -0.
		q := int16(int32(v))
		if math.Float32bits(float32(q)) != math.Float32bits(v) {
			copy(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(staging))), len(voxels)), voxels)
			return wire.Float32
		}
		narrow[i] = q
	}
	return wire.Int16
}

// encodeMask writes a mask into a staging buffer, 1 for a voxel that holds data.
func encodeMask(staging []byte, mask []bool) wire.Format {
	copy(staging, boolBytes(mask))
	return wire.Bytes
}

// errNotFinite is a fault of the device: kernels return finite results for
// finite voxels.
var errNotFinite = message.Errorf(message.EngineLost, "the GPU returned values that are no numbers")

// decode copies voxels out of a staging buffer, on all cores: one core would copy the last
// chunk of a result long after the others are done. The error is errNotFinite.
func decode(voxels []float32, staging []byte) error {
	parts := (len(voxels) + minChunkVoxels - 1) / minChunkVoxels
	return parallel.For(context.Background(), parts, func(i int) error {
		first, last := i*minChunkVoxels, min((i+1)*minChunkVoxels, len(voxels))
		if !decodePart(voxels[first:last], staging[4*first:]) {
			return errNotFinite
		}
		return nil
	})
}

// decodePart copies voxels and reports whether all are finite.
func decodePart(voxels []float32, staging []byte) bool {
	bad := uint32(0)
	const exponent = 0x7f800000
	from := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(staging))), len(voxels))
	to := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(voxels))), len(voxels))
	for i, bits := range from {
		// In infinities and NaN the exponent is all ones, so adding 1 to it
		// carries into the sign bit.
		bad |= (bits&exponent + 1<<23) & (1 << 31)
		to[i] = bits
	}
	return bad == 0
}

// uncleared returns n > 0 voxels of any value. To clear a result that the device fills,
// as make does on one core, takes longer than many filters.
func uncleared(n int) []float32 {
	var b strings.Builder // the only memory of the standard library that is not cleared
	b.Grow(4 * n)
	b.WriteByte(0) // the address of an empty string is not defined
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.StringData(b.String()))), n)
}

// boolBytes returns a mask as its bytes, 0 and 1, without a copy.
func boolBytes(mask []bool) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(mask))), len(mask))
}

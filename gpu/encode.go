package gpu

import (
	"math"
	"runtime"
	"unsafe"

	"quell/gpu/wire"
)

// A put or a get carries at most a slot full of float32 voxels, and where there
// are fewer in all, so few that all cores have some to pack.
const (
	largestChunk  = slotBytes / 4
	smallestChunk = 64 << 10
)

// chunkOf returns how many of n voxels go into one put or get.
func chunkOf(n int) int {
	return min(max(n/runtime.GOMAXPROCS(0), smallestChunk), largestChunk)
}

// encode writes voxels into a slot, as int16 where that loses nothing - half
// the bytes then cross the bus - and as float32 where it would.
func encode(slot []byte, voxels []float32) wire.Format {
	narrow := unsafe.Slice((*int16)(unsafe.Pointer(unsafe.SliceData(slot))), len(voxels))
	for i, v := range voxels {
		// Go leaves the conversion of a value that does not fit open; none
		// converts back to the same bits. The bits, so that -0 stays -0.
		q := int16(int32(v))
		if math.Float32bits(float32(q)) != math.Float32bits(v) {
			copy(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(slot))), len(voxels)), voxels)
			return wire.Float32
		}
		narrow[i] = q
	}
	return wire.Int16
}

// encodeMask writes a mask into a slot, 1 for a voxel that holds data.
func encodeMask(slot []byte, mask []bool) wire.Format {
	copy(slot, boolBytes(mask))
	return wire.Bytes
}

// decode copies voxels out of a slot; it says whether all were finite.
func decode(voxels []float32, slot []byte) bool {
	bad := uint32(0)
	const exponent = 0x7f800000
	from := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(slot))), len(voxels))
	to := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(voxels))), len(voxels))
	for i, bits := range from {
		// All ones in the exponent carry into the sign: infinities and NaN.
		bad |= (bits&exponent + 1<<23) & (1 << 31)
		to[i] = bits
	}
	return bad == 0
}

// boolBytes views a mask as its bytes, 0 and 1.
func boolBytes(mask []bool) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(mask))), len(mask))
}

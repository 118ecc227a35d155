package volume

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// nativeLittleEndian reports whether this processor stores the lowest byte first.
var nativeLittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// LittleEndian returns values as the bytes of little-endian float32. If shared is true
// they are the memory of values, as on nearly every processor.
func LittleEndian(values []float32) (b []byte, shared bool) {
	if nativeLittleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values)), true
	}
	return littleEndianCopy(values), false
}

func littleEndianCopy(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

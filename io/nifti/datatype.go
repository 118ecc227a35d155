package nifti

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The datatype codes of nifti1.h that can be read.
const (
	dtUint8      = 2
	dtInt16      = 4
	dtInt32      = 8
	dtFloat32    = 16
	dtComplex64  = 32
	dtFloat64    = 64
	dtRGB24      = 128
	dtInt8       = 256
	dtUint16     = 512
	dtUint32     = 768
	dtInt64      = 1024
	dtUint64     = 1280
	dtComplex128 = 1792
	dtRGBA32     = 2304
)

// datatype describes how one voxel is stored.
type datatype struct {
	code   int64
	name   string
	bytes  int
	lo, hi float64 // the range of an integer type; 0, 0 for floating point

	components []Component // what its voxels offer; nil where they are one number
}

func (d datatype) integer() bool { return d.lo != d.hi }

func (d datatype) complex() bool { return d.code == dtComplex64 || d.code == dtComplex128 }

func (d datatype) colours() bool { return d.code == dtRGB24 || d.code == dtRGBA32 }

// word returns the bytes of each number that a voxel is made of: the unit that
// byte order applies to.
func (d datatype) word() int {
	switch {
	case d.complex():
		return d.bytes / 2
	case d.colours():
		return 1
	}
	return d.bytes
}

var datatypes = []datatype{
	{dtUint8, "uint8", 1, 0, math.MaxUint8, nil},
	{dtInt8, "int8", 1, math.MinInt8, math.MaxInt8, nil},
	{dtInt16, "int16", 2, math.MinInt16, math.MaxInt16, nil},
	{dtUint16, "uint16", 2, 0, math.MaxUint16, nil},
	{dtInt32, "int32", 4, math.MinInt32, math.MaxInt32, nil},
	{dtUint32, "uint32", 4, 0, math.MaxUint32, nil},
	{dtInt64, "int64", 8, math.MinInt64, math.MaxInt64, nil},
	{dtUint64, "uint64", 8, 0, math.MaxUint64, nil},
	{dtFloat32, "float32", 4, 0, 0, nil},
	{dtFloat64, "float64", 8, 0, 0, nil},
	{dtComplex64, "complex64", 8, 0, 0, complexComponents},
	{dtComplex128, "complex128", 16, 0, 0, complexComponents},
	{dtRGB24, "RGB24", 3, 0, math.MaxUint8, colourComponents},
	{dtRGBA32, "RGBA32", 4, 0, math.MaxUint8, colourComponents},
}

// unread names the datatypes that NIfTI defines and hardly anybody writes.
var unread = map[int64]string{
	1:    "one bit per voxel",
	1536: "128-bit numbers",
	2048: "256-bit complex numbers",
}

// datatypeByCode finds a datatype, or says what the code stands for.
func datatypeByCode(code int64) (datatype, error) {
	for _, d := range datatypes {
		if d.code == code {
			return d, nil
		}
	}
	if what, ok := unread[code]; ok {
		return datatype{}, fmt.Errorf("its voxels are %s (datatype %d); convert it to float32 or float64 first", what, code)
	}
	return datatype{}, fmt.Errorf("datatype %d is not one that NIfTI defines; the header is damaged", code)
}

// decoder turns stored voxels into real ones: float32(stored*slope + inter),
// computed in float64. The product is rounded on its own, so that every
// processor gives the same bits.
type decoder struct {
	datatype
	component    Component // one of the datatype's, "" where it has none
	order        binary.ByteOrder
	slope, inter float64
}

// decode converts len(dst) voxels from src, whose bytes it may swap, and counts
// those that are not finite; the caller masks them.
func (d decoder) decode(dst []float32, src []byte) (nonFinite int) {
	if d.order == binary.ByteOrder(binary.BigEndian) {
		swapBytes(src[:len(dst)*d.bytes], d.word())
	}
	switch {
	case d.complex():
		d.decodeComplex(dst, src)
	case d.colours():
		d.decodeColours(dst, src)
	case !d.decodeUnscaled(dst, src):
		d.decodeScaled(dst, src)
	}
	if d.mayBeNonFinite() {
		nonFinite = countNonFinite(dst)
	}
	return nonFinite
}

// decodeScaled is decode for little-endian scalars.
func (d decoder) decodeScaled(dst []float32, src []byte) {
	le, scale := binary.LittleEndian, func(stored float64) float32 {
		return float32(float64(stored*d.slope) + d.inter)
	}
	switch d.code {
	case dtUint8:
		for i := range dst {
			dst[i] = scale(float64(src[i]))
		}
	case dtInt8:
		for i := range dst {
			dst[i] = scale(float64(int8(src[i])))
		}
	case dtInt16:
		for i := range dst {
			dst[i] = scale(float64(int16(le.Uint16(src[2*i:]))))
		}
	case dtUint16:
		for i := range dst {
			dst[i] = scale(float64(le.Uint16(src[2*i:])))
		}
	case dtInt32:
		for i := range dst {
			dst[i] = scale(float64(int32(le.Uint32(src[4*i:]))))
		}
	case dtUint32:
		for i := range dst {
			dst[i] = scale(float64(le.Uint32(src[4*i:])))
		}
	case dtInt64:
		for i := range dst {
			dst[i] = scale(float64(int64(le.Uint64(src[8*i:]))))
		}
	case dtUint64:
		for i := range dst {
			dst[i] = scale(float64(le.Uint64(src[8*i:])))
		}
	case dtFloat32:
		for i := range dst {
			dst[i] = scale(float64(math.Float32frombits(le.Uint32(src[4*i:]))))
		}
	case dtFloat64:
		for i := range dst {
			dst[i] = scale(math.Float64frombits(le.Uint64(src[8*i:])))
		}
	}
}

// decodeUnscaled is decodeScaled for the types of most files where there is no
// scale, without the way through float64. It says no to all others.
func (d decoder) decodeUnscaled(dst []float32, src []byte) bool {
	if d.slope != 1 || d.inter != 0 {
		return false
	}
	le := binary.LittleEndian
	switch d.code {
	case dtUint8:
		for i, x := range src[:len(dst)] {
			dst[i] = float32(x)
		}
	case dtInt16:
		for i := range dst {
			dst[i] = float32(int16(le.Uint16(src[2*i:])))
		}
	case dtUint16:
		for i := range dst {
			dst[i] = float32(le.Uint16(src[2*i:]))
		}
	case dtFloat32:
		for i := range dst {
			dst[i] = math.Float32frombits(le.Uint32(src[4*i:]))
		}
	default:
		return false
	}
	return true
}

// mayBeNonFinite says whether decode could give NaN or infinity.
func (d decoder) mayBeNonFinite() bool {
	reach := max(-d.lo, d.hi)*math.Abs(d.slope) + math.Abs(d.inter)
	return !d.integer() || reach >= math.MaxFloat32
}

// swapBytes reverses every run of size bytes.
func swapBytes(b []byte, size int) {
	switch size {
	case 2:
		for i := 0; i+2 <= len(b); i += 2 {
			binary.LittleEndian.PutUint16(b[i:], binary.BigEndian.Uint16(b[i:]))
		}
	case 4:
		for i := 0; i+4 <= len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
		}
	case 8:
		for i := 0; i+8 <= len(b); i += 8 {
			binary.LittleEndian.PutUint64(b[i:], binary.BigEndian.Uint64(b[i:]))
		}
	}
}

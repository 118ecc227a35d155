package nifti

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The datatype codes of nifti1.h that hold one number per voxel.
const (
	dtUint8   = 2
	dtInt16   = 4
	dtInt32   = 8
	dtFloat32 = 16
	dtFloat64 = 64
	dtInt8    = 256
	dtUint16  = 512
	dtUint32  = 768
	dtInt64   = 1024
	dtUint64  = 1280
)

// datatype describes how one voxel is stored.
type datatype struct {
	code   int64
	name   string
	bytes  int
	lo, hi float64 // the range of an integer type; 0, 0 for floating point
}

func (d datatype) integer() bool { return d.lo != d.hi }

var datatypes = []datatype{
	{dtUint8, "uint8", 1, 0, math.MaxUint8},
	{dtInt8, "int8", 1, math.MinInt8, math.MaxInt8},
	{dtInt16, "int16", 2, math.MinInt16, math.MaxInt16},
	{dtUint16, "uint16", 2, 0, math.MaxUint16},
	{dtInt32, "int32", 4, math.MinInt32, math.MaxInt32},
	{dtUint32, "uint32", 4, 0, math.MaxUint32},
	{dtInt64, "int64", 8, math.MinInt64, math.MaxInt64},
	{dtUint64, "uint64", 8, 0, math.MaxUint64},
	{dtFloat32, "float32", 4, 0, 0},
	{dtFloat64, "float64", 8, 0, 0},
}

// notScalar names the datatypes whose voxels are not one number, or not one
// that a float32 could stand for.
var notScalar = map[int64]string{
	1:    "one bit per voxel",
	32:   "complex numbers",
	128:  "RGB colours",
	1536: "128-bit numbers",
	1792: "complex numbers",
	2048: "complex numbers",
	2304: "RGBA colours",
}

// datatypeByCode finds a scalar datatype, or says what the code stands for.
func datatypeByCode(code int64) (datatype, error) {
	for _, d := range datatypes {
		if d.code == code {
			return d, nil
		}
	}
	if what, ok := notScalar[code]; ok {
		return datatype{}, fmt.Errorf("its voxels are %s (datatype %d); convert it to one number per voxel first", what, code)
	}
	return datatype{}, fmt.Errorf("datatype %d is not one that NIfTI defines; the header is damaged", code)
}

// decoder turns stored voxels into real ones: float32(stored*slope + inter),
// computed in float64. The product is rounded on its own, so that every
// processor gives the same bits.
type decoder struct {
	datatype
	order        binary.ByteOrder
	slope, inter float64
}

// decode converts len(dst) voxels from src, whose bytes it may swap. dst may
// come to hold values that are not finite; the caller masks them.
func (d decoder) decode(dst []float32, src []byte) {
	if d.order == binary.ByteOrder(binary.BigEndian) {
		swapBytes(src[:len(dst)*d.bytes], d.bytes)
	}
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

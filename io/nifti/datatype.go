package nifti

import (
	"fmt"
	"math"
)

// The datatype codes of nifti1.h that this package reads.
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

	components []Component // the components of a voxel; nil if a voxel is a single number
}

func (d datatype) integer() bool { return d.lo != d.hi }

func (d datatype) complex() bool { return d.code == dtComplex64 || d.code == dtComplex128 }

func (d datatype) colours() bool { return d.code == dtRGB24 || d.code == dtRGBA32 }

// numberBytes returns the size of one number of a voxel, the unit that byte order
// applies to: half a complex voxel, one byte of a colour.
func (d datatype) numberBytes() int {
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

// unsupported names the datatypes that NIfTI defines and this package does not
// read; they are very rare.
var unsupported = map[int64]string{
	1:    "one bit per voxel",
	1536: "128-bit numbers",
	2048: "256-bit complex numbers",
}

// datatypeByCode returns the datatype of a code. The error for an unsupported code
// says what the code means.
func datatypeByCode(code int64) (datatype, error) {
	for _, d := range datatypes {
		if d.code == code {
			return d, nil
		}
	}
	if what, ok := unsupported[code]; ok {
		return datatype{}, fmt.Errorf("its voxels are %s (datatype %d); convert it to float32 or float64 first", what, code)
	}
	return datatype{}, fmt.Errorf("datatype %d is not defined by NIfTI; the header is damaged", code)
}

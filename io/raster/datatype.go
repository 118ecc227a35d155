package raster

import "math"

// The codes of the datatypes, as nifti1.h numbers them.
const (
	Uint8      = 2
	Int16      = 4
	Int32      = 8
	Float32    = 16
	Complex64  = 32
	Float64    = 64
	RGB24      = 128
	Int8       = 256
	Uint16     = 512
	Uint32     = 768
	Int64      = 1024
	Uint64     = 1280
	Complex128 = 1792
	RGBA32     = 2304
)

// Datatype describes how one voxel is stored.
type Datatype struct {
	Code   int64 // one of the constants
	Name   string
	Bytes  int
	Lo, Hi float64 // the range of an integer type; 0, 0 for floating point

	Components []Component // the components of a voxel; nil if a voxel is a single number
}

// Integer reports whether voxels are whole numbers.
func (d Datatype) Integer() bool { return d.Lo != d.Hi }

func (d Datatype) complex() bool { return d.Code == Complex64 || d.Code == Complex128 }

// Colours reports whether a voxel is a colour.
func (d Datatype) Colours() bool { return d.Code == RGB24 || d.Code == RGBA32 }

// numberBytes returns the size of one number of a voxel, the unit that byte order
// applies to: half a complex voxel, one byte of a colour.
func (d Datatype) numberBytes() int {
	switch {
	case d.complex():
		return d.Bytes / 2
	case d.Colours():
		return 1
	}
	return d.Bytes
}

var datatypes = []Datatype{
	{Uint8, "uint8", 1, 0, math.MaxUint8, nil},
	{Int8, "int8", 1, math.MinInt8, math.MaxInt8, nil},
	{Int16, "int16", 2, math.MinInt16, math.MaxInt16, nil},
	{Uint16, "uint16", 2, 0, math.MaxUint16, nil},
	{Int32, "int32", 4, math.MinInt32, math.MaxInt32, nil},
	{Uint32, "uint32", 4, 0, math.MaxUint32, nil},
	{Int64, "int64", 8, math.MinInt64, math.MaxInt64, nil},
	{Uint64, "uint64", 8, 0, math.MaxUint64, nil},
	{Float32, "float32", 4, 0, 0, nil},
	{Float64, "float64", 8, 0, 0, nil},
	{Complex64, "complex64", 8, 0, 0, complexComponents},
	{Complex128, "complex128", 16, 0, 0, complexComponents},
	{RGB24, "RGB24", 3, 0, math.MaxUint8, colourComponents},
	{RGBA32, "RGBA32", 4, 0, math.MaxUint8, colourComponents},
}

// DatatypeByCode returns the datatype of a code.
func DatatypeByCode(code int64) (d Datatype, ok bool) {
	for _, d := range datatypes {
		if d.Code == code {
			return d, true
		}
	}
	return Datatype{}, false
}

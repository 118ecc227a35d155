package nifti

import (
	"encoding/binary"
	"math"

	"quell/internal/message"
	"quell/io/raster"
)

// variant is one of the three header layouts.
type variant int

const (
	analyze75 variant = iota
	nifti1
	nifti2
)

// String returns the name that series.Meta.Format carries.
func (f variant) String() string { return [...]string{"Analyze 7.5", "NIfTI-1", "NIfTI-2"}[f] }

// size returns the header's length in bytes, which is also its first field.
func (f variant) size() int {
	if f == nifti2 {
		return 540
	}
	return 348
}

// header holds the fields of a NIfTI or Analyze header, under the names that
// nifti1.h and nifti2.h give them.
type header struct {
	format variant
	order  binary.ByteOrder
	single bool // header and voxels are in one file (magic n+1 or n+2)

	dimInfo       byte
	dim           [8]int64
	intentP       [3]float64
	intentCode    int64
	datatype      int64
	bitpix        int64
	sliceStart    int64
	sliceEnd      int64
	sliceCode     int64
	sliceDuration float64
	pixdim        [8]float64
	voxOffset     float64
	sclSlope      float64
	sclInter      float64
	xyztUnits     int64
	calMax        float64
	calMin        float64
	toffset       float64
	glmax         int64
	glmin         int64
	descrip       [80]byte
	auxFile       [24]byte
	qformCode     int64
	sformCode     int64
	quatern       [3]float64
	qoffset       [3]float64
	srow          [3][4]float64
	intentName    [16]byte
	origin        [5]int64 // Analyze: the originator field as SPM uses it, a voxel counted from 1

	extensions []extension
}

// extension is one block between header and voxels, unchanged.
type extension struct {
	code int32
	data []byte // esize - 8 bytes
}

// fields copies values from the bytes of a header to its fields, or back if write
// is set, so that each layout is defined once for both directions.
type fields struct {
	b     []byte
	order binary.ByteOrder
	write bool
}

func (f fields) u8(off int, v *byte) {
	if f.write {
		f.b[off] = *v
	} else {
		*v = f.b[off]
	}
}

func (f fields) i8(off int, v *int64) {
	c := byte(*v)
	f.u8(off, &c)
	*v = int64(c)
}

func (f fields) i16(off int, v *int64) {
	if f.write {
		f.order.PutUint16(f.b[off:], uint16(*v))
	} else {
		*v = int64(int16(f.order.Uint16(f.b[off:])))
	}
}

func (f fields) i32(off int, v *int64) {
	if f.write {
		f.order.PutUint32(f.b[off:], uint32(*v))
	} else {
		*v = int64(int32(f.order.Uint32(f.b[off:])))
	}
}

func (f fields) i64(off int, v *int64) {
	if f.write {
		f.order.PutUint64(f.b[off:], uint64(*v))
	} else {
		*v = int64(f.order.Uint64(f.b[off:]))
	}
}

func (f fields) f32(off int, v ...*float64) {
	for i, p := range v {
		b := f.b[off+4*i:]
		if f.write {
			f.order.PutUint32(b, math.Float32bits(float32(*p)))
		} else {
			*p = float64(math.Float32frombits(f.order.Uint32(b)))
		}
	}
}

func (f fields) f64(off int, v ...*float64) {
	for i, p := range v {
		b := f.b[off+8*i:]
		if f.write {
			f.order.PutUint64(b, math.Float64bits(*p))
		} else {
			*p = math.Float64frombits(f.order.Uint64(b))
		}
	}
}

func (f fields) text(off int, v []byte) {
	if f.write {
		copy(f.b[off:], v)
	} else {
		copy(v, f.b[off:])
	}
}

// nifti1Layout gives the offsets of nifti1.h.
func (h *header) nifti1Layout(f fields) {
	f.u8(39, &h.dimInfo)
	for i := range h.dim {
		f.i16(40+2*i, &h.dim[i])
		f.f32(76+4*i, &h.pixdim[i])
	}
	f.f32(56, &h.intentP[0], &h.intentP[1], &h.intentP[2])
	f.i16(68, &h.intentCode)
	f.i16(70, &h.datatype)
	f.i16(72, &h.bitpix)
	f.i16(74, &h.sliceStart)
	f.f32(108, &h.voxOffset, &h.sclSlope, &h.sclInter)
	f.i16(120, &h.sliceEnd)
	f.i8(122, &h.sliceCode)
	f.i8(123, &h.xyztUnits)
	f.f32(124, &h.calMax, &h.calMin, &h.sliceDuration, &h.toffset)
	f.i32(140, &h.glmax)
	f.i32(144, &h.glmin)
	f.text(148, h.descrip[:])
	f.text(228, h.auxFile[:])
	f.i16(252, &h.qformCode)
	f.i16(254, &h.sformCode)
	f.f32(256, &h.quatern[0], &h.quatern[1], &h.quatern[2])
	f.f32(268, &h.qoffset[0], &h.qoffset[1], &h.qoffset[2])
	for r := range h.srow {
		f.f32(280+16*r, &h.srow[r][0], &h.srow[r][1], &h.srow[r][2], &h.srow[r][3])
	}
	f.text(328, h.intentName[:])
}

// nifti2Layout gives the offsets of nifti2.h.
func (h *header) nifti2Layout(f fields) {
	f.i16(12, &h.datatype)
	f.i16(14, &h.bitpix)
	for i := range h.dim {
		f.i64(16+8*i, &h.dim[i])
		f.f64(104+8*i, &h.pixdim[i])
	}
	f.f64(80, &h.intentP[0], &h.intentP[1], &h.intentP[2])
	offset := int64(h.voxOffset)
	f.i64(168, &offset)
	h.voxOffset = float64(offset)
	f.f64(176, &h.sclSlope, &h.sclInter, &h.calMax, &h.calMin, &h.sliceDuration, &h.toffset)
	f.i64(224, &h.sliceStart)
	f.i64(232, &h.sliceEnd)
	f.text(240, h.descrip[:])
	f.text(320, h.auxFile[:])
	f.i32(344, &h.qformCode)
	f.i32(348, &h.sformCode)
	f.f64(352, &h.quatern[0], &h.quatern[1], &h.quatern[2])
	f.f64(376, &h.qoffset[0], &h.qoffset[1], &h.qoffset[2])
	for r := range h.srow {
		f.f64(400+32*r, &h.srow[r][0], &h.srow[r][1], &h.srow[r][2], &h.srow[r][3])
	}
	f.i32(496, &h.sliceCode)
	f.i32(500, &h.xyztUnits)
	f.i32(504, &h.intentCode)
	f.text(508, h.intentName[:])
	f.u8(524, &h.dimInfo)
}

// analyzeLayout gives the offsets of Analyze 7.5's dbh.h. Like SPM it uses funused1
// and funused2 for scale and offset, and originator for a voxel, counted from 1.
func (h *header) analyzeLayout(f fields) {
	for i := range h.dim {
		f.i16(40+2*i, &h.dim[i])
		f.f32(76+4*i, &h.pixdim[i])
	}
	f.i16(70, &h.datatype)
	f.i16(72, &h.bitpix)
	f.f32(108, &h.voxOffset, &h.sclSlope, &h.sclInter)
	f.f32(124, &h.calMax, &h.calMin)
	f.i32(140, &h.glmax)
	f.i32(144, &h.glmin)
	f.text(148, h.descrip[:])
	f.text(228, h.auxFile[:])
	for i := range h.origin {
		f.i16(253+2*i, &h.origin[i])
	}
}

func (h *header) layout(f fields) {
	switch h.format {
	case nifti1:
		h.nifti1Layout(f)
	case nifti2:
		h.nifti2Layout(f)
	default:
		h.analyzeLayout(f)
	}
}

// unsupported names the datatypes that NIfTI defines and package raster does not
// read; they are very rare.
var unsupported = map[int64]string{
	1:    "one bit per voxel",
	1536: "128-bit numbers",
	2048: "256-bit complex numbers",
}

// datatypeByCode returns the datatype of a code. The error for an unsupported code
// says what the code means.
func datatypeByCode(code int64) (raster.Datatype, error) {
	if d, ok := raster.DatatypeByCode(code); ok {
		return d, nil
	}
	if what, ok := unsupported[code]; ok {
		return raster.Datatype{}, message.Errorf(message.InputUnsupported, "its voxels are %s (datatype %d); convert it to float32 or float64 first", message.Word(what), code)
	}
	return raster.Datatype{}, message.Errorf(message.InputDamaged, "datatype %d is not defined by NIfTI; the header is damaged", code)
}

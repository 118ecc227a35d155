package nifti

import (
	"encoding/binary"
	"math"
	"reflect"
	"testing"
)

// numbered returns a header in which every field has a value of its own.
func numbered(f variant) header {
	h := header{format: f, order: binary.BigEndian, dimInfo: 0x39, intentCode: 1001, datatype: 16, bitpix: 32, sliceStart: 3, sliceEnd: 17,
		sliceCode: 5, sliceDuration: 0.125, voxOffset: 1024, sclSlope: 2.5, sclInter: -7.5, xyztUnits: 10, calMax: 900, calMin: -100,
		toffset: 4.5, glmax: 32000, glmin: -31000, qformCode: 2, sformCode: 4, origin: [5]int64{21, 22, 23, 24, 25}}
	for i := range h.dim {
		h.dim[i], h.pixdim[i] = int64(40+i), float64(i)+0.5
	}
	for i := range 3 {
		h.intentP[i], h.quatern[i], h.qoffset[i] = 60.5+float64(i), 0.25+float64(i)/8, -70.5-float64(i)
		for c := range 4 {
			h.srow[i][c] = float64(100*i+c) + 0.5
		}
	}
	for i := range h.descrip {
		h.descrip[i] = byte('0' + i)
	}
	for i := range h.auxFile {
		h.auxFile[i] = byte('a' + i)
	}
	for i := range h.intentName {
		h.intentName[i] = byte('A' + i)
	}
	return h
}

// field is one field of a header file: its offset, the bytes of one number and its values.
// text is a field of bytes.
type field struct {
	off, size int
	float     bool
	values    []float64
	text      []byte
}

// TestLayouts compares every field with its offset in nifti1.h, nifti2.h and Analyze's dbh.h, in both directions.
func TestLayouts(t *testing.T) {
	ints := func(off, size int, v ...int64) field {
		f := field{off: off, size: size}
		for _, x := range v {
			f.values = append(f.values, float64(x))
		}
		return f
	}
	floats := func(off, size int, v ...float64) field { return field{off: off, size: size, float: true, values: v} }
	bytesAt := func(off int, b []byte) field { return field{off: off, text: b} }
	for _, format := range []variant{analyze75, nifti1, nifti2} {
		h := numbered(format)
		var rows []float64
		for _, r := range h.srow {
			rows = append(rows, r[:]...)
		}
		var want []field
		switch format {
		case nifti1:
			want = []field{
				ints(39, 1, int64(h.dimInfo)), ints(40, 2, h.dim[:]...), floats(56, 4, h.intentP[:]...), ints(68, 2, h.intentCode),
				ints(70, 2, h.datatype), ints(72, 2, h.bitpix), ints(74, 2, h.sliceStart), floats(76, 4, h.pixdim[:]...),
				floats(108, 4, h.voxOffset, h.sclSlope, h.sclInter), ints(120, 2, h.sliceEnd), ints(122, 1, h.sliceCode),
				ints(123, 1, h.xyztUnits), floats(124, 4, h.calMax, h.calMin, h.sliceDuration, h.toffset), ints(140, 4, h.glmax, h.glmin),
				bytesAt(148, h.descrip[:]), bytesAt(228, h.auxFile[:]), ints(252, 2, h.qformCode, h.sformCode),
				floats(256, 4, h.quatern[:]...), floats(268, 4, h.qoffset[:]...), floats(280, 4, rows...), bytesAt(328, h.intentName[:]),
			}
		case nifti2:
			want = []field{
				ints(12, 2, h.datatype, h.bitpix), ints(16, 8, h.dim[:]...), floats(80, 8, h.intentP[:]...), floats(104, 8, h.pixdim[:]...),
				ints(168, 8, int64(h.voxOffset)), floats(176, 8, h.sclSlope, h.sclInter, h.calMax, h.calMin, h.sliceDuration, h.toffset),
				ints(224, 8, h.sliceStart, h.sliceEnd), bytesAt(240, h.descrip[:]), bytesAt(320, h.auxFile[:]),
				ints(344, 4, h.qformCode, h.sformCode), floats(352, 8, h.quatern[:]...), floats(376, 8, h.qoffset[:]...),
				floats(400, 8, rows...), ints(496, 4, h.sliceCode, h.xyztUnits, h.intentCode), bytesAt(508, h.intentName[:]),
				ints(524, 1, int64(h.dimInfo)),
			}
		default:
			want = []field{
				ints(40, 2, h.dim[:]...), ints(70, 2, h.datatype, h.bitpix), floats(76, 4, h.pixdim[:]...),
				floats(108, 4, h.voxOffset, h.sclSlope, h.sclInter), floats(124, 4, h.calMax, h.calMin), ints(140, 4, h.glmax, h.glmin),
				bytesAt(148, h.descrip[:]), bytesAt(228, h.auxFile[:]), ints(253, 2, h.origin[:]...),
			}
		}
		expected := make([]byte, format.size())
		for _, f := range want {
			// The originator of Analyze begins in the last byte of the one before.
			copy(expected[f.off:], f.text)
			for i, v := range f.values {
				b := expected[f.off+i*f.size:]
				switch bits := uint64(int64(v)); {
				case f.float && f.size == 4:
					binary.BigEndian.PutUint32(b, math.Float32bits(float32(v)))
				case f.float:
					binary.BigEndian.PutUint64(b, math.Float64bits(v))
				case f.size == 1:
					b[0] = byte(bits)
				case f.size == 2:
					binary.BigEndian.PutUint16(b, uint16(bits))
				case f.size == 4:
					binary.BigEndian.PutUint32(b, uint32(bits))
				default:
					binary.BigEndian.PutUint64(b, bits)
				}
			}
		}
		got := make([]byte, format.size())
		h.layout(fields{b: got, order: binary.BigEndian, write: true})
		for i := range got {
			if got[i] != expected[i] {
				t.Errorf("%s: byte %d is %#x, want %#x", format, i, got[i], expected[i])
			}
		}
		read := header{format: format, order: binary.BigEndian}
		read.layout(fields{b: expected, order: binary.BigEndian})
		again := make([]byte, format.size())
		read.layout(fields{b: again, order: binary.BigEndian, write: true})
		if !reflect.DeepEqual(again, expected) {
			t.Errorf("%s: the fields read differ from those written", format)
		}
	}
}

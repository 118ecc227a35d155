package instance_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
)

// floats are the pixels of a slice of 4 x 3, of 32 or 64 bits, one of them not a number.
func floats(enc part10.Encoding, bits int) (b []byte, want []float32) {
	order := enc.Order.(binary.AppendByteOrder)
	for i := range 12 {
		v := float64(i) - 3.25
		if i == 5 {
			v = math.NaN()
		}
		if bits == 32 {
			b = order.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = order.AppendUint64(b, math.Float64bits(v))
		}
		if want = append(want, float32(v)); i == 5 {
			want[i] = -3.25 // the least of the slice
		}
	}
	return b, want
}

// floating returns a slice with such pixels in place of the usual ones.
func floating(enc part10.Encoding, bits int) *dicomtest.Fake {
	f := dicomtest.NewFake("1", 0, 0)
	f.Enc, f.Pixels = enc, nil
	tag, vr := part10.TagFloatPixelData, "OF"
	if bits == 64 {
		tag, vr = part10.TagDoubleFloatPixelData, "OD"
	}
	b, _ := floats(enc, bits)
	for _, t := range []part10.Tag{part10.TagPixelData, part10.TagBitsStored, part10.TagHighBit, part10.TagPixelRepresentation, part10.TagPixelPaddingValue, part10.TagRescaleSlope, part10.TagRescaleIntercept} {
		f.With(t, nil)
	}
	return f.With(part10.TagRows, 3).With(part10.TagColumns, 4).With(part10.TagBitsAllocated, bits).
		With(tag, dicomtest.RawElement(part10.AppendElement(nil, enc, tag, vr, b)))
}

// TestFloatingPixels reads single and double precision; voxels that are not finite are masked. No DICOM series is derived.
func TestFloatingPixels(t *testing.T) {
	for _, bits := range []int{32, 64} {
		for name, enc := range map[string]part10.Encoding{"implicit": part10.ImplicitLE, "explicit": part10.ExplicitLE, "big endian": part10.ExplicitBE} {
			f := floating(enc, bits)
			s := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.OneFile(f)), 0)
			_, want := floats(enc, bits)
			if v := s.Volume; !slices.Equal(v.Data, want) || v.Mask == nil || v.Mask[5] || !v.Mask[4] {
				t.Errorf("%d bits, %s: %v, %v", bits, name, v.Data, v.Mask)
			}
			dicomtest.WantError(t, dicomtest.DeriveOne(t, "float", s, f.File(), ""), "floating point", "NIfTI")
		}
	}
	wrong := floating(part10.ExplicitLE, 64).With(part10.TagBitsAllocated, 16)
	c := dicomtest.Scan(t, dicomtest.OneFile(wrong))
	dicomtest.WantError(t, c.Entries[0].Err, "16 bits instead of 32 or 64")
}

// lut encodes a Modality LUT.
func lut(enc part10.Encoding, kind string, descriptor [3]uint16, data []byte) dicomtest.RawElement {
	order := enc.Order.(binary.AppendByteOrder)
	var d []byte
	for _, v := range descriptor {
		d = order.AppendUint16(d, v)
	}
	item := part10.AppendElement(nil, enc, part10.TagLUTDescriptor, "US", d)
	item = part10.AppendElement(item, enc, part10.TagModalityLUTType, "LO", []byte(kind))
	item = part10.AppendElement(item, enc, part10.TagLUTData, "OW", data)
	return part10.AppendSequence(nil, enc, part10.TagModalityLUTSequence, item)
}

// TestModalityLUT applies the table: values below the first entry have it, values above the last have the last.
func TestModalityLUT(t *testing.T) {
	for name, enc := range map[string]part10.Encoding{"implicit": part10.ImplicitLE, "explicit": part10.ExplicitLE} {
		for what, c := range map[string]struct {
			first uint16
			bits  uint16
			data  []byte
			unit  string
			want  string
		}{
			"words":           {2, 16, []byte{100, 0, 200, 0, 44, 1, 144, 1}, "US", "[100 100 100 200 300 400 400 400 400 400 400 400]"},
			"Hounsfield":      {2, 16, []byte{100, 0, 200, 0, 44, 1, 144, 1}, "HU", "[100 100 100 200 300 400 400 400 400 400 400 400]"},
			"bytes":           {0, 8, []byte{10, 20, 30, 40}, "US", "[10 20 30 40 40 40 40 40 40 40 40 40]"},
			"first below all": {0xFFFE, 16, []byte{1, 0, 2, 0, 3, 0, 4, 0}, "US", "[3 4 4 4 4 4 4 4 4 4 4 4]"},
		} {
			f := dicomtest.NewFake("1", 0, 0)
			f.Enc, f.Pixels = enc, nil
			for i := range 12 {
				f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(i))
			}
			f.With(part10.TagRows, 3).With(part10.TagColumns, 4).With(part10.TagRescaleSlope, nil).With(part10.TagRescaleIntercept, nil).With(part10.TagRescaleType, nil).With(part10.TagPixelPaddingValue, nil).
				With(part10.TagPixelRepresentation, 1).With(part10.TagModalityLUTSequence, lut(enc, c.unit, [3]uint16{4, c.first, c.bits}, c.data))
			s := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.OneFile(f)), 0)
			unit := ""
			if c.unit == "HU" {
				unit = "HU"
			}
			if got := fmt.Sprint(s.Volume.Data); got != c.want || s.Volume.Unit != unit {
				t.Errorf("%s, %s: %s in %q, want %s", name, what, got, s.Volume.Unit, c.want)
			}
			dicomtest.WantError(t, dicomtest.DeriveOne(t, what, s, f.File(), ""), "lookup table", "NIfTI")
		}
	}
}

// TestDamagedModalityLUT: values are as stored, and a finding says so.
func TestDamagedModalityLUT(t *testing.T) {
	f := dicomtest.NewFake("1", 0, 0)
	f.With(part10.TagModalityLUTSequence, lut(f.Enc, "US", [3]uint16{9, 0, 16}, []byte{1, 0}))
	s := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.OneFile(f)), 0)
	if !slices.ContainsFunc(s.Findings, func(g series.Finding) bool { return g.Kind == "modality-lut" }) {
		t.Errorf("%+v", s.Findings)
	}
}

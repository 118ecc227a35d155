package part10_test

import (
	"encoding/binary"
	"math"
	"reflect"
	"testing"

	lib "github.com/suyashkumar/dicom"
	"github.com/suyashkumar/dicom/pkg/tag"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// TestDecodeElement decodes a value of every VR in both byte orders.
func TestDecodeElement(t *testing.T) {
	for _, decoding := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		order := decoding.(binary.AppendByteOrder)
		for _, c := range []struct {
			vr   string
			b    []byte
			want any
		}{
			{"US", order.AppendUint16(nil, 0xFFFE), []int{0xFFFE}},
			{"SS", order.AppendUint16(order.AppendUint16(nil, 0xFFFE), 7), []int{-2, 7}},
			{"AT", order.AppendUint16(order.AppendUint16(nil, 0x0018), 0x1063), []int{0x0018, 0x1063}},
			{"UL", order.AppendUint32(nil, math.MaxUint32), []int{math.MaxUint32}},
			{"SL", order.AppendUint32(nil, math.MaxUint32), []int{-1}},
			{"FL", order.AppendUint32(nil, math.Float32bits(0.1)), []float64{0.1}},
			{"FD", order.AppendUint64(nil, math.Float64bits(0.1)), []float64{0.1}},
			{"US", nil, []int{}},
			{"CS", []byte(`A \ B` + "\x00"), []string{"A ", " B"}},
			{"UI", []byte("1.2\x00"), []string{"1.2"}},
			{"DA", []byte(`2020\2021 `), []string{`2020\2021`}},
			{"PN", []byte("M\xfcller"), []string{"M\xfcller"}},
			{"CS", nil, []string{""}},
			{"OB", []byte{1, 2, 3}, []byte{1, 2, 3}},
			{"SQ", []byte{1, 2, 3}, []byte{1, 2, 3}},
		} {
			e, err := part10.DecodeElement(c.b, part10.TagRows, c.vr, decoding)
			if err != nil || !reflect.DeepEqual(e.Value.GetValue(), c.want) {
				t.Errorf("%v, %s of % x: %v, %v; want %#v", order, c.vr, c.b, e, err, c.want)
				continue
			}
			if want := (lib.Element{Tag: tag.Rows, ValueRepresentation: tag.GetVRKind(tag.Rows, c.vr), RawValueRepresentation: c.vr,
				ValueLength: uint32(len(c.b)), Value: e.Value}); *e != want {
				t.Errorf("%s: %+v, want %+v", c.vr, *e, want)
			}
		}
		for vr, n := range map[string]int{"US": 3, "SS": 1, "AT": 5, "UL": 6, "SL": 2, "FL": 5, "FD": 4} {
			if e, err := part10.DecodeElement(make([]byte, n), part10.TagRows, vr, decoding); err == nil {
				t.Errorf("%s of %d bytes: %v", vr, n, e)
			}
		}
	}
}

// TestReadValuesOfOddFiles has an attribute twice, and the first counts, an
// attribute of unknown VR, and one with bytes that are no whole number of values,
// which is an error that leaves the others readable.
func TestReadValuesOfOddFiles(t *testing.T) {
	f := dicomtest.NewFake("1", 0, 0).
		With(part10.TagModality-1, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagModality, "CS", []byte("MR")))).
		With(part10.TagSeriesNumber, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagSeriesNumber, "UN", []byte("12"))))
	p, err := dicomtest.Tokens(f.File())
	if err != nil {
		t.Fatal(err)
	}
	a, err := part10.ReadValues(p)
	if n, ok := a.Integer(part10.TagSeriesNumber); err != nil || a.Text(part10.TagModality) != "MR" || n != 12 || !ok {
		t.Errorf("modality %q, series %d, %v", a.Text(part10.TagModality), n, err)
	}
	f.With(part10.TagRows, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagRows, "UL", []byte{1, 0})))
	if p, err = dicomtest.Tokens(f.File()); err != nil {
		t.Fatal(err)
	}
	if a, err = part10.ReadValues(p); err == nil || a.Text(part10.TagSeriesInstanceUID) != "1.2.3.2" {
		t.Errorf("series %q, %v", a.Text(part10.TagSeriesInstanceUID), err)
	}
}

// TestTextIsShownInItsCharacterSet reads names in several character sets.
func TestTextIsShownInItsCharacterSet(t *testing.T) {
	for _, c := range []struct{ terms, raw, want string }{
		{"ISO_IR 166", "\xe1\xa2\xc1", "แขม"},
		{"GB18030", "\x95\x5c", "昞"},
		{"", "M\xfcller", "Müller"},
	} {
		f := dicomtest.NewFake("1", 0, 0).With(part10.TagSpecificCharacterSet, c.terms).With(part10.TagSeriesDescription, c.raw).With(part10.TagPatientName, c.raw)
		e := dicomtest.Scan(t, dicomtest.FilesOf(map[string]*dicomtest.Fake{"x": f})).Entries[0]
		if e.Err != nil || e.Description != c.want || e.Patient != c.want {
			t.Errorf("%s: description %q, patient %q, want %q: %v", c.terms, e.Description, e.Patient, c.want, e.Err)
		}
	}
}

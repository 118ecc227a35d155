package object

import (
	"encoding/binary"
	"math"
	"strconv"

	"quell/io/dicom/part10"
)

// Encoding is the encoding of all new objects.
var Encoding = part10.ExplicitLE

// Elements are attributes in any order. Each is put once.
type Elements []part10.Edit

// Put adds an attribute.
func (e *Elements) Put(t part10.Tag, vr string, value []byte) {
	*e = append(*e, part10.Set(Encoding, t, vr, value))
}

// Text adds a text with the VR of the dictionary.
func (e *Elements) Text(t part10.Tag, s string) { e.Put(t, part10.DictionaryVR(t), []byte(s)) }

// Decimals adds numbers as text.
func (e *Elements) Decimals(t part10.Tag, values ...float64) {
	e.Put(t, "DS", part10.Decimals(values...))
}

// Doubles adds numbers of 64 bits.
func (e *Elements) Doubles(t part10.Tag, values ...float64) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	e.Put(t, "FD", b)
}

// Short adds a number of 16 bits, of VR US or SS.
func (e *Elements) Short(t part10.Tag, vr string, x int) {
	e.Put(t, vr, binary.LittleEndian.AppendUint16(nil, uint16(x)))
}

// Longs adds unsigned numbers of 32 bits.
func (e *Elements) Longs(t part10.Tag, values ...int) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	e.Put(t, "UL", b)
}

// Sequence adds a sequence of items.
func (e *Elements) Sequence(t part10.Tag, items ...[]byte) {
	*e = append(*e, part10.Edit{Tag: t, Bytes: part10.AppendSequence(nil, Encoding, t, items...)})
}

// Code adds a code sequence of one item.
func (e *Elements) Code(t part10.Tag, c part10.Code) { e.Sequence(t, part10.CodeItem(Encoding, c)) }

// Item returns the attributes as an item of a sequence, or as a data set.
func (e Elements) Item() []byte {
	part10.SortEdits(e)
	return part10.Merge(nil, nil, nil, e)
}

// Reference is an image, or a frame of one.
type Reference struct {
	Class, UID string
	Frame      int // counted from 1; 0 for the whole image
}

// Elements are the attributes that refer to it.
func (r Reference) Elements() (e Elements) {
	e.Text(part10.TagReferencedSOPClassUID, r.Class)
	e.Text(part10.TagReferencedSOPInstanceUID, r.UID)
	if r.Frame > 0 {
		e.Text(part10.TagReferencedFrameNumber, strconv.Itoa(r.Frame))
	}
	return e
}

// Images are images of one series. An image of several frames may be there once for each.
type Images struct {
	SeriesUID string
	Slices    []Reference
}

// ReferencedSeries returns the item of a Referenced Series Sequence for each series with images, in which the
// instances are in the sequence instances.
func ReferencedSeries(all []Images, instances part10.Tag) (items [][]byte) {
	for _, series := range all {
		var references [][]byte
		known := map[string]bool{}
		for _, r := range series.Slices {
			if !known[r.UID] {
				known[r.UID] = true
				r.Frame = 0
				references = append(references, r.Elements().Item())
			}
		}
		if references == nil || series.SeriesUID == "" {
			continue
		}
		var e Elements
		e.Text(part10.TagSeriesInstanceUID, series.SeriesUID)
		e.Sequence(instances, references...)
		items = append(items, e.Item())
	}
	return items
}

// UnitOf returns the code of a unit of voxels (UCUM): no unit for the arbitrary one of MR.
func UnitOf(unit string) part10.Code {
	switch unit {
	case "HU":
		return part10.Code{Value: "[hnsf'U]", Scheme: "UCUM", Meaning: "Hounsfield unit"}
	case "BQML":
		return part10.Code{Value: "Bq/ml", Scheme: "UCUM", Meaning: "Becquerels/milliliter"}
	case "GML":
		return part10.Code{Value: "g/ml", Scheme: "UCUM", Meaning: "Standardized Uptake Value body weight"}
	}
	return part10.Code{Value: "1", Scheme: "UCUM", Meaning: "no units"}
}

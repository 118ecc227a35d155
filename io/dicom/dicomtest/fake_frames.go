package dicomtest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"quell/io/dicom/part10"
)

// EnhancedMR is the SOP class UID of Enhanced MR Image Storage.
const EnhancedMR = "1.2.840.10008.5.1.4.1.1.4.1"

// FakeFrame is one frame of a generated multi-frame image.
type FakeFrame struct {
	Z      float64
	Slope  float64 // 0: 1
	Inter  float64
	Time   int     // TemporalPositionIndex
	BValue float64 // negative: none
	Echo   float64 // EffectiveEchoTime; 0: none
	Stack  string  // StackID; empty: 1
}

// NewEnhanced returns an Enhanced MR image of 4 x 3 pixels a frame; the n-th pixel
// of frame f is 100 f + n, in the given encoding. Its functional groups have known
// lengths or, if undefined is set, none, and hold private attributes.
func NewEnhanced(enc part10.Encoding, undefined bool, frames ...FakeFrame) *Fake {
	f := NewFake("60", 0, 0)
	f.Enc = enc
	for _, t := range []part10.Tag{part10.TagImagePositionPatient, part10.TagImageOrientationPatient, part10.TagPixelSpacing,
		part10.TagSliceThickness, part10.TagRescaleIntercept, part10.TagRescaleSlope, part10.TagWindowCenter, part10.TagWindowWidth, part10.TagWindowCenterWidthExplanation} {
		f.With(t, nil)
	}
	f.With(part10.TagSOPClassUID, EnhancedMR).With(part10.TagModality, "MR").With(part10.TagImageType, `ORIGINAL\PRIMARY\M\NONE`).
		With(part10.TagNumberOfFrames, strconv.Itoa(len(frames))).With(0x00189005, "SEQUENCE").With(0x00200012, "3")
	g := GroupWriter{Enc: enc, Undefined: undefined}
	f.With(part10.TagSharedFunctionalGroupsSequence, RawElement(g.Sequence(part10.TagSharedFunctionalGroupsSequence, slices.Concat(
		g.Group(part10.TagPlaneOrientationSequence, part10.TagImageOrientationPatient, `1\0\0\0\1\0`),
		g.Group(part10.TagPixelMeasuresSequence, part10.TagSliceThickness, "99", part10.TagPixelSpacing, `0.75\0.5`),
	))))
	var items [][]byte
	f.Pixels = nil
	for i, frame := range frames {
		items = append(items, g.Frame(frame))
		for n := range 12 {
			f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(int16(100*i+n)))
		}
	}
	return f.With(part10.TagPerFrameFunctionalGroupsSequence, RawElement(g.Sequence(part10.TagPerFrameFunctionalGroupsSequence, items...)))
}

// GroupWriter encodes functional groups.
type GroupWriter struct {
	Enc       part10.Encoding
	Undefined bool
}

// Sequence encodes a sequence; an item is its encoded elements, without an item header.
func (g GroupWriter) Sequence(t part10.Tag, items ...[]byte) []byte {
	if g.Undefined {
		return SequenceOf(g.Enc, t, "SQ", g.Enc, items...)
	}
	return part10.AppendSequence(nil, g.Enc, t, items...)
}

// Group encodes a functional group of one item from pairs of tag and value.
func (g GroupWriter) Group(t part10.Tag, pairs ...any) []byte {
	order := g.Enc.Order.(binary.AppendByteOrder)
	var item []byte
	for i := 0; i < len(pairs); i += 2 {
		tag, vr := pairs[i].(part10.Tag), part10.DictionaryVR(pairs[i].(part10.Tag))
		switch v := pairs[i+1].(type) {
		case string:
			item = part10.AppendElement(item, g.Enc, tag, vr, []byte(v))
		case int:
			item = part10.AppendElement(item, g.Enc, tag, vr, order.AppendUint32(nil, uint32(v)))
		case float64:
			item = part10.AppendElement(item, g.Enc, tag, vr, order.AppendUint64(nil, math.Float64bits(v)))
		case []byte:
			item = append(item, v...)
		}
	}
	return g.Sequence(t, item)
}

// Frame encodes the functional groups of one frame, without an item header.
func (g GroupWriter) Frame(f FakeFrame) []byte {
	if f.Slope == 0 {
		f.Slope = 1
	}
	var b []byte
	if f.Echo != 0 {
		b = append(b, g.Group(part10.TagMREchoSequence, part10.TagEffectiveEchoTime, f.Echo)...)
	}
	if f.BValue >= 0 {
		b = append(b, g.Group(part10.TagMRDiffusionSequence, part10.TagDiffusionBValue, f.BValue)...)
	}
	return slices.Concat(b,
		g.Group(part10.TagMRImageFrameTypeSequence, part10.TagFrameType, `ORIGINAL\PRIMARY\M\NONE`, part10.TagComplexImageComponent, "MAGNITUDE"),
		g.Group(part10.TagFrameContentSequence, part10.TagStackID, cmp.Or(f.Stack, "1"), part10.TagTemporalPositionIndex, f.Time),
		g.Group(part10.TagPlanePositionSequence, part10.TagImagePositionPatient, fmt.Sprintf(`-10\-20\%g`, f.Z)),
		g.Group(part10.TagFrameVOILUTSequence, part10.TagWindowCenter, fmt.Sprint(40+f.Z), part10.TagWindowWidth, "80"),
		g.Group(part10.TagPixelValueTransformationSequence, part10.TagRescaleIntercept, fmt.Sprint(f.Inter), part10.TagRescaleSlope, fmt.Sprint(f.Slope), part10.TagRescaleType, "US"),
		part10.AppendElement(nil, g.Enc, 0x20050014, "LO", []byte("MAKER")),
		g.Group(0x2005140F, part10.TagSOPInstanceUID, "1.2.3.4", part10.TagImagePositionPatient, `1\2\3`), // a trap: not the frame's
	)
}

// CsaHeader encodes a Siemens header of the older (1) or the newer (2) form with
// the given elements, in this order.
func CsaHeader(form int, pairs ...string) []byte {
	le := binary.LittleEndian
	var b []byte
	if form == 2 {
		b = append(b, "SV10\x04\x03\x02\x01"...)
	}
	b = le.AppendUint32(b, uint32(len(pairs)/2))
	b = le.AppendUint32(b, 77)
	const items = 6
	for i := 0; i < len(pairs); i += 2 {
		values := strings.Split(pairs[i+1], `\`)
		name := make([]byte, 64)
		copy(name, pairs[i]+"\x00rubbish")
		b = append(b, name...)
		b = le.AppendUint32(b, uint32(len(values)))
		b = append(b, "FD\x00\x00"...)
		for _, n := range []uint32{4, items, 77} {
			b = le.AppendUint32(b, n)
		}
		for n := range items {
			var v []byte
			if n < len(values) {
				v = append([]byte(values[n]), 0)
			}
			length := uint32(len(v))
			head := [4]uint32{length, length, 77, length}
			if form == 1 {
				head[0] += items
			}
			for _, x := range head {
				b = le.AppendUint32(b, x)
			}
			b = append(b, v...)
			b = append(b, make([]byte, -len(v)&3)...)
		}
	}
	return b
}

// tile makes the pixels an image of tiles, so many across and down: the n-th pixel of
// slice s is 100 s + n, of the empty tiles -1.
func (f *Fake) tile(slices, across, down, cols, rows int) {
	f.Pixels = nil
	for y := range down * rows {
		for x := range across * cols {
			v := -1
			if s := y/rows*across + x/cols; s < slices {
				v = 100*s + y%rows*cols + x%cols
			}
			f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(int16(v)))
		}
	}
}

// NewMosaic returns a mosaic of five slices of 4 x 3 pixels in 3 x 3 tiles.
func NewMosaic(form int, normal string) *Fake {
	const tiles, across, cols, rows = 5, 3, 4, 3
	f := NewFake("70", 5, 0).With(part10.TagModality, "MR").With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.4").
		With(part10.TagImageType, `ORIGINAL\PRIMARY\M\ND\MOSAIC`).With(part10.TagRows, across*rows).With(part10.TagColumns, across*cols).
		With(part10.TagSpacingBetweenSlices, "2.5").Own(part10.TagSiemensCSAImageHeader).
		With(part10.TagRescaleIntercept, nil).With(part10.TagRescaleSlope, nil)
	csa := CsaHeader(form, "EchoLinePosition", "32", "NumberOfImagesInMosaic", strconv.Itoa(tiles), "SliceNormalVector", normal)
	f.With(part10.TagSiemensCSAImageHeader, RawElement(part10.AppendElement(nil, f.Enc, part10.TagSiemensCSAImageHeader, "OB", csa)))
	f.tile(tiles, across, across, cols, rows)
	return f
}

// Encapsulate returns a file of f's attributes with the given fragments as pixel
// data behind an offset table.
func Encapsulate(f *Fake, syntaxUID string, table []byte, fragments ...[]byte) []byte {
	b := part10.AppendElementHeader(nil, part10.ExplicitLE, part10.TagPixelData, "OB", part10.UndefinedLength)
	b = part10.AppendItem(b, part10.ExplicitLE, table)
	for _, f := range fragments {
		b = part10.AppendItem(b, part10.ExplicitLE, f)
	}
	b = part10.AppendElementHeader(b, part10.ExplicitLE, part10.TagSequenceDelimitation, "", 0)
	f.Pixels = nil
	f.With(part10.TagPixelData, RawElement(b))
	class, _ := f.Values[part10.TagSOPClassUID].(string)
	sop, _ := f.Values[part10.TagSOPInstanceUID].(string)
	return append(part10.AppendFileMeta(nil, class, sop, syntaxUID, "test"), f.Dataset()...)
}

// RleStream packs 16-bit pixels by PS3.5 annex G, every byte as it is.
func RleStream(pixels []byte) []byte {
	n := len(pixels) / 2
	b := make([]byte, 64)
	binary.LittleEndian.PutUint32(b, 2)
	for p := range 2 {
		binary.LittleEndian.PutUint32(b[4+4*p:], uint32(len(b)))
		for i := 0; i < n; i += 128 {
			m := min(n-i, 128)
			b = append(b, byte(m-1))
			for k := i; k < i+m; k++ {
				b = append(b, pixels[2*k+1-p])
			}
		}
		b = append(b, make([]byte, len(b)%2)...)
	}
	return b
}

// NewUIHTiles returns an image of five slices of 4 x 3 pixels in three columns and
// two rows of tiles, 2.5 mm apart from z on down; the n-th pixel of slice s is
// 100 s + n, of the empty tile -1. It has no position of its own.
func NewUIHTiles(enc part10.Encoding, z float64) *Fake {
	const slices, across, down, cols, rows = 5, 3, 2, 4, 3
	var items []byte
	for s := range slices {
		position := fmt.Appendf(nil, `-10\-20\%g`, z-2.5*float64(s))
		item := part10.AppendElement(nil, enc, 0x00080032, "TM", []byte("133835"))
		items = part10.AppendItem(items, enc, part10.AppendElement(item, enc, part10.TagImagePositionPatient, "DS", position))
	}
	float := func(t part10.Tag, values ...float64) RawElement {
		var b []byte
		for _, v := range values {
			b = enc.Order.(binary.AppendByteOrder).AppendUint64(b, math.Float64bits(v))
		}
		return part10.AppendElement(nil, enc, t, "FD", b)
	}
	f := NewFake("70", 0, 0).With(part10.TagModality, "MR").With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.4").
		With(part10.TagImageType, `ORIGINAL\PRIMARY\M\VFRAME`).With(part10.TagRows, down*rows).With(part10.TagColumns, across*cols).
		With(part10.TagSpacingBetweenSlices, "2.5").With(part10.TagImagePositionPatient, nil).
		With(part10.TagRescaleIntercept, nil).With(part10.TagRescaleSlope, nil).
		Own(part10.TagUIHFrameSequence).
		With(part10.TagUIHBValue, float(part10.TagUIHBValue, 929.75018313375267)).With(part10.TagUIHDirection, float(part10.TagUIHDirection, 0, 0.6, 0.8)).
		With(part10.TagUIHFrameSequence, RawElement(part10.AppendElement(nil, enc, part10.TagUIHFrameSequence, "SQ", items)))
	f.Enc = enc
	f.tile(slices, across, down, cols, rows)
	return f
}

// ThreeFrames lie against the order of their positions, each with a rescale and
// a window of its own.
var ThreeFrames = []FakeFrame{
	{Z: 15, Slope: 1, Inter: -1, BValue: -1},
	{Z: 10, Slope: 0.5, Inter: 3, BValue: -1},
	{Z: 5, Slope: 2, Inter: 0, BValue: -1},
}

// OneFile returns a file system that holds f alone, as m.dcm.
func OneFile(f *Fake) fstest.MapFS { return fstest.MapFS{"m.dcm": {Data: f.File()}} }

// SecondaryFrames is a multi-frame secondary capture of three frames.
func SecondaryFrames() *Fake {
	f := NewFake("61", 5, 0).With(part10.TagNumberOfFrames, "3").With(part10.TagSliceThickness, nil).
		With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.7.3").With(part10.TagModality, "OT")
	for i := 12; i < 36; i++ {
		f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(i))
	}
	return f
}

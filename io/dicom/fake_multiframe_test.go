package dicom

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const enhancedMR = "1.2.840.10008.5.1.4.1.1.4.1"

// fakeFrame is one frame of a generated multi-frame image.
type fakeFrame struct {
	z      float64
	slope  float64 // 0: 1
	inter  float64
	time   int     // TemporalPositionIndex
	bValue float64 // negative: none
	echo   float64 // EffectiveEchoTime; 0: none
	stack  string  // StackID; empty: 1
}

// newEnhanced returns an Enhanced MR image of 4 x 3 pixels a frame, whose n-th
// pixel of frame f is 100 f + n, in the given encoding. Its functional groups have
// known lengths or, where undefined is set, none, and hold private attributes.
func newEnhanced(enc encoding, undefined bool, frames ...fakeFrame) *fake {
	f := newFake("60", 0, 0)
	f.enc = enc
	for _, t := range []tagID{tagImagePositionPatient, tagImageOrientationPatient, tagPixelSpacing,
		tagSliceThickness, tagRescaleIntercept, tagRescaleSlope, tagWindowCenter, tagWindowWidth, tagWindowCenterWidthExplanation} {
		f.with(t, nil)
	}
	f.with(tagSOPClassUID, enhancedMR).with(tagModality, "MR").with(tagImageType, `ORIGINAL\PRIMARY\M\NONE`).
		with(tagNumberOfFrames, strconv.Itoa(len(frames))).with(0x00189005, "SEQUENCE").with(0x00200012, "3")
	g := groupWriter{enc, undefined}
	f.with(tagSharedFunctionalGroupsSequence, rawElement(g.sequence(tagSharedFunctionalGroupsSequence, slices.Concat(
		g.group(tagPlaneOrientationSequence, tagImageOrientationPatient, `1\0\0\0\1\0`),
		g.group(tagPixelMeasuresSequence, tagSliceThickness, "99", tagPixelSpacing, `0.75\0.5`),
	))))
	var items [][]byte
	f.pixels = nil
	for i, frame := range frames {
		items = append(items, g.frame(frame))
		for n := range 12 {
			f.pixels = binary.LittleEndian.AppendUint16(f.pixels, uint16(int16(100*i+n)))
		}
	}
	return f.with(tagPerFrameFunctionalGroupsSequence, rawElement(g.sequence(tagPerFrameFunctionalGroupsSequence, items...)))
}

// groupWriter encodes functional groups.
type groupWriter struct {
	enc       encoding
	undefined bool
}

func (g groupWriter) sequence(t tagID, items ...[]byte) []byte {
	if g.undefined {
		return sequenceOf(g.enc, t, "SQ", g.enc, items...)
	}
	return appendSequence(nil, g.enc, t, items...)
}

// group encodes a functional group of one item from pairs of tag and value.
func (g groupWriter) group(t tagID, pairs ...any) []byte {
	order := g.enc.order.(binary.AppendByteOrder)
	var item []byte
	for i := 0; i < len(pairs); i += 2 {
		tag, vr := pairs[i].(tagID), dictionaryVR(pairs[i].(tagID))
		switch v := pairs[i+1].(type) {
		case string:
			item = appendElement(item, g.enc, tag, vr, []byte(v))
		case int:
			item = appendElement(item, g.enc, tag, vr, order.AppendUint32(nil, uint32(v)))
		case float64:
			item = appendElement(item, g.enc, tag, vr, order.AppendUint64(nil, math.Float64bits(v)))
		case []byte:
			item = append(item, v...)
		}
	}
	return g.sequence(t, item)
}

func (g groupWriter) frame(f fakeFrame) []byte {
	if f.slope == 0 {
		f.slope = 1
	}
	var b []byte
	if f.echo != 0 {
		b = append(b, g.group(tagMREchoSequence, tagEffectiveEchoTime, f.echo)...)
	}
	if f.bValue >= 0 {
		b = append(b, g.group(tagMRDiffusionSequence, tagDiffusionBValue, f.bValue)...)
	}
	return slices.Concat(b,
		g.group(tagMRImageFrameTypeSequence, tagFrameType, `ORIGINAL\PRIMARY\M\NONE`, tagComplexImageComponent, "MAGNITUDE"),
		g.group(tagFrameContentSequence, tagStackID, cmp.Or(f.stack, "1"), tagTemporalPositionIndex, f.time),
		g.group(tagPlanePositionSequence, tagImagePositionPatient, fmt.Sprintf(`-10\-20\%g`, f.z)),
		g.group(tagFrameVOILUTSequence, tagWindowCenter, fmt.Sprint(40+f.z), tagWindowWidth, "80"),
		g.group(tagPixelValueTransformationSequence, tagRescaleIntercept, fmt.Sprint(f.inter), tagRescaleSlope, fmt.Sprint(f.slope), tagRescaleType, "US"),
		appendElement(nil, g.enc, 0x20050014, "LO", []byte("MAKER")),
		g.group(0x2005140F, tagImagePositionPatient, `1\2\3`, tagSOPInstanceUID, "1.2.3.4"), // a trap: not the frame's
	)
}

// csaHeader encodes a Siemens header of the older (1) or the newer (2) form with
// the given elements, in this order.
func csaHeader(form int, pairs ...string) []byte {
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
func (f *fake) tile(slices, across, down, cols, rows int) {
	f.pixels = nil
	for y := range down * rows {
		for x := range across * cols {
			v := -1
			if s := y/rows*across + x/cols; s < slices {
				v = 100*s + y%rows*cols + x%cols
			}
			f.pixels = binary.LittleEndian.AppendUint16(f.pixels, uint16(int16(v)))
		}
	}
}

// newMosaic returns a mosaic of five slices of 4 x 3 pixels in 3 x 3 tiles.
func newMosaic(form int, normal string) *fake {
	const tiles, across, cols, rows = 5, 3, 4, 3
	f := newFake("70", 5, 0).with(tagModality, "MR").with(tagSOPClassUID, "1.2.840.10008.5.1.4.1.1.4").
		with(tagImageType, `ORIGINAL\PRIMARY\M\ND\MOSAIC`).with(tagRows, across*rows).with(tagColumns, across*cols).
		with(tagSpacingBetweenSlices, "2.5").with(0x00290010, "SIEMENS CSA HEADER").
		with(tagRescaleIntercept, nil).with(tagRescaleSlope, nil)
	csa := csaHeader(form, "EchoLinePosition", "32", "NumberOfImagesInMosaic", strconv.Itoa(tiles), "SliceNormalVector", normal)
	f.with(tagCSAImageHeaderInfo, rawElement(appendElement(nil, f.enc, tagCSAImageHeaderInfo, "OB", csa)))
	f.tile(tiles, across, across, cols, rows)
	return f
}

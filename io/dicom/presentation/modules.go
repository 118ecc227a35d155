package presentation

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"quell/io/dicom/deid"
	"quell/io/dicom/part10"
	"quell/volume"
)

// enc is the encoding of the object.
var enc = part10.ExplicitLE

// layer is the graphic layer of all marks.
const layer = "MARKS"

// seriesOffset is added to the number of the images' series, beyond what derived series add.
const seriesOffset = 20000

// modules makes the attributes of the object.
type modules struct {
	*State
	images
}

// elements are elements in any order.
type elements []part10.Edit

func (e *elements) put(t part10.Tag, vr string, value []byte) {
	*e = append(*e, part10.Set(enc, t, vr, value))
}

// text adds a text with the VR of the dictionary.
func (e *elements) text(t part10.Tag, s string) { e.put(t, part10.DictionaryVR(t), []byte(s)) }

func (e *elements) sequence(t part10.Tag, items ...[]byte) {
	*e = append(*e, part10.Edit{Tag: t, Bytes: part10.AppendSequence(nil, enc, t, items...)})
}

// item returns the elements as an item of a sequence.
func (e elements) item() []byte {
	part10.SortEdits(e)
	return part10.Merge(nil, nil, nil, e)
}

// content returns what decides the instance: all but its UID, dates and the version.
func (m *modules) content() elements {
	var e elements
	m.relationship(&e)
	m.transformation(&e)
	m.grey(&e)
	m.annotation(&e)
	e.text(part10.TagInstanceNumber, strconv.Itoa(m.Number))
	return e
}

// instance returns the modules of patient, study, series, equipment and identification.
func (m *modules) instance(uid string) elements {
	var e elements
	for _, t := range shared {
		if value := m.raw(t); len(value) > 0 {
			e.put(t, part10.DictionaryVR(t), value)
		}
	}
	for _, t := range []part10.Tag{part10.TagStudyDate, part10.TagStudyTime, part10.TagAccessionNumber, part10.TagReferringPhysicianName,
		part10.TagPatientName, part10.TagPatientID, part10.TagPatientBirthDate, part10.TagPatientSex, part10.TagStudyID} {
		if len(m.raw(t)) == 0 { // type 2
			e.text(t, "")
		}
	}
	// Of an unpaired part of the body there is no side (C.7.3.1).
	if len(m.raw(part10.TagLaterality)) == 0 && len(m.raw(part10.TagBodyPartExamined)) == 0 {
		e.text(part10.TagLaterality, "")
	}
	// The images may name the method by codes alone.
	if string(m.raw(part10.TagPatientIdentityRemoved)) == "YES" && len(m.raw(part10.TagDeidentificationMethod)) == 0 {
		e.text(part10.TagDeidentificationMethod, "That of the referenced images")
	}
	now := m.Now
	if string(m.raw(part10.TagLongitudinalTemporalInformationModified)) == "REMOVED" {
		now = deid.DummyTime
	}
	for _, t := range []part10.Tag{part10.TagInstanceCreationDate, part10.TagSeriesDate, part10.TagPresentationCreationDate} {
		e.put(t, "DA", part10.Date(now))
	}
	for _, t := range []part10.Tag{part10.TagInstanceCreationTime, part10.TagSeriesTime, part10.TagPresentationCreationTime} {
		e.put(t, "TM", part10.Time(now))
	}
	e.text(part10.TagSOPClassUID, part10.GrayscalePresentationState)
	e.text(part10.TagSOPInstanceUID, uid)
	e.text(part10.TagModality, "PR")
	e.text(part10.TagManufacturer, "Quell")
	e.text(part10.TagManufacturerModelName, "Quell")
	e.text(part10.TagSoftwareVersions, part10.Clip(part10.ASCII(m.Version), 64))
	e.text(part10.TagSeriesInstanceUID, part10.HashUID([]byte("presentation series"), m.raw(part10.TagSeriesInstanceUID)))
	e.text(part10.TagSeriesNumber, m.seriesNumber())
	e.text(part10.TagSeriesDescription, "Presentation states [Quell]")
	e.text(part10.TagContentLabel, "QUELL")
	e.text(part10.TagContentDescription, "Window, area and marks. Not for clinical use.")
	e.text(part10.TagContentCreatorName, "") // Quell does not know who uses it
	return e
}

// seriesNumber is that of the images plus seriesOffset; "" where they have none.
func (m *modules) seriesNumber() string {
	n, ok := m.header.Integer(part10.TagSeriesNumber)
	if !ok || n > math.MaxInt32-seriesOffset {
		return ""
	}
	return strconv.Itoa(n + seriesOffset)
}

// relationship lists the images (PS3.3 C.11.11).
func (m *modules) relationship(e *elements) {
	var series elements
	series.put(part10.TagSeriesInstanceUID, "UI", m.raw(part10.TagSeriesInstanceUID))
	var references [][]byte
	for _, f := range m.files {
		references = append(references, f.reference(m.State, f.slices...))
	}
	series.sequence(part10.TagReferencedImageSequence, references...)
	e.sequence(part10.TagReferencedSeriesSequence, series.item())
}

// transformation states turn and area: first the image is rotated, then mirrored (C.10.6); the area
// (C.10.4) ends at the pixels of the stored image, counted from 1, that are at the corners of the
// screen after that. The screen shows it as large as fits.
func (m *modules) transformation(e *elements) {
	stored := m.stored()
	rotation, flip := 0, "N"
	for quarters := range 4 {
		t := volume.Turn{Quarters: quarters}
		if sameTurn(stored.Turned(t), m.View) {
			rotation, flip = 90*quarters, "N"
		}
		if sameTurn(stored.Turned(t.Mirror(true)), m.View) {
			rotation, flip = 90*quarters, "Y"
		}
	}
	e.text(part10.TagImageHorizontalFlip, flip)
	e.put(part10.TagImageRotation, "US", binary.LittleEndian.AppendUint16(nil, uint16(rotation)))

	corner := func(at [2]int) (b []byte) {
		for _, x := range m.View.To(stored, [2]float64{float64(at[0]), float64(at[1])}) {
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(x)+1))
		}
		return b
	}
	var area elements
	area.put(part10.TagDisplayedAreaTopLeftHandCorner, "SL", corner(m.Area[0]))
	area.put(part10.TagDisplayedAreaBottomRightHandCorner, "SL", corner(m.Area[1]))
	area.text(part10.TagPresentationSizeMode, "SCALE TO FIT")
	area.put(part10.TagPresentationPixelSpacing, "DS", part10.Decimals(stored.Pixel[1], stored.Pixel[0]))
	e.sequence(part10.TagDisplayedAreaSelectionSequence, area.item())
}

// sameTurn reports whether two views of a plane show the same picture.
func sameTurn(a, b volume.View) bool {
	return a.Axis[0] == b.Axis[0] && a.Axis[1] == b.Axis[1] && a.Flip[0] == b.Flip[0] && a.Flip[1] == b.Flip[1]
}

// grey states how stored values become grey: rescale, window and polarity. The window is written for
// DICOM's function LINEAR, which every viewer knows, also if it was set as LINEAR_EXACT: with a width
// that is larger by 1 and a center that is higher by 0.5 it is the same line.
func (m *modules) grey(e *elements) {
	e.put(part10.TagRescaleIntercept, "DS", part10.Decimals(m.Sources[0].Inter))
	e.put(part10.TagRescaleSlope, "DS", part10.Decimals(m.Sources[0].Slope))
	e.text(part10.TagRescaleType, m.rescaleType())
	lo, hi := m.Window.Ends()
	var window elements
	window.put(part10.TagWindowCenter, "DS", part10.Decimals((lo+hi)/2+0.5))
	window.put(part10.TagWindowWidth, "DS", part10.Decimals(hi-lo+1))
	if name := part10.Clip(part10.ASCII(m.Window.Name), 64); name != "" {
		window.text(part10.TagWindowCenterWidthExplanation, name)
	}
	e.sequence(part10.TagSoftcopyVOILUTSequence, window.item())
	shape := "IDENTITY"
	if m.Inverted {
		shape = "INVERSE"
	}
	e.text(part10.TagPresentationLUTShape, shape)
}

// integers writes numbers as IS.
func integers(values ...int) []byte {
	var parts [][]byte
	for _, v := range values {
		parts = append(parts, strconv.AppendInt(nil, int64(v), 10))
	}
	return bytes.Join(parts, []byte{'\\'})
}

package presentation

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"quell/io/dicom/object"
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

// content returns what decides the instance: all but its UID, dates and the version.
func (m *modules) content() object.Elements {
	var e object.Elements
	m.relationship(&e)
	m.transformation(&e)
	m.grey(&e)
	m.annotation(&e)
	e.Text(part10.TagInstanceNumber, strconv.Itoa(m.Number))
	return e
}

// instance returns the modules of patient, study, series, equipment and identification.
func (m *modules) instance(uid string) (e object.Elements) {
	now := e.Identify(m.header, object.Instance{
		Class: part10.GrayscalePresentationState, UID: uid, Modality: "PR", Version: m.Version, Now: m.Now,
		SeriesUID: part10.HashUID([]byte("presentation series"), m.raw(part10.TagSeriesInstanceUID)),
		Number:    object.SeriesNumber(m.header, seriesOffset), Caption: "Presentation states [Quell]",
	})
	e.Put(part10.TagPresentationCreationDate, "DA", part10.Date(now))
	e.Put(part10.TagPresentationCreationTime, "TM", part10.Time(now))
	e.Text(part10.TagContentLabel, "QUELL")
	e.Text(part10.TagContentDescription, "Window, area and marks. Not for clinical use.")
	e.Text(part10.TagContentCreatorName, "") // Quell does not know who uses it
	return e
}

// relationship lists the images (PS3.3 C.11.11).
func (m *modules) relationship(e *object.Elements) {
	var series object.Elements
	series.Put(part10.TagSeriesInstanceUID, "UI", m.raw(part10.TagSeriesInstanceUID))
	var references [][]byte
	for _, f := range m.files {
		references = append(references, f.reference(m.State, f.slices...))
	}
	series.Sequence(part10.TagReferencedImageSequence, references...)
	e.Sequence(part10.TagReferencedSeriesSequence, series.Item())
}

// transformation states turn and area: first the image is rotated, then mirrored (C.10.6); the area
// (C.10.4) ends at the pixels of the stored image, counted from 1, that are at the corners of the
// screen after that. The screen shows it as large as fits.
func (m *modules) transformation(e *object.Elements) {
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
	e.Text(part10.TagImageHorizontalFlip, flip)
	e.Put(part10.TagImageRotation, "US", binary.LittleEndian.AppendUint16(nil, uint16(rotation)))

	corner := func(at [2]int) (b []byte) {
		for _, x := range m.View.To(stored, [2]float64{float64(at[0]), float64(at[1])}) {
			b = binary.LittleEndian.AppendUint32(b, uint32(int32(x)+1))
		}
		return b
	}
	var area object.Elements
	area.Put(part10.TagDisplayedAreaTopLeftHandCorner, "SL", corner(m.Area[0]))
	area.Put(part10.TagDisplayedAreaBottomRightHandCorner, "SL", corner(m.Area[1]))
	area.Text(part10.TagPresentationSizeMode, "SCALE TO FIT")
	area.Put(part10.TagPresentationPixelSpacing, "DS", part10.Decimals(stored.Pixel[1], stored.Pixel[0]))
	e.Sequence(part10.TagDisplayedAreaSelectionSequence, area.Item())
}

// sameTurn reports whether two views of a plane show the same picture.
func sameTurn(a, b volume.View) bool {
	return a.Axis[0] == b.Axis[0] && a.Axis[1] == b.Axis[1] && a.Flip[0] == b.Flip[0] && a.Flip[1] == b.Flip[1]
}

// grey states how stored values become grey: rescale, window and polarity. The window is written for
// DICOM's function LINEAR, which every viewer knows, also if it was set as LINEAR_EXACT: with a width
// that is larger by 1 and a center that is higher by 0.5 it is the same line.
func (m *modules) grey(e *object.Elements) {
	e.Put(part10.TagRescaleIntercept, "DS", part10.Decimals(m.Sources[0].Inter))
	e.Put(part10.TagRescaleSlope, "DS", part10.Decimals(m.Sources[0].Slope))
	e.Text(part10.TagRescaleType, m.rescaleType())
	lo, hi := m.Window.Ends()
	var window object.Elements
	window.Put(part10.TagWindowCenter, "DS", part10.Decimals((lo+hi)/2+0.5))
	window.Put(part10.TagWindowWidth, "DS", part10.Decimals(hi-lo+1))
	if name := part10.Clip(part10.ASCII(m.Window.Name), 64); name != "" {
		window.Text(part10.TagWindowCenterWidthExplanation, name)
	}
	e.Sequence(part10.TagSoftcopyVOILUTSequence, window.Item())
	shape := "IDENTITY"
	if m.Inverted {
		shape = "INVERSE"
	}
	e.Text(part10.TagPresentationLUTShape, shape)
}

// integers writes numbers as IS.
func integers(values ...int) []byte {
	var parts [][]byte
	for _, v := range values {
		parts = append(parts, strconv.AppendInt(nil, int64(v), 10))
	}
	return bytes.Join(parts, []byte{'\\'})
}

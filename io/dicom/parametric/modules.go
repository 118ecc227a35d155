package parametric

import (
	"encoding/binary"
	"math"
	"strconv"

	"quell/io/dicom/object"
	"quell/io/dicom/part10"
)

// seriesOffset is added to the number of the derived series, and the order of the quantity.
const seriesOffset = 1000

// elements returns all attributes before the values.
func (m *Map) elements() (e object.Elements) {
	m.identify(&e)
	m.image(&e)
	m.dimensions(&e)
	e.Sequence(part10.TagSharedFunctionalGroupsSequence, m.shared())
	var frames [][]byte
	for z := range m.Positions {
		frames = append(frames, m.frame(z))
	}
	e.Sequence(part10.TagPerFrameFunctionalGroupsSequence, frames...)
	e.Sequence(part10.TagReferencedSeriesSequence, object.ReferencedSeries([]object.Images{m.Source, m.Result}, part10.TagReferencedInstanceSequence)...)
	return e
}

// identify adds patient, study, series, frame of reference, equipment and instance.
func (m *Map) identify(e *object.Elements) {
	number := object.SeriesNumber(m.Header, seriesOffset+m.Quantity.Order)
	if number == "" { // type 1
		number = strconv.Itoa(seriesOffset + m.Quantity.Order)
	}
	modality := m.Header.Text(part10.TagModality)
	if modality == "" {
		modality = "OT"
	}
	now := e.Identify(m.Header, object.Instance{
		Class: part10.ParametricMap, UID: m.UID(), Modality: modality, SeriesUID: m.SeriesUID(), Number: number, Caption: m.Quantity.Caption, Version: m.Version, Now: m.Now,
	})
	e.Dated(now)
	e.Schemes()
	e.Text(part10.TagDeviceSerialNumber, object.Product) // type 1, and a program has none
	reference := m.Header.Raw(part10.TagFrameOfReferenceUID)
	if len(reference) == 0 {
		reference = []byte(part10.HashUID([]byte("frame of reference"), m.Header.Raw(part10.TagSeriesInstanceUID)))
	}
	e.Put(part10.TagFrameOfReferenceUID, "UI", reference)
	e.Put(part10.TagPositionReferenceIndicator, "LO", m.Header.Raw(part10.TagPositionReferenceIndicator))
}

// imageType is the type of the map and of its frames.
func (m *Map) imageType() string { return `DERIVED\PRIMARY\VOLUME\` + m.Quantity.Contrast }

// image adds what the values are.
func (m *Map) image(e *object.Elements) {
	e.Text(part10.TagImageType, m.imageType())
	e.Text(part10.TagInstanceNumber, strconv.Itoa(m.Number))
	e.Text(part10.TagContentLabel, m.Quantity.Label)
	e.Text(part10.TagContentDescription, part10.Clip(m.Quantity.Caption, 64))
	e.Text(part10.TagContentCreatorName, "") // Quell does not know who uses it
	e.Short(part10.TagSamplesPerPixel, "US", 1)
	e.Text(part10.TagPhotometricInterpretation, "MONOCHROME2")
	e.Text(part10.TagNumberOfFrames, strconv.Itoa(m.Grid.Dims[2]))
	e.Short(part10.TagRows, "US", m.Grid.Dims[1])
	e.Short(part10.TagColumns, "US", m.Grid.Dims[0])
	e.Short(part10.TagBitsAllocated, "US", 32)
	if m.Masked {
		padding := binary.LittleEndian.AppendUint32(nil, math.Float32bits(Padding))
		e.Put(part10.TagFloatPixelPaddingValue, "FL", padding)
		e.Put(part10.TagFloatPixelPaddingRangeLimit, "FL", padding)
	}
	burned := m.Header.Text(part10.TagBurnedInAnnotation)
	if burned == "" {
		burned = "NO"
	}
	e.Text(part10.TagBurnedInAnnotation, burned)
	lossy := m.Header.Text(part10.TagLossyImageCompression)
	if lossy != "01" {
		lossy = "00"
	}
	e.Text(part10.TagLossyImageCompression, lossy)
	if lossy == "01" { // what was lost before the map was made
		for _, t := range []part10.Tag{part10.TagLossyImageCompressionRatio, part10.TagLossyImageCompressionMethod} {
			if value := m.Header.Raw(t); len(value) > 0 {
				e.Put(t, part10.DictionaryVR(t), value)
			}
		}
	}
	e.Text(part10.TagPresentationLUTShape, "IDENTITY")
	e.Text(part10.TagPixelPresentation, "MONOCHROME")
	e.Text(part10.TagContentQualification, "RESEARCH")
	e.Text(part10.TagRecognizableVisualFeatures, "YES") // of a head; its skin may be in it
	e.Sequence(part10.TagAcquisitionContextSequence)
}

// dimensions writes the Dimension Index: frames are indexed by their position in the stack.
func (m *Map) dimensions(e *object.Elements) {
	uid := part10.HashUID([]byte("dimensions"), []byte(m.UID()))
	var organization, index object.Elements
	organization.Text(part10.TagDimensionOrganizationUID, uid)
	index.Text(part10.TagDimensionOrganizationUID, uid)
	index.Put(part10.TagDimensionIndexPointer, "AT", attribute(part10.TagInStackPositionNumber))
	index.Put(part10.TagFunctionalGroupPointer, "AT", attribute(part10.TagFrameContentSequence))
	index.Text(part10.TagDimensionDescriptionLabel, "Slice")
	e.Sequence(part10.TagDimensionOrganizationSequence, organization.Item())
	e.Sequence(part10.TagDimensionIndexSequence, index.Item())
}

// attribute encodes a tag as a value.
func attribute(t part10.Tag) []byte {
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, t.Group()), t.Element())
}

package parametric

import (
	"quell/io/dicom/object"
	"quell/io/dicom/part10"
)

// sourceForProcessing is why a map refers to an image (CID 7202).
var sourceForProcessing = part10.Code{Value: "121322", Scheme: "DCM", Meaning: "Source image for image processing operation"}

// shared returns the functional groups of all frames.
func (m *Map) shared() []byte {
	var measures, orientation, kind, voi, transformation object.Elements
	row, column := m.Grid.Affine.Column(0).Unit(), m.Grid.Affine.Column(1).Unit()
	measures.Decimals(part10.TagPixelSpacing, m.Grid.Spacing[1], m.Grid.Spacing[0])
	measures.Decimals(part10.TagSliceThickness, m.Grid.Spacing[2])
	measures.Decimals(part10.TagSpacingBetweenSlices, m.Grid.Spacing[2])
	orientation.Decimals(part10.TagImageOrientationPatient, append(row[:], column[:]...)...)
	kind.Text(part10.TagFrameType, m.imageType())
	voi.Decimals(part10.TagWindowCenter, m.Window.Center)
	voi.Decimals(part10.TagWindowWidth, m.Window.Width)
	voi.Text(part10.TagVOILUTFunction, "LINEAR_EXACT")
	transformation.Decimals(part10.TagRescaleIntercept, 0)
	transformation.Decimals(part10.TagRescaleSlope, 1)
	transformation.Text(part10.TagRescaleType, "US")

	var e object.Elements
	e.Sequence(part10.TagPixelMeasuresSequence, measures.Item())
	e.Sequence(part10.TagPlaneOrientationSequence, orientation.Item())
	e.Sequence(part10.TagParametricMapFrameTypeSequence, kind.Item())
	e.Sequence(part10.TagFrameVOILUTSequence, voi.Item())
	e.Sequence(part10.TagPixelValueTransformationSequence, transformation.Item())
	e.Sequence(part10.TagRealWorldValueMappingSequence, m.mapping())
	return e.Item()
}

// mapping says what the values mean: they are real values as they are stored.
func (m *Map) mapping() []byte {
	var e object.Elements
	e.Text(part10.TagLUTLabel, m.Quantity.Label)
	e.Text(part10.TagLUTExplanation, part10.Clip(m.Quantity.Caption, 64))
	e.Doubles(part10.TagDoubleFloatRealWorldValueFirstValueMapped, -maxValue)
	e.Doubles(part10.TagDoubleFloatRealWorldValueLastValueMapped, maxValue)
	e.Doubles(part10.TagRealWorldValueIntercept, 0)
	e.Doubles(part10.TagRealWorldValueSlope, 1)
	e.Code(part10.TagMeasurementUnitsCodeSequence, object.UnitOf(m.Unit))
	definition := [][]byte{concept(quantity, measured(m.Header.Text(part10.TagModality), m.Unit))}
	if m.Quantity.Statistic != (part10.Code{}) {
		definition = append(definition, concept(derivation, m.Quantity.Statistic))
	}
	definition = append(definition, concept(method, m.Quantity.Derivation))
	e.Sequence(part10.TagQuantityDefinitionSequence, definition...)
	return e.Item()
}

// maxValue is the largest value that is mapped: the next one below Padding.
const maxValue = 3.4e38

// concept is a content item of type CODE.
func concept(name, value part10.Code) []byte {
	var e object.Elements
	e.Text(part10.TagValueType, "CODE")
	e.Code(part10.TagConceptNameCodeSequence, name)
	e.Code(part10.TagConceptCodeSequence, value)
	return e.Item()
}

// frame returns the functional groups of the frame of slice z.
func (m *Map) frame(z int) []byte {
	var content, position, derived object.Elements
	content.Text(part10.TagStackID, "1")
	content.Longs(part10.TagInStackPositionNumber, z+1)
	content.Longs(part10.TagDimensionIndexValues, z+1)
	position.Decimals(part10.TagImagePositionPatient, m.Positions[z][:]...)
	derived.Text(part10.TagDerivationDescription, part10.Clip(part10.ASCII(m.Description), 1024))
	derived.Code(part10.TagDerivationCodeSequence, m.Quantity.Derivation)
	var images [][]byte
	add := func(of object.Images) {
		reference := of.Slices[z].Elements()
		reference.Text(part10.TagSpatialLocationsPreserved, "YES")
		reference.Code(part10.TagPurposeOfReferenceCodeSequence, sourceForProcessing)
		images = append(images, reference.Item())
	}
	if len(m.Source.Slices) > 0 {
		add(m.Source)
	}
	if m.Quantity.OfResult || len(m.Source.Slices) == 0 {
		add(m.Result)
	}
	derived.Sequence(part10.TagSourceImageSequence, images...)

	var e object.Elements
	e.Sequence(part10.TagFrameContentSequence, content.Item())
	e.Sequence(part10.TagPlanePositionSequence, position.Item())
	e.Sequence(part10.TagDerivationImageSequence, derived.Item())
	return e.Item()
}

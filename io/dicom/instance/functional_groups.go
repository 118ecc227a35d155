package instance

import (
	lib "github.com/suyashkumar/dicom"

	"quell/io/dicom/part10"
)

// groupAttributes lists the functional groups (PS3.3 C.7.6.16) that are read and, of
// each, the attributes that are taken: the place of a frame, the meaning of its
// values, and what distinguishes volumes.
var groupAttributes = map[part10.Tag][]part10.Tag{
	part10.TagPixelMeasuresSequence:              {part10.TagPixelSpacing, part10.TagSliceThickness, part10.TagSpacingBetweenSlices},
	part10.TagPlanePositionSequence:              {part10.TagImagePositionPatient},
	part10.TagPlaneOrientationSequence:           {part10.TagImageOrientationPatient},
	part10.TagPixelValueTransformationSequence:   {part10.TagRescaleIntercept, part10.TagRescaleSlope, part10.TagRescaleType},
	part10.TagRealWorldValueMappingSequence:      {part10.TagRealWorldValueIntercept, part10.TagRealWorldValueSlope},
	part10.TagParametricMapFrameTypeSequence:     {part10.TagFrameType},
	part10.TagFrameVOILUTSequence:                {part10.TagWindowCenter, part10.TagWindowWidth, part10.TagWindowCenterWidthExplanation},
	part10.TagFrameContentSequence:               {part10.TagStackID, part10.TagTemporalPositionIndex, part10.TagFrameAcquisitionNumber, part10.TagFrameAcquisitionDateTime, part10.TagDimensionIndexValues, part10.TagFrameLabel},
	part10.TagMRImageFrameTypeSequence:           {part10.TagFrameType, part10.TagComplexImageComponent},
	part10.TagCTImageFrameTypeSequence:           {part10.TagFrameType},
	part10.TagPETFrameTypeSequence:               {part10.TagFrameType},
	part10.TagMREchoSequence:                     {part10.TagEffectiveEchoTime},
	part10.TagMRTimingSequence:                   {part10.TagFlipAngle},
	part10.TagMRDiffusionSequence:                {part10.TagDiffusionBValue, part10.TagDiffusionDirectionality},
	part10.TagDiffusionGradientDirectionSequence: {part10.TagDiffusionGradientOrientation}, // inside the one before
	part10.TagDiffusionBMatrixSequence:           bMatrixTags,                              // so is this one
	part10.TagPhilipsFrameSequence:               {part10.TagPhilipsDiffusionVolume},
	part10.TagMRModifierSequence:                 {part10.TagInversionTimes, part10.TagParallelReductionFactorInPlane},
	part10.TagMRFOVGeometrySequence: {part10.TagInPlanePhaseEncodingDirection, part10.TagMRAcquisitionFrequencyEncodingSteps,
		part10.TagMRAcquisitionPhaseEncodingStepsInPlane, part10.TagPercentSampling, part10.TagPercentPhaseFieldOfView},
	part10.TagCardiacSynchronizationSequence: {part10.TagNominalCardiacTriggerDelayTime},
	part10.TagCTReconstructionSequence:       {part10.TagConvolutionKernel, part10.TagReconstructionAlgorithm},
	part10.TagSiemensFrameSequence:           {part10.TagSiemensImageTypeText},
	// Legacy converted images keep attributes here that no functional group has.
	part10.TagUnassignedSharedConvertedAttributesSequence:   legacyAttributes,
	part10.TagUnassignedPerFrameConvertedAttributesSequence: legacyAttributes,
	// Nuclear medicine keeps position and orientation of the first slice here. It has the
	// form of a functional group.
	part10.TagDetectorInformationSequence: {part10.TagImagePositionPatient, part10.TagImageOrientationPatient},
}

var legacyAttributes = []part10.Tag{part10.TagImageType, part10.TagEchoNumbers, part10.TagEchoTime, part10.TagTriggerTime,
	part10.TagAcquisitionNumber, part10.TagTemporalPositionIdentifier, part10.TagAcquisitionTime, part10.TagContentTime,
	part10.TagInversionTime, part10.TagFlipAngle,
	part10.TagAcquisitionMatrix, part10.TagInPlanePhaseEncodingDirection, part10.TagPercentSampling, part10.TagPercentPhaseFieldOfView}

// readGroups returns the attributes of each item, at most the first most, of a sequence
// of functional groups that the tokenizer kept, and the number of items; nil if there
// is no such sequence.
func readGroups(p *part10.File, t part10.Tag, most int) (groups []part10.Attributes, items int, err error) {
	b, e, err := p.KeptElement(t)
	if b == nil || err != nil {
		return nil, 0, err
	}
	err = part10.EachItem(b, e, p.Syntax.Encoding, func(item part10.SequenceItem) error {
		if items++; items > most {
			return nil
		}
		a := part10.Attributes{Set: map[part10.Tag]*lib.Element{}}
		groups = append(groups, a)
		return addGroups(a, b, item)
	})
	return groups, items, err
}

// readGroup returns the attributes of a sequence that the tokenizer kept and that has
// the form of one functional group.
func readGroup(p *part10.File, t part10.Tag) (part10.Attributes, error) {
	a := part10.Attributes{Set: map[part10.Tag]*lib.Element{}}
	b, e, err := p.KeptElement(t)
	if b == nil || err != nil {
		return a, err
	}
	return a, addGroups(a, b, part10.SequenceItem{Enc: p.Syntax.Encoding, Elements: []part10.Element{e}})
}

// addGroups takes the attributes of one item of functional groups. The groups that are
// read have one item each; of several the first counts.
func addGroups(a part10.Attributes, b []byte, item part10.SequenceItem) error {
	for _, parent := range item.Elements {
		take, ok := groupAttributes[item.Usual(b, parent)]
		if !ok {
			continue
		}
		err := part10.EachItem(b, parent, item.Enc, func(group part10.SequenceItem) error {
			for _, e := range group.Elements {
				if parent.Tag == part10.TagMRDiffusionSequence && (e.Tag == part10.TagDiffusionGradientDirectionSequence || e.Tag == part10.TagDiffusionBMatrixSequence) {
					if err := addGroups(a, b, part10.SequenceItem{Enc: group.Enc, Elements: []part10.Element{e}}); err != nil {
						return err
					}
				}
			}
			a.Take(b, group, take...)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

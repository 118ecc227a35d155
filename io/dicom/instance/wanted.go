package instance

import "quell/io/dicom/part10"

// IsWanted reports whether a scan reads the values of an attribute.
func IsWanted(t part10.Tag) bool { return wantedTags[t] }

var wantedTags = func() map[part10.Tag]bool {
	want := map[part10.Tag]bool{}
	for _, t := range []part10.Tag{
		part10.TagImageType, part10.TagSOPClassUID, part10.TagSOPInstanceUID,
		part10.TagStudyDate, part10.TagModality, part10.TagManufacturer, part10.TagStudyDescription, part10.TagSeriesDescription,
		part10.TagPatientName, part10.TagPatientID, part10.TagPatientBirthDate, part10.TagPatientSex, part10.TagScanningSequence, part10.TagMRAcquisitionType, part10.TagRepetitionTime, part10.TagBodyPartExamined, part10.TagSliceThickness,
		part10.TagSpacingBetweenSlices, part10.TagImagerPixelSpacing, part10.TagNominalScannedPixelSpacing, part10.TagPixelAspectRatio, part10.TagConvolutionKernel,
		part10.TagStudyInstanceUID, part10.TagSeriesInstanceUID, part10.TagSeriesNumber, part10.TagInstanceNumber, part10.TagFrameOfReferenceUID,
		part10.TagImagePositionPatient, part10.TagImageOrientationPatient,
		part10.TagSamplesPerPixel, part10.TagPhotometricInterpretation, part10.TagNumberOfFrames, part10.TagRows, part10.TagColumns,
		part10.TagPixelSpacing, part10.TagBitsAllocated, part10.TagBitsStored, part10.TagHighBit, part10.TagPixelRepresentation,
		part10.TagPixelPaddingValue, part10.TagPixelPaddingRangeLimit,
		part10.TagFloatPixelPaddingValue, part10.TagFloatPixelPaddingRangeLimit, part10.TagDoubleFloatPixelPaddingValue, part10.TagDoubleFloatPixelPaddingRangeLimit,
		part10.TagWindowCenter, part10.TagWindowWidth,
		part10.TagWindowCenterWidthExplanation, part10.TagRescaleIntercept, part10.TagRescaleSlope, part10.TagRescaleType,
		part10.TagUnits, part10.TagPatientPosition,
		part10.TagSiemensMosaicImages, part10.TagSiemensBValue, part10.TagSiemensDirection, part10.TagSiemensBMatrix,
		part10.TagPhilipsBValue, part10.TagPhilipsDirectionRL, part10.TagPhilipsDirectionAP, part10.TagPhilipsDirectionFH,
		part10.TagGEDirectionX, part10.TagGEDirectionY, part10.TagGEDirectionZ, part10.TagGEDirections, part10.TagGEBValue,
		part10.TagUIHBValue, part10.TagUIHDirection,
		part10.TagDiffusionBValue, part10.TagDiffusionGradientOrientation, part10.TagDiffusionDirectionality,
		part10.TagAcquisitionMatrix, part10.TagPercentSampling, part10.TagPercentPhaseFieldOfView,
		part10.TagInPlanePhaseEncodingDirection, part10.TagImageComments, part10.TagTemporalResolution,
		part10.TagNumberOfTemporalPositions, part10.TagImagesInAcquisition,
		part10.TagFilterType, part10.TagReconstructionAlgorithm, part10.TagDerivationDescription, part10.TagProtocolName, part10.TagManufacturerModelName,
		part10.TagGEReconMode, part10.TagGEReconLevel, part10.TagGEDeepLearning, part10.TagPhilipsIDose, part10.TagSiemensImageTypeText,
	} {
		want[t] = true
	}
	for _, t := range bMatrixTags {
		want[t] = true
	}
	for _, d := range Distinctions {
		for _, t := range d.tags {
			want[t] = true
		}
	}
	for _, t := range frameOffsetTags {
		want[t] = true
	}
	return want
}()

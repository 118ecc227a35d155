package dicom

import "fmt"

// tagID is an attribute's tag: group in the high 16 bits, element in the low.
type tagID uint32

func (t tagID) group() uint16   { return uint16(t >> 16) }
func (t tagID) element() uint16 { return uint16(t) }

// String returns the tag as the standard prints it: "(0028,0010)".
func (t tagID) String() string { return fmt.Sprintf("(%04X,%04X)", t.group(), t.element()) }

// The tags that the package reads or writes, named by their DICOM keywords. Those of
// one subject (functional groups, de-identification, ...) stand with it.
const (
	tagFileMetaInformationGroupLength tagID = 0x00020000
	tagFileMetaInformationVersion     tagID = 0x00020001
	tagMediaStorageSOPClassUID        tagID = 0x00020002
	tagMediaStorageSOPInstanceUID     tagID = 0x00020003
	tagTransferSyntaxUID              tagID = 0x00020010
	tagImplementationClassUID         tagID = 0x00020012
	tagImplementationVersionName      tagID = 0x00020013

	tagSpecificCharacterSet           tagID = 0x00080005
	tagImageType                      tagID = 0x00080008
	tagInstanceCreationDate           tagID = 0x00080012
	tagInstanceCreationTime           tagID = 0x00080013
	tagSOPClassUID                    tagID = 0x00080016
	tagSOPInstanceUID                 tagID = 0x00080018
	tagStudyDate                      tagID = 0x00080020
	tagSeriesDate                     tagID = 0x00080021
	tagContentDate                    tagID = 0x00080023
	tagStudyTime                      tagID = 0x00080030
	tagSeriesTime                     tagID = 0x00080031
	tagAcquisitionTime                tagID = 0x00080032
	tagContentTime                    tagID = 0x00080033
	tagAccessionNumber                tagID = 0x00080050
	tagModality                       tagID = 0x00080060
	tagConversionType                 tagID = 0x00080064
	tagManufacturer                   tagID = 0x00080070
	tagReferringPhysicianName         tagID = 0x00080090
	tagCodeValue                      tagID = 0x00080100
	tagCodingSchemeDesignator         tagID = 0x00080102
	tagCodeMeaning                    tagID = 0x00080104
	tagStudyDescription               tagID = 0x00081030
	tagSeriesDescription              tagID = 0x0008103E
	tagManufacturerModelName          tagID = 0x00081090
	tagReferencedSOPClassUID          tagID = 0x00081150
	tagReferencedSOPInstanceUID       tagID = 0x00081155
	tagDerivationDescription          tagID = 0x00082111
	tagSourceImageSequence            tagID = 0x00082112
	tagDerivationCodeSequence         tagID = 0x00089215
	tagPatientName                    tagID = 0x00100010
	tagPatientID                      tagID = 0x00100020
	tagPatientBirthDate               tagID = 0x00100030
	tagPatientSex                     tagID = 0x00100040
	tagBodyPartExamined               tagID = 0x00180015
	tagSliceThickness                 tagID = 0x00180050
	tagKVP                            tagID = 0x00180060
	tagEchoTime                       tagID = 0x00180081
	tagEchoNumbers                    tagID = 0x00180086
	tagSpacingBetweenSlices           tagID = 0x00180088
	tagSoftwareVersions               tagID = 0x00181020
	tagTriggerTime                    tagID = 0x00181060
	tagImagerPixelSpacing             tagID = 0x00181164
	tagNominalScannedPixelSpacing     tagID = 0x00182010
	tagConvolutionKernel              tagID = 0x00181210
	tagDiffusionBValue                tagID = 0x00189087
	tagContributionDateTime           tagID = 0x0018A002
	tagContributingEquipmentSequence  tagID = 0x0018A001
	tagStudyInstanceUID               tagID = 0x0020000D
	tagSeriesInstanceUID              tagID = 0x0020000E
	tagStudyID                        tagID = 0x00200010
	tagSeriesNumber                   tagID = 0x00200011
	tagAcquisitionNumber              tagID = 0x00200012
	tagInstanceNumber                 tagID = 0x00200013
	tagPatientOrientation             tagID = 0x00200020
	tagImagePositionPatient           tagID = 0x00200032
	tagImageOrientationPatient        tagID = 0x00200037
	tagFrameOfReferenceUID            tagID = 0x00200052
	tagLaterality                     tagID = 0x00200060
	tagTemporalPositionIdentifier     tagID = 0x00200100
	tagPositionReferenceIndicator     tagID = 0x00201040
	tagSamplesPerPixel                tagID = 0x00280002
	tagPhotometricInterpretation      tagID = 0x00280004
	tagNumberOfFrames                 tagID = 0x00280008
	tagRows                           tagID = 0x00280010
	tagColumns                        tagID = 0x00280011
	tagPixelSpacing                   tagID = 0x00280030
	tagPixelAspectRatio               tagID = 0x00280034
	tagBitsAllocated                  tagID = 0x00280100
	tagBitsStored                     tagID = 0x00280101
	tagHighBit                        tagID = 0x00280102
	tagPixelRepresentation            tagID = 0x00280103
	tagSmallestImagePixelValue        tagID = 0x00280106
	tagLargestImagePixelValue         tagID = 0x00280107
	tagSmallestPixelValueInSeries     tagID = 0x00280108
	tagLargestPixelValueInSeries      tagID = 0x00280109
	tagSmallestImagePixelValueInPlane tagID = 0x00280110
	tagLargestImagePixelValueInPlane  tagID = 0x00280111
	tagPixelPaddingValue              tagID = 0x00280120
	tagPixelPaddingRangeLimit         tagID = 0x00280121
	tagWindowCenter                   tagID = 0x00281050
	tagWindowWidth                    tagID = 0x00281051
	tagRescaleIntercept               tagID = 0x00281052
	tagRescaleSlope                   tagID = 0x00281053
	tagRescaleType                    tagID = 0x00281054
	tagWindowCenterWidthExplanation   tagID = 0x00281055
	tagModalityLUTSequence            tagID = 0x00283000
	tagSpatialLocationsPreserved      tagID = 0x0028135A
	tagPurposeOfReferenceCodeSequence tagID = 0x0040A170
	tagUnits                          tagID = 0x00541001
	tagFrameReferenceTime             tagID = 0x00541300
	tagIconImageSequence              tagID = 0x00880200
	tagFloatPixelData                 tagID = 0x7FE00008
	tagDoubleFloatPixelData           tagID = 0x7FE00009
	tagPixelData                      tagID = 0x7FE00010
	tagMACParametersSequence          tagID = 0x4FFE0001
	tagDigitalSignaturesSequence      tagID = 0xFFFAFFFA
	tagDataSetTrailingPadding         tagID = 0xFFFCFFFC
	tagItem                           tagID = 0xFFFEE000
	tagItemDelimitation               tagID = 0xFFFEE00D
	tagSequenceDelimitation           tagID = 0xFFFEE0DD
)

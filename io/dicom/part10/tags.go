package part10

import "fmt"

// Tag is an attribute's tag: group in the high 16 bits, element in the low.
type Tag uint32

// Group returns the group number of the tag.
func (t Tag) Group() uint16 { return uint16(t >> 16) }

// Element returns the element number of the tag within its group.
func (t Tag) Element() uint16 { return uint16(t) }

// String returns the tag as the standard prints it: "(0028,0010)".
func (t Tag) String() string { return fmt.Sprintf("(%04X,%04X)", t.Group(), t.Element()) }

// Standard attributes and delimiters, named by their DICOM keywords.
const (
	tagFileMetaInformationGroupLength                Tag = 0x00020000
	tagFileMetaInformationVersion                    Tag = 0x00020001
	tagMediaStorageSOPClassUID                       Tag = 0x00020002
	TagMediaStorageSOPInstanceUID                    Tag = 0x00020003
	TagTransferSyntaxUID                             Tag = 0x00020010
	TagImplementationClassUID                        Tag = 0x00020012
	tagImplementationVersionName                     Tag = 0x00020013
	TagDirectoryRecordSequence                       Tag = 0x00041220
	TagReferencedFileID                              Tag = 0x00041500
	TagSpecificCharacterSet                          Tag = 0x00080005
	TagImageType                                     Tag = 0x00080008
	TagInstanceCreationDate                          Tag = 0x00080012
	TagInstanceCreationTime                          Tag = 0x00080013
	TagSOPClassUID                                   Tag = 0x00080016
	TagSOPInstanceUID                                Tag = 0x00080018
	TagStudyDate                                     Tag = 0x00080020
	TagSeriesDate                                    Tag = 0x00080021
	TagContentDate                                   Tag = 0x00080023
	TagStudyTime                                     Tag = 0x00080030
	TagSeriesTime                                    Tag = 0x00080031
	TagAcquisitionTime                               Tag = 0x00080032
	TagContentTime                                   Tag = 0x00080033
	TagAccessionNumber                               Tag = 0x00080050
	TagModality                                      Tag = 0x00080060
	TagConversionType                                Tag = 0x00080064
	TagManufacturer                                  Tag = 0x00080070
	TagReferringPhysicianName                        Tag = 0x00080090
	TagCodeValue                                     Tag = 0x00080100
	TagCodingSchemeDesignator                        Tag = 0x00080102
	TagCodeMeaning                                   Tag = 0x00080104
	TagStudyDescription                              Tag = 0x00081030
	TagSeriesDescription                             Tag = 0x0008103E
	TagManufacturerModelName                         Tag = 0x00081090
	TagReferencedStudySequence                       Tag = 0x00081110
	TagReferencedSeriesSequence                      Tag = 0x00081115
	TagReferencedImageSequence                       Tag = 0x00081140
	TagReferencedSOPClassUID                         Tag = 0x00081150
	TagReferencedSOPInstanceUID                      Tag = 0x00081155
	TagReferencedFrameNumber                         Tag = 0x00081160
	TagReferencedSOPSequence                         Tag = 0x00081199
	TagDerivationDescription                         Tag = 0x00082111
	TagSourceImageSequence                           Tag = 0x00082112
	TagAnatomicRegionSequence                        Tag = 0x00082218
	TagFrameType                                     Tag = 0x00089007
	TagDerivationImageSequence                       Tag = 0x00089124
	TagSourceImageEvidenceSequence                   Tag = 0x00089154
	TagComplexImageComponent                         Tag = 0x00089208
	TagDerivationCodeSequence                        Tag = 0x00089215
	TagPatientName                                   Tag = 0x00100010
	TagPatientID                                     Tag = 0x00100020
	TagIssuerOfPatientID                             Tag = 0x00100021
	TagPatientBirthDate                              Tag = 0x00100030
	TagPatientSex                                    Tag = 0x00100040
	TagPatientIdentityRemoved                        Tag = 0x00120062
	TagDeidentificationMethod                        Tag = 0x00120063
	TagDeidentificationMethodCodeSequence            Tag = 0x00120064
	TagBodyPartExamined                              Tag = 0x00180015
	TagSliceThickness                                Tag = 0x00180050
	TagKVP                                           Tag = 0x00180060
	TagRepetitionTime                                Tag = 0x00180080
	TagEchoTime                                      Tag = 0x00180081
	TagEchoNumbers                                   Tag = 0x00180086
	TagSpacingBetweenSlices                          Tag = 0x00180088
	TagSoftwareVersions                              Tag = 0x00181020
	TagProtocolName                                  Tag = 0x00181030
	TagTriggerTime                                   Tag = 0x00181060
	TagFrameTime                                     Tag = 0x00181063
	TagFrameTimeVector                               Tag = 0x00181065
	TagImagerPixelSpacing                            Tag = 0x00181164
	TagConvolutionKernel                             Tag = 0x00181210
	TagNominalScannedPixelSpacing                    Tag = 0x00182010
	TagFrameAcquisitionDateTime                      Tag = 0x00189074
	TagPatientPosition                               Tag = 0x00185100
	TagPercentSampling                               Tag = 0x00180093
	TagPercentPhaseFieldOfView                       Tag = 0x00180094
	TagAcquisitionMatrix                             Tag = 0x00181310
	TagInPlanePhaseEncodingDirection                 Tag = 0x00181312
	TagDiffusionGradientDirectionSequence            Tag = 0x00189076
	TagInversionTimes                                Tag = 0x00189079
	TagEffectiveEchoTime                             Tag = 0x00189082
	TagDiffusionDirectionality                       Tag = 0x00189075
	TagDiffusionBValue                               Tag = 0x00189087
	TagDiffusionGradientOrientation                  Tag = 0x00189089
	TagMREchoSequence                                Tag = 0x00189114
	TagMRModifierSequence                            Tag = 0x00189115
	TagMRDiffusionSequence                           Tag = 0x00189117
	TagCardiacSynchronizationSequence                Tag = 0x00189118
	TagMRImageFrameTypeSequence                      Tag = 0x00189226
	TagCTReconstructionSequence                      Tag = 0x00189314
	TagCTImageFrameTypeSequence                      Tag = 0x00189329
	TagPETFrameTypeSequence                          Tag = 0x00189751
	TagDiffusionBMatrixSequence                      Tag = 0x00189601
	TagDiffusionBValueXX                             Tag = 0x00189602
	TagDiffusionBValueXY                             Tag = 0x00189603
	TagDiffusionBValueXZ                             Tag = 0x00189604
	TagDiffusionBValueYY                             Tag = 0x00189605
	TagDiffusionBValueYZ                             Tag = 0x00189606
	TagDiffusionBValueZZ                             Tag = 0x00189607
	TagContributingEquipmentSequence                 Tag = 0x0018A001
	TagContributionDateTime                          Tag = 0x0018A002
	TagStudyInstanceUID                              Tag = 0x0020000D
	TagSeriesInstanceUID                             Tag = 0x0020000E
	TagStudyID                                       Tag = 0x00200010
	TagSeriesNumber                                  Tag = 0x00200011
	TagAcquisitionNumber                             Tag = 0x00200012
	TagInstanceNumber                                Tag = 0x00200013
	TagPatientOrientation                            Tag = 0x00200020
	TagImagePositionPatient                          Tag = 0x00200032
	TagImageOrientationPatient                       Tag = 0x00200037
	TagFrameOfReferenceUID                           Tag = 0x00200052
	TagLaterality                                    Tag = 0x00200060
	TagTemporalPositionIdentifier                    Tag = 0x00200100
	TagNumberOfTemporalPositions                     Tag = 0x00200105
	TagTemporalResolution                            Tag = 0x00200110
	TagPositionReferenceIndicator                    Tag = 0x00201040
	TagImageComments                                 Tag = 0x00204000
	TagStackID                                       Tag = 0x00209056
	TagFrameContentSequence                          Tag = 0x00209111
	TagPlanePositionSequence                         Tag = 0x00209113
	TagPlaneOrientationSequence                      Tag = 0x00209116
	TagTemporalPositionIndex                         Tag = 0x00209128
	TagNominalCardiacTriggerDelayTime                Tag = 0x00209153
	TagFrameAcquisitionNumber                        Tag = 0x00209156
	TagDimensionIndexValues                          Tag = 0x00209157
	TagInStackPositionNumber                         Tag = 0x00209057
	TagDimensionIndexPointer                         Tag = 0x00209165
	TagDimensionIndexSequence                        Tag = 0x00209222
	TagUnassignedSharedConvertedAttributesSequence   Tag = 0x00209170
	TagUnassignedPerFrameConvertedAttributesSequence Tag = 0x00209171
	TagSamplesPerPixel                               Tag = 0x00280002
	TagPhotometricInterpretation                     Tag = 0x00280004
	TagNumberOfFrames                                Tag = 0x00280008
	TagFrameIncrementPointer                         Tag = 0x00280009
	TagRows                                          Tag = 0x00280010
	TagColumns                                       Tag = 0x00280011
	TagPixelSpacing                                  Tag = 0x00280030
	TagPixelAspectRatio                              Tag = 0x00280034
	TagBitsAllocated                                 Tag = 0x00280100
	TagBitsStored                                    Tag = 0x00280101
	TagHighBit                                       Tag = 0x00280102
	TagPixelRepresentation                           Tag = 0x00280103
	TagSmallestImagePixelValue                       Tag = 0x00280106
	TagLargestImagePixelValue                        Tag = 0x00280107
	TagSmallestPixelValueInSeries                    Tag = 0x00280108
	TagLargestPixelValueInSeries                     Tag = 0x00280109
	TagSmallestImagePixelValueInPlane                Tag = 0x00280110
	TagLargestImagePixelValueInPlane                 Tag = 0x00280111
	TagPixelPaddingValue                             Tag = 0x00280120
	TagPixelPaddingRangeLimit                        Tag = 0x00280121
	TagBurnedInAnnotation                            Tag = 0x00280301
	TagRecognizableVisualFeatures                    Tag = 0x00280302
	TagLongitudinalTemporalInformationModified       Tag = 0x00280303
	TagWindowCenter                                  Tag = 0x00281050
	TagWindowWidth                                   Tag = 0x00281051
	TagRescaleIntercept                              Tag = 0x00281052
	TagRescaleSlope                                  Tag = 0x00281053
	TagRescaleType                                   Tag = 0x00281054
	TagWindowCenterWidthExplanation                  Tag = 0x00281055
	TagSpatialLocationsPreserved                     Tag = 0x0028135A
	TagLossyImageCompression                         Tag = 0x00282110
	TagModalityLUTSequence                           Tag = 0x00283000
	TagSoftcopyVOILUTSequence                        Tag = 0x00283110
	TagPixelMeasuresSequence                         Tag = 0x00289110
	TagFrameVOILUTSequence                           Tag = 0x00289132
	TagPixelValueTransformationSequence              Tag = 0x00289145
	TagPurposeOfReferenceCodeSequence                Tag = 0x0040A170
	TagDetectorInformationSequence                   Tag = 0x00540022
	TagUnits                                         Tag = 0x00541001
	TagFrameReferenceTime                            Tag = 0x00541300
	TagGraphicAnnotationSequence                     Tag = 0x00700001
	TagGraphicLayer                                  Tag = 0x00700002
	TagAnchorPointAnnotationUnits                    Tag = 0x00700004
	TagGraphicAnnotationUnits                        Tag = 0x00700005
	TagUnformattedTextValue                          Tag = 0x00700006
	TagTextObjectSequence                            Tag = 0x00700008
	TagGraphicObjectSequence                         Tag = 0x00700009
	TagAnchorPoint                                   Tag = 0x00700014
	TagAnchorPointVisibility                         Tag = 0x00700015
	TagGraphicDimensions                             Tag = 0x00700020
	TagNumberOfGraphicPoints                         Tag = 0x00700021
	TagGraphicData                                   Tag = 0x00700022
	TagGraphicType                                   Tag = 0x00700023
	TagGraphicFilled                                 Tag = 0x00700024
	TagImageHorizontalFlip                           Tag = 0x00700041
	TagImageRotation                                 Tag = 0x00700042
	TagDisplayedAreaTopLeftHandCorner                Tag = 0x00700052
	TagDisplayedAreaBottomRightHandCorner            Tag = 0x00700053
	TagDisplayedAreaSelectionSequence                Tag = 0x0070005A
	TagGraphicLayerSequence                          Tag = 0x00700060
	TagGraphicLayerOrder                             Tag = 0x00700062
	TagGraphicLayerDescription                       Tag = 0x00700068
	TagContentLabel                                  Tag = 0x00700080
	TagContentDescription                            Tag = 0x00700081
	TagPresentationCreationDate                      Tag = 0x00700082
	TagPresentationCreationTime                      Tag = 0x00700083
	TagContentCreatorName                            Tag = 0x00700084
	TagPresentationSizeMode                          Tag = 0x00700100
	TagPresentationPixelSpacing                      Tag = 0x00700101
	TagIconImageSequence                             Tag = 0x00880200
	TagPresentationLUTShape                          Tag = 0x20500020
	TagGridFrameOffsetVector                         Tag = 0x3004000C
	TagMACParametersSequence                         Tag = 0x4FFE0001
	TagSharedFunctionalGroupsSequence                Tag = 0x52009229
	TagPerFrameFunctionalGroupsSequence              Tag = 0x52009230
	TagExtendedOffsetTable                           Tag = 0x7FE00001
	TagExtendedOffsetTableLengths                    Tag = 0x7FE00002
	TagEncapsulatedPixelDataTotalSize                Tag = 0x7FE00003
	TagFloatPixelData                                Tag = 0x7FE00008
	TagDoubleFloatPixelData                          Tag = 0x7FE00009
	TagPixelData                                     Tag = 0x7FE00010
	TagDigitalSignaturesSequence                     Tag = 0xFFFAFFFA
	TagDataSetTrailingPadding                        Tag = 0xFFFCFFFC
	TagItem                                          Tag = 0xFFFEE000
	TagItemDelimitation                              Tag = 0xFFFEE00D
	TagSequenceDelimitation                          Tag = 0xFFFEE0DD
)

// Private attributes of scanner makers; the Creator elements own their blocks.
const (
	TagSiemensMRCreator    Tag = 0x00190010
	TagSiemensMosaicImages Tag = 0x0019100A
	TagSiemensBValue       Tag = 0x0019100C
	TagSiemensDirection    Tag = 0x0019100E
	TagSiemensBMatrix      Tag = 0x00191027
	// Siemens keeps the header of its own software (Common Siemens Architecture) in
	// element 10 of a private block that is always the first of its group.
	TagSiemensCSACreator     Tag = 0x00290010
	TagSiemensCSAImageHeader Tag = 0x00291010
	TagGEAcquisitionCreator  Tag = 0x00190010 // the same element as Siemens's
	TagGEDirectionX          Tag = 0x001910BB
	TagGEDirectionY          Tag = 0x001910BC
	TagGEDirectionZ          Tag = 0x001910BD
	TagGEDirections          Tag = 0x001910E0 // how many there are in the series
	TagGECreator             Tag = 0x00430010
	TagGEBValue              Tag = 0x00431039
	TagUIHCreator            Tag = 0x00650010
	TagUIHBValue             Tag = 0x00651009
	TagUIHDirection          Tag = 0x00651037
	TagUIHTiles              Tag = 0x00651050
	TagUIHFrameSequence      Tag = 0x00651051
	TagPhilipsCreator        Tag = 0x20010010
	TagPhilipsBValue         Tag = 0x20011003
	TagPhilipsMRCreator      Tag = 0x20050010
	TagPhilipsDirectionRL    Tag = 0x200510B0
	TagPhilipsDirectionAP    Tag = 0x200510B1
	TagPhilipsDirectionFH    Tag = 0x200510B2
	// Philips keeps attributes of its own of a frame in this sequence, the number of the
	// volume in time among them.
	TagPhilipsFrameSequence   Tag = 0x2005140F
	TagPhilipsFrameCreator    Tag = 0x20050015
	TagPhilipsDiffusionVolume Tag = 0x20051596
)

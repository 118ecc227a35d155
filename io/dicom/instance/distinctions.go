package instance

import (
	"strconv"
	"strings"

	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// Role says which slices a difference in an attribute keeps apart.
type Role int

// The roles of attributes.
const (
	// OfVolumes: slices that differ are of different volumes, wherever they lie.
	OfVolumes Role = iota
	// OfParts: the same, unless the slices of one value follow those of another in space, as in a scan that goes on
	// with another kernel.
	OfParts
	// OfTimes: the slices of one volume may differ too, as each of them, or each package of them, has its own time.
	OfTimes
	// OfStacks: frames that the file puts into different stacks (PS3.3 C.7.6.16.2.2.4).
	OfStacks
)

// Distinction is an attribute that distinguishes slices.
type Distinction struct {
	Name string // in labels of volumes
	Role Role
	read func(part10.Attributes, part10.Tag) string
	tags []part10.Tag // the first that an image has counts
	// Axis says that volumes which differ in it form a 4-D series; others, such as
	// magnitude and phase, are images of different kinds. Unit is of its values.
	Axis bool
	Unit string
	// Near is the relative difference of numbers up to which they are one value.
	Near float64
	// Measured values may differ from slice to slice of one volume.
	Measured bool
}

// Distinctions lists the attributes that distinguish slices, in the order in which they are
// tried: identity, then parts of an acquisition, then times. The frames of a multi-frame
// image use other tags than plain files for the same attribute.
var Distinctions = [...]Distinction{
	{Name: "series number", read: single, tags: []part10.Tag{part10.TagSeriesNumber}}, // a copy renumbered under the old UID
	// Values 1 and 2 (original, primary) and 3 on: magnitude, phase, ADC.
	{Name: "image type", Role: OfParts, read: joined, tags: []part10.Tag{part10.TagFrameType, part10.TagImageType}},
	{Name: "component", read: component, tags: []part10.Tag{part10.TagComplexImageComponent, part10.TagGERawDataType}},
	{Name: "frame label", Role: OfParts, read: single, tags: []part10.Tag{part10.TagFrameLabel}}, // Bruker's maps
	{Name: "kernel", Role: OfParts, read: joined, tags: []part10.Tag{part10.TagConvolutionKernel}},
	{Name: "tube voltage", Role: OfParts, read: single, tags: []part10.Tag{part10.TagKVP}},
	{Name: "slice thickness", Role: OfParts, read: single, tags: []part10.Tag{part10.TagSliceThickness}, Unit: "mm", Near: 0.05},
	{Name: "echo", read: single, tags: []part10.Tag{part10.TagEchoNumbers}, Axis: true},
	{Name: "echo time", read: single, tags: []part10.Tag{part10.TagEffectiveEchoTime, part10.TagEchoTime}, Axis: true, Unit: "ms", Near: 1e-4},
	{Name: "inversion time", Measured: true, read: single, tags: []part10.Tag{part10.TagInversionTimes, part10.TagInversionTime}, Axis: true, Unit: "ms"},
	{Name: "flip angle", Measured: true, read: single, tags: []part10.Tag{part10.TagFlipAngle}, Axis: true, Unit: "degrees"},
	{Name: "b-value", read: single, Axis: true, Unit: "s/mm2"}, // these two follow from Slice.Gradient
	{Name: "direction", read: joined, Axis: true, Measured: true},
	{Name: "temporal position", read: single, tags: []part10.Tag{part10.TagTemporalPositionIndex, part10.TagTemporalPositionIdentifier}, Axis: true},
	{Name: "frame reference time", Role: OfParts, read: single, tags: []part10.Tag{part10.TagFrameReferenceTime}, Axis: true, Unit: "ms"},
	{Name: "stack", Role: OfStacks, read: single, tags: []part10.Tag{part10.TagStackID}},
	{Name: "dimension index", Measured: true, Axis: true}, // set by orderDimensions
	{Name: "acquisition", Role: OfTimes, read: single, tags: []part10.Tag{part10.TagFrameAcquisitionNumber, part10.TagAcquisitionNumber}, Axis: true},
	{Name: "trigger time", Role: OfTimes, read: single, tags: []part10.Tag{part10.TagNominalCardiacTriggerDelayTime, part10.TagTriggerTime}, Axis: true, Unit: "ms"},
	{Name: "acquisition time", Role: OfTimes, read: single, tags: []part10.Tag{part10.TagFrameAcquisitionDateTime, part10.TagAcquisitionTime}, Axis: true},
	{Name: "content time", Role: OfTimes, read: single, tags: []part10.Tag{part10.TagContentTime}, Axis: true},
	{Name: "series description", Role: OfParts, read: single, tags: []part10.Tag{part10.TagSeriesDescription}},
}

// value returns what an image says; "" if nothing.
func (d *Distinction) value(a part10.Attributes) string {
	for _, t := range d.tags {
		if _, ok := a.Find(t); !ok {
			continue
		}
		if v := d.read(a, t); v != "" {
			return v
		}
	}
	return ""
}

// single reads one value, whatever its VR.
func single(a part10.Attributes, t part10.Tag) string {
	if v, ok := a.Number(t); ok {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if v, ok := a.Integer(t); ok {
		return strconv.Itoa(v)
	}
	return a.Text(t)
}

// joined reads all values.
func joined(a part10.Attributes, t part10.Tag) string {
	if v, ok := a.Numbers(t); ok {
		return string(part10.Decimals(v...))
	}
	return strings.Join(a.Strings(t), "\\")
}

// component reads what part of a complex number the values are. GE numbers them.
func component(a part10.Attributes, t part10.Tag) string {
	if t != part10.TagGERawDataType {
		return joined(a, t)
	}
	if n, ok := a.Integer(t); ok && n >= 0 && n < len(geComponents) {
		return geComponents[n]
	}
	return single(a, t)
}

var geComponents = [...]string{"MAGNITUDE", "PHASE", "REAL", "IMAGINARY"}

// encoding reads how many frequencies an MR was acquired with. Acquisition Matrix has rows and columns of the frequency
// encoding and of the phase encoding; which of the two is 0 differs between makers, so that the direction decides
// alone. Enhanced MR has the two numbers in its functional group of the field of view.
func encoding(a part10.Attributes) volume.Encoding {
	share := func(t part10.Tag) float64 {
		percent, _ := a.Number(t)
		return percent / 100
	}
	k := series.KSpace{Field: share(part10.TagPercentPhaseFieldOfView), Sampling: share(part10.TagPercentSampling)}
	k.Parallel, _ = a.Number(part10.TagParallelReductionFactorInPlane)
	switch direction := strings.ToUpper(a.Text(part10.TagInPlanePhaseEncodingDirection)); {
	case strings.HasPrefix(direction, "C"):
		k.PhaseAxis = 1
	case !strings.HasPrefix(direction, "R"):
		return volume.Encoding{}
	}
	if m := a.Integers(part10.TagAcquisitionMatrix); len(m) == 4 {
		k.Readout, k.Phases = max(m[0], m[1]), max(m[2], m[3])
	} else {
		k.Readout, _ = a.Integer(part10.TagMRAcquisitionFrequencyEncodingSteps)
		k.Phases, _ = a.Integer(part10.TagMRAcquisitionPhaseEncodingStepsInPlane)
	}
	return k.Encoding()
}

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

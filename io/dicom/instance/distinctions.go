package instance

import (
	"strconv"
	"strings"

	"quell/io/dicom/part10"
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

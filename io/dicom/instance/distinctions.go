package instance

import (
	"strconv"
	"strings"

	"quell/io/dicom/part10"
)

// Distinction is an attribute that distinguishes slices at one position.
type Distinction struct {
	Name string // in labels of volumes
	read func(part10.Attributes, part10.Tag) string
	tags []part10.Tag // the first that an image has counts
	// Axis says that volumes which differ in it form a 4-D series; others, such as
	// magnitude and phase, are images of different kinds. Unit is of its values.
	Axis bool
	Unit string
}

// Distinctions lists the attributes that distinguish slices at one position, in the order
// in which they are tried. The frames of a multi-frame image use other tags
// than plain files for the same attribute.
var Distinctions = [...]Distinction{
	{"series number", single, []part10.Tag{part10.TagSeriesNumber}, false, ""}, // a copy renumbered under the old UID
	// Values 1 and 2 (original, primary) and 3 on: magnitude, phase, ADC.
	{"image type", joined, []part10.Tag{part10.TagFrameType, part10.TagImageType}, false, ""},
	{"component", joined, []part10.Tag{part10.TagComplexImageComponent}, false, ""},
	{"kernel", joined, []part10.Tag{part10.TagConvolutionKernel}, false, ""},
	{"tube voltage", single, []part10.Tag{part10.TagKVP}, false, ""},
	{"echo", single, []part10.Tag{part10.TagEchoNumbers}, true, ""},
	{"echo time", single, []part10.Tag{part10.TagEffectiveEchoTime, part10.TagEchoTime}, true, "ms"},
	{"inversion time", single, []part10.Tag{part10.TagInversionTimes}, true, "ms"},
	{"b-value", single, nil, true, "s/mm2"}, // these two follow from Slice.Gradient
	{"direction", joined, nil, true, ""},
	{"temporal position", single, []part10.Tag{part10.TagTemporalPositionIndex, part10.TagTemporalPositionIdentifier}, true, ""},
	{"frame reference time", single, []part10.Tag{part10.TagFrameReferenceTime}, true, "ms"},
	{StackDistinction, single, []part10.Tag{part10.TagStackID}, false, ""},
	{"acquisition", single, []part10.Tag{part10.TagFrameAcquisitionNumber, part10.TagAcquisitionNumber}, true, ""},
	{"trigger time", single, []part10.Tag{part10.TagNominalCardiacTriggerDelayTime, part10.TagTriggerTime}, true, "ms"},
	{"acquisition time", single, []part10.Tag{part10.TagFrameAcquisitionDateTime, part10.TagAcquisitionTime}, true, ""},
}

// StackDistinction names the frames that lie together in space (PS3.3
// C.7.6.16.2.2.4).
const StackDistinction = "stack"

// value returns what an image says; "" if nothing.
func (d *Distinction) value(a part10.Attributes) string {
	for _, t := range d.tags {
		if _, ok := a.Find(t); !ok || !isOwned(a, t) {
			continue
		}
		if v := d.read(a, t); v != "" {
			return v
		}
	}
	return ""
}

// privateBlocks names the owners of the blocks of private attributes.
var privateBlocks = map[part10.Tag]struct {
	creator part10.Tag
	owner   string
}{
	part10.TagSiemensMosaicImages: {part10.TagSiemensMRCreator, "SIEMENS MR HEADER"},
	part10.TagSiemensBValue:       {part10.TagSiemensMRCreator, "SIEMENS MR HEADER"},
	part10.TagSiemensDirection:    {part10.TagSiemensMRCreator, "SIEMENS MR HEADER"},
	part10.TagSiemensBMatrix:      {part10.TagSiemensMRCreator, "SIEMENS MR HEADER"},
	part10.TagPhilipsBValue:       {part10.TagPhilipsCreator, "Philips Imaging DD 001"},
	part10.TagPhilipsDirectionRL:  {part10.TagPhilipsMRCreator, "Philips MR Imaging DD 001"},
	part10.TagPhilipsDirectionAP:  {part10.TagPhilipsMRCreator, "Philips MR Imaging DD 001"},
	part10.TagPhilipsDirectionFH:  {part10.TagPhilipsMRCreator, "Philips MR Imaging DD 001"},
	part10.TagGEDirectionX:        {part10.TagGEAcquisitionCreator, "GEMS_ACQU_01"},
	part10.TagGEDirectionY:        {part10.TagGEAcquisitionCreator, "GEMS_ACQU_01"},
	part10.TagGEDirectionZ:        {part10.TagGEAcquisitionCreator, "GEMS_ACQU_01"},
	part10.TagGEDirections:        {part10.TagGEAcquisitionCreator, "GEMS_ACQU_01"},
	part10.TagGEBValue:            {part10.TagGECreator, "GEMS_PARM_01"},
	part10.TagUIHBValue:           {part10.TagUIHCreator, UIHOwner},
	part10.TagUIHDirection:        {part10.TagUIHCreator, UIHOwner},
}

// isOwned reports whether a tag is a standard one, or lies in the private block of the
// maker who gives it its meaning.
func isOwned(a part10.Attributes, t part10.Tag) bool {
	block, private := privateBlocks[t]
	return !private || a.Text(block.creator) == block.owner
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

package deid

import (
	"strings"
	"sync"
	"time"

	"quell/io/dicom/part10"
)

// action is what the profile does to one attribute.
type action byte

const (
	remove    action = 'X'
	empty     action = 'Z'
	dummy     action = 'D'
	keep      action = 'K' // of a sequence: its items are cleaned
	replaceID action = 'U' // of a sequence: likewise
	known     action = 'T' // a text of terms: known terms stay, see technique
)

// profileActions are the actions of basicProfile by tag.
var profileActions = sync.OnceValue(func() map[part10.Tag]action {
	m := map[part10.Tag]action{}
	for _, rows := range [][]profileRow{basicProfile(), furtherAttributes} {
		for _, row := range rows {
			// Of a choice by type the last action fits every type: an empty value is
			// allowed if the attribute may be missing, a dummy if it may be empty.
			m[row.Tag] = action(row.Code[len(row.Code)-1])
		}
	}
	m[part10.TagReferencedStudySequence] = remove // X/Z, but no image may have it without items
	return m
})

const (
	tagSequenceName   part10.Tag = 0x00180024
	tagVOILUTSequence part10.Tag = 0x00283010
)

// furtherAttributes are texts, and bytes of unknown meaning, that basicProfile does not name. Attributes that keep
// known terms (T) name a technique. Attributes that stay (K) describe the machine, the method or a code, and readers
// need them; those with another code may be free text but must not be missing. All other texts that basicProfile does
// not name are removed.
var furtherAttributes = []profileRow{
	{part10.TagSOPClassUID, "K", "SOP Class UID"},
	{0x0008001A, "K", "Related General SOP Class UID"},
	{0x0008001B, "K", "Original Specialized SOP Class UID"},
	{part10.TagManufacturer, "K", "Manufacturer"},
	{part10.TagCodeValue, "K", "Code Value"},
	{part10.TagCodingSchemeDesignator, "K", "Coding Scheme Designator"},
	{0x00080103, "K", "Coding Scheme Version"},
	{part10.TagCodeMeaning, "K", "Code Meaning"},
	{0x0008010C, "K", "Coding Scheme UID"},
	{0x00080117, "K", "Context UID"},
	{0x00080118, "K", "Mapping Resource UID"},
	{0x00080119, "K", "Long Code Value"},
	{part10.TagManufacturerModelName, "K", "Manufacturer's Model Name"},
	{part10.TagReferencedSOPClassUID, "K", "Referenced SOP Class UID"},
	{0x00180024, "T", "Sequence Name"},
	{0x00180031, "T", "Radiopharmaceutical"},
	{0x00180085, "T", "Imaged Nucleus"},
	{0x00181016, "X", "Secondary Capture Device Manufacturer"},
	{0x00181018, "X", "Secondary Capture Device Manufacturer's Model Name"},
	{0x00181019, "X", "Secondary Capture Device Software Versions"},
	{part10.TagSoftwareVersions, "K", "Software Versions"},
	{0x00181040, "T", "Contrast/Bolus Route"},
	{0x00181061, "T", "Trigger Source or Type"},
	{0x00181070, "T", "Radiopharmaceutical Route"},
	{0x00181160, "T", "Filter Type"},
	{0x00181180, "T", "Collimator/Grid Name"},
	{part10.TagConvolutionKernel, "K", "Convolution Kernel"},
	{0x00181250, "T", "Receive Coil Name"},
	{0x00181251, "T", "Transmit Coil Name"},
	{0x00189005, "T", "Pulse Sequence Name"},
	{0x00189041, "T", "Receive Coil Manufacturer Name"},
	{0x00189047, "T", "Multi-Coil Element Name"},
	{0x00189050, "T", "Transmit Coil Manufacturer Name"},
	{0x00189080, "D", "Metabolite Map Description"},
	{0x00189252, "D", "ASL Technique Description"},
	{0x0018925B, "D", "ASL Crusher Description"},
	{0x0018925E, "D", "ASL Bolus Cut-off Technique"},
	{0x00189320, "T", "Image Filter"},
	{part10.TagPositionReferenceIndicator, "Z", "Position Reference Indicator"},
	{part10.TagStackID, "T", "Stack ID"},
	{0x00209213, "T", "Dimension Index Private Creator"},
	{0x00209238, "T", "Functional Group Private Creator"},
	{0x00280A04, "D", "Pixel Spacing Calibration Description"},
	{part10.TagRescaleType, "T", "Rescale Type"},
	{part10.TagWindowCenterWidthExplanation, "X", "Window Center & Width Explanation"},
	{0x00281201, "K", "Red Palette Color Lookup Table Data"},
	{0x00281202, "K", "Green Palette Color Lookup Table Data"},
	{0x00281203, "K", "Blue Palette Color Lookup Table Data"},
	{0x00281204, "K", "Alpha Palette Color Lookup Table Data"},
	{0x00281221, "K", "Segmented Red Palette Color Lookup Table Data"},
	{0x00281222, "K", "Segmented Green Palette Color Lookup Table Data"},
	{0x00281223, "K", "Segmented Blue Palette Color Lookup Table Data"},
	{0x00281224, "K", "Segmented Alpha Palette Color Lookup Table Data"},
	{0x00283003, "X", "LUT Explanation"},
	{0x00283004, "T", "Modality LUT Type"},
	{0x00283006, "K", "LUT Data"},
	{tagVOILUTSequence, "X", "VOI LUT Sequence"}, // its data are bytes of any meaning; a window says the same
	{0x00409210, "X", "LUT Label"},
	{0x00541101, "T", "Attenuation Correction Method"},
	{0x00541103, "T", "Reconstruction Method"},
	{0x00541105, "T", "Scatter Correction Method"},
	{part10.TagPixelData, "K", "Pixel Data"},
}

// actionOf returns the action for an attribute of VR vr in the file (empty in
// implicit VR). Besides the tables:
//   - private attributes, curves (50xx), overlays (60xx) and attributes of a DICOMDIR
//     (group 0004) are removed; of an overlay even the numbers, which have no meaning
//     without its data, and that may be drawn text;
//   - attributes that are not in the data dictionary are removed;
//   - of the rest numbers and sequences stay, of code strings the known terms, UIDs are
//     replaced, and texts, dates and bytes are removed.
func actionOf(t part10.Tag, vr string) action {
	if group := t.Group(); group%2 == 1 || group == 0x0004 || group>>8 == 0x50 || group>>8 == 0x60 {
		return remove
	}
	if a, ok := profileActions()[t]; ok {
		return a
	}
	known := actionOfVR(part10.DictionaryVR(t))
	if vr != "" && vr != "UN" && actionOfVR(vr) != known {
		return remove // the file makes something else of it than the standard
	}
	return known
}

// actionOfVR is the rule for attributes that no table names.
func actionOfVR(vr string) action {
	switch {
	case vr == "UI":
		return replaceID
	case strings.Contains(" SQ CS AT DS IS FD FL SL SS SV UL US UV ", " "+vr+" "):
		return keep
	}
	return remove
}

// dummyValue returns the dummy value of a VR; nil if an empty value serves as well.
func dummyValue(vr string) []byte {
	switch vr {
	case "AE", "CS", "LO", "LT", "PN", "SH", "ST", "UC", "UT":
		return []byte("REMOVED")
	case "AS":
		return []byte("000D")
	case "DA":
		return part10.Date(DummyTime)
	case "TM":
		return part10.Time(DummyTime)
	case "DT":
		return append(part10.Date(DummyTime), part10.Time(DummyTime)...)
	}
	return nil
}

// basicConfidentiality is the profile that a de-identified object names (CID 7050).
var basicConfidentiality = part10.Code{Value: "113100", Scheme: "DCM", Meaning: "Basic Application Confidentiality Profile"}

// DummyTime is the date of de-identified objects.
var DummyTime = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)

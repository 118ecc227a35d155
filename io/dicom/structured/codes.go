package structured

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"quell/io/dicom/object"
	"quell/io/dicom/part10"
)

func dcm(value, meaning string) part10.Code {
	return part10.Code{Value: value, Scheme: "DCM", Meaning: meaning}
}

func sct(value, meaning string) part10.Code {
	return part10.Code{Value: value, Scheme: "SCT", Meaning: meaning}
}

// owned are the names of content items for which the standard has no code.
var owned []part10.Code

// own returns a code of Quell's for a name, and lists it.
func own(value, meaning string) part10.Code {
	c := part10.Code{Value: value, Scheme: object.Scheme, Meaning: meaning}
	owned = append(owned, c)
	return c
}

// Codes returns the codes of Quell's own that reports hold: names of content items, then the values of findings.
func Codes() []part10.Code {
	all := slices.Clone(owned)
	for _, word := range slices.Sorted(maps.Keys(meanings)) {
		all = append(all, valueOf(word))
	}
	return all
}

// Names of content items.
var (
	measurementReport   = dcm("126000", "Imaging Measurement Report")
	language            = dcm("121049", "Language of Content Item and Descendants")
	observerType        = dcm("121005", "Observer Type")
	deviceUID           = dcm("121012", "Device Observer UID")
	deviceName          = dcm("121013", "Device Observer Name")
	deviceManufacturer  = dcm("121014", "Device Observer Manufacturer")
	deviceModel         = dcm("121015", "Device Observer Model Name")
	procedureReported   = dcm("121058", "Procedure reported")
	imageLibrary        = dcm("111028", "Image Library")
	imageLibraryGroup   = dcm("126200", "Image Library Group")
	modality            = dcm("121139", "Modality")
	frameOfReference    = dcm("112227", "Frame of Reference UID")
	seriesUID           = dcm("112002", "Series Instance UID")
	imagingMeasurements = dcm("126010", "Imaging Measurements")
	measurementGroup    = dcm("125007", "Measurement Group")
	trackingIdentifier  = dcm("112039", "Tracking Identifier")
	trackingUID         = dcm("112040", "Tracking Unique Identifier")
	algorithmName       = dcm("111001", "Algorithm Name")
	algorithmVersion    = dcm("111003", "Algorithm Version")
	algorithmParameters = dcm("111002", "Algorithm Parameters")
	measurementMethod   = sct("370129005", "Measurement Method")
	derivation          = dcm("121401", "Derivation")
	comment             = dcm("121106", "Comment")
)

// Values of content items.
var (
	english      = part10.Code{Value: "en", Scheme: "RFC5646", Meaning: "English"}
	device       = dcm("121007", "Device")
	valueUnknown = dcm("114010", "Value unknown")
)

// Names, derivations, methods and units of numbers.
var (
	noise             = own("NOISE", "Image noise")
	standardDeviation = sct("386136009", "Standard Deviation")
	contrastKept      = own("CONTRAST_KEPT", "Contrast kept")
	diameter          = sct("81827009", "Diameter")
	lowerEnd          = own("INTERVAL_LOW", "Lower end of the 95 % interval")
	upperEnd          = own("INTERVAL_HIGH", "Upper end of the 95 % interval")
	squareCount       = own("SQUARES", "Homogeneous squares that were measured")

	estimated   = own("NOISE_ESTIMATE", "Estimated from the image")
	evenSquares = own("EVEN_SQUARES", "In squares of homogeneous tissue, the same before and after")
	inTissue    = own("HOMOGENEOUS", "In homogeneous regions, before and after")

	percent    = part10.Code{Value: "%", Scheme: "UCUM", Meaning: "Percent"}
	millimeter = part10.Code{Value: "mm", Scheme: "UCUM", Meaning: "millimeter"}
	squares    = part10.Code{Value: "{squares}", Scheme: "UCUM", Meaning: "squares"}
)

// Names of shares that are no names of content items elsewhere.
var _, _ = own("NOISE_REMOVED", "Noise removed"), own("TEXTURE_KEPT", "Texture kept")

// Names of findings.
var (
	verdict         = own("VERDICT", "Verdict on the result")
	noiseConfidence = own("NOISE_CONFIDENCE", "Confidence of the noise")
)

// meanings are those of the values of findings, which are words of Quell.
var meanings = map[string]string{
	"nothing": "Nothing was removed", "little": "Little was removed", "good": "Noise removed, objects and texture kept",
	"fades": "Objects fade", "texture": "Texture is lost", "unknown": "It cannot be judged",
	"high": "High", "fair": "Fair", "low": "Low", "none": "None",
}

// valueOf returns the code of the value of a finding.
func valueOf(word string) part10.Code {
	return part10.Code{Value: strings.ToUpper(word), Scheme: object.Scheme, Meaning: cmp.Or(meanings[word], word)}
}

// modalityCode returns the code of a modality (CID 29).
func modalityCode(m string) part10.Code {
	switch m {
	case "CT":
		return dcm(m, "Computed Tomography")
	case "MR":
		return dcm(m, "Magnetic Resonance")
	case "PT":
		return dcm(m, "Positron emission tomography")
	case "NM":
		return dcm(m, "Nuclear Medicine")
	}
	return dcm("OT", "Other")
}

// procedure returns the code of what was acquired (CID 100): the standard has no body region here.
func procedure(modality string) part10.Code {
	ln := func(value, meaning string) part10.Code {
		return part10.Code{Value: value, Scheme: "LN", Meaning: meaning}
	}
	switch modality {
	case "CT":
		return ln("25045-6", "CT unspecified body region")
	case "MR":
		return ln("25056-3", "MR unspecified body region")
	case "PT":
		return ln("44136-0", "PET unspecified body region")
	}
	return sct("363679005", "Imaging procedure")
}

// relation is how a content item relates to the one that it is in.
type relation string

const (
	contains   relation = "CONTAINS"
	observed   relation = "HAS OBS CONTEXT"
	modifies   relation = "HAS CONCEPT MOD"
	acquired   relation = "HAS ACQ CONTEXT"
	properties relation = "HAS PROPERTIES"
)

// plain writes what the texts of Quell have beyond ASCII.
var plain = strings.NewReplacer("×", "x", "σ", "sigma", "–", "-", "±", "+-", "→", "->")

// item begins a content item with the items in it.
func item(r relation, kind string, name part10.Code, in ...[]byte) (e object.Elements) {
	if r != "" { // of all but the top
		e.Text(part10.TagRelationshipType, string(r))
	}
	e.Text(part10.TagValueType, kind)
	if name != (part10.Code{}) {
		e.Code(part10.TagConceptNameCodeSequence, name)
	}
	if len(in) > 0 {
		e.Sequence(part10.TagContentSequence, in...)
	}
	return e
}

func code(r relation, name, value part10.Code, in ...[]byte) []byte {
	e := item(r, "CODE", name, in...)
	e.Code(part10.TagConceptCodeSequence, value)
	return e.Item()
}

func text(r relation, name part10.Code, value string) []byte {
	e := item(r, "TEXT", name)
	e.Text(part10.TagTextValue, part10.ASCII(plain.Replace(value)))
	return e.Item()
}

func uid(r relation, name part10.Code, value string) []byte {
	e := item(r, "UIDREF", name)
	e.Text(part10.TagUID, value)
	return e.Item()
}

// image refers to a whole image.
func image(of object.Reference) []byte {
	of.Frame = 0
	e := item(contains, "IMAGE", part10.Code{})
	e.Sequence(part10.TagReferencedSOPSequence, of.Elements().Item())
	return e.Item()
}

// container holds other items. template is the number of the one that describes it, "" for none.
func container(r relation, name part10.Code, template string, in ...[]byte) object.Elements {
	e := item(r, "CONTAINER", name, in...)
	e.Text(part10.TagContinuityOfContent, "SEPARATE")
	if template != "" {
		var used object.Elements
		used.Text(part10.TagMappingResource, "DCMR")
		used.Text(part10.TagTemplateIdentifier, template)
		e.Sequence(part10.TagContentTemplateSequence, used.Item())
	}
	return e
}

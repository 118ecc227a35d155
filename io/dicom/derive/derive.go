package derive

import (
	"time"

	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
)

// Derived describes how a derived series was made.
type Derived struct {
	// Recipe is the recipe's JSON: it enters the UIDs and a private element.
	Recipe []byte
	// Description is the derivation in words, for DerivationDescription (at most
	// 1024 characters are kept).
	Description string
	// Suffix is appended to the source's SeriesDescription.
	Suffix string
	// Volumes is how many volumes the series has; 0 counts as 1.
	Volumes int
	// Place is the position of the volume in its 4-D series, Step the time in seconds from one
	// volume to the next, and Gradient the diffusion weighting, nil for none, as in
	// series.Group. They matter for volumes without a DICOM source; others have the attributes
	// of that.
	Place    series.Place
	Step     float64
	Gradient *series.Gradient
	// Version is Quell's version.
	Version string
	// Now dates the new objects.
	Now time.Time
	// Code names the derivation; its zero value means Smoothing.
	Code part10.Code
	// Compress is the encoding of pixels; zero is uncompressed. Big endian files and
	// pixels of 32 bits stay uncompressed, with a warning in the report; files in
	// implicit VR become explicit.
	Compress pixel.Compression
	// Deidentify removes the patient's identity from the attributes by the basic
	// profile of PS3.15 annex E, see package deid. Dates are dummies then, Now among
	// them.
	Deidentify bool
	// Secret keys the pseudonyms of a de-identified series: the same secret gives the
	// same, so that two exports of one patient belong together and an export made again
	// replaces the first. Anyone holding the secret can re-identify patients.
	Secret []byte
}

// Smoothing is the derivation of a noise filter (PS3.16 CID 7203).
var Smoothing = part10.Code{Value: "113087", Scheme: "DCM", Meaning: "Smoothing"}

var (
	// sourceForProcessing is why a derived image refers to its source (CID 7202).
	sourceForProcessing = part10.Code{Value: "121322", Scheme: "DCM", Meaning: "Source image for image processing operation"}
	// processingEquipment is what Quell contributed as (CID 7005).
	processingEquipment = part10.Code{Value: "109102", Scheme: "DCM", Meaning: "Processing Equipment"}
)

// code returns the derivation's code.
func (d *Derived) code() part10.Code {
	if d.Code == (part10.Code{}) {
		return Smoothing
	}
	return d.Code
}

// product is the manufacturer of objects that Quell makes.
const product = "Quell"

package parametric

import "quell/io/dicom/part10"

// Quantity is the quantity in a map.
type Quantity struct {
	Label   string // CS, of the content
	Caption string // of the series
	// Contrast is how its values follow from others, value 4 of Image Type (C.8.16.1.4).
	Contrast string
	// Derivation is how its values were made of images (CID 7203).
	Derivation part10.Code
	// Statistic is the statistic over voxels; the zero value for the values themselves.
	Statistic part10.Code
	OfResult  bool // it was made of the result too, not of the source alone
	Order     int  // of its series in the result, from 0
}

// The quantities that Quell maps.
var (
	// Sigma is the standard deviation of the noise.
	Sigma = Quantity{
		Label: "NOISE_SD", Caption: "Noise map (standard deviation) [Quell]", Contrast: "STD_DEVIATION", Order: 0,
		Derivation: NoiseMapping,
		Statistic:  part10.Code{Value: "386136009", Scheme: "SCT", Meaning: "Standard Deviation"},
	}
	// Removed is the residual of a filter: input less result.
	Removed = Quantity{Label: "REMOVED", Caption: "What was removed (input less result) [Quell]", Contrast: "SUBTRACTION", OfResult: true, Order: 1, Derivation: Subtraction}
)

var (
	// NoiseMapping is the derivation of a noise map, for which the standard has no code.
	NoiseMapping = part10.Code{Value: "NOISEMAP", Scheme: "99QUELL", Meaning: "Estimated standard deviation of the noise"}
	// Subtraction is the derivation of what was removed (CID 7203).
	Subtraction = part10.Code{Value: "113062", Scheme: "DCM", Meaning: "Pixel by pixel subtraction"}
)

// concepts of a quantity definition (PS3.3 C.7.6.16.2.11).
var (
	quantity   = part10.Code{Value: "246205007", Scheme: "SCT", Meaning: "Quantity"}
	derivation = part10.Code{Value: "121401", Scheme: "DCM", Meaning: "Derivation"}
	method     = part10.Code{Value: "370129005", Scheme: "SCT", Meaning: "Measurement Method"}
)

// measured returns what the voxels of an image are (CID 7180, if it has a code for them).
func measured(modality, unit string) part10.Code {
	switch {
	case unit == "HU":
		return part10.Code{Value: "112031", Scheme: "DCM", Meaning: "Attenuation Coefficient"}
	case modality == "MR":
		return part10.Code{Value: "110852", Scheme: "DCM", Meaning: "MR signal intensity"}
	}
	return part10.Code{Value: "VOXEL", Scheme: "99QUELL", Meaning: "Value of a voxel"}
}

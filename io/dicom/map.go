package dicom

import "quell/io/dicom/parametric"

// Map is a parametric map about a series that was written.
type Map = parametric.Map

// The quantity in a Map, and how it, or an image of the same values, was made.
var (
	Removed      = parametric.Removed
	Sigma        = parametric.Sigma
	Subtraction  = parametric.Subtraction
	NoiseMapping = parametric.NoiseMapping
)

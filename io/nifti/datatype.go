package nifti

import (
	"quell/internal/message"
	"quell/io/raster"
)

// unsupported names the datatypes that NIfTI defines and package raster does not
// read; they are very rare.
var unsupported = map[int64]string{
	1:    "one bit per voxel",
	1536: "128-bit numbers",
	2048: "256-bit complex numbers",
}

// datatypeByCode returns the datatype of a code. The error for an unsupported code
// says what the code means.
func datatypeByCode(code int64) (raster.Datatype, error) {
	if d, ok := raster.DatatypeByCode(code); ok {
		return d, nil
	}
	if what, ok := unsupported[code]; ok {
		return raster.Datatype{}, message.Errorf(message.InputUnsupported, "its voxels are %s (datatype %d); convert it to float32 or float64 first", message.Word(what), code)
	}
	return raster.Datatype{}, message.Errorf(message.InputDamaged, "datatype %d is not defined by NIfTI; the header is damaged", code)
}

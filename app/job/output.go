package job

import (
	"time"

	"quell/internal/message"
	"quell/io/dicom"
)

// Options are the options of an export besides its name.
type Options struct {
	Dtype string    `json:"dtype,omitempty"` // one of Format.Datatypes; "" is the first
	Now   time.Time `json:"-"`               // date of the output; zero is the time of the call
	// Deidentify removes the patient's identity from DICOM made from DICOM, see
	// format.Options. The pixels are not changed.
	Deidentify bool `json:"deidentify,omitempty"`
	// Compress is the compression of the pixels of DICOM; "" is none.
	Compress dicom.Compression `json:"compress,omitempty"`
	// Overwrite replaces an existing output that Quell did not write, see
	// files.ErrForeignTarget. Earlier outputs of Quell are replaced in any case.
	Overwrite bool `json:"overwrite,omitempty"`
}

// DefaultCompression is the compression that is used if none is named: the one with
// the smaller files, and DICOM's own default.
const DefaultCompression = dicom.JPEGLossless

// Compressed reports whether the pixels of DICOM are to be compressed.
func (o Options) Compressed() bool {
	return o.Compress != "" && o.Compress != dicom.Uncompressed
}

// Written describes a finished export.
type Written struct {
	Output   string            // the folder or file written
	Files    int               // in Output; an Analyze pair is two
	Clipped  int64             // voxels outside what the output can store, clipped to its ends
	Warnings []message.Message // sentences for a person
	Recipe   string            // the record written next to Output
	Write    time.Duration     // what it took
}

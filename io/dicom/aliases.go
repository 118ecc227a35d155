package dicom

import (
	"quell/io/dicom/codec"
	"quell/io/dicom/deid"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/io/dicom/presentation"
)

// Name is the name of the format, in series.Meta.
const Name = "DICOM"

// The types of the packages below that callers of Scan, Load and Writer see.
type (
	// Error is a file or folder that cannot be used; see part10.Error.
	Error = part10.Error
	// Presentation is how a series is shown, to be encoded as a presentation state; see
	// presentation.State.
	Presentation = presentation.State
	// PresentationMark is a mark of it; see presentation.Mark.
	PresentationMark = presentation.Mark
	// Pseudonyms stand for patients, UIDs and texts; see deid.Pseudonyms.
	Pseudonyms = deid.Pseudonyms
	// Compression names a lossless pixel encoding; see pixel.Compression.
	Compression = pixel.Compression
)

// The pixel encodings of a Writer.
const (
	Uncompressed = pixel.Uncompressed
	JPEGLossless = pixel.JPEGLossless
	RLE          = pixel.RLE
)

// Compressions lists the pixel encodings, the plainest first.
func Compressions() []Compression { return pixel.Compressions() }

// Codecs returns the names of the codecs of images that are read.
func Codecs() []string { return codec.Names() }

// Sniff reports whether a file that begins with head is DICOM; 132 bytes are
// enough.
func Sniff(head []byte) bool { return part10.Sniff(head) }

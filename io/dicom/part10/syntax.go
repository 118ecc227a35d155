package part10

import (
	"encoding/binary"
	"strings"

	"github.com/suyashkumar/dicom/pkg/uid"

	"quell/internal/message"
)

// Encoding is how the elements of a data set are laid out (PS3.5 section 7).
type Encoding struct {
	Order    binary.ByteOrder
	Implicit bool // no VR in the file
}

// The encodings of data sets: little or big endian, with the VRs written (explicit) or not.
var (
	ImplicitLE = Encoding{binary.LittleEndian, true}
	ExplicitLE = Encoding{binary.LittleEndian, false}
	ExplicitBE = Encoding{binary.BigEndian, false}
)

// Syntax is a transfer syntax (PS3.6 annex A).
type Syntax struct {
	UID, Name string
	Encoding
	Deflated     bool // the data set is one raw deflate stream, without zlib's header
	Encapsulated bool // pixel data is a sequence of compressed fragments
}

// Native reports whether pixels are stored as plain numbers.
func (s Syntax) Native() bool { return !s.Deflated && !s.Encapsulated }

// UIDs of transfer syntaxes (PS3.6 annex A).
const (
	UIDImplicitLE   = "1.2.840.10008.1.2"
	UIDExplicitLE   = "1.2.840.10008.1.2.1"
	UIDDeflatedLE   = "1.2.840.10008.1.2.1.99"
	UIDExplicitBE   = "1.2.840.10008.1.2.2"
	UIDJPEGBaseline = "1.2.840.10008.1.2.4.50"
	UIDJPEGExtended = "1.2.840.10008.1.2.4.51"
	UIDJPEGLossless = "1.2.840.10008.1.2.4.70" // first-order prediction
	UIDRLE          = "1.2.840.10008.1.2.5"
)

// PlainSyntax returns the UID of the transfer syntax with plain pixels.
func PlainSyntax(enc Encoding) string {
	switch enc {
	case ImplicitLE:
		return UIDImplicitLE
	case ExplicitBE:
		return UIDExplicitBE
	}
	return UIDExplicitLE
}

// Syntaxes lists the transfer syntaxes by UID. Every encapsulated one is
// explicit little endian outside its pixel data.
var Syntaxes = func() map[string]Syntax {
	table := map[string]Syntax{}
	for _, s := range []Syntax{
		{UID: UIDImplicitLE, Name: "Implicit VR Little Endian", Encoding: ImplicitLE},
		{UID: UIDExplicitLE, Name: "Explicit VR Little Endian", Encoding: ExplicitLE},
		{UID: UIDExplicitBE, Name: "Explicit VR Big Endian", Encoding: ExplicitBE},
		{UID: UIDDeflatedLE, Name: "Deflated Explicit VR Little Endian", Encoding: ExplicitLE, Deflated: true},
		{UID: "1.2.840.10008.1.2.8.1", Name: "Deflated Image Frame Compression", Encoding: ExplicitLE, Encapsulated: true},
	} {
		table[s.UID] = s
	}
	for uid, name := range map[string]string{
		UIDRLE:                    "RLE Lossless",
		UIDJPEGBaseline:           "JPEG Baseline",
		UIDJPEGExtended:           "JPEG Extended",
		"1.2.840.10008.1.2.4.57":  "JPEG Lossless",
		UIDJPEGLossless:           "JPEG Lossless, First-Order Prediction",
		"1.2.840.10008.1.2.4.80":  "JPEG-LS Lossless",
		"1.2.840.10008.1.2.4.81":  "JPEG-LS Near-Lossless",
		"1.2.840.10008.1.2.4.90":  "JPEG 2000 Lossless",
		"1.2.840.10008.1.2.4.91":  "JPEG 2000",
		"1.2.840.10008.1.2.4.92":  "JPEG 2000 Multi-component Lossless",
		"1.2.840.10008.1.2.4.93":  "JPEG 2000 Multi-component",
		"1.2.840.10008.1.2.4.94":  "JPIP Referenced",
		"1.2.840.10008.1.2.4.95":  "JPIP Referenced Deflate",
		"1.2.840.10008.1.2.4.100": "MPEG-2 Main Profile",
		"1.2.840.10008.1.2.4.102": "MPEG-4 AVC",
		"1.2.840.10008.1.2.4.107": "HEVC Main Profile",
		"1.2.840.10008.1.2.4.110": "JPEG XL Lossless",
		"1.2.840.10008.1.2.4.111": "JPEG XL JPEG Recompression",
		"1.2.840.10008.1.2.4.112": "JPEG XL",
		"1.2.840.10008.1.2.4.201": "High-Throughput JPEG 2000 Lossless",
		"1.2.840.10008.1.2.4.202": "High-Throughput JPEG 2000 with RPCL Lossless",
		"1.2.840.10008.1.2.4.203": "High-Throughput JPEG 2000",
	} {
		table[uid] = Syntax{UID: uid, Name: name, Encoding: ExplicitLE, Encapsulated: true}
	}
	return table
}()

// ErrNotDICOM is in the chain when the bytes are of another format.
var ErrNotDICOM = message.Errorf(message.InputForeign, "no DICOM file")

// hasPreamble reports whether head begins with 128 bytes and "DICM".
func hasPreamble(head []byte) bool {
	return len(head) >= 132 && string(head[128:132]) == "DICM"
}

// Sniff reports whether a file that begins with head is DICOM: 132 bytes are
// enough. Files without preamble are accepted if their first element is one that data
// sets begin with.
func Sniff(head []byte) bool {
	if hasPreamble(head) {
		return true
	}
	_, ok := guessEncoding(head, false)
	return ok
}

// guessEncoding determines the encoding of a data set from its first element, which
// must be of group 0002 or 0008 with a short value: anything else is likely to be
// another format. lenient accepts any plausible element.
func guessEncoding(head []byte, lenient bool) (Encoding, bool) {
	if len(head) < 8 {
		return Encoding{}, false
	}
	for _, e := range []Encoding{ExplicitLE, ExplicitBE, ImplicitLE} {
		group, elem := e.Order.Uint16(head), e.Order.Uint16(head[2:])
		if group != 0x0008 && group != 0x0002 && !(lenient && group != 0 && group < 0x0030) {
			continue
		}
		if e.Implicit {
			n := e.Order.Uint32(head[4:])
			if elem <= 0x0070 && n > 0 && n <= 256 && n%2 == 0 {
				return e, true
			}
			continue
		}
		if knownVR(string(head[4:6])) {
			return e, true
		}
	}
	return Encoding{}, false
}

// chooseSyntax sets the transfer syntax: the one of the meta header or, if it has none
// or contradicts the data, the one that the first element shows.
func (t *tokenizer) chooseSyntax(uid string, off int64) error {
	head, err := t.W.at(off, int(min(t.W.size-off, 16)))
	if err != nil {
		return err
	}
	seen, ok := guessEncoding(head, true)
	if uid == "" {
		if !ok {
			return message.Errorf(message.InputDamaged, "no transfer syntax is given and none can be determined from the data: %w", ErrNotDICOM)
		}
		uid = PlainSyntax(seen)
	}
	s, known := Syntaxes[uid]
	if !known {
		// Retired syntaxes keep their data set explicit, one of GE does not.
		s = Syntax{UID: uid, Name: ClassName(uid), Encoding: ExplicitLE, Encapsulated: true}
		if ok {
			s.Encoding = seen
		}
	}
	if s.Native() && ok && seen != s.Encoding {
		s = Syntaxes[PlainSyntax(seen)]
	}
	t.File.Syntax = s
	return nil
}

// LittleEndian converts pixel bytes of a big endian file to little endian, in place, and
// back. Other encodings are left alone. Bytes of 8-bit pixels that were written as words
// are swapped too (PS3.5 section 8.1.1).
func LittleEndian(raw []byte, enc Encoding, vr string, alloc int) {
	if enc != ExplicitBE {
		return
	}
	switch {
	case alloc == 16 || alloc == 8 && vr == "OW":
		for i := 0; i+1 < len(raw); i += 2 {
			raw[i], raw[i+1] = raw[i+1], raw[i]
		}
	case alloc == 32:
		for i := 0; i+3 < len(raw); i += 4 {
			binary.LittleEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
		}
	case alloc == 64:
		for i := 0; i+7 < len(raw); i += 8 {
			binary.LittleEndian.PutUint64(raw[i:], binary.BigEndian.Uint64(raw[i:]))
		}
	}
}

// MediaDirectory is the SOP class of DICOMDIR files.
const MediaDirectory = "1.2.840.10008.1.3.10"

// SecondaryCapture is Secondary Capture Image Storage: the class for images
// without known scanner and acquisition.
const SecondaryCapture = "1.2.840.10008.5.1.4.1.1.7"

// GrayscalePresentationState is Grayscale Softcopy Presentation State Storage: how images
// are shown, without pixels of its own.
const GrayscalePresentationState = "1.2.840.10008.5.1.4.1.1.11.1"

// ParametricMap is Parametric Map Storage: quantities of voxels, derived from images. EnhancedSR is Enhanced SR Storage.
const (
	ParametricMap = "1.2.840.10008.5.1.4.1.1.30"
	EnhancedSR    = "1.2.840.10008.5.1.4.1.1.88.22"
)

// Product is the manufacturer of objects that Quell makes.
const Product = "Quell"

// FunctionalGroups holds the SOP classes with their geometry in functional groups
// even if they hold one frame.
var FunctionalGroups = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.2.1":   true, // Enhanced CT
	"1.2.840.10008.5.1.4.1.1.2.2":   true, // Legacy Converted Enhanced CT
	"1.2.840.10008.5.1.4.1.1.4.1":   true, // Enhanced MR
	"1.2.840.10008.5.1.4.1.1.4.4":   true, // Legacy Converted Enhanced MR
	"1.2.840.10008.5.1.4.1.1.130":   true, // Enhanced PET
	"1.2.840.10008.5.1.4.1.1.128.1": true, // Legacy Converted Enhanced PET
	ParametricMap:                   true,
}

// PrimaryAlone holds further SOP classes of images that are PRIMARY even if they
// are derived.
var PrimaryAlone = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.20":  true, // Nuclear Medicine
	"1.2.840.10008.5.1.4.1.1.128": true, // PET
}

// NotImages holds the SOP classes of pixels that are not measured by a scanner.
var NotImages = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.66.4":  true, // Segmentation
	"1.2.840.10008.5.1.4.1.1.481.2": true, // RT Dose
}

// NeedsPixels reports whether an object of a SOP class is an image. Objects of unknown
// standard classes are images if they have a size; objects of private classes, such as
// raw data, may have the size of the images of their series and are none.
func NeedsPixels(class string, sized bool) bool {
	if info, err := uid.Lookup(class); err == nil {
		return strings.Contains(info.Name, "Image Storage")
	}
	return sized && (class == "" || strings.HasPrefix(class, "1.2.840.10008."))
}

// ClassName returns the name of a SOP class or of another UID of the standard, or
// the UID if it has none.
func ClassName(u string) string {
	if info, err := uid.Lookup(u); err == nil {
		return info.Name
	}
	if u == "" {
		return "no SOP class"
	}
	return Shorten(u)
}

package dicom

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// encoding is how the elements of a data set are laid out (PS3.5 section 7).
type encoding struct {
	order    binary.ByteOrder
	implicit bool // no VR in the file
}

var (
	implicitLE = encoding{binary.LittleEndian, true}
	explicitLE = encoding{binary.LittleEndian, false}
	explicitBE = encoding{binary.BigEndian, false}
)

// syntax is a transfer syntax (PS3.6 annex A).
type syntax struct {
	uid, name string
	encoding
	deflated     bool // the data set is one raw deflate stream, without zlib's header
	encapsulated bool // pixel data is a sequence of compressed fragments
}

// native says whether pixels lie in the file as plain numbers.
func (s syntax) native() bool { return !s.deflated && !s.encapsulated }

const (
	uidImplicitLE   = "1.2.840.10008.1.2"
	uidExplicitLE   = "1.2.840.10008.1.2.1"
	uidDeflatedLE   = "1.2.840.10008.1.2.1.99"
	uidExplicitBE   = "1.2.840.10008.1.2.2"
	uidJPEGBaseline = "1.2.840.10008.1.2.4.50"
	uidJPEGExtended = "1.2.840.10008.1.2.4.51"
	uidJPEGLossless = "1.2.840.10008.1.2.4.70" // first-order prediction
	uidRLE          = "1.2.840.10008.1.2.5"
)

// plainSyntax returns the UID of the transfer syntax with plain pixels.
func plainSyntax(enc encoding) string {
	switch enc {
	case implicitLE:
		return uidImplicitLE
	case explicitBE:
		return uidExplicitBE
	}
	return uidExplicitLE
}

// syntaxes lists the transfer syntaxes by UID. Every encapsulated one is
// explicit little endian outside its pixel data.
var syntaxes = func() map[string]syntax {
	table := map[string]syntax{}
	for _, s := range []syntax{
		{uid: uidImplicitLE, name: "Implicit VR Little Endian", encoding: implicitLE},
		{uid: uidExplicitLE, name: "Explicit VR Little Endian", encoding: explicitLE},
		{uid: uidExplicitBE, name: "Explicit VR Big Endian", encoding: explicitBE},
		{uid: uidDeflatedLE, name: "Deflated Explicit VR Little Endian", encoding: explicitLE, deflated: true},
		{uid: "1.2.840.10008.1.2.8.1", name: "Deflated Image Frame Compression", encoding: explicitLE, encapsulated: true},
	} {
		table[s.uid] = s
	}
	for uid, name := range map[string]string{
		uidRLE:                    "RLE Lossless",
		uidJPEGBaseline:           "JPEG Baseline",
		uidJPEGExtended:           "JPEG Extended",
		"1.2.840.10008.1.2.4.57":  "JPEG Lossless",
		uidJPEGLossless:           "JPEG Lossless, First-Order Prediction",
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
		"1.2.840.10008.1.2.4.112": "JPEG XL",
		"1.2.840.10008.1.2.4.201": "High-Throughput JPEG 2000 Lossless",
		"1.2.840.10008.1.2.4.202": "High-Throughput JPEG 2000 with RPCL Lossless",
		"1.2.840.10008.1.2.4.203": "High-Throughput JPEG 2000",
	} {
		table[uid] = syntax{uid: uid, name: name, encoding: explicitLE, encapsulated: true}
	}
	return table
}()

// errNotDICOM is in the chain when the bytes are of another format.
var errNotDICOM = errors.New("no DICOM file")

// hasPreamble says whether head begins with 128 bytes and "DICM".
func hasPreamble(head []byte) bool {
	return len(head) >= 132 && string(head[128:132]) == "DICM"
}

// Sniff says whether a file that begins with head is DICOM: 132 bytes are
// enough. Files without preamble are accepted where their first element is one
// that data sets begin with.
func Sniff(head []byte) bool {
	if hasPreamble(head) {
		return true
	}
	_, ok := guessEncoding(head, false)
	return ok
}

// guessEncoding tells a data set's encoding from its first element, which must
// be one of group 0002 or 0008 with a short value: anything else is too likely
// to be another format. lenient asks only that the bytes make an element.
func guessEncoding(head []byte, lenient bool) (encoding, bool) {
	if len(head) < 8 {
		return encoding{}, false
	}
	for _, e := range []encoding{explicitLE, explicitBE, implicitLE} {
		group, elem := e.order.Uint16(head), e.order.Uint16(head[2:])
		if group != 0x0008 && group != 0x0002 && !(lenient && group != 0 && group < 0x0030) {
			continue
		}
		if e.implicit {
			n := e.order.Uint32(head[4:])
			if elem <= 0x0070 && n > 0 && n <= 256 && n%2 == 0 {
				return e, true
			}
			continue
		}
		if knownVR(string(head[4:6])) {
			return e, true
		}
	}
	return encoding{}, false
}

// chooseSyntax settles how the data set is laid out: as the meta header says,
// or, where it says nothing or plainly errs, as the first element shows.
func (t *tokenizer) chooseSyntax(uid string, off int64) error {
	head, err := t.w.at(off, int(min(t.w.size-off, 16)))
	if err != nil {
		return err
	}
	seen, ok := guessEncoding(head, true)
	if uid == "" {
		if !ok {
			return fmt.Errorf("no transfer syntax is given and none can be told from the data: %w", errNotDICOM)
		}
		uid = plainSyntax(seen)
	}
	s, known := syntaxes[uid]
	if !known {
		// Retired and private syntaxes all keep their data set explicit.
		s = syntax{uid: uid, name: className(uid), encoding: explicitLE, encapsulated: true}
	}
	if s.native() && ok && seen != s.encoding {
		s = syntaxes[plainSyntax(seen)]
	}
	t.file.syntax = s
	return nil
}

package dicom

import "encoding/binary"

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
	deflated     bool // the data set is one zlib-less deflate stream
	encapsulated bool // pixel data is a sequence of compressed fragments
}

// native says whether pixels lie in the file as plain numbers.
func (s syntax) native() bool { return !s.deflated && !s.encapsulated }

const (
	uidImplicitLE = "1.2.840.10008.1.2"
	uidExplicitLE = "1.2.840.10008.1.2.1"
	uidExplicitBE = "1.2.840.10008.1.2.2"
	uidRLE        = "1.2.840.10008.1.2.5"
)

// syntaxes lists the transfer syntaxes by UID. Every encapsulated one is
// explicit little endian outside its pixel data.
var syntaxes = map[string]syntax{}

func init() {
	for _, s := range []syntax{
		{uid: uidImplicitLE, name: "Implicit VR Little Endian", encoding: implicitLE},
		{uid: uidExplicitLE, name: "Explicit VR Little Endian", encoding: explicitLE},
		{uid: uidExplicitBE, name: "Explicit VR Big Endian", encoding: explicitBE},
		{uid: "1.2.840.10008.1.2.1.99", name: "Deflated Explicit VR Little Endian", encoding: explicitLE, deflated: true},
		{uid: "1.2.840.10008.1.2.8.1", name: "Deflated Image Frame Compression", encoding: explicitLE, encapsulated: true},
	} {
		syntaxes[s.uid] = s
	}
	for uid, name := range map[string]string{
		uidRLE:                    "RLE Lossless",
		"1.2.840.10008.1.2.4.50":  "JPEG Baseline",
		"1.2.840.10008.1.2.4.51":  "JPEG Extended",
		"1.2.840.10008.1.2.4.57":  "JPEG Lossless",
		"1.2.840.10008.1.2.4.70":  "JPEG Lossless, First-Order Prediction",
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
		syntaxes[uid] = syntax{uid: uid, name: name, encoding: explicitLE, encapsulated: true}
	}
}

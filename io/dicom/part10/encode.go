package part10

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// AppendElement appends one element in the given encoding. Text values are
// padded to even length: UIDs and bytes with zero, the rest with a space.
func AppendElement(b []byte, enc Encoding, tag Tag, vr string, value []byte) []byte {
	n := len(value) + len(value)%2
	b = AppendElementHeader(b, enc, tag, vr, uint32(n))
	b = append(b, value...)
	if n > len(value) {
		pad := byte(' ')
		if vr == "UI" || vr == "OB" || vr == "UN" {
			pad = 0
		}
		b = append(b, pad)
	}
	return b
}

// AppendElementHeader appends tag, VR and length. Items and delimiters (group
// FFFE) carry no VR in any encoding.
func AppendElementHeader(b []byte, enc Encoding, tag Tag, vr string, length uint32) []byte {
	order := enc.Order.(binary.AppendByteOrder)
	b = order.AppendUint16(b, tag.Group())
	b = order.AppendUint16(b, tag.Element())
	switch {
	case enc.Implicit || tag.Group() == 0xFFFE:
		return order.AppendUint32(b, length)
	case longVR(vr):
		b = append(b, vr[0], vr[1], 0, 0)
		return order.AppendUint32(b, length)
	default:
		b = append(b, vr[0], vr[1])
		return order.AppendUint16(b, uint16(length))
	}
}

// AppendSequence appends a sequence of items, each the encoded elements of one.
func AppendSequence(b []byte, enc Encoding, tag Tag, items ...[]byte) []byte {
	var body []byte
	for _, item := range items {
		body = AppendItem(body, enc, item)
	}
	return AppendElement(b, enc, tag, "SQ", body)
}

// AppendItem appends a sequence item of known length; item is its encoded elements.
func AppendItem(b []byte, enc Encoding, item []byte) []byte {
	b = AppendElementHeader(b, enc, TagItem, "", uint32(len(item)))
	return append(b, item...)
}

// AppendCode appends a code sequence of one item (PS3.3 section 8.8).
func AppendCode(b []byte, enc Encoding, tag Tag, c Code) []byte {
	return AppendSequence(b, enc, tag, CodeItem(enc, c))
}

// CodeItem encodes the elements of a code, to be the item of a code sequence.
func CodeItem(enc Encoding, c Code) []byte {
	var item []byte
	item = AppendElement(item, enc, TagCodeValue, "SH", []byte(c.Value))
	item = AppendElement(item, enc, TagCodingSchemeDesignator, "SH", []byte(c.Scheme))
	return AppendElement(item, enc, TagCodeMeaning, "LO", []byte(c.Meaning))
}

// ImplementationClassUID identifies Quell as the writer of a file in its meta header.
const ImplementationClassUID = "2.25.258333625243058645673287431460776510602"

// AppendFileMeta appends preamble, "DICM" and group 0002. The preamble is
// zero: a TIFF header there, as some sources have, would point at bytes that moved.
func AppendFileMeta(b []byte, sopClass, sopInstance, syntaxUID, version string) []byte {
	var m []byte
	m = AppendElement(m, ExplicitLE, tagFileMetaInformationVersion, "OB", []byte{0, 1})
	m = AppendElement(m, ExplicitLE, tagMediaStorageSOPClassUID, "UI", []byte(sopClass))
	m = AppendElement(m, ExplicitLE, TagMediaStorageSOPInstanceUID, "UI", []byte(sopInstance))
	m = AppendElement(m, ExplicitLE, TagTransferSyntaxUID, "UI", []byte(syntaxUID))
	m = AppendElement(m, ExplicitLE, TagImplementationClassUID, "UI", []byte(ImplementationClassUID))
	m = AppendElement(m, ExplicitLE, tagImplementationVersionName, "SH", []byte(Clip(strings.TrimSpace("QUELL "+version), 16)))
	b = append(b, make([]byte, 128)...)
	b = append(b, "DICM"...)
	b = AppendElement(b, ExplicitLE, tagFileMetaInformationGroupLength, "UL",
		binary.LittleEndian.AppendUint32(nil, uint32(len(m))))
	return append(b, m...)
}

// ASCII replaces characters that are not printable ASCII by "?", so that a text is the same
// in every character set, and the backslash, which separates values.
func ASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '\\' {
			return '?'
		}
		return r
	}, s)
}

// Clip shortens an ASCII text to n characters.
func Clip(s string, n int) string {
	if len(s) > n {
		s = strings.TrimRight(s[:n], " ")
	}
	return s
}

// DecimalString writes a number as DS: at most 16 characters.
func DecimalString(v float64) string {
	for digits := 15; ; digits-- {
		if s := strconv.FormatFloat(v, 'g', digits, 64); len(s) <= 16 {
			return s
		}
	}
}

// Decimals writes several numbers as DS.
func Decimals(values ...float64) []byte {
	var parts [][]byte
	for _, v := range values {
		parts = append(parts, []byte(DecimalString(v)))
	}
	return bytes.Join(parts, []byte{'\\'})
}

// Code is a coded concept of DICOM (Code Sequence Macro).
type Code struct{ Value, Scheme, Meaning string }

// Date formats the date of t as a value of VR DA: YYYYMMDD.
func Date(t time.Time) []byte { return []byte(t.Format("20060102")) }

// Time formats the time of day of t as a value of VR TM, to the microsecond.
func Time(t time.Time) []byte { return []byte(t.Format("150405.000000")) }

// HashUID makes a UID from a hash: "2.25." and the decimal of a UUID (PS3.5 annex
// B.2) with 122 free bits that come from SHA-256 over the parts (RFC 9562 version
// 8). The same parts give the same UID everywhere.
func HashUID(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p))) // so that parts cannot run into each other
		h.Write(n[:])
		h.Write(p)
	}
	id := h.Sum(nil)[:16]
	id[6] = id[6]&0x0F | 0x80
	id[8] = id[8]&0x3F | 0x80
	return "2.25." + new(big.Int).SetBytes(id).String()
}

package dicom

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// appendElement appends one element in the given encoding. Text values are
// padded to even length: UIDs and bytes with zero, the rest with a space.
func appendElement(b []byte, enc encoding, tag tagID, vr string, value []byte) []byte {
	n := len(value) + len(value)%2
	b = appendElementHeader(b, enc, tag, vr, uint32(n))
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

// appendElementHeader appends tag, VR and length. Items and delimiters (group
// FFFE) carry no VR in any encoding.
func appendElementHeader(b []byte, enc encoding, tag tagID, vr string, length uint32) []byte {
	order := enc.order.(binary.AppendByteOrder)
	b = order.AppendUint16(b, tag.group())
	b = order.AppendUint16(b, tag.element())
	switch {
	case enc.implicit || tag.group() == 0xFFFE:
		return order.AppendUint32(b, length)
	case longVR(vr):
		b = append(b, vr[0], vr[1], 0, 0)
		return order.AppendUint32(b, length)
	default:
		b = append(b, vr[0], vr[1])
		return order.AppendUint16(b, uint16(length))
	}
}

// appendSequence appends a sequence of items, each the encoded elements of one.
func appendSequence(b []byte, enc encoding, tag tagID, items ...[]byte) []byte {
	var body []byte
	for _, item := range items {
		body = appendItem(body, enc, item)
	}
	return appendElement(b, enc, tag, "SQ", body)
}

func appendItem(b []byte, enc encoding, item []byte) []byte {
	b = appendElementHeader(b, enc, tagItem, "", uint32(len(item)))
	return append(b, item...)
}

// appendCode appends a code sequence of one item (PS3.3 section 8.8).
func appendCode(b []byte, enc encoding, tag tagID, c Code) []byte {
	return appendSequence(b, enc, tag, codeItem(enc, c))
}

func codeItem(enc encoding, c Code) []byte {
	var item []byte
	item = appendElement(item, enc, tagCodeValue, "SH", []byte(c.Value))
	item = appendElement(item, enc, tagCodingSchemeDesignator, "SH", []byte(c.Scheme))
	return appendElement(item, enc, tagCodeMeaning, "LO", []byte(c.Meaning))
}

// implementationClassUID names this writer in the meta header of its files.
const implementationClassUID = "2.25.258333625243058645673287431460776510602"

// appendFileMeta appends preamble, "DICM" and group 0002. The preamble is
// zero: what a source had there (a TIFF header, say) points at bytes that moved.
func appendFileMeta(b []byte, sopClass, sopInstance, syntaxUID, version string) []byte {
	var m []byte
	m = appendElement(m, explicitLE, tagFileMetaInformationVersion, "OB", []byte{0, 1})
	m = appendElement(m, explicitLE, tagMediaStorageSOPClassUID, "UI", []byte(sopClass))
	m = appendElement(m, explicitLE, tagMediaStorageSOPInstanceUID, "UI", []byte(sopInstance))
	m = appendElement(m, explicitLE, tagTransferSyntaxUID, "UI", []byte(syntaxUID))
	m = appendElement(m, explicitLE, tagImplementationClassUID, "UI", []byte(implementationClassUID))
	m = appendElement(m, explicitLE, tagImplementationVersionName, "SH", []byte(clip(strings.TrimSpace("QUELL "+version), 16)))
	b = append(b, make([]byte, 128)...)
	b = append(b, "DICM"...)
	b = appendElement(b, explicitLE, tagFileMetaInformationGroupLength, "UL",
		binary.LittleEndian.AppendUint32(nil, uint32(len(m))))
	return append(b, m...)
}

// ascii replaces what is not printable ASCII by "?", so that a text is the same
// in every character set, and the backslash, which separates values.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '\\' {
			return '?'
		}
		return r
	}, s)
}

// clip shortens an ASCII text to n characters.
func clip(s string, n int) string {
	if len(s) > n {
		s = strings.TrimRight(s[:n], " ")
	}
	return s
}

// decimalString writes a number as DS: at most 16 characters.
func decimalString(v float64) string {
	for digits := 15; ; digits-- {
		if s := strconv.FormatFloat(v, 'g', digits, 64); len(s) <= 16 {
			return s
		}
	}
}

// decimals writes several numbers as DS.
func decimals(values ...float64) []byte {
	var parts [][]byte
	for _, v := range values {
		parts = append(parts, []byte(decimalString(v)))
	}
	return bytes.Join(parts, []byte{'\\'})
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 || c == 0x1B { // ESC begins another set of ISO 2022
			return false
		}
	}
	return true
}

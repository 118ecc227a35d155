package codec

import (
	"encoding/binary"
	"errors"
)

// The markers of JPEG (ITU-T T.81 table B.1). Each follows a byte 0xFF.
const (
	markSOF0 = 0xC0 // baseline DCT
	markSOF1 = 0xC1 // extended sequential DCT
	markSOF3 = 0xC3 // lossless
	markDHT  = 0xC4
	markRST0 = 0xD0
	markSOI  = 0xD8
	markEOI  = 0xD9
	markSOS  = 0xDA
	markDQT  = 0xDB
	markDRI  = 0xDD

	markSOF55 = 0xF7 // frame of JPEG-LS (ITU-T T.87)
	markLSE   = 0xF8 // its preset parameters
)

// eachSegment calls visit for every marker segment before the first scan. It returns the
// header of that scan and the entropy-coded data after it.
func eachSegment(b []byte, visit func(mark byte, segment []byte) error) (header, scan []byte, err error) {
	if len(b) < 2 || b[0] != 0xFF || b[1] != markSOI {
		return nil, nil, errors.New("the stream does not start with the JPEG marker")
	}
	for b = b[2:]; ; {
		mark, segment, rest, err := nextSegment(b)
		switch {
		case err != nil:
			return nil, nil, err
		case mark == markEOI:
			return nil, nil, errTruncated
		case mark == markSOS:
			return segment, rest, nil
		}
		if err := visit(mark, segment); err != nil {
			return nil, nil, err
		}
		b = rest
	}
}

// nextSegment returns the marker and the contents of the next marker segment, and the
// bytes after it.
func nextSegment(b []byte) (mark byte, segment, rest []byte, err error) {
	if len(b) < 2 {
		return 0, nil, nil, errTruncated
	}
	if b[0] != 0xFF {
		return 0, nil, nil, errors.New("a marker is missing")
	}
	for len(b) >= 2 && b[1] == 0xFF { // fill bytes
		b = b[1:]
	}
	if len(b) < 2 {
		return 0, nil, nil, errTruncated
	}
	mark, b = b[1], b[2:]
	if mark == markEOI {
		return mark, nil, b, nil
	}
	if len(b) < 2 {
		return 0, nil, nil, errTruncated
	}
	n := int(binary.BigEndian.Uint16(b))
	if n < 2 || n > len(b) {
		return 0, nil, nil, errTruncated
	}
	return mark, b[2:n], b[n:], nil
}

// appendSegment appends a marker segment.
func appendSegment(b []byte, mark byte, body ...byte) []byte {
	b = append(b, 0xFF, mark)
	b = binary.BigEndian.AppendUint16(b, uint16(len(body)+2))
	return append(b, body...)
}

// shapeJPEG finds the frame header, which JPEG and JPEG-LS have in common.
func shapeJPEG(head []byte) (rows, cols, components, precision int, ok bool) {
	_, _, _ = eachSegment(head, func(mark byte, s []byte) error {
		if isFrame := mark == markSOF0 || mark == markSOF1 || mark == markSOF3 || mark == markSOF55; isFrame && len(s) >= 6 && !ok {
			rows, cols = int(binary.BigEndian.Uint16(s[1:])), int(binary.BigEndian.Uint16(s[3:]))
			components, precision, ok = int(s[5]), int(s[0]), true
		}
		return nil
	}) // the error that head ends too early is expected
	return rows, cols, components, precision, ok
}

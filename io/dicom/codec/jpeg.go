package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Markers of ITU-T T.81 table B.1; each stands behind a byte 0xFF.
const (
	markSOF0 = 0xC0 // baseline DCT
	markSOF1 = 0xC1 // extended sequential DCT
	markSOF3 = 0xC3 // lossless
	markDHT  = 0xC4
	markRST0 = 0xD0
	markRST7 = 0xD7
	markSOI  = 0xD8
	markEOI  = 0xD9
	markSOS  = 0xDA
	markDQT  = 0xDB
	markDRI  = 0xDD
)

// jpegFrame is what the marker segments before the image's scan say.
type jpegFrame struct {
	process         byte // the SOF marker; 0 before it
	precision       int
	rows, cols      int
	components      int
	component       byte // identifier of the first
	quantiser       int  // quantisation table of the first component
	quantisers      [4]*[64]int32
	dc, ac          [4]*huffman // of lossless scans, dc alone
	restartInterval int         // in pixels or blocks; 0 where there is none

	// Of the scan header:
	dcTable, acTable int
	start            int // first coefficient, or the predictor of lossless scans
	pointTransform   int
}

// decodeJPEG decodes the JPEG processes that DICOM uses for grey images: T.81
// sequential DCT (8 and 12 bits) and lossless (2 to 16 bits).
func decodeJPEG(stream []byte, info Info) ([]byte, error) {
	var f jpegFrame
	scan, err := f.readSegments(stream)
	if err != nil {
		return nil, err
	}
	if err := info.checkShape(f.rows, f.cols, f.components, f.precision); err != nil {
		return nil, err
	}
	samples := make([]uint16, info.pixels())
	if f.process == markSOF3 {
		err = f.decodeLossless(samples, scan)
	} else {
		err = f.decodeDCT(samples, scan)
	}
	if err != nil {
		return nil, err
	}
	return pack(info, f.precision, samples), nil
}

// readSegments reads as far as the first scan header and returns what follows
// it: the entropy-coded data.
func (f *jpegFrame) readSegments(b []byte) (scan []byte, err error) {
	if len(b) < 2 || b[0] != 0xFF || b[1] != markSOI {
		return nil, errors.New("the stream does not begin as JPEG does")
	}
	b = b[2:]
	for {
		mark, segment, rest, err := nextSegment(b)
		if err != nil {
			return nil, err
		}
		b = rest
		switch mark {
		case markSOF0, markSOF1, markSOF3:
			err = f.readFrame(mark, segment)
		case 0xC2, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF:
			err = fmt.Errorf("JPEG process SOF%d is not decoded", mark-markSOF0)
		case markDHT:
			err = f.readHuffman(segment)
		case markDQT:
			err = f.readQuantisers(segment)
		case markDRI:
			if len(segment) < 2 {
				return nil, errTruncated
			}
			f.restartInterval = int(binary.BigEndian.Uint16(segment))
		case markEOI:
			err = errTruncated
		case markSOS:
			return rest, f.readScan(segment)
		}
		if err != nil {
			return nil, err
		}
	}
}

// shapeJPEG looks for the frame header of JPEG and JPEG-LS, which have the same.
func shapeJPEG(head []byte) (rows, cols, components, precision int, ok bool) {
	if len(head) < 2 || head[0] != 0xFF || head[1] != markSOI {
		return 0, 0, 0, 0, false
	}
	for b := head[2:]; ; {
		mark, s, rest, err := nextSegment(b)
		if err != nil || mark == markSOS || mark == markEOI {
			return 0, 0, 0, 0, false
		}
		if b = rest; len(s) >= 6 && (mark == markSOF0 || mark == markSOF1 || mark == markSOF3 || mark == markSOF55) {
			return int(binary.BigEndian.Uint16(s[1:])), int(binary.BigEndian.Uint16(s[3:])), int(s[5]), int(s[0]), true
		}
	}
}

// nextSegment splits the next marker segment off: its marker, what is behind
// its length, and the rest.
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

// readFrame reads a frame header (T.81 B.2.2).
func (f *jpegFrame) readFrame(mark byte, s []byte) error {
	if f.process != 0 {
		return errors.New("the stream has two frame headers")
	}
	if len(s) < 9 || len(s) < 6+3*int(s[5]) {
		return errTruncated
	}
	f.process = mark
	f.precision = int(s[0])
	f.rows, f.cols = int(binary.BigEndian.Uint16(s[1:])), int(binary.BigEndian.Uint16(s[3:]))
	f.components, f.component, f.quantiser = int(s[5]), s[6], int(s[8])
	lossless := mark == markSOF3 && f.precision >= 2 && f.precision <= 16
	if !lossless && f.precision != 8 && !(mark == markSOF1 && f.precision == 12) || f.quantiser > 3 {
		return fmt.Errorf("JPEG process SOF%d has %d bits for a pixel", mark-markSOF0, f.precision)
	}
	return nil
}

// readScan reads a scan header (B.2.3). The spectral selection's end is not
// looked at: sequential scans hold every coefficient, and writers put 0 there.
func (f *jpegFrame) readScan(s []byte) error {
	switch {
	case f.process == 0:
		return errors.New("the stream has no frame header")
	case len(s) < 6 || s[0] != 1:
		return errors.New("the scan is not one of a grey image")
	case s[1] != f.component:
		return errors.New("the scan is of another component")
	}
	f.dcTable, f.acTable = int(s[2]>>4), int(s[2]&15)
	f.start, f.pointTransform = int(s[3]), int(s[5]&15)
	if f.dcTable > 3 || f.acTable > 3 {
		return errors.New("the scan names a Huffman table that cannot be")
	}
	return nil
}

// readQuantisers reads quantisation tables (B.2.4.1), in zigzag order.
func (f *jpegFrame) readQuantisers(s []byte) error {
	for len(s) > 0 {
		wide, id := int(s[0]>>4), int(s[0]&15)
		s = s[1:]
		if wide > 1 || id > 3 || len(s) < 64*(wide+1) {
			return errors.New("a quantisation table is damaged")
		}
		var q [64]int32
		for i := range q {
			if wide == 1 {
				q[i] = int32(binary.BigEndian.Uint16(s[2*i:]))
			} else {
				q[i] = int32(s[i])
			}
		}
		f.quantisers[id] = &q
		s = s[64*(wide+1):]
	}
	return nil
}

// readHuffman reads Huffman tables (B.2.4.2).
func (f *jpegFrame) readHuffman(s []byte) error {
	for len(s) > 0 {
		if len(s) < 17 {
			return errTruncated
		}
		class, id := s[0]>>4, s[0]&15
		n := 0
		for _, c := range s[1:17] {
			n += int(c)
		}
		if class > 1 || id > 3 || n > 256 || len(s) < 17+n {
			return errors.New("a Huffman table is damaged")
		}
		h, err := newHuffman([16]byte(s[1:17]), s[17:17+n])
		if err != nil {
			return err
		}
		if class == 0 {
			f.dc[id] = h
		} else {
			f.ac[id] = h
		}
		s = s[17+n:]
	}
	return nil
}

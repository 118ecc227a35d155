package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// jpegFrame holds the contents of the marker segments before the scan.
type jpegFrame struct {
	process         byte // the SOF marker; 0 until it is read
	precision       int
	rows, cols      int
	components      int
	component       byte // identifier of the first
	quantiser       int  // quantisation table of the first component
	quantisers      [4]*[64]int32
	dc, ac          [4]*huffman // a lossless scan uses dc alone
	restartInterval int         // in pixels or blocks; 0 without restart markers

	// Of the scan header:
	dcTable, acTable int
	start            int // first coefficient, or the predictor of lossless scans
	pointTransform   int
}

// decodeJPEG decodes the JPEG processes that DICOM uses for grey images: T.81
// sequential DCT (8 and 12 bits) and lossless (2 to 16 bits). The process is taken from
// the stream, since the transfer syntax of some files is wrong.
func decodeJPEG(stream []byte, info Info) ([]byte, error) {
	var f jpegFrame
	scan, err := f.readSegments(stream)
	if err != nil {
		return nil, err
	}
	if err := info.checkShape(f.rows, f.cols, f.components, f.precision); err != nil {
		return nil, err
	}
	lossless := f.process == markSOF3
	if lossless && info.pixels()/8 > len(scan) {
		return nil, errTruncated // a pixel takes at least a bit
	}
	samples := make([]uint16, info.pixels())
	if lossless {
		err = f.decodeLossless(samples, scan)
	} else {
		err = f.decodeDCT(samples, scan)
	}
	if err != nil {
		return nil, err
	}
	if !lossless && !info.Signed && info.Bits > 0 && info.Bits < f.precision {
		// DCT overshoots near edges: clip to white, so that the pixel does not wrap to
		// black.
		white := uint16(1)<<info.Bits - 1
		for i, s := range samples {
			samples[i] = min(s, white)
		}
	}
	return pack(info, f.precision, samples), nil
}

// readSegments reads the segments up to the first scan header and returns the
// entropy-coded data that follow.
func (f *jpegFrame) readSegments(b []byte) (scan []byte, err error) {
	header, scan, err := eachSegment(b, func(mark byte, s []byte) error {
		switch mark {
		case markSOF0, markSOF1, markSOF3:
			return f.readFrame(mark, s)
		case 0xC2, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF:
			return fmt.Errorf("JPEG process SOF%d is not decoded", mark-markSOF0)
		case markDHT:
			return f.readHuffman(s)
		case markDQT:
			return f.readQuantisers(s)
		case markDRI:
			if len(s) < 2 {
				return errTruncated
			}
			f.restartInterval = int(binary.BigEndian.Uint16(s))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return scan, f.readScan(header)
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

// readScan reads a scan header (B.2.3). It ignores the end of the spectral selection:
// sequential scans hold all coefficients, and some writers store 0 there.
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
		return errors.New("the scan refers to an impossible Huffman table")
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

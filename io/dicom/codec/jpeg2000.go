package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// decodeJPEG2000 decodes a codestream of ITU-T T.800 or T.814 (high throughput) in the
// sandbox. It first checks the size of the image, and that all tiles are present, which
// the decoder does not check.
func decodeJPEG2000(stream []byte, info Info) ([]byte, error) {
	stream, err := codestream(stream)
	if err != nil {
		return nil, err
	}
	size, err := readSize(stream)
	if err != nil {
		return nil, err
	}
	if err := info.checkShape(size.rows, size.cols, size.components, size.precision); err != nil {
		return nil, err
	}
	if stream, err = size.checkTiles(stream); err != nil {
		return nil, err
	}
	var out []byte
	err = openJPEG(stream, info.pixels(), func(samples []byte) { out = packWords(info, size.precision, samples) })
	return out, err
}

// packWords is pack for 32-bit samples in little-endian bytes.
func packWords(info Info, precision int, samples []byte) []byte {
	out := make([]byte, 0, info.bytes())
	var part [1024]int32
	for len(samples) >= 4 {
		n := min(len(part), len(samples)/4)
		for i := range n {
			part[i] = int32(binary.LittleEndian.Uint32(samples[4*i:]))
		}
		out = appendSamples(out, info, precision, part[:n])
		samples = samples[4*n:]
	}
	return out
}

var (
	jp2Signature = []byte("\x00\x00\x00\x0CjP  \r\n\x87\n")
	startOfJ2K   = []byte{0xFF, 0x4F, 0xFF, 0x51} // SOC, SIZ
)

// codestream removes the boxes of a JP2 file (T.800 annex I), in which some writers
// wrap the codestream although DICOM forbids it.
func codestream(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, jp2Signature) {
		return b, nil
	}
	for len(b) >= 8 {
		n, header := uint64(binary.BigEndian.Uint32(b)), uint64(8)
		if n == 1 && len(b) >= 16 {
			n, header = binary.BigEndian.Uint64(b[8:]), 16
		}
		if n == 0 {
			n = uint64(len(b)) // the box extends to the end
		}
		if n < header || n > uint64(len(b)) {
			break
		}
		if string(b[4:8]) == "jp2c" {
			return b[header:n], nil
		}
		b = b[n:]
	}
	return nil, errors.New("the JP2 boxes contain no codestream")
}

// imageSize holds the contents of the SIZ marker segment (T.800 A.5.1).
type imageSize struct {
	rows, cols, components, precision int
	down, across                      int // number of tiles
}

func readSize(b []byte) (imageSize, error) {
	if !bytes.HasPrefix(b, startOfJ2K) {
		return imageSize{}, errors.New("the stream does not start with the JPEG 2000 markers")
	}
	const oneComponent = 4 + 41 // SOC, SIZ and the segment with one component
	if len(b) < oneComponent {
		return imageSize{}, errTruncated
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint32(b[8+4*i:])) }
	right, bottom, left, top := at(0), at(1), at(2), at(3)
	tileCols, tileRows, tileLeft, tileTop := at(4), at(5), at(6), at(7)
	s := imageSize{
		components: int(binary.BigEndian.Uint16(b[40:])),
		precision:  int(b[42]&0x7F) + 1,
	}
	switch {
	case s.components == 1 && (b[43] != 1 || b[44] != 1):
		return s, errors.New("its component is subsampled")
	case right <= left || bottom <= top || tileCols < 1 || tileRows < 1 || tileLeft > left || tileTop > top:
		return s, errors.New("its image or tile size is impossible")
	}
	s.rows, s.cols = int(bottom-top), int(right-left)
	s.down, s.across = int((bottom-tileTop-1)/tileRows)+1, int((right-tileLeft-1)/tileCols)+1
	return s, nil
}

func shapeJPEG2000(head []byte) (rows, cols, components, precision int, ok bool) {
	s, err := readSize(head)
	return s.rows, s.cols, s.components, s.precision, err == nil
}

// Markers of T.800 table A.2.
const (
	markSOT = 0xFF90 // start of tile-part
	markEOC = 0xFFD9 // end of codestream
)

// tilePartHeader is the length of a tile-part's header, the shortest tile-part.
const tilePartHeader = 14

// checkTiles walks the tile-parts (A.4.2) and checks that every tile is present, with
// as many parts as it declares: OpenJPEG leaves missing tiles blank without an error.
// It returns the stream, with the end marker added if only that is missing.
func (s imageSize) checkTiles(b []byte) ([]byte, error) {
	if s.down > len(b) || s.across > len(b) || s.down*s.across > len(b)/tilePartHeader {
		return nil, fmt.Errorf("%d bytes cannot hold %d x %d tiles", len(b), s.across, s.down)
	}
	found, declared := make([]int, s.down*s.across), make([]int, s.down*s.across) // parts of each tile
	at, err := mainHeaderEnd(b)
	if err != nil {
		return nil, err
	}
	for marker(b, at) == markSOT {
		if len(b)-at < tilePartHeader {
			return nil, errTruncated
		}
		tile := int(binary.BigEndian.Uint16(b[at+4:]))
		if tile >= len(found) {
			return nil, fmt.Errorf("it has a tile %d of %d", tile+1, len(found))
		}
		found[tile]++
		declared[tile] = max(declared[tile], int(b[at+11]))
		n := int64(binary.BigEndian.Uint32(b[at+6:]))
		if n == 0 { // the last part extends to the end of the stream
			at = -1
			break
		}
		if n < tilePartHeader || n > int64(len(b)-at) {
			return nil, errTruncated
		}
		at += int(n)
	}
	for tile, n := range found {
		if n == 0 || n < declared[tile] {
			return nil, fmt.Errorf("tile %d of %d is incomplete: %w", tile+1, len(found), errTruncated)
		}
	}
	if at == len(b) {
		b = binary.BigEndian.AppendUint16(b[:at:at], markEOC)
	}
	return b, nil
}

// mainHeaderEnd returns the offset of the first tile-part.
func mainHeaderEnd(b []byte) (int, error) {
	at := 2 // SOC
	for marker(b, at) != markSOT {
		if len(b)-at < 4 {
			return 0, errTruncated
		}
		n := int(binary.BigEndian.Uint16(b[at+2:]))
		if b[at] != 0xFF || n < 2 {
			return 0, errors.New("its main header is damaged")
		}
		at += 2 + n
	}
	return at, nil
}

// marker returns the marker at an offset; 0 beyond the end.
func marker(b []byte, at int) int {
	if at > len(b)-2 {
		return 0
	}
	return int(binary.BigEndian.Uint16(b[at:]))
}

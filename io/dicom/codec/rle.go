package codec

import (
	"encoding/binary"
	"fmt"
)

// decodeRLE decodes PS3.5 annex G: a header of 16 numbers, then one segment for each
// byte of a pixel, most significant first, compressed by PackBits.
func decodeRLE(stream []byte, info Info) ([]byte, error) {
	const headerLength = 64
	if len(stream) < headerLength {
		return nil, errTruncated
	}
	planes := info.BitsAllocated / 8
	if n := binary.LittleEndian.Uint32(stream); int64(n) != int64(planes) {
		return nil, fmt.Errorf("the stream has %d segments, the pixels have %d bytes", n, planes)
	}
	out := make([]byte, info.bytes())
	for p := range planes {
		at := int64(binary.LittleEndian.Uint32(stream[4+4*p:]))
		end := int64(len(stream))
		if p+1 < planes {
			end = int64(binary.LittleEndian.Uint32(stream[8+4*p:]))
		}
		if at < headerLength || end < at || end > int64(len(stream)) {
			return nil, fmt.Errorf("segment %d is outside the stream", p+1)
		}
		if !unpackBits(out[planes-1-p:], planes, stream[at:end]) {
			return nil, errTruncated
		}
	}
	return out, nil
}

// unpackBits writes to every stride-th byte of dst. It returns false if src is too
// short.
func unpackBits(dst []byte, stride int, src []byte) bool {
	for i := 0; i < len(dst); {
		if len(src) < 2 {
			return false
		}
		n := int(int8(src[0]))
		switch {
		case n >= 0: // n + 1 literal bytes
			if src = src[1:]; len(src) < n+1 {
				return false
			}
			for _, b := range src[:n+1] {
				if i < len(dst) {
					dst[i] = b
					i += stride
				}
			}
			src = src[n+1:]
		case n > -128: // one byte, 1 - n times
			b := src[1]
			src = src[2:]
			for range 1 - n {
				if i < len(dst) {
					dst[i] = b
					i += stride
				}
			}
		default: // -128: no operation
			src = src[1:]
		}
	}
	return true
}

// EncodeRLE returns the RLE stream (PS3.5 annex G) of one frame of little-endian pixels
// with 8, 16 or 32 bits, as Decode returns them.
func EncodeRLE(pixels []byte, info Info) []byte {
	planes := info.BitsAllocated / 8
	out := make([]byte, 64, 64+info.bytes()/2)
	binary.LittleEndian.PutUint32(out, uint32(planes))
	row := make([]byte, info.Cols)
	for p := range planes {
		binary.LittleEndian.PutUint32(out[4+4*p:], uint32(len(out)))
		for y := range info.Rows {
			line := pixels[y*info.Cols*planes:]
			for x := range row {
				row[x] = line[x*planes+planes-1-p]
			}
			out = packBits(out, row) // a run must not extend over rows
		}
		if len(out)%2 == 1 {
			out = append(out, 0)
		}
	}
	return out
}

// packBits appends one row, compressed by PackBits.
func packBits(out, row []byte) []byte {
	const most = 128 // bytes in one run or literal sequence
	for i := 0; i < len(row); {
		if n := run(row[i:], most); n > 1 {
			out = append(out, byte(1-n), row[i])
			i += n
			continue
		}
		// A literal sequence, until a run that is longer than its code of two bytes.
		end := i + 1
		for end < len(row) && end-i < most && run(row[end:], 3) < 3 {
			end++
		}
		out = append(append(out, byte(end-i-1)), row[i:end]...)
		i = end
	}
	return out
}

// run returns the length of the run that b starts with, at most most.
func run(b []byte, most int) int {
	n := 1
	for n < len(b) && n < most && b[n] == b[0] {
		n++
	}
	return n
}

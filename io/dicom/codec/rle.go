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

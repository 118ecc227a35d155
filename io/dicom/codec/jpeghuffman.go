package codec

import (
	"encoding/binary"
	"errors"
)

// huffman is a decoding table (T.81 annex C); codes have up to 16 bits.
type huffman struct {
	// short is indexed by the next shortBits bits of the stream. It holds length<<8 |
	// value of the code that they start with, 0 if that code is longer.
	short [1 << shortBits]uint16
	// last is the largest code of each length, -1 if there is none. offset plus a code
	// of that length is its index in values.
	last, offset [17]int32
	values       []byte
}

const shortBits = 10

func newHuffman(counts [16]byte, values []byte) (*huffman, error) {
	h := &huffman{values: values}
	code, at := int32(0), int32(0)
	for i, c := range counts {
		n := i + 1
		h.last[n] = -1
		if code+int32(c) > 1<<n {
			return nil, errors.New("a Huffman table has too many codes")
		}
		h.offset[n] = at - code
		for range c {
			if n <= shortBits {
				from := code << (shortBits - n)
				for j := range int32(1) << (shortBits - n) {
					h.short[from+j] = uint16(n)<<8 | uint16(values[at])
				}
			}
			h.last[n] = code
			code, at = code+1, at+1
		}
		code <<= 1
	}
	return h, nil
}

// bitReader reads the entropy-coded data of a scan, most significant bit first. After
// the end it returns zeros and counts them.
type bitReader struct {
	data   []byte
	pos    int
	bits   uint64 // the next bits, left-aligned
	n      int    // number of bits in bits
	beyond int    // number of them that are after the end of the data
}

var (
	errNoCode  = errors.New("the stream contains an undefined code")
	errRestart = errors.New("a restart marker is missing")
)

// fill loads bits until there are at least 32.
func (r *bitReader) fill() {
	if r.n >= 32 {
		return
	}
	if r.pos+4 <= len(r.data) {
		v := binary.BigEndian.Uint32(r.data[r.pos:])
		if (^v-0x01010101)&v&0x80808080 == 0 { // no byte is 0xFF
			r.bits |= uint64(v) << (32 - r.n)
			r.n += 32
			r.pos += 4
			return
		}
	}
	for r.n <= 56 {
		var b byte
		switch {
		case r.pos < len(r.data) && r.data[r.pos] != 0xFF:
			b = r.data[r.pos]
			r.pos++
		case r.pos+1 < len(r.data) && r.data[r.pos+1] == 0: // 0xFF and a stuffed zero
			b = 0xFF
			r.pos += 2
		default: // a marker, or the end
			r.beyond += 8
		}
		r.bits |= uint64(b) << (56 - r.n)
		r.n += 8
	}
}

// ended reports whether bits after the end of the data have been used.
func (r *bitReader) ended() bool { return r.n < r.beyond }

// take returns the next n bits, at most 16; fill must have loaded them.
func (r *bitReader) take(n int) int32 {
	v := int32(r.bits >> (64 - n))
	r.bits <<= n
	r.n -= n
	return v
}

// symbol decodes one Huffman code. At least 16 loaded bits remain.
func (r *bitReader) symbol(h *huffman) (int, error) {
	r.fill()
	if s := h.short[r.bits>>(64-shortBits)]; s != 0 {
		n := int(s >> 8)
		r.bits <<= n
		r.n -= n
		return int(s & 0xFF), nil
	}
	for n := shortBits + 1; n <= 16; n++ {
		code := int32(r.bits >> (64 - n))
		if code <= h.last[n] {
			r.bits <<= n
			r.n -= n
			return int(h.values[code+h.offset[n]]), nil
		}
	}
	return 0, errNoCode
}

// extend reads the n additional bits of a difference and returns its value (T.81
// F.2.2.1): it is negative if the first bit is 0.
func (r *bitReader) extend(n int) int32 {
	if n == 0 {
		return 0
	}
	v := r.take(n)
	if v < 1<<(n-1) {
		v -= 1<<n - 1
	}
	return v
}

// restart skips the i-th restart marker and the unused bits before it.
func (r *bitReader) restart(i int) error {
	if r.n-r.beyond >= 8 || r.ended() {
		return errRestart
	}
	for r.pos+1 < len(r.data) && r.data[r.pos] == 0xFF && r.data[r.pos+1] == 0xFF {
		r.pos++
	}
	if r.pos+1 >= len(r.data) || r.data[r.pos] != 0xFF || r.data[r.pos+1] != markRST0+byte(i%8) {
		return errRestart
	}
	r.pos += 2
	r.bits, r.n, r.beyond = 0, 0, 0
	return nil
}

package codec

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// EncodeJPEGLossless returns the JPEG stream of one frame: T.81 process 14 with
// predictor 1, the pixel to the left, which is transfer syntax 1.2.840.10008.1.2.4.70.
// pixels are little-endian with 8 or 16 bits, as Decode returns them. precision, from 2
// to 16, is the sample precision of the stream; every pixel as an unsigned number must
// fit. The length of the stream is even, as DICOM demands of fragments.
//
// The Huffman table is optimal for the frame. A fixed table (T.81 K.3, extended to 16
// bits) makes real CT and MR series 1.8 to 7.6 % larger, one trained on them all 1.4 to
// 5.8 %.
func EncodeJPEGLossless(pixels []byte, info Info, precision int) []byte {
	differences := leftDifferences(pixels, info, precision)
	var count [17]int
	for _, d := range differences {
		count[category(d)]++
	}
	lengths, values := huffmanLengths(count)

	out := make([]byte, 0, 128+scanBytes(count, lengths, values))
	out = append(out, 0xFF, markSOI)
	out = appendSegment(out, markSOF3, byte(precision),
		byte(info.Rows>>8), byte(info.Rows), byte(info.Cols>>8), byte(info.Cols),
		1, 1, 0x11, 0) // one component, number 1, not subsampled
	out = appendSegment(out, markDHT, slices.Concat([]byte{0}, lengths[:], values)...)
	out = appendSegment(out, markSOS, 1, 1, 0, 1, 0, 0) // component 1, table 0, predictor 1
	w := bitWriter{out: out}
	codes := huffmanCodes(lengths, values)
	for _, d := range differences {
		n := category(d)
		w.put(codes[n].bits<<additional(n)|extraBits(d, n), codes[n].length+additional(n))
	}
	out = append(w.end(), 0xFF, markEOI)
	if len(out)%2 == 1 {
		out = append(out, 0)
	}
	return out
}

// leftDifferences returns the numbers to encode: each pixel minus its prediction,
// modulo 2^16 (T.81 H.1.2.1). The prediction is the pixel to the left; for the first of
// a row the pixel above, and for the first of the image half of the range.
func leftDifferences(pixels []byte, info Info, precision int) []uint16 {
	out := make([]uint16, info.pixels())
	above := uint16(1) << (precision - 1)
	for y := range info.Rows {
		row := out[y*info.Cols : (y+1)*info.Cols]
		if info.BitsAllocated == 8 {
			for x, v := range pixels[y*info.Cols : (y+1)*info.Cols] {
				row[x] = uint16(v)
			}
		} else {
			line := pixels[2*y*info.Cols:]
			for x := range row {
				row[x] = binary.LittleEndian.Uint16(line[2*x:])
			}
		}
		left := above
		above = row[0]
		for x, v := range row {
			row[x] = v - left
			left = v
		}
	}
	return out
}

// category returns the number of bits of a difference's magnitude (T.81 table H.2),
// from 0 for no difference to 16 for 32768.
func category(d uint16) int {
	if int16(d) < 0 {
		d = -d
	}
	return bits.Len16(d)
}

// additional returns how many bits follow the code of a category: as many as its
// number, but none for category 16, which has a single difference.
func additional(category int) int { return category & 15 }

// extraBits returns these bits: the difference, minus one if it is negative.
func extraBits(d uint16, category int) uint32 {
	if int16(d) < 0 {
		d--
	}
	return uint32(d) & (1<<additional(category) - 1)
}

// huffmanLengths returns the table that encodes symbols, each occurring count times, in
// the fewest bits: the number of codes of each length from 1 to 16, and the symbols in
// the order of their codes. It uses package-merge (Larmore and Hirschberg 1990), which
// unlike T.81 K.2 is optimal under the limit of 16 bits.
func huffmanLengths(count [17]int) (lengths [16]byte, values []byte) {
	type coin struct {
		weight  int
		symbols []int
	}
	lightestFirst := func(a, b coin) int { return a.weight - b.weight }
	// The code of all ones is forbidden (T.81 C.2). It goes to a symbol that never
	// occurs: the last one of the longest codes.
	const unused = len(count)
	coins := []coin{{0, []int{unused}}}
	for s, n := range count {
		if n > 0 {
			coins = append(coins, coin{n, []int{s}})
		}
	}
	slices.SortStableFunc(coins, lightestFirst)
	row := coins
	for range len(lengths) - 1 {
		next := slices.Clone(coins)
		for ; len(row) > 1; row = row[2:] {
			next = append(next, coin{row[0].weight + row[1].weight, slices.Concat(row[0].symbols, row[1].symbols)})
		}
		slices.SortStableFunc(next, lightestFirst)
		row = next
	}
	var length [len(count) + 1]int // of each symbol's code: in how many packages it is
	for _, c := range row[:2*(len(coins)-1)] {
		for _, s := range c.symbols {
			length[s]++
		}
	}
	for n := range lengths {
		for s := range count {
			if length[s] == n+1 {
				lengths[n]++
				values = append(values, byte(s))
			}
		}
	}
	return lengths, values
}

// huffmanCode is the code of one symbol, in the low bits.
type huffmanCode struct {
	bits   uint32
	length int
}

// huffmanCodes returns the code of each symbol of a table (T.81 annex C).
func huffmanCodes(lengths [16]byte, values []byte) (codes [17]huffmanCode) {
	next := uint32(0)
	for i, n := range lengths {
		for range n {
			codes[values[0]] = huffmanCode{next, i + 1}
			values = values[1:]
			next++
		}
		next <<= 1
	}
	return codes
}

// scanBytes estimates the length of the entropy-coded data.
func scanBytes(count [17]int, lengths [16]byte, values []byte) int {
	total := 0
	for s, c := range huffmanCodes(lengths, values) {
		total += count[s] * (c.length + additional(s))
	}
	return total/8 + total/1024 // stuffed bytes are few
}

// bitWriter appends bits to entropy-coded data, most significant bit first.
type bitWriter struct {
	out  []byte
	bits uint64 // its low n bits are not yet in out
	n    int    // at most 31 between calls
}

// put appends the low n bits of v, at most 32. The other bits of v must be zero.
func (w *bitWriter) put(v uint32, n int) {
	w.bits = w.bits<<n | uint64(v)
	if w.n += n; w.n < 32 {
		return
	}
	w.n -= 32
	word := uint32(w.bits >> w.n)
	if (^word-0x01010101)&word&0x80808080 == 0 { // no byte is 0xFF
		w.out = binary.BigEndian.AppendUint32(w.out, word)
		return
	}
	for shift := 24; shift >= 0; shift -= 8 {
		w.byte(byte(word >> shift))
	}
}

// byte appends one byte. A zero is stuffed after 0xFF, which would start a marker.
func (w *bitWriter) byte(b byte) {
	if w.out = append(w.out, b); b == 0xFF {
		w.out = append(w.out, 0)
	}
}

// end fills the last byte with ones and returns the data.
func (w *bitWriter) end() []byte {
	fill := -w.n & 7
	w.bits, w.n = w.bits<<fill|(1<<fill-1), w.n+fill
	for ; w.n > 0; w.n -= 8 {
		w.byte(byte(w.bits >> (w.n - 8)))
	}
	return w.out
}

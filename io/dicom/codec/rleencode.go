package codec

import "encoding/binary"

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

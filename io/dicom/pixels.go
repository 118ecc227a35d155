package dicom

import (
	"encoding/binary"
	"math"
)

// littleEndian turns pixel bytes of a big endian file around, in place, and
// back again: everything else here works on little endian pixels. Bytes of 8-bit
// pixels were swapped too where they were written as words (PS3.5 section 8.1.1).
func littleEndian(raw []byte, enc encoding, vr string, alloc int) {
	if enc != explicitBE {
		return
	}
	switch {
	case alloc == 16 || alloc == 8 && vr == "OW":
		for i := 0; i+1 < len(raw); i += 2 {
			raw[i], raw[i+1] = raw[i+1], raw[i]
		}
	case alloc == 32:
		for i := 0; i+3 < len(raw); i += 4 {
			binary.LittleEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
		}
	}
}

// decode converts one slice of little endian pixels to real values. raw holds
// at least f.bytes() bytes and dst as many values as the slice has pixels.
func (f *pixelFormat) decode(dst []float32, raw []byte) {
	if f.alloc == 16 {
		f.decode16(dst, raw[:2*len(dst)])
		return
	}
	for i := range dst {
		dst[i] = f.real(f.at(raw, i))
	}
}

// word returns all allocated bits of pixel i.
func (f *pixelFormat) word(raw []byte, i int) uint32 {
	switch f.alloc {
	case 8:
		return uint32(raw[i])
	case 16:
		return uint32(binary.LittleEndian.Uint16(raw[2*i:]))
	default:
		return binary.LittleEndian.Uint32(raw[4*i:])
	}
}

func (f *pixelFormat) putWord(raw []byte, i int, w uint32) {
	switch f.alloc {
	case 8:
		raw[i] = byte(w)
	case 16:
		binary.LittleEndian.PutUint16(raw[2*i:], uint16(w))
	default:
		binary.LittleEndian.PutUint32(raw[4*i:], w)
	}
}

// at returns the stored value of pixel i: the stored bits alone, signed where
// the format is.
func (f *pixelFormat) at(raw []byte, i int) int64 {
	w := f.word(raw, i) << (31 - f.high)
	if f.signed {
		return int64(int32(w) >> (32 - f.stored))
	}
	return int64(w >> (32 - f.stored))
}

func (f *pixelFormat) real(stored int64) float32 {
	return float32(float64(float64(stored)*f.slope) + f.inter)
}

// encode stores real values into the pixels of their source slice, in place.
// Masked pixels, and the bits outside the stored ones (overlays), stay as they
// are. A result that would read as padding where the source did not moves to
// the nearest value beside it. It returns how many values were outside the
// stored range and were moved to its end.
func (f *pixelFormat) encode(raw []byte, values []float32, valid []bool) (clipped int64) {
	lo, hi := f.storedRange()
	shift := f.high + 1 - f.stored
	bits := uint32(uint64(1)<<f.stored-1) << shift
	if f.signExtended(raw, len(values)) {
		bits |= ^uint32(0) << f.high
	}
	for i, v := range values {
		if valid != nil && !valid[i] {
			continue
		}
		s, out := f.quantise(float64(v), lo, hi)
		if out {
			clipped++
		}
		if f.padding && s >= int64(f.padLo) && s <= int64(f.padHi) && s != f.at(raw, i) {
			s = f.besidePadding(float64(v), lo, hi)
		}
		f.putWord(raw, i, f.word(raw, i)&^bits|uint32(s)<<shift&bits)
	}
	return clipped
}

// quantise returns the stored value nearest to a real one and whether it had to
// be moved into lo..hi. Less than half a step outside is rounding, not clipping.
func (f *pixelFormat) quantise(v float64, lo, hi int64) (s int64, clipped bool) {
	x := math.Round((v - f.inter) / f.slope)
	switch {
	case x < float64(lo):
		return lo, true
	case x > float64(hi):
		return hi, true
	}
	return int64(x), false
}

// besidePadding returns the stored value nearest to v that is not padding.
func (f *pixelFormat) besidePadding(v float64, lo, hi int64) int64 {
	below, above := int64(f.padLo)-1, int64(f.padHi)+1
	if below < lo {
		return min(above, hi)
	}
	if x := (v - f.inter) / f.slope; above > hi || x-float64(below) < float64(above)-x {
		return below
	}
	return above
}

// clearUnused zeroes the bits outside the stored ones, where overlays may lie that
// were drawn over the image (PS3.3 C.9.2, retired).
func (f *pixelFormat) clearUnused(raw []byte) {
	n := len(raw) / (f.alloc / 8)
	bits := uint32(uint64(1)<<f.stored-1) << (f.high + 1 - f.stored)
	if f.signExtended(raw, n) {
		bits |= ^uint32(0) << f.high
	}
	for i := range n {
		f.putWord(raw, i, f.word(raw, i)&bits)
	}
}

// signExtended says whether the bits above HighBit repeat the sign in every
// pixel: then they belong to the number and are no overlay.
func (f *pixelFormat) signExtended(raw []byte, n int) bool {
	if !f.signed || f.high == f.alloc-1 {
		return false
	}
	for i := range n {
		w := f.word(raw, i)
		above := w >> (f.high + 1)
		all := uint32(1)<<(f.alloc-f.high-1) - 1
		if sign := w >> f.high & 1; sign == 0 && above != 0 || sign == 1 && above != all {
			return false
		}
	}
	return true
}

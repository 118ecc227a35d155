package pixel

import (
	"encoding/binary"
	"math"
)

// Decode converts one slice of little endian pixels to real values. raw holds
// at least f.bytes() bytes and dst as many values as the slice has pixels.
func (f *Format) Decode(dst []float32, raw []byte) {
	if f.Allocated == 16 {
		f.decode16(dst, raw[:2*len(dst)])
		return
	}
	for i := range dst {
		dst[i] = f.real(f.at(raw, i))
	}
}

// word returns all allocated bits of pixel i.
func (f *Format) word(raw []byte, i int) uint32 {
	switch f.Allocated {
	case 8:
		return uint32(raw[i])
	case 16:
		return uint32(binary.LittleEndian.Uint16(raw[2*i:]))
	default:
		return binary.LittleEndian.Uint32(raw[4*i:])
	}
}

// PutWord stores w as all allocated bits of pixel i of raw, in little endian order.
func (f *Format) PutWord(raw []byte, i int, w uint32) {
	switch f.Allocated {
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
func (f *Format) at(raw []byte, i int) int64 {
	w := f.word(raw, i) << (31 - f.High)
	if f.Signed {
		return int64(int32(w) >> (32 - f.Stored))
	}
	return int64(w >> (32 - f.Stored))
}

func (f *Format) real(stored int64) float32 {
	return float32(float64(float64(stored)*f.Slope) + f.Intercept)
}

// Encode stores real values into the pixels of their source slice, in place.
// Masked pixels, and the bits outside the stored ones (overlays), stay as they
// are. A result that would read as padding where the source did not moves to
// the nearest value beside it. It returns the number of values that were clipped to the
// stored range.
func (f *Format) Encode(raw []byte, values []float32, valid []bool) (clipped int64) {
	lo, hi := f.storedRange()
	shift := f.High + 1 - f.Stored
	bits := uint32(uint64(1)<<f.Stored-1) << shift
	if f.signExtended(raw, len(values)) {
		bits |= ^uint32(0) << f.High
	}
	whole := f.Allocated == 16 && f.Stored == 16 // which need nothing of the word before
	for i, v := range values {
		if valid != nil && !valid[i] {
			continue
		}
		s, out := f.quantise(float64(v), lo, hi)
		if out {
			clipped++
		}
		if f.Padding && s >= int64(f.PadLow) && s <= int64(f.PadHigh) && s != f.at(raw, i) {
			s = f.besidePadding(float64(v), lo, hi)
		}
		if whole {
			binary.LittleEndian.PutUint16(raw[2*i:], uint16(s))
			continue
		}
		f.PutWord(raw, i, f.word(raw, i)&^bits|uint32(s)<<shift&bits)
	}
	return clipped
}

// quantise returns the stored value nearest to a real one and whether it had to
// be moved into lo..hi. Less than half a step outside is rounding, not clipping.
func (f *Format) quantise(v float64, lo, hi int64) (s int64, clipped bool) {
	x := v - f.Intercept
	if f.Slope != 1 { // a division takes longer than the rest
		x /= f.Slope
	}
	// As math.Round, which processors have no instruction for.
	nearest := math.RoundToEven(x)
	if rest := x - nearest; rest == math.Copysign(0.5, x) {
		nearest += 2 * rest
	}
	switch {
	case nearest < float64(lo):
		return lo, true
	case nearest > float64(hi):
		return hi, true
	}
	return int64(nearest), false
}

// besidePadding returns the stored value nearest to v that is not padding.
func (f *Format) besidePadding(v float64, lo, hi int64) int64 {
	below, above := int64(f.PadLow)-1, int64(f.PadHigh)+1
	if below < lo {
		return min(above, hi)
	}
	if x := (v - f.Intercept) / f.Slope; above > hi || x-float64(below) < float64(above)-x {
		return below
	}
	return above
}

// ClearUnused zeroes the bits outside the stored ones, which may hold overlays (PS3.3
// C.9.2, retired).
func (f *Format) ClearUnused(raw []byte) {
	n := len(raw) / (f.Allocated / 8)
	bits := uint32(uint64(1)<<f.Stored-1) << (f.High + 1 - f.Stored)
	if f.signExtended(raw, n) {
		bits |= ^uint32(0) << f.High
	}
	for i := range n {
		f.PutWord(raw, i, f.word(raw, i)&bits)
	}
}

// signExtended reports whether the bits above HighBit repeat the sign in every
// pixel: then they belong to the number and are no overlay.
func (f *Format) signExtended(raw []byte, n int) bool {
	if !f.Signed || f.High == f.Allocated-1 {
		return false
	}
	for i := range n {
		w := f.word(raw, i)
		above := w >> (f.High + 1)
		all := uint32(1)<<(f.Allocated-f.High-1) - 1
		if sign := w >> f.High & 1; sign == 0 && above != 0 || sign == 1 && above != all {
			return false
		}
	}
	return true
}

// Extremes returns the smallest and largest stored value that is not padding,
// and whether there is any.
func (f *Format) Extremes(raw []byte, n int) (lo, hi int64, found bool) {
	if f.Allocated == 16 {
		return f.extremes16(raw[:2*n])
	}
	hi, lo = f.storedRange() // the wrong way round: the first value replaces both
	for i := range n {
		v := f.at(raw, i)
		if f.Padding && v >= int64(f.PadLow) && v <= int64(f.PadHigh) {
			continue
		}
		lo, hi, found = min(lo, v), max(hi, v), true
	}
	return lo, hi, found
}

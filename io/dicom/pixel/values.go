package pixel

import (
	"encoding/binary"
	"math"
	"slices"

	"quell/internal/words16"
)

// Decode converts one slice of little endian pixels to real values. raw holds
// at least f.bytes() bytes and dst as many values as the slice has pixels.
func (f *Format) Decode(dst []float32, raw []byte) {
	if f.Float {
		f.decodeFloat(dst, raw)
		return
	}
	if f.LUT != nil {
		for i := range dst {
			dst[i] = f.LUT.value(f.at(raw, i))
		}
		return
	}
	if f.Allocated == 16 {
		f.words().Decode(dst, raw[:2*len(dst)], f.Slope, f.Intercept)
		return
	}
	for i := range dst {
		dst[i] = f.real(f.at(raw, i))
	}
}

// float returns pixel i, a floating point number, as stored.
func (f *Format) float(raw []byte, i int) float64 {
	if f.Allocated == 64 {
		return math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
}

// decodeFloat is Decode of floating point numbers. Those without a finite value in single precision become the least of
// the others.
func (f *Format) decodeFloat(dst []float32, raw []byte) {
	least := float32(math.Inf(1))
	for i := range dst {
		if dst[i] = float32(float64(f.float(raw, i)*f.Slope) + f.Intercept); dst[i]-dst[i] == 0 {
			least = min(least, dst[i])
		}
	}
	if least-least != 0 {
		least = 0
	}
	for i, v := range dst {
		if v-v != 0 {
			dst[i] = least
		}
	}
}

// markFloat sets dst to whether a pixel is measured, and returns how many are not.
func (f *Format) markFloat(dst []bool, raw []byte) (padding int) {
	for i := range dst {
		v := f.float(raw, i)
		value := float32(float64(v*f.Slope) + f.Intercept)
		if dst[i] = value-value == 0 && !(v >= f.FloatPadLow && v <= f.FloatPadHigh); !dst[i] {
			padding++
		}
	}
	return padding
}

// words returns the layout of 16 allocated bits.
func (f *Format) words() words16.Layout {
	return words16.Layout{High: f.High, Stored: f.Stored, Signed: f.Signed}
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

// at returns the stored value of pixel i: the stored bits alone, signed if the
// format is.
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

// Encode stores real values into the pixels of their source slice, in place. Masked
// pixels, and the bits outside the stored ones (overlays), stay as they are. A result
// that would read as padding if the source did not moves to the nearest value next to
// it. It returns the number of values that were clipped to the stored range.
func (f *Format) Encode(raw []byte, values []float32, valid []bool) (clipped int64) {
	bits := uint32(uint64(1)<<f.Stored-1) << (f.High + 1 - f.Stored)
	if f.signExtended(raw, len(values)) {
		bits |= ^uint32(0) << f.High
	}
	if f.Allocated != 16 {
		return f.encode(raw, values, valid, bits)
	}
	lo, hi := f.storedRange()
	stored, outside := make([]byte, 2*block16), make([]bool, block16)
	for at := 0; at < len(values); at += block16 {
		n := min(block16, len(values)-at)
		block, words := values[at:at+n], raw[2*at:2*(at+n)]
		var usable []bool
		if valid != nil {
			usable = valid[at : at+n]
		}
		few := words16.Encode(stored, block, f.Slope, f.Intercept, int(lo), int(hi))
		if slices.Contains(usable, false) || f.Padding && words16.Outside(outside[:n], stored, 0, uint16(f.PadLow), uint16(min(f.PadHigh-f.PadLow, math.MaxUint16))) > 0 {
			clipped += f.encode(words, block, usable, bits)
			continue
		}
		clipped += int64(few)
		if whole := uint16(bits); whole == math.MaxUint16 {
			copy(words, stored)
		} else {
			merge16(words, stored, f.High+1-f.Stored, whole)
		}
	}
	return clipped
}

// block16 is the number of 16-bit pixels that are converted and searched at once if none of
// them is masked or padding.
const block16 = 1 << 10

// merge16 puts values, shifted, into those bits of words.
func merge16(words, values []byte, shift int, bits uint16) {
	le := binary.LittleEndian
	for i := 0; i+1 < len(words); i += 2 {
		le.PutUint16(words[i:], le.Uint16(words[i:])&^bits|le.Uint16(values[i:])<<shift&bits)
	}
}

// shifted returns the bits of a stored value in their place.
func (f *Format) shifted(s int64) uint32 { return uint32(s) << (f.High + 1 - f.Stored) }

// encode is Encode, value by value, for words; those bits of them may change.
func (f *Format) encode(raw []byte, values []float32, valid []bool, bits uint32) (clipped int64) {
	lo, hi := f.storedRange()
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
		f.PutWord(raw, i, f.word(raw, i)&^bits|f.shifted(s)&bits)
	}
	return clipped
}

// quantise returns the stored value nearest to a real one and whether it had to
// be moved into lo..hi. Less than half a step outside is rounding, not clipping.
func (f *Format) quantise(v float64, lo, hi int64) (s int64, clipped bool) {
	nearest := math.Round((v - f.Intercept) / f.Slope)
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
	hi, lo = f.storedRange() // the wrong way round: the first value replaces both
	if f.Allocated != 16 {
		return f.extremes(raw, n, lo, hi)
	}
	outside := make([]bool, block16)
	for at := 0; at < n; at += block16 {
		k := min(block16, n-at)
		block := raw[2*at : 2*(at+k)]
		if f.Padding && f.markPadding(outside[:k], block) > 0 {
			var some bool
			lo, hi, some = f.extremes(block, k, lo, hi)
			found = found || some
			continue
		}
		first, last := f.words().Extremes(block)
		lo, hi, found = min(lo, int64(first)), max(hi, int64(last)), true
	}
	return lo, hi, found
}

// extremes counts in pixels, one by one, and reports whether any is not padding.
func (f *Format) extremes(raw []byte, n int, least, most int64) (lo, hi int64, found bool) {
	lo, hi = least, most
	for i := range n {
		v := f.at(raw, i)
		if f.Padding && v >= int64(f.PadLow) && v <= int64(f.PadHigh) {
			continue
		}
		lo, hi, found = min(lo, v), max(hi, v), true
	}
	return lo, hi, found
}

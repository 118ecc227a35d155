package pixel

import (
	"encoding/binary"
	"math"
)

// The loops over 16-bit pixels decide how fast a large series opens; words16_amd64.go has
// vector forms of them.

// decode16Go writes the real values of little endian 16-bit pixels. The inner
// conversion keeps product and sum apart where a processor could fuse them: the
// same file gives the same bits on every machine.
func (f *Format) decode16Go(dst []float32, raw []byte) {
	left, right := 15-f.High, 16-f.Stored
	raw = raw[:2*len(dst)]
	if f.Signed {
		for i := range dst {
			v := int16(binary.LittleEndian.Uint16(raw[2*i:])<<left) >> right
			dst[i] = float32(float64(float64(v)*f.Slope) + f.Intercept)
		}
		return
	}
	for i := range dst {
		v := binary.LittleEndian.Uint16(raw[2*i:]) << left >> right
		dst[i] = float32(float64(float64(v)*f.Slope) + f.Intercept)
	}
}

// extremes16 is Extremes of 16-bit pixels.
func (f *Format) extremes16(raw []byte) (lo, hi int64, found bool) {
	// A word with its sign bit flipped, less that bit, is a value with its sign.
	left, right, sign := 15-f.High, 16-f.Stored, uint16(0)
	if f.Signed {
		sign = 1 << 15
	}
	padLow, padHigh := int32(1), int32(0) // none
	if f.Padding {
		padLow, padHigh = int32(f.PadLow), int32(f.PadHigh)
	}
	least, most := int32(math.MaxInt32), int32(math.MinInt32)
	for i := 0; i+1 < len(raw); i += 2 {
		w := (uint16(raw[i])|uint16(raw[i+1])<<8)<<(left&15) ^ sign
		v := (int32(w) - int32(sign)) >> (right & 15)
		if v >= padLow && v <= padHigh {
			continue
		}
		least, most = min(least, v), max(most, v)
	}
	if least > most {
		hi, lo = f.storedRange()
		return lo, hi, false
	}
	return int64(least), int64(most), true
}

// outside16Go sets dst to whether little endian 16-bit pixels, shifted left, lie
// outside first..first+span, counted around the end of the range, and says how
// many lie inside.
func outside16Go(dst []bool, raw []byte, left int, first, span uint16) (inside int) {
	raw = raw[:2*len(dst)]
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint16(raw[2*i:])<<left-first > span
		if !dst[i] {
			inside++
		}
	}
	return inside
}

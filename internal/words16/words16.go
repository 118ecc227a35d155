// Package words16 converts little-endian 16-bit pixels to real values and back, and searches
// them. These loops decide how fast a large series is read and written; on amd64 they have
// vector forms, which give the same bits.
package words16

import (
	"encoding/binary"
	"math"
)

// Layout says which bits of a word are the value.
type Layout struct {
	High   int // the value's highest bit, from 0
	Stored int // number of bits
	Signed bool
}

// Whole is the layout of int16 and uint16.
func Whole(signed bool) Layout { return Layout{High: 15, Stored: 16, Signed: signed} }

// Decode writes the real values of words, stored*slope + intercept. Product and sum are
// rounded each if a processor could fuse them: the same file gives the same bits on every
// machine. raw holds two bytes for each value of dst.
func (l Layout) Decode(dst []float32, raw []byte, slope, intercept float64) {
	n := l.decodeVector(dst, raw, slope, intercept)
	l.decodeGo(dst[n:], raw[2*n:], slope, intercept)
}

func (l Layout) decodeGo(dst []float32, raw []byte, slope, intercept float64) {
	left, right := 15-l.High, 16-l.Stored
	raw = raw[:2*len(dst)]
	if l.Signed {
		for i := range dst {
			v := int16(binary.LittleEndian.Uint16(raw[2*i:])<<left) >> right
			dst[i] = float32(float64(float64(v)*slope) + intercept)
		}
		return
	}
	for i := range dst {
		v := binary.LittleEndian.Uint16(raw[2*i:]) << left >> right
		dst[i] = float32(float64(float64(v)*slope) + intercept)
	}
}

// Encode writes the stored values nearest to real ones, (v - intercept) / slope, half away
// from zero, as whole words, and counts the values that lay outside lo..hi and were moved
// to its ends. Less than half a step outside is rounding. lo and hi are values of 16 bits.
func Encode(raw []byte, values []float32, slope, intercept float64, lo, hi int) (clipped int) {
	n, clipped := encodeVector(raw, values, slope, intercept, lo, hi)
	return clipped + encodeGo(raw[2*n:], values[n:], slope, intercept, lo, hi)
}

func encodeGo(raw []byte, values []float32, slope, intercept float64, lo, hi int) (clipped int) {
	for i, v := range values {
		nearest := math.Round((float64(v) - intercept) / slope)
		s := int(max(min(nearest, float64(hi)), float64(lo)))
		if float64(s) != nearest {
			clipped++
		}
		binary.LittleEndian.PutUint16(raw[2*i:], uint16(s))
	}
	return clipped
}

// Extremes returns the smallest and the largest stored value of at least one word.
func (l Layout) Extremes(raw []byte) (lo, hi int) {
	// A word with its sign bit flipped, less that bit, is a value with its sign.
	flip := uint16(0)
	if l.Signed {
		flip = 1 << 15
	}
	n, least, most := extremesVector(raw, 15-l.High, flip)
	for raw = raw[2*n:]; len(raw) > 1; raw = raw[2:] {
		w := binary.LittleEndian.Uint16(raw)<<(15-l.High) ^ flip
		least, most = min(least, w), max(most, w)
	}
	return l.value(least, flip), l.value(most, flip)
}

// value returns the value of a shifted and flipped word.
func (l Layout) value(w, flip uint16) int { return (int(w) - int(flip)) >> (16 - l.Stored) }

// Outside sets dst to whether words, shifted left, lie outside first..first+span, counted
// around the end of the range, and says how many lie inside.
func Outside(dst []bool, raw []byte, left int, first, span uint16) (inside int) {
	n, inside := outsideVector(dst, raw, left, first, span)
	return inside + outsideGo(dst[n:], raw[2*n:], left, first, span)
}

func outsideGo(dst []bool, raw []byte, left int, first, span uint16) (inside int) {
	raw = raw[:2*len(dst)]
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint16(raw[2*i:])<<left-first > span
		if !dst[i] {
			inside++
		}
	}
	return inside
}

package pairwise

import "math"

// The values of a tile are multiplied by a power of two, its unit, if squares of
// them or of their differences would leave the range of float32. As these
// products are exact, a unit does not change a bit of a result that needs none.
const (
	smallestExponent = -40 // of the largest value
	largestExponent  = 50
	smallestStrength = -40 // exponent of the strength, Scale^-1/2
	largestBias      = 0x1p100
)

// setUnit chooses the tile's unit and converts values, scale and bias to it.
func (w *worker) setUnit() {
	values := w.values.Values[:len(w.values.Values)-lanes]
	shift := 0
	if _, e := math.Frexp(w.Scale); e > -2*smallestStrength {
		shift = e / 2 // the strength comes to 1
	}
	shift = Shift(largestOf(values), shift)
	w.unit = math.Ldexp(1, shift)
	w.scale, w.bias = w.exponent(w.Scale, w.Bias)
	w.shrink = min(1, largestBias/math.Abs(w.Bias))
	if shift != 0 {
		w.scaleValues(values)
		for _, g := range w.guides {
			w.scaleValues(g.Values[:len(g.Values)-lanes])
		}
	}
}

// largestOf returns the size of the largest value.
func largestOf(values []float32) float32 {
	size := func(v float32) uint32 { return math.Float32bits(v) &^ (1 << 31) } // the bits of positive numbers have the order of the numbers
	a, b := uint32(0), uint32(0)
	for ; len(values) >= 4; values = values[4:] {
		a = max(a, size(values[0]), size(values[1]))
		b = max(b, size(values[2]), size(values[3]))
	}
	for _, v := range values {
		a = max(a, size(v))
	}
	return math.Float32frombits(max(a, b))
}

// Shift returns the exponent of the power of two by which values up to largest are
// multiplied: shift, unless float32 would not hold squares of the products.
func Shift(largest float32, shift int) int {
	_, e := math.Frexp(float64(largest))
	switch {
	case e+shift > largestExponent:
		return largestExponent - e
	case e+shift < smallestExponent && largest > 0:
		return -e
	}
	return shift
}

// scaleValues converts values to the tile's unit.
func (w *worker) scaleValues(values []float32) {
	for i, v := range values {
		values[i] = float32(float64(v) * w.unit)
	}
}

// biasOf returns the bias of the weights at an offset, in the tile's unit.
func (w *worker) biasOf(o Offset) float32 { return w.bias + float32(o.bias*w.shrink) }

// exponent converts a scale and a bias of Filter to the tile's unit.
func (w *worker) exponent(scale, bias float64) (float32, float32) {
	scale /= w.unit * w.unit
	if b := math.Abs(bias); b > largestBias {
		// Exponents this large only matter by their sign.
		scale, bias = scale*(largestBias/b), bias*(largestBias/b)
	}
	return float32(min(scale, math.MaxFloat32)), float32(bias)
}

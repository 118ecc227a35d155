package measure

import (
	"math"
	"strconv"
)

// Float is a number that may be +Inf (the PSNR of equal volumes) or NaN (a measure
// that is not defined). JSON has neither; both become null.
type Float float64

// MarshalJSON writes null for a value that is not finite.
func (f Float) MarshalJSON() ([]byte, error) {
	if !f.Finite() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(f), 'g', -1, 64), nil
}

// UnmarshalJSON is the inverse; null becomes NaN.
func (f *Float) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = Float(math.NaN())
		return nil
	}
	x, err := strconv.ParseFloat(string(b), 64)
	*f = Float(x)
	return err
}

// Finite reports whether f is neither infinite nor NaN.
func (f Float) Finite() bool { return f-f == 0 }

// String returns six significant digits, "∞", "-∞", or "–" for NaN.
func (f Float) String() string {
	switch x := float64(f); {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	default:
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
}

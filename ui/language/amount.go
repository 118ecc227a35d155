package language

import (
	"fmt"
	"math"
	"time"
)

// Duration writes a duration with about two significant digits.
func Duration(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return Sprintf("%.1f min", d.Minutes())
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// Quantity writes a number with its unit.
func Quantity(x float64, unit string) string {
	text := Sprintf("%.3g", x)
	if math.Abs(x) >= 1000 {
		text = fmt.Sprintf("%.0f", x)
	}
	if unit != "" {
		text += " " + unit
	}
	return text
}

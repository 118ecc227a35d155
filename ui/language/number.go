package language

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// comma says that the language in use separates decimals by a comma.
var comma bool

// point is a decimal point.
var point = regexp.MustCompile(`(\d)\.(\d)`)

// Number returns a text of numbers and units, such as "12.5 HU", as the language in use writes it. It is
// not for texts with names, versions or UIDs, and not for files, in which numbers have a point
// everywhere.
func Number(text string) string {
	if !comma {
		return text
	}
	return point.ReplaceAllString(text, "$1,$2")
}

// Sprintf is fmt.Sprintf, and writes floating-point arguments as the language in use does.
func Sprintf(format string, args ...any) string {
	if comma {
		args = slices.Clone(args)
		for i, a := range args {
			if k := reflect.ValueOf(a).Kind(); k == reflect.Float32 || k == reflect.Float64 {
				args[i] = localised{a}
			}
		}
	}
	return fmt.Sprintf(format, args...)
}

// localised is a number that is written as the language in use does.
type localised struct{ number any }

// Format implements fmt.Formatter.
func (l localised) Format(f fmt.State, verb rune) {
	_, _ = io.WriteString(f, Number(fmt.Sprintf(fmt.FormatString(f, verb), l.number)))
}

// ParseNumber reads a number that was typed with a decimal point or comma.
func ParseNumber(text string) (float64, error) {
	return strconv.ParseFloat(Pointed(strings.TrimSpace(text)), 64)
}

// Pointed returns a typed number with a point in the place of a decimal comma.
func Pointed(text string) string { return strings.Replace(text, ",", ".", 1) }

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

package language

import (
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

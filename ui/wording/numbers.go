// Package wording writes what several panels say of numbers, pictures, series, runs and marks.
package wording

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"quell/measure"
	"quell/ui/language"

	"quell/volume"
)

// Short writes a number with three significant digits, from 1000 on as an integer.
func Short(x float64) string {
	if math.Abs(x) >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return language.Number(strings.Replace(strconv.FormatFloat(x, 'g', 3, 64), "-", "−", 1))
}

// Value writes a voxel's value with digits that suit the range of the volume.
func Value(x, span float64, unit string, signed bool) string {
	digits := 1
	switch {
	case span > 0 && span < 1:
		digits = 5
	case span > 0 && span < 100:
		digits = 3
	}
	text := language.Number(strings.Replace(strconv.FormatFloat(x, 'f', digits, 64), "-", "−", 1))
	if signed && x > 0 {
		text = "+" + text
	}
	return strings.TrimSpace(text + " " + unit)
}

// Position writes a point in patient coordinates with the letters of the patient's
// sides: "R 12.3  A 4.0  H 51.2 mm".
func Position(p volume.Vec) string {
	letters := [3][2]string{{"R", "L"}, {"A", "P"}, {"F", "H"}}
	parts := make([]string, 3)
	for c, x := range p {
		side := 0
		if x > 0 {
			side = 1
		}
		parts[c] = language.Sprintf("%s %.1f", letters[c][side], math.Abs(x))
	}
	return strings.Join(parts, "  ") + " mm"
}

// Counted writes a number of things: one, "1 slice", or several, as "%d slices" has them.
func Counted(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(several, n)
}

// Rounded writes a number with as many decimals as the SD that belongs to it needs for two
// digits, and its unit.
func Rounded(x float64, sd measure.Float, unit string) string {
	if math.IsNaN(x) || !sd.Finite() || sd <= 0 {
		return Figure(x, unit)
	}
	digits := min(max(1-int(math.Floor(math.Log10(float64(sd)))), 0), 9)
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" { // no minus before a zero
		text = strings.TrimPrefix(text, "-")
	}
	return strings.TrimSpace(language.Number(strings.Replace(text, "-", "−", 1)) + " " + unit)
}

// Figure writes a number with its unit, "–" for none.
func Figure(x float64, unit string) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	text := language.Quantity(x, unit)
	if text[0] == '-' {
		text = "−" + text[1:]
	}
	return text
}

// LowerFirst returns a text that begins in lower case, to follow a colon.
func LowerFirst(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(r)) + text[n:]
}

// To stands between a figure before and after. It has no spaces: Fyne 2.8 takes arrows from a font of symbols that has no
// space, and draws a replacement character for one that follows.
const To = "→"

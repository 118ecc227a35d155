// Package wording writes what several panels say of numbers, pictures, series, runs and marks.
package wording

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2/lang"

	"quell/denoise"
	"quell/measure"
	"quell/ui/language"
	"quell/ui/viewer"
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

// Filter returns the title of a filter.
func Filter(name string) string {
	f, err := denoise.FilterByName(name)
	if err != nil {
		return name
	}
	return lang.L(f.Title)
}

// Window names a window: one of the program's own in the language of the workbench, that of
// a file as the file has it.
func Window(w volume.Window) string {
	if slices.Contains(volume.WindowNames(), w.Name) {
		return lang.L(w.Name)
	}
	return w.Name
}

// Slice writes the place of a slice: "14 / 28", and how its picture is turned if that
// is not as radiologists are used to.
func Slice(cut viewer.Cut, index int) string {
	return strings.TrimSuffix(fmt.Sprintf("%d / %d, %s", index+1, cut.View().Size[2], Turn(cut)), ", ")
}

// Turn says how pictures are turned: "mirrored, turned 90°", or "".
func Turn(cut viewer.Cut) string {
	var texts []string
	t := cut.Turned()
	if t.Mirrored {
		texts = append(texts, lang.L("mirrored"))
	}
	if t.Quarters != 0 {
		texts = append(texts, fmt.Sprintf(lang.L("turned %d°"), 90*t.Quarters))
	}
	return strings.Join(texts, ", ")
}

// Zoom writes the magnification in device pixels per voxel: "134 %", and whether
// that fits the pane.
func Zoom(cut viewer.Cut, p viewer.Pane) string {
	text := fmt.Sprintf(lang.L("Zoom %.0f %%"), 100*cut.Transform(float64(p.Width), float64(p.Height)).Magnification())
	if cut.Zoom() == 1 {
		text += lang.L(", fit")
	}
	return text
}

// Plane is the name of a plane at the start of a text: "Axial".
func Plane(p volume.Plane) string {
	name := p.String()
	return strings.ToUpper(name[:1]) + name[1:]
}

// NotClinical is the notice on clinical use; in full screen, without the bar, it is on the
// picture.
const NotClinical = "Not for clinical use"

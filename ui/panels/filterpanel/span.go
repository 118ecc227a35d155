package filterpanel

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/denoise"
	"quell/ui/language"
)

// Span is the range of a slider. Typed values are bounded by the parameter's Min
// and Max instead.
type Span struct{ Lo, Hi, Step float64 }

// The ranges of sliders in the volume's unit, which depend on the volume.
const (
	rangeReach   = 0.3  // of the volume's range, for parameters that take a percentage of it
	unknownNoise = 0.02 // of the volume's range, in the place of an unknown noise sigma
	notches      = 100  // approximate number of steps
)

// SpanFor returns the slider's range for parameter p on a volume with facts f. It
// always includes the value v.
func SpanFor(p denoise.Param, v denoise.Value, f denoise.Facts) Span {
	s := Span{p.Lo, p.Hi, p.Step}
	width := float64(f.Hi) - float64(f.Lo)
	switch {
	case v.IsPercent():
		s = Span{0.5, 50, 0.5}
	case v.IsSigmas():
	case p.Unit == "value" && width > 0:
		reach := p.Hi * f.Noise.Sigma
		if f.Noise.Sigma <= 0 {
			reach = p.Hi * unknownNoise * width
		}
		if p.Percent {
			reach = max(reach, rangeReach*width)
		}
		s.Hi = min(nice(reach), p.Max)
		s.Step = nice(s.Hi / notches)
		s.Lo = max(p.Min, 0)
		if p.Min > 0 {
			s.Lo = max(p.Min, s.Step)
		}
	}
	if !v.IsAuto() && p.Kind != denoise.Ints {
		at := position(v)
		s.Lo, s.Hi = min(s.Lo, at), max(s.Hi, at)
	}
	return s
}

// nice rounds up to 1, 2 or 5 times a power of ten.
func nice(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if x <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// snap rounds a slider's position to its steps and to six decimal digits.
func (s Span) snap(x float64) float64 {
	if s.Step > 0 {
		x = math.Round(x/s.Step) * s.Step
	}
	x = min(max(x, s.Lo), s.Hi)
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return short
}

// parse reads a typed value of p: "1.2sigma", "15%", or a number with or without
// the volume's unit. A plain number is in the unit of the value that is shown. A
// decimal comma is read as a point, except in lists of whole numbers; semicolons divide the others.
func parse(p denoise.Param, text string, shown denoise.Value, unit string) (denoise.Value, error) {
	text = strings.TrimSpace(text)
	inUnit := false
	if p.Unit == "value" {
		text, inUnit = strings.CutSuffix(text, unit)
	}
	if p.Kind != denoise.Ints {
		parts := strings.Split(text, ";")
		for i, part := range parts {
			parts[i] = language.Pointed(part)
		}
		text = strings.Join(parts, ",")
	}
	v, err := denoise.ParseValue(text)
	if err != nil {
		return v, err
	}
	if p.Kind == denoise.Ints {
		if !v.IsAuto() && p.Check(v) == nil {
			v = denoise.List(v.Ints()...)
		}
	} else if v.Equal(denoise.Number(v.Float())) && !inUnit {
		switch {
		case shown.IsPercent():
			v = denoise.Percent(v.Float())
		case shown.IsSigmas():
			v = denoise.Sigmas(v.Float())
		}
	}
	return v, p.Check(v)
}

// maxReach is how many times the top of its slider a typed value may be.
const maxReach = 100

// checkReach returns why a typed value of p is too far beyond its slider to be meant. If
// the slider's range depends on a volume that is not known, no value is.
func checkReach(p denoise.Param, v denoise.Value, f denoise.Facts) error {
	if v.IsAuto() || p.Kind == denoise.Ints {
		return nil
	}
	zero := denoise.Number(0)
	switch {
	case v.IsSigmas():
		zero = denoise.Sigmas(0)
	case v.IsPercent():
		zero = denoise.Percent(0)
	case p.Unit == "value" && !(f.Hi > f.Lo):
		return nil
	}
	if top := SpanFor(p, zero, f).Hi; v.Float() > maxReach*top {
		return fmt.Errorf(lang.L("it is more than %d times as far as the slider reaches"), maxReach)
	}
	return nil
}

// format writes a value for its field, with four significant digits.
func format(p denoise.Param, v denoise.Value) string {
	switch {
	case v.IsAuto():
		return ""
	case p.Kind == denoise.Ints:
		return denoise.List(v.Ints()...).String()
	}
	if v.IsWord() {
		return v.String()
	}
	if list := v.Floats(); len(list) > 1 {
		parts := make([]string, len(list))
		for i, x := range list {
			parts[i] = format(p, denoise.Number(x))
		}
		return strings.Join(parts, "; ")
	}
	x := position(v)
	if x == math.Trunc(x) && math.Abs(x) < 1e6 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return language.Number(strconv.FormatFloat(x, 'g', 4, 64))
}

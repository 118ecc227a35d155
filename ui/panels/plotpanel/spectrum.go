package plotpanel

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/measure"
	"quell/report/chart"
	"quell/ui/language"
	"quell/ui/wording"
)

// r.Colors.Removed is the curve of what was removed, next to the curves of original and
// spectrum plots what the selected ROI can be measured for: around a disc, or across a
// straight edge, the MTF; in an even rectangle the noise power spectrum. words are the figures
// of the curves, and sentences on what cannot be measured; without curves there is no plot.
func (r Request) spectrum() (c chart.Chart, words string) {
	before, err := measure.SliceOf(r.Picture.Volume(r.Picture.Before), 0)
	if err != nil {
		return c, upper(language.Error(err)) + "."
	}
	var after *measure.Slice
	if r.Picture.After != nil {
		s := before
		s.Values = r.Picture.After
		after = &s
	}
	roi := *r.Marked.Region
	if roi.Shape != measure.Box {
		if c, words, err = r.transfer(before, after, roi); err != nil {
			words = upper(language.Error(err)) + "."
		}
		return c, words
	}
	c, words, err = r.power(before, after)
	if err == nil {
		return c, words
	}
	c, words, edge := r.transfer(before, after, roi)
	if edge != nil {
		words = "NPS: " + language.Error(err) + ". MTF: " + language.Error(edge) + "."
	}
	return c, words
}

// power plots the noise power spectrum of the selected rectangle, or of all on the slice.
func (r Request) power(before measure.Slice, after *measure.Slice) (c chart.Chart, words string, err error) {
	rois, name := []measure.Outline{*r.Marked.Region}, r.Marked.RegionName
	if r.All && len(r.Marked.Rectangles) > 1 {
		rois, name = r.Marked.Rectangles, fmt.Sprintf(lang.L("%d ROIs"), len(r.Marked.Rectangles))
	}
	var results []measure.Slice
	if after != nil {
		results = []measure.Slice{*after}
	}
	s, err := measure.SpectraOf([]measure.Slice{before}, results, rois)
	if err != nil {
		return c, words, err
	}
	unit := r.Picture.Source.Unit
	c.X.Label, c.Y.Label = fmt.Sprintf(lang.L("cycles/mm, in %s"), name), "NPS, "+squareOf(unit)+"mm²"
	add := func(n *measure.NPS, line color.Color, name string) {
		if n == nil {
			return
		}
		var points []chart.Point
		for k, f := range n.Frequency {
			if f <= n.Nyquist {
				points = append(points, chart.Point{X: f, Y: n.Power[k]})
				c.Y.Max = max(c.Y.Max, 1.05*n.Power[k])
			}
		}
		c.Curves = append(c.Curves, curve(name, line, nil, points))
	}
	add(&s.Original, r.Colors.Before, lang.L(r.Picture.FirstName()))
	add(s.Result, r.Colors.After, lang.L(r.Picture.SecondName()))
	add(s.Residual, r.Colors.Removed, lang.L("residual"))
	c.X.Max = s.Original.Nyquist
	sigma, mean := short(math.Sqrt(s.Original.Variance)), short(float64(s.Original.Mean))
	if s.Result != nil {
		sigma += wording.To + short(math.Sqrt(s.Result.Variance))
		mean += wording.To + short(float64(s.Result.Mean))
	}
	return c, fmt.Sprintf(lang.L("%s, mean frequency %s /mm."), strings.TrimSpace("σ "+sigma+" "+unit), mean), nil
}

// transfer plots the MTF across the edge in an ROI.
func (r Request) transfer(before measure.Slice, after *measure.Slice, roi measure.Outline) (c chart.Chart, words string, err error) {
	m, err := measure.TransfersOf(before, after, roi)
	if err != nil {
		return c, words, err
	}
	c.X.Label, c.Y.Label = fmt.Sprintf(lang.L("cycles/mm, in %s"), r.Marked.RegionName), "MTF"
	c.Y.Max = 1.05
	var falls []string
	reasons := map[string]string{}
	var order []string
	add := func(n *measure.MTF, line color.Color, name string) {
		if n == nil {
			return
		}
		points := make([]chart.Point, len(n.Frequency))
		for i, f := range n.Frequency {
			points[i] = chart.Point{X: f, Y: n.Value[i]}
			c.X.Max, c.Y.Max = max(c.X.Max, f), max(c.Y.Max, 1.05*n.Value[i])
		}
		c.Curves = append(c.Curves, curve(name, line, nil, points))
		for i, f := range []measure.Fall{n.F50, n.F10} {
			text := fallText(f)
			if len(falls) == 2 {
				falls[i] += wording.To + text
			} else {
				falls = append(falls, text)
			}
			if why := language.Of(f.Why); why != "" {
				what := name + " " + [2]string{"f50", "f10"}[i]
				if reasons[why] == "" {
					order = append(order, why)
					reasons[why] = what
				} else {
					reasons[why] += ", " + what
				}
			}
		}
	}
	add(&m.Original, r.Colors.Before, lang.L(r.Picture.FirstName()))
	add(m.Result, r.Colors.After, lang.L(r.Picture.SecondName()))
	words = "f50 " + falls[0] + ", f10 " + falls[1] + " /mm."
	for _, why := range order {
		words += " " + upper(reasons[why]) + ": " + why + "."
	}
	if !m.Why.IsZero() {
		words += " " + upper(language.Of(m.Why)) + "."
	}
	return c, words, nil
}

// fallText writes a frequency with its standard error.
func fallText(f measure.Fall) string {
	if !f.Why.IsZero() {
		return "–"
	}
	digits := 2
	if f.Error < 0.005 {
		digits = 3
	}
	return language.Sprintf("%.*f±%.*f", digits, float64(f.At), digits, float64(f.Error))
}

func squareOf(unit string) string {
	if unit == "" {
		return lang.L("value² ")
	}
	return unit + "² "
}

// short writes a number with three digits.
func short(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return language.Sprintf("%.3g", x)
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

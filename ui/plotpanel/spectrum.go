package plotpanel

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"fyne.io/fyne/v2/lang"

	"quell/measure"
	"quell/ui/language"
)

// residualLine is the curve of what was removed, beside those of original and result.
var residualLine = color.NRGBA{R: 0x6f, G: 0xb4, B: 0xff, A: 0xff}

// addSpectrum plots what the selected ROI can be measured for: around a disc, or across a
// straight edge, the MTF; in an even rectangle the noise power spectrum. words are the figures
// of the curves, and sentences on what cannot be measured; drawn says whether there is a
// curve.
func addSpectrum(p *plot.Plot, r Request) (words string, drawn bool, err error) {
	before, err := measure.SliceOf(r.Picture.Volume(r.Picture.Before), 0)
	if err != nil {
		return upper(language.Sentence(err.Error())) + ".", false, nil //nolint:nilerr // the words hold it
	}
	var after *measure.Slice
	if r.Picture.After != nil {
		s := before
		s.Values = r.Picture.After
		after = &s
	}
	roi := *r.Marked.Region
	if roi.Shape == measure.Box {
		words, err := addNPS(p, r, before, after)
		if err == nil {
			return words, true, nil
		}
		more, edge := addMTF(p, r, before, after, roi)
		if edge == nil {
			return more, true, nil
		}
		return "NPS: " + language.Sentence(err.Error()) + ". MTF: " + language.Sentence(edge.Error()) + ".", false, nil //nolint:nilerr // the words hold it
	}
	words, err = addMTF(p, r, before, after, roi)
	if err != nil {
		return upper(language.Sentence(err.Error())) + ".", false, nil //nolint:nilerr // the words hold it
	}
	return words, true, nil
}

// addNPS plots the noise power spectrum of the selected rectangle, or of all on the slice.
func addNPS(p *plot.Plot, r Request, before measure.Slice, after *measure.Slice) (words string, err error) {
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
		return words, err
	}
	unit := r.Picture.Source.Unit
	p.X.Label.Text, p.Y.Label.Text = fmt.Sprintf(lang.L("cycles/mm, in %s"), name), "NPS, "+squareOf(unit)+"mm²"
	highest, err := 0.0, error(nil)
	curve := func(n *measure.NPS, c color.Color, name string) {
		if n == nil {
			return
		}
		var xys plotter.XYs
		for k, f := range n.Frequency {
			if f <= n.Nyquist {
				xys = append(xys, plotter.XY{X: f, Y: n.Power[k]})
				highest = max(highest, n.Power[k])
			}
		}
		err = errors.Join(err, addLine(p, xys, c, nil, name))
	}
	curve(&s.Original, beforeLine, lang.L(r.Picture.FirstName()))
	curve(s.Result, afterLine, lang.L("denoised"))
	curve(s.Residual, residualLine, lang.L("residual"))
	p.X.Min, p.X.Max = 0, s.Original.Nyquist
	p.Y.Min, p.Y.Max = 0, 1.05*highest
	sigma, mean := short(math.Sqrt(s.Original.Variance)), short(float64(s.Original.Mean))
	if s.Result != nil {
		sigma += " → " + short(math.Sqrt(s.Result.Variance))
		mean += " → " + short(float64(s.Result.Mean))
	}
	return fmt.Sprintf(lang.L("%s, mean frequency %s /mm."), strings.TrimSpace("σ "+sigma+" "+unit), mean), err
}

// addMTF plots the MTF across the edge in an ROI.
func addMTF(p *plot.Plot, r Request, before measure.Slice, after *measure.Slice, roi measure.Outline) (words string, err error) {
	m, err := measure.TransfersOf(before, after, roi)
	if err != nil {
		return words, err
	}
	p.X.Label.Text, p.Y.Label.Text = fmt.Sprintf(lang.L("cycles/mm, in %s"), r.Marked.RegionName), "MTF"
	p.X.Min, p.Y.Min, p.Y.Max = 0, 0, 1.05
	var falls []string
	reasons := map[string]string{}
	var order []string
	curve := func(c *measure.MTF, line color.Color, name string) {
		if c == nil {
			return
		}
		xys := make(plotter.XYs, len(c.Frequency))
		for i, f := range c.Frequency {
			xys[i] = plotter.XY{X: f, Y: c.Value[i]}
			p.X.Max, p.Y.Max = max(p.X.Max, f), max(p.Y.Max, 1.05*c.Value[i])
		}
		err = errors.Join(err, addLine(p, xys, line, nil, name))
		for i, f := range []measure.Fall{c.F50, c.F10} {
			text := fallText(f)
			if len(falls) == 2 {
				falls[i] += " → " + text
			} else {
				falls = append(falls, text)
			}
			if f.Why != "" {
				what := name + " " + [2]string{"f50", "f10"}[i]
				if reasons[f.Why] == "" {
					order = append(order, f.Why)
					reasons[f.Why] = what
				} else {
					reasons[f.Why] += ", " + what
				}
			}
		}
	}
	p.X.Max = 0
	curve(&m.Original, beforeLine, lang.L(r.Picture.FirstName()))
	curve(m.Result, afterLine, lang.L("denoised"))
	words = "f50 " + falls[0] + ", f10 " + falls[1] + " /mm."
	for _, why := range order {
		words += " " + upper(reasons[why]) + ": " + language.Sentence(why) + "."
	}
	if m.Why != "" {
		words += " " + upper(language.Sentence(m.Why)) + "."
	}
	return words, err
}

// fallText writes a frequency with its standard error.
func fallText(f measure.Fall) string {
	if f.Why != "" {
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

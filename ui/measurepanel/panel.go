// Package measurepanel shows the measures of slice and volume: noise, residual,
// change against the original and, where there is a reference, the agreement with
// it. It imports app, measure and Fyne.
package measurepanel

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/measure"
)

// Column is one column of numbers.
type Column struct {
	Measures app.Measures
	Known    bool // there are numbers
	Current  bool // they belong to the current recipe
}

// Snapshot is everything the panel shows.
type Snapshot struct {
	Slice, Volume Column
	Sigma         float64 // the noise estimated in the whole volume; 0 where it is not known
	Unit          string
	Reference     string // description of the reference; empty without one
	Problem       string // the error that prevented the numbers
}

// line is one row of the table.
type line struct {
	label  string
	value  func(m app.Measures, unit string) string
	truth  bool // only with a reference
	header bool
}

// The rows. Numbers against the input are headed "change", as they measure how much
// the filter changed and not how well it worked.
var lines = []line{
	{label: "Noise σ (estimate)", value: func(m app.Measures, u string) string { return sigma(m, u) }},
	{label: "Residual SD", value: func(m app.Measures, u string) string { return withUnit(float64(m.ResidualSD), u) }},
	{label: "Residual SD / σ", value: func(m app.Measures, _ string) string { return ratio(float64(m.ResidualSD), m.Sigma) }},
	{label: "Residual mean", value: func(m app.Measures, u string) string { return withUnit(float64(m.ResidualMean), u) }},
	{label: "Structure in residual", value: func(m app.Measures, _ string) string { return number(measure.Float(m.Structure)) }},
	{label: "Verdict", value: func(m app.Measures, _ string) string { return verdict(m) }},
	{label: "Its confidence", value: func(m app.Measures, _ string) string { return confidence(m) }},

	{label: "Change vs original", header: true},
	{label: "MSE", value: func(m app.Measures, _ string) string { return number(m.Change.MSE) }},
	{label: "PSNR", value: func(m app.Measures, _ string) string { return decibel(m.Change.PSNR) }},
	{label: "SSIM", value: func(m app.Measures, _ string) string { return number(m.Change.SSIM) }},

	{label: "Against the reference", header: true, truth: true},
	{label: "MSE", truth: true, value: func(m app.Measures, _ string) string { return fromTo(m, number, mse) }},
	{label: "PSNR", truth: true, value: func(m app.Measures, _ string) string { return fromTo(m, decibel, psnr) }},
	{label: "SSIM", truth: true, value: func(m app.Measures, _ string) string { return fromTo(m, number, ssim) }},
}

// sigma is the noise, a dash where it is not known.
func sigma(m app.Measures, unit string) string {
	if m.SigmaConfidence == noise.None || m.SigmaConfidence == "" {
		return "–"
	}
	return withUnit(m.Sigma, unit)
}

// verdict is the verdict, a dash where there is none.
func verdict(m app.Measures) string {
	if m.Verdict == tune.Unknown || m.Verdict == "" {
		return "–"
	}
	return string(m.Verdict)
}

// confidence is that of the verdict.
func confidence(m app.Measures) string {
	if verdict(m) == "–" {
		return "–"
	}
	return string(m.Confidence)
}

// why explains a verdict and says where the residual shows the most structure.
func why(m app.Measures) string {
	if m.Place == nil {
		return m.Why
	}
	return fmt.Sprintf("%s The residual shows the most structure at %s x %d, y %d in slice %d.",
		m.Why, m.Place.What, m.Place.X, m.Place.Y, m.Place.Slice+1)
}

func mse(c measure.Comparison) measure.Float  { return c.MSE }
func psnr(c measure.Comparison) measure.Float { return c.PSNR }
func ssim(c measure.Comparison) measure.Float { return c.SSIM }

// fromTo writes a measure of the input and of the result against the reference.
func fromTo(m app.Measures, write func(measure.Float) string, pick func(measure.Comparison) measure.Float) string {
	if m.Truth == nil {
		return "–"
	}
	if m.Start == nil {
		return write(pick(*m.Truth))
	}
	return write(pick(*m.Start)) + " → " + write(pick(*m.Truth))
}

func number(x measure.Float) string {
	f := float64(x)
	switch {
	case math.IsNaN(f):
		return "–"
	case math.IsInf(f, 0):
		return "∞"
	case math.Abs(f) < 10:
		return decimal(f, 3)
	}
	return decimal(f, 1)
}

// decimal writes a number with a true minus sign.
func decimal(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" { // no minus before a zero
		text = strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}

func decibel(x measure.Float) string {
	if f := float64(x); math.IsInf(f, 1) {
		return "∞"
	} else if math.IsNaN(f) {
		return "–"
	}
	return decimal(float64(x), 2) + " dB"
}

func withUnit(x float64, unit string) string {
	if math.IsNaN(x) {
		return "–"
	}
	s := decimal(x, 2)
	if unit != "" {
		s += " " + unit
	}
	return s
}

func ratio(a, b float64) string {
	if !(b > 0) {
		return "–"
	}
	return decimal(a/b, 2)
}

// Panel is the table. Create it with New; its methods are for the UI goroutine.
type Panel struct {
	widget.BaseWidget
	rows    []tableRow
	advice  *widget.Label
	content fyne.CanvasObject

	shown     Snapshot
	displayed bool // shown is on the screen
}

type tableRow struct {
	line
	label, slice, volume *widget.Label
}

// New returns an empty table.
func New() *Panel {
	p := &Panel{}
	// Three columns; the labels get the space that the numbers leave.
	names, slices, volumes := column(), column(), column()
	head := func(c *fyne.Container, text string, align fyne.TextAlign) {
		l := cell(text, align)
		l.TextStyle = fyne.TextStyle{Bold: true}
		c.Add(l)
	}
	head(names, "Measures", fyne.TextAlignLeading)
	head(slices, "Slice", fyne.TextAlignTrailing)
	head(volumes, "Volume", fyne.TextAlignTrailing)
	for _, l := range lines {
		r := tableRow{line: l, label: cell(l.label, fyne.TextAlignLeading), slice: cell("–", fyne.TextAlignTrailing), volume: cell("–", fyne.TextAlignTrailing)}
		if l.header {
			r.label.TextStyle = fyne.TextStyle{Bold: true}
			r.slice.Text, r.volume.Text = "", ""
		}
		names.Add(r.label)
		slices.Add(r.slice)
		volumes.Add(r.volume)
		p.rows = append(p.rows, r)
	}
	p.advice = cell("", fyne.TextAlignLeading)
	p.advice.Wrapping = fyne.TextWrapWord
	// Leave room for the scroll bar.
	numbers := container.New(layout.NewCustomPaddedLayout(0, 0, 0, 10), container.NewHBox(slices, volumes))
	table := container.NewBorder(nil, nil, nil, numbers, names)
	p.content = container.NewVScroll(container.NewVBox(table, p.advice))
	p.ExtendBaseWidget(p)
	return p
}

// rowGap reduces the space between labels, whose padding is meant for forms.
const rowGap = -7

func column() *fyne.Container { return container.New(layout.NewCustomPaddedVBoxLayout(rowGap)) }

func cell(text string, align fyne.TextAlign) *widget.Label {
	l := widget.NewLabelWithStyle(text, align, fyne.TextStyle{})
	l.SizeName = theme.SizeNameCaptionText
	return l
}

// CreateRenderer implements fyne.Widget.
func (p *Panel) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.content) }

// Display shows a snapshot; it returns at once where nothing has changed.
func (p *Panel) Display(s Snapshot) {
	if p.displayed && reflect.DeepEqual(s, p.shown) {
		return
	}
	p.shown, p.displayed = s, true
	for i, r := range p.rows {
		hidden := r.truth && s.Reference == ""
		for _, l := range []*widget.Label{r.label, r.slice, r.volume} {
			l.Hidden = hidden
		}
		if r.header {
			if r.truth {
				r.label.SetText("Against " + s.Reference)
			}
			continue
		}
		show(r.slice, r.line, s.Slice, s.Unit)
		show(r.volume, r.line, s.Volume, s.Unit)
		if i == 0 && s.Sigma > 0 {
			r.volume.SetText(withUnit(s.Sigma, s.Unit))
		}
	}
	p.advise(s)
}

func show(l *widget.Label, row line, c Column, unit string) {
	l.Importance = widget.MediumImportance
	text := "–"
	if c.Known {
		text = row.value(c.Measures, unit)
		if !c.Current {
			l.Importance = widget.LowImportance
		} else if row.label == "Verdict" {
			l.Importance = verdictImportance(c.Measures.Verdict)
		}
	}
	l.SetText(text)
}

func verdictImportance(v tune.Verdict) widget.Importance {
	switch v {
	case tune.Matched:
		return widget.SuccessImportance
	case tune.Over:
		return widget.WarningImportance
	}
	return widget.MediumImportance
}

// advise explains the verdict, that of the volume first.
func (p *Panel) advise(s Snapshot) {
	text := ""
	for _, c := range []Column{s.Volume, s.Slice} {
		if c.Known && c.Current {
			text = why(c.Measures)
			break
		}
	}
	if text == "" && (s.Volume.Known || s.Slice.Known) {
		text = "Grey numbers belong to earlier parameters."
	}
	if s.Problem != "" {
		text = s.Problem
	}
	p.advice.Importance = widget.LowImportance
	p.advice.SetText(text)
}

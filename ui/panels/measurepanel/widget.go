// Package measurepanel shows the measures of slice and volume: noise, residual and
// verdict with its reason and place, the change against the original and, if
// there is a reference, the agreement with it. The widget imports denoise/noise,
// denoise/tune, measure, ui/control, ui/language and Fyne; panel.go places it in the workbench.
package measurepanel

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/judge"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/measure"
	"quell/ui/control"
	"quell/ui/language"
	"quell/ui/session/measures"
	"quell/ui/wording"
	"quell/volume"
)

// Column is one column of numbers, in the unit of the volume.
type Column struct {
	Noise   noise.Figure      // known before any result; its own for a slice
	Known   bool              // there are numbers of a result
	Current bool              // they belong to the current recipe
	Missing string            // why there are none, a sentence
	Old     string            // why they are not current, if not by the recipe: they are of another slice than the one on the screen
	Clipped *measures.Clipped // within the window on the screen; nil if that is not known
	Place   string            // of the most anatomy in the residual; "" for none
	judge.Measures
}

// Snapshot is everything the panel shows.
type Snapshot struct {
	Slice, Volume Column
	Name          string        // of the slice: "Slice 5"
	Run           int           // number of the run that the volume's numbers are of; 0 for none
	Within        volume.Window // on the screen
	Unit          string
	Filtered      string             // what filtered the series before, as its header says
	Acquired      *noise.Acquisition // what was acquired of k-space; nil if that is not known, or all of it was
	Reference     string             // description of the reference; empty without one
	Problem       string             // the error that prevented the numbers
	Bars          []Bar              // the figures by which the result is judged
}

// line is one row of the table.
type line struct {
	label   string
	figure  func(f noise.Figure, unit string) string // instead of value: known without a result
	value   func(c Column, unit string) string
	within  func(c measures.Clipped, unit string) string // instead of value: within the window
	verdict bool
}

// The rows above the reason of the verdict. What is judged is the foreground alone.
func judged() []line {
	all := []line{
		{label: lang.L("Noise σ"), figure: figureText},
	}
	for _, f := range judge.Listed(judge.Measures{}) {
		if f.Unit == "%" || f.Kind == "sigma" || f.Compares { // they have bars, the first row, and tables of their own
			continue
		}
		all = append(all, line{label: language.Of(f.Label), value: func(c Column, _ string) string {
			for _, own := range judge.FiguresOf(c.Measures) {
				if own.Kind == f.Kind {
					return withUnit(own.Value, own.Unit)
				}
			}
			return missing
		}})
	}
	return append(all,
		line{label: lang.L("Residual SD / σ"), value: func(c Column, _ string) string { return ratio(float64(c.ResidualSD), c.Noise.Sigma) }},
		line{label: lang.L("Verdict"), verdict: true, value: func(c Column, _ string) string { return verdictText(c.Judgement) }},
	)
}

// The rows below it. Numbers against the input are headed "change", as they measure
// how much the filter changed and not how well it worked.
func changed() []line {
	return []line{
		{label: lang.L("MSE"), value: func(c Column, u string) string { return squared(c.Change.MSE, u) }},
		{label: lang.L("PSNR"), value: func(c Column, _ string) string { return decibel(c.Change.PSNR) }},
		{label: lang.L("SSIM"), value: func(c Column, _ string) string { return number(c.Change.SSIM) }},
	}
}

// The rows within the window: the change, or with a reference the agreement.
func within() []line {
	return []line{
		{label: lang.L("MSE"), within: func(c measures.Clipped, u string) string {
			return clipped(c, func(x measure.Float) string { return squared(x, u) }, number, mse)
		}},
		{label: lang.L("PSNR"), within: func(c measures.Clipped, _ string) string { return clipped(c, decibel, decibel, psnr) }},
		{label: lang.L("SSIM"), within: func(c measures.Clipped, _ string) string { return clipped(c, number, number, ssim) }},
	}
}

// clipped writes a measure within the window: alone, or with a reference from and to.
func clipped(c measures.Clipped, alone, both func(measure.Float) string, pick func(measure.Comparison) measure.Float) string {
	if c.Truth == nil || c.Start == nil {
		return alone(pick(c.Change))
	}
	return both(pick(*c.Start)) + wording.To + both(pick(*c.Truth))
}

// The rows with a reference.
func agreement() []line {
	return []line{
		{label: lang.L("MSE"), value: func(c Column, _ string) string { return fromTo(c, number, mse) }},
		{label: lang.L("PSNR"), value: func(c Column, _ string) string { return fromTo(c, decibel, psnr) }},
		{label: lang.L("SSIM"), value: func(c Column, _ string) string { return fromTo(c, number, ssim) }},
	}
}

// figureText writes sigma with its unit and confidence: "3.40 HU, fair".
func figureText(f noise.Figure, unit string) string {
	switch {
	case f.Confidence == noise.None || f.Confidence == "":
		return missing
	case f.Rough():
		return withUnit(f.Sigma, unit) + fmt.Sprintf(lang.L(" (%s to %s), "), wording.Short(f.Low), wording.Short(f.High)) + lang.L(string(f.Confidence))
	}
	return withUnit(f.Sigma, unit) + ", " + lang.L(string(f.Confidence))
}

// about says what filtered the series before, and what was acquired of k-space: there the noise was measured.
func (s Snapshot) about() (text string) {
	if s.Filtered != "" {
		text = fmt.Sprintf(lang.L("filtered already: %s"), s.Filtered)
	}
	a := s.Acquired
	if a == nil {
		return text
	}
	if text != "" {
		text += "\n"
	}
	return text + fmt.Sprintf(lang.L("acquired %d × %d of %d × %d pixels"), a.Matrix[0], a.Matrix[1], a.Of[0], a.Of[1])
}

// missing stands for a number that there is none of; the text below the verdict
// says why.
const missing = "–"

func verdictText(v verdict.Word) string {
	if v == "" {
		return missing
	}
	return language.Of(v.Message())
}

func mse(c measure.Comparison) measure.Float  { return c.MSE }
func psnr(c measure.Comparison) measure.Float { return c.PSNR }
func ssim(c measure.Comparison) measure.Float { return c.SSIM }

// fromTo writes a measure of the input and of the result against the reference.
func fromTo(c Column, write func(measure.Float) string, pick func(measure.Comparison) measure.Float) string {
	if c.Truth == nil {
		return missing
	}
	if c.Start == nil {
		return write(pick(*c.Truth))
	}
	return write(pick(*c.Start)) + wording.To + write(pick(*c.Truth))
}

// squared writes a mean square in the square of the unit.
func squared(x measure.Float, unit string) string {
	if unit == "" || math.IsNaN(float64(x)) {
		return number(x)
	}
	return number(x) + " " + unit + "²"
}

func number(x measure.Float) string {
	f := float64(x)
	switch {
	case math.IsNaN(f):
		return missing
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
	return language.Number(strings.Replace(text, "-", "−", 1))
}

func decibel(x measure.Float) string { return language.Number(measure.Decibels(x, 2)) }

func withUnit(x float64, unit string) string {
	if math.IsNaN(x) {
		return missing
	}
	s := decimal(x, 2)
	if unit != "" {
		s += " " + unit
	}
	return s
}

func ratio(a, b float64) string {
	if !(b > 0) {
		return missing
	}
	return decimal(a/b, 2)
}

// Widget is the table. Create it with NewWidget; its methods are for the UI goroutine.
type Widget struct {
	widget.BaseWidget
	rows     []tableRow
	heading  *widget.Label // of the column of the slice
	about    *widget.Label // of the noise
	bars     []*bar
	reason   *widget.Label
	place    *control.Button
	change   *widget.Label // heads changes
	caution  *widget.Label // that changes say nothing of quality
	changes  *fyne.Container
	truth    *widget.Label // heads agrees
	agrees   *fyne.Container
	window   *widget.Label   // heads the rows within the window
	windowed *fyne.Container // these rows
	// What is folded away at first.
	details, changesMore, agreesMore *fyne.Container
	more                             *control.Button
	unfolded                         bool
	whole                            *widget.Label   // heading of the column of the volume
	all                              *fyne.Container // every row
	content                          fyne.CanvasObject

	shown Snapshot
	key   string // of shown: snapshots may hold NaN, which equals nothing
}

type tableRow struct {
	line
	label, slice, volume *widget.Label
}

// Hooks are called on the UI goroutine for what the user does.
type Hooks struct {
	Jump  func(volume bool)                      // shows the place of the slice or, if volume is true, that of the volume
	Seen  func()                                 // shows what is left of virtual lesions
	Hover func(o fyne.CanvasObject, text string) // shows text beside o; "" for none
}

// NewWidget returns an empty table.
func NewWidget(hooks Hooks) *Widget {
	p := &Widget{}
	jump := hooks.Jump
	for range bars(Snapshot{}) {
		p.bars = append(p.bars, newBar(hooks.Seen, hooks.Hover))
	}
	p.heading, p.whole = heading(lang.L("Slice"), fyne.TextAlignTrailing), heading(lang.L("Volume"), fyne.TextAlignTrailing)
	head := columns([]fyne.CanvasObject{heading(lang.L("Metrics"), fyne.TextAlignLeading)}, []fyne.CanvasObject{p.heading},
		[]fyne.CanvasObject{p.whole})
	p.reason = control.Cell("", fyne.TextAlignLeading)
	p.reason.Wrapping = fyne.TextWrapWord
	p.place = control.NewButton("", theme.NavigateNextIcon(), func() { jump(p.placeOfVolume()) })
	p.place.Importance = widget.LowImportance
	p.place.Alignment = widget.ButtonAlignLeading
	p.place.Hide()
	p.change, p.truth, p.window = heading("", fyne.TextAlignLeading), heading("", fyne.TextAlignLeading), heading("", fyne.TextAlignLeading)
	p.caution = control.Cell(lang.L("How much was changed, not how good it is: that takes a reference."), fyne.TextAlignLeading)
	p.caution.Wrapping = fyne.TextWrapWord
	p.about = control.Cell("", fyne.TextAlignLeading)
	p.about.Importance = widget.LowImportance
	p.about.Hide()
	all := judged()
	sigma, rest, word := p.table(all[:1]), p.table(all[1:len(all)-1]), p.table(all[len(all)-1:])
	const shown = 2 // MSE and PSNR
	p.changes, p.changesMore = p.table(changed()[:shown]), p.table(changed()[shown:])
	p.agrees, p.agreesMore = p.table(agreement()[:shown]), p.table(agreement()[shown:])
	p.windowed = p.table(within())
	p.details = container.New(layout.NewCustomPaddedVBoxLayout(rowGap), p.changesMore, p.agreesMore, rest, p.window, p.windowed)
	p.more = control.NewButton(lang.L("More"), theme.MenuDropDownIcon(), func() { p.unfold() })
	p.more.Importance = widget.LowImportance
	p.more.Alignment = widget.ButtonAlignLeading
	p.all = container.New(layout.NewCustomPaddedVBoxLayout(rowGap), head, spaced(p.bars), word, p.reason, p.place, sigma, p.about,
		p.change, p.changes, p.caution, p.truth, p.agrees, p.more, p.details)
	// Leave room for the scroll bar.
	p.content = container.NewVScroll(container.New(layout.NewCustomPaddedLayout(0, 0, 0, 10), p.all))
	p.ExtendBaseWidget(p)
	return p
}

// spaced stacks the bars with the room that labels have of themselves.
func spaced(bars []*bar) fyne.CanvasObject {
	box := container.New(layout.NewCustomPaddedVBoxLayout(0))
	for _, b := range bars {
		box.Add(b)
	}
	return container.New(layout.NewCustomPaddedLayout(-rowGap/2, -rowGap, 0, 0), box)
}

// table adds rows and returns their labels in three columns.
func (p *Widget) table(lines []line) *fyne.Container {
	var names, slices, volumes []fyne.CanvasObject
	for _, l := range lines {
		r := tableRow{line: l, label: control.Cell(l.label, fyne.TextAlignLeading), slice: control.Cell(missing, fyne.TextAlignTrailing), volume: control.Cell(missing, fyne.TextAlignTrailing)}
		names, slices, volumes = append(names, r.label), append(slices, r.slice), append(volumes, r.volume)
		p.rows = append(p.rows, r)
	}
	return columns(names, slices, volumes)
}

const (
	rowGap      = -8 // reduces the space between labels, whose padding is meant for forms
	columnWidth = 97 // of numbers: the same in all tables, so that they are one
)

// columns lays out three columns; the names get the space that the numbers leave.
func columns(names, slices, volumes []fyne.CanvasObject) *fyne.Container {
	column := func(cells []fyne.CanvasObject) fyne.CanvasObject {
		return container.New(layout.NewCustomPaddedVBoxLayout(rowGap), cells...)
	}
	fixed := func(cells []fyne.CanvasObject) fyne.CanvasObject {
		ground := canvas.NewRectangle(nil)
		ground.SetMinSize(fyne.NewSize(columnWidth, 0))
		return container.NewStack(ground, column(cells))
	}
	return container.NewBorder(nil, nil, nil, container.New(layout.NewCustomPaddedHBoxLayout(0), fixed(slices), fixed(volumes)), column(names))
}

func heading(text string, align fyne.TextAlign) *widget.Label {
	l := control.Cell(text, align)
	l.TextStyle = fyne.TextStyle{Bold: true}
	return l
}

// CreateRenderer implements fyne.Widget.
func (p *Widget) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.content) }

// Display shows a snapshot; it returns at once if nothing has changed.
func (p *Widget) Display(s Snapshot) {
	about := s.about()
	key := fmt.Sprint(s, about)
	if key == p.key {
		return
	}
	p.shown, p.key = s, key
	p.heading.Importance = widget.MediumImportance
	if s.Slice.Old != "" {
		p.heading.Importance = widget.LowImportance
	}
	p.heading.SetText(cmp.Or(s.Name, lang.L("Slice")))
	p.whole.SetText(lang.L("Volume"))
	if s.Run > 0 && s.Volume.Known {
		p.whole.SetText(fmt.Sprintf(lang.L("Volume, run %d"), s.Run))
	}
	p.window.SetText(s.windowTitle())
	for _, r := range p.rows {
		show(r.slice, r.line, s.Slice, s.Unit)
		show(r.volume, r.line, s.Volume, s.Unit)
	}
	aboutBefore := p.about.Text
	p.about.SetText(about)
	p.about.Hidden = about == ""
	p.truth.Hidden, p.agrees.Hidden = s.Reference == "", s.Reference == ""
	p.change.SetText(s.title(lang.L("Change vs original"), func(c Column) *measure.Comparison { return &c.Change }))
	p.truth.SetText(s.title(fmt.Sprintf(lang.L("Against %s"), s.Reference), func(c Column) *measure.Comparison { return c.Truth }))
	p.reason.Importance = widget.LowImportance
	if s.Problem != "" {
		p.reason.Importance = widget.WarningImportance
	}
	for i, b := range s.Bars {
		p.bars[i].show(b)
	}
	height := p.all.MinSize().Height
	control.SetText(p.reason, s.reason())
	p.place.Hidden = p.placeText() == ""
	p.place.SetText(p.placeText())
	p.arrange()
	if p.all.MinSize().Height != height || about != aboutBefore {
		p.content.Refresh() // Fyne does not lay out what changes its size behind a dialog
	}
}

// arrange shows the rows against the reference in the place of those against the original if there is one, the rest if it
// is unfolded, and none of these while nothing is open.
func (p *Widget) arrange() {
	reference := p.shown.Reference != ""
	nothing := p.shown.Within.Width <= 0 && !p.shown.Slice.Known && !p.shown.Volume.Known
	for _, o := range []fyne.CanvasObject{p.change, p.changes, p.caution, p.changesMore} {
		setHidden(o, reference || nothing)
	}
	for _, o := range []fyne.CanvasObject{p.truth, p.agrees, p.agreesMore} {
		setHidden(o, !reference)
	}
	for _, o := range []fyne.CanvasObject{p.window, p.windowed} {
		setHidden(o, nothing)
	}
	setHidden(p.details, !p.unfolded)
}

func setHidden(o fyne.CanvasObject, hidden bool) {
	if hidden {
		o.Hide()
	} else {
		o.Show()
	}
}

// unfold shows or hides SSIM, the residual and the figures within the window.
func (p *Widget) unfold() {
	p.unfolded = !p.unfolded
	p.more.Icon = theme.MenuDropDownIcon()
	text := lang.L("More")
	if p.unfolded {
		p.more.Icon, text = theme.MenuDropUpIcon(), lang.L("Less")
	}
	p.more.SetText(text)
	p.arrange()
	p.content.Refresh()
}

// title heads a part of the table, with the MAX of its PSNR and SSIM.
func (s Snapshot) title(text string, of func(Column) *measure.Comparison) string {
	for _, c := range []Column{s.Slice, s.Volume} {
		if m := of(c); c.Known && m != nil && m.Max > 0 {
			return text + ", MAX " + strings.TrimSpace(language.Number(strconv.FormatFloat(float64(m.Max), 'g', 4, 64))+" "+s.Unit)
		}
	}
	return text
}

// windowTitle heads the rows within the window.
func (s Snapshot) windowTitle() string {
	text := lang.L("Difference inside window %.5g/%.5g")
	if s.Reference != "" {
		text = lang.L("Reference inside window %.5g/%.5g")
	}
	return language.Sprintf(text, s.Within.Width, s.Within.Center)
}

func show(l *widget.Label, row line, c Column, unit string) {
	text, importance := missing, widget.MediumImportance
	switch {
	case row.figure != nil:
		text = row.figure(c.Noise, unit)
		if c.Old != "" {
			importance = widget.LowImportance
		} else if c.Noise.Confidence == noise.Low {
			importance = widget.WarningImportance
		}
	case row.within != nil:
		if c.Clipped != nil && c.Old == "" { // they are of the slice on the screen, the column is of another
			text = row.within(*c.Clipped, unit)
		}
	case c.Known:
		text = row.value(c, unit)
		if !c.Current {
			importance = widget.LowImportance
		} else if row.verdict {
			importance = verdictImportance(c.Judgement)
		}
	}
	if l.Importance != importance {
		l.Importance = importance
		l.SetText(text)
		return
	}
	control.SetText(l, text)
}

func verdictImportance(v verdict.Word) widget.Importance {
	switch v {
	case verdict.Good:
		return widget.SuccessImportance
	case verdict.Fades, verdict.Texture:
		return widget.WarningImportance
	}
	return widget.MediumImportance
}

// reason says in sentences why the verdicts are what they are, or why there are
// none, and what limits the figures of the noise.
func (s Snapshot) reason() string {
	if s.Problem != "" {
		return s.Problem
	}
	var lines []string
	name := s.Name
	if name == "" {
		name = lang.L("Slice")
	}
	add := func(name string, c Column) {
		switch {
		case c.Known && !c.Current && c.Old != "":
			lines = append(lines, name+": "+c.Old)
		case c.Known && !c.Current:
			lines = append(lines, name+": "+lang.L("the grey numbers belong to earlier parameters."))
		case c.Known && !c.Why.IsZero():
			lines = append(lines, name+": "+language.Of(c.Why))
		case !c.Known && c.Missing != "":
			lines = append(lines, name+": "+c.Missing)
		}
	}
	a, b := s.Slice, s.Volume
	if a.Known && a.Current && b.Known && b.Current && a.Why.Same(b.Why) {
		add(fmt.Sprintf(lang.L("%s and volume"), name), a)
	} else {
		add(name, a)
		add(lang.L("Volume"), b)
	}
	for _, c := range []Column{s.Slice, s.Volume} {
		if unknown := c.Noise.Sentence(); !unknown.IsZero() {
			if text := language.Of(unknown); !strings.Contains(strings.Join(lines, "\n"), text) { // a verdict may say it
				lines = append(lines, text)
			}
			break
		}
		if f := c.Noise; !f.Why.IsZero() && f.Confidence != noise.High {
			lines = append(lines, fmt.Sprintf(lang.L("Confidence of σ is %s: %s."), lang.L(string(f.Confidence)), strings.TrimSuffix(language.Of(f.Why), ".")))
			break
		}
	}
	return strings.Join(lines, "\n")
}

// placeOfVolume says whether the place shown is that of the volume: the slice's own
// comes first.
func (p *Widget) placeOfVolume() bool {
	s := p.shown
	return !(s.Slice.Known && s.Slice.Current && s.Slice.Place != "")
}

// placeText names the place that the button shows; "" for none.
func (p *Widget) placeText() string {
	c := p.shown.Slice
	if p.placeOfVolume() {
		c = p.shown.Volume
	}
	if !c.Known || !c.Current || c.Place == "" {
		return ""
	}
	return fmt.Sprintf(lang.L("Show %s"), c.Place)
}

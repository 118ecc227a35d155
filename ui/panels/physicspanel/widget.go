// Package physicspanel shows the figures of AAPM TG-233 of a slice before and after the filter: noise power spectrum, task
// transfer function, d'. The widget draws its charts on a worker; panel.go opens it as a dialog.
package physicspanel

import (
	"image"
	"image/color"
	"math"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"quell/measure"
	"quell/measure/physics"
	"quell/report"
	"quell/report/chart"
	"quell/ui/control"
	"quell/ui/newest"
	"quell/ui/palette"
	"quell/ui/screen"
	"quell/ui/viewer"
	"quell/volume"
)

// Snapshot is everything the dialog shows.
type Snapshot struct {
	Text      string // what was measured, or why there are no figures
	Warns     bool
	Measuring bool
	Stopped   bool             // by the user
	Figures   *physics.Figures // nil for none
	Picture   *viewer.Picture  // of the figures
	Window    volume.Window    // of the picture
	Unit      string
	Rows      []Row
}

// Row is a figure before and after.
type Row struct{ Name, Before, After, Change string }

// Hooks are called on the UI goroutine for what the user does.
type Hooks struct{ Start, Stop func() }

// Widget is the content of the dialog. Create it with NewWidget; its methods are for the UI goroutine.
type Widget struct {
	widget.BaseWidget
	hooks   Hooks
	shown   Snapshot
	drawnIn *palette.Colors // that the charts were asked for

	text    *widget.Label
	button  *control.MeasureButton
	charts  [2]*canvas.Image // spectra, transfer functions
	grid    *fyne.Container  // of the charts that have a curve
	table   *fyne.Container
	slice   *canvas.Image
	columns [4]*fyne.Container
	all     *fyne.Container // all that is of figures
	content fyne.CanvasObject
	worker  newest.Worker[request, answer]
}

// request is a drawing, at that many device pixels for a unit of the screen.
type request struct {
	Snapshot
	curves        []chart.Chart
	width, height float32 // of a chart without the legend beside it
	colors        *palette.Colors
	scale         float64
}

type answer struct {
	of     *physics.Figures
	colors *palette.Colors
	charts [2]image.Image
	slice  image.Image
}

// Sizes in units of the screen.
const (
	lowest, highest = 200, 440 // the pictures take the height that the table leaves
	narrowest       = 240      // of a chart without the legend beside it
	legendWidth     = 120
	rowGap          = -10 // reduces the space between labels, whose padding is meant for forms
)

// NewWidget returns an empty widget. start runs a function on another goroutine, do on the UI goroutine.
func NewWidget(start, do func(func()), hooks Hooks) *Widget {
	p := &Widget{hooks: hooks}
	p.worker = newest.Worker[request, answer]{Go: start, Do: do, Work: draw, Done: p.drawn}
	p.text = widget.NewLabel("")
	p.text.Wrapping = fyne.TextWrapWord
	p.button = control.NewMeasureButton(func() { p.hooks.Start() }, func() { p.hooks.Stop() })
	p.slice = control.NewPicture(fyne.NewSquareSize(lowest))
	p.grid = container.NewGridWithColumns(len(p.charts))
	for i := range p.charts {
		p.charts[i] = control.NewPicture(fyne.NewSize(narrowest, lowest))
	}
	table := container.New(layout.NewCustomPaddedHBoxLayout(16))
	p.table = table
	for i := range p.columns {
		p.columns[i] = container.New(layout.NewCustomPaddedVBoxLayout(rowGap))
		table.Add(p.columns[i])
	}
	top := container.NewBorder(nil, nil, p.slice, nil, p.grid)
	p.all = container.NewBorder(top, nil, nil, nil, container.NewScroll(table))
	p.all.Hide()
	p.content = container.NewBorder(container.NewBorder(nil, nil, nil, container.NewVBox(p.button), p.text), nil, nil, nil, p.all)
	p.ExtendBaseWidget(p)
	return p
}

// CreateRenderer implements fyne.Widget.
func (p *Widget) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.content) }

// Display shows a snapshot; it returns at once if nothing has changed.
func (p *Widget) Display(s Snapshot) {
	colors := screen.Colors()
	other := s.Figures != p.shown.Figures || colors != p.drawnIn
	if s.Text == p.shown.Text && !other && s.Measuring == p.shown.Measuring && s.Stopped == p.shown.Stopped {
		return
	}
	p.drawnIn = colors
	p.shown = s
	p.text.Importance = widget.MediumImportance
	if s.Warns {
		p.text.Importance = widget.WarningImportance
	}
	p.text.SetText(s.Text)
	p.button.Display(s.Measuring, s.Stopped)
	if other {
		p.fill()
	}
	p.content.Refresh()
}

// fill shows the figures, or none.
func (p *Widget) fill() {
	s := p.shown
	p.all.Hidden = s.Figures == nil
	p.charts[0].Image, p.charts[1].Image, p.slice.Image = nil, nil, nil
	for i, head := range []string{"", lang.L("Original"), lang.L("Denoised"), ""} {
		l := control.Cell(head, fyne.TextAlignLeading)
		l.TextStyle.Bold = true
		p.columns[i].Objects = []fyne.CanvasObject{l}
	}
	for _, r := range s.Rows {
		for i, text := range []string{r.Name, r.Before, r.After, r.Change} {
			p.columns[i].Add(control.Cell(text, fyne.TextAlignLeading))
		}
	}
	if s.Figures != nil {
		p.place()
	}
}

// Resize implements fyne.CanvasObject.
func (p *Widget) Resize(size fyne.Size) {
	changed := size != p.Size()
	p.BaseWidget.Resize(size)
	if changed && p.shown.Figures != nil {
		p.place()
	}
}

// place gives the pictures the room beside each other and above the table, and has them drawn for it.
func (p *Widget) place() {
	r := request{Snapshot: p.shown, colors: p.drawnIn, scale: screen.PixelsPerUnit(p)}
	words := physics.Words{
		Original: lang.L(r.Picture.FirstName()), Result: lang.L("denoised"), Frequency: lang.L("cycles/mm"),
		Spectrum: "NPS", Transfer: "TTF", Value: lang.L("value"),
	}
	for _, c := range r.Figures.Charts(r.Unit, words) {
		if len(c.Curves) > 0 {
			r.curves = append(r.curves, colored(c, p.drawnIn))
		}
	}
	const edges = 24 // between the parts
	height := p.Size().Height - p.text.MinSize().Height - p.table.MinSize().Height - edges
	r.height = min(max(height, lowest), highest)
	n := float32(max(len(r.curves), 1))
	r.width = max((p.Size().Width-r.height-edges)/n-legendWidth, narrowest)
	p.slice.SetMinSize(fyne.NewSquareSize(r.height))
	p.grid.Layout, p.grid.Objects = layout.NewGridLayoutWithColumns(int(n)), nil
	for i := range r.curves {
		p.charts[i].SetMinSize(fyne.NewSize(narrowest, r.height))
		p.grid.Add(p.charts[i])
	}
	p.content.Refresh()
	p.worker.Request(r)
}

// colored gives curves colours of the theme, which readers with a red-green deficiency can distinguish.
func colored(c chart.Chart, colors *palette.Colors) chart.Chart {
	all := []color.NRGBA{colors.Before, colors.After, colors.Removed, colors.Best}
	c.Curves = slices.Clone(c.Curves)
	for i := range c.Curves {
		c.Curves[i].Color = all[c.Curves[i].Series%len(all)]
	}
	return c
}

// draw draws the charts, and the slice with its regions.
func draw(r request) answer {
	a := answer{of: r.Figures, colors: r.colors, slice: outlined(r.Snapshot)}
	for i, c := range r.curves {
		a.charts[i] = screen.Chart(r.colors, float64(r.width), float64(r.height), r.scale, c)
	}
	return a
}

// drawn shows the pictures, unless the figures or the colours are others by now.
func (p *Widget) drawn(a answer) {
	if a.of != p.shown.Figures || a.colors != p.drawnIn {
		return
	}
	p.slice.Image = a.slice
	p.slice.Refresh()
	for i, m := range a.charts {
		p.charts[i].Image = m
		p.charts[i].Refresh()
	}
}

// outlined draws the slice with the regions and the discs that were measured.
func outlined(s Snapshot) image.Image {
	size := s.Picture.View.Size
	m := image.NewRGBA(image.Rect(0, 0, size[0], size[1]))
	s.Window.Render(m, s.Picture.Before)
	for _, o := range s.Figures.Regions {
		outline(m, o, color.RGBA(palette.Picture.Region))
	}
	for _, r := range s.Figures.Rods {
		outline(m, r.Outline, color.RGBA(palette.Picture.Rod))
	}
	return report.SquarePixels(m, s.Picture.View.Pixel)
}

// outline draws the line of a rectangle or an ellipse, two pixels wide.
func outline(m *image.RGBA, o measure.Outline, line color.RGBA) {
	lo, hi := o.Bounds()
	dot := func(x, y float64) {
		for _, d := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
			m.SetRGBA(int(math.Round(x))+d[0], int(math.Round(y))+d[1], line)
		}
	}
	if o.Shape == measure.Ellipse {
		middle, half := [2]float64{(lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2}, [2]float64{(hi[0] - lo[0]) / 2, (hi[1] - lo[1]) / 2}
		steps := int(math.Ceil(8*math.Max(half[0], half[1]))) + 8
		for k := range steps {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(steps))
			dot(middle[0]+half[0]*cos, middle[1]+half[1]*sin)
		}
		return
	}
	for x := lo[0]; x <= hi[0]; x++ {
		dot(x, lo[1])
		dot(x, hi[1])
	}
	for y := lo[1]; y <= hi[1]; y++ {
		dot(lo[0], y)
		dot(hi[0], y)
	}
}

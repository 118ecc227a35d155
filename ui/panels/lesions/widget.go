// Package lesions shows what the recipe leaves of virtual lesions in the series: a table, the contrast kept over the
// contrast, and one lesion before and after. The widget draws the plot on a worker; panel.go places it in the
// workbench.
package lesions

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"quell/denoise/lesions"
	"quell/ui/control"
	"quell/ui/newest"
	"quell/ui/palette"
	"quell/ui/screen"
)

// columns of the table: size, contrast, contrast kept, edge, d'.
const columns = 5

// Snapshot is everything the panel shows.
type Snapshot struct {
	Text      string // above the table: the verdict, or why there are no numbers
	Warns     bool   // it says that something visible is lost, or cannot be known
	Measuring bool
	Stopped   bool // by the user
	Rows      []Row
	Panel     *lesions.Panel // that is plotted and pictured; nil for none
	Caption   string         // of the pictures
}

// Row is what became of one lesion.
type Row struct {
	Cells   [columns]string
	Visible bool // before
	Over    bool // and lost
}

// Hooks are called on the UI goroutine for what the user does.
type Hooks struct{ Start, Stop, Choose func() }

// Widget is the tab. Create it with NewWidget; its methods are for the UI goroutine.
type Widget struct {
	widget.BaseWidget
	hooks   Hooks
	shown   Snapshot
	drawnIn *palette.Colors // that the pictures were asked for

	text    *widget.Label
	button  *control.MeasureButton
	cells   [columns]*fyne.Container
	plot    *canvas.Image
	images  [2]*canvas.Image
	caption *widget.Label
	numbers *fyne.Container // all that is of a panel
	content fyne.CanvasObject
	worker  newest.Worker[request, answer]
}

// request is a panel to draw, at that many device pixels for a unit of the screen.
type request struct {
	panel  *lesions.Panel
	colors *palette.Colors
	scale  float64
}

type answer struct {
	panel    *lesions.Panel
	colors   *palette.Colors
	plot     image.Image
	pictures [2]image.Image
}

// Sizes in units of the screen.
const (
	plotWidth, plotHeight = 318, 150
	legendWidth           = 62 // beside the plot
	pictureSide           = 154
	rowGap                = -10 // reduces the space between labels, whose padding is meant for forms
)

// widths of the columns.
var widths = [columns]float32{54, 46, 44, 68, 112}

// NewWidget returns an empty tab. start runs a function on another goroutine, do on the UI goroutine.
func NewWidget(start, do func(func()), hooks Hooks) *Widget {
	p := &Widget{hooks: hooks}
	p.worker = newest.Worker[request, answer]{Go: start, Do: do, Work: draw, Done: p.drawn}
	p.text = control.Cell("", fyne.TextAlignLeading)
	p.text.Wrapping = fyne.TextWrapWord
	p.button = control.NewMeasureButton(func() { p.hooks.Start() }, func() { p.hooks.Stop() })
	p.button.Importance = widget.LowImportance
	table := container.New(layout.NewCustomPaddedHBoxLayout(0))
	for i := range p.cells {
		p.cells[i] = container.New(layout.NewCustomPaddedVBoxLayout(rowGap))
		ground := canvas.NewRectangle(color.Transparent)
		ground.SetMinSize(fyne.NewSize(widths[i], 0))
		table.Add(container.NewStack(ground, p.cells[i]))
	}
	p.plot = control.NewPicture(fyne.NewSize(plotWidth, plotHeight))
	for i := range p.images {
		p.images[i] = control.NewPicture(fyne.NewSquareSize(pictureSide))
		p.images[i].ScaleMode = canvas.ImageScalePixels
	}
	p.caption = control.Cell("", fyne.TextAlignLeading)
	p.caption.Wrapping = fyne.TextWrapWord
	choice := control.NewButton(lang.L("Forced choice …"), nil, func() { p.hooks.Choose() })
	p.numbers = container.NewVBox(table, p.plot, container.NewCenter(container.NewHBox(p.images[0], p.images[1])), p.caption, choice)
	p.numbers.Hide()
	// Leave room for the scroll bar.
	p.content = container.NewVScroll(container.New(layout.NewCustomPaddedLayout(0, 0, 0, 10),
		container.NewVBox(container.NewBorder(nil, nil, nil, container.NewVBox(p.button), p.text), p.numbers)))
	p.ExtendBaseWidget(p)
	return p
}

// CreateRenderer implements fyne.Widget.
func (p *Widget) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.content) }

// Display shows a snapshot; it returns at once if nothing has changed.
func (p *Widget) Display(s Snapshot) {
	colors := screen.Colors()
	other := s.Panel != p.shown.Panel || colors != p.drawnIn
	if s.Text == p.shown.Text && !other && s.Measuring == p.shown.Measuring && s.Stopped == p.shown.Stopped {
		return
	}
	p.drawnIn = colors
	p.shown = s
	p.text.Importance = widget.LowImportance
	if s.Warns {
		p.text.Importance = widget.WarningImportance
	} else if s.Panel != nil {
		p.text.Importance = widget.MediumImportance
	}
	p.text.SetText(s.Text)
	p.button.Display(s.Measuring, s.Stopped)
	if other {
		p.fill()
	}
	p.content.Refresh()
}

// fill shows the numbers of the panel, or none.
func (p *Widget) fill() {
	p.numbers.Hidden = p.shown.Panel == nil
	p.plot.Image, p.images[0].Image, p.images[1].Image = nil, nil, nil
	if p.shown.Panel == nil {
		for _, column := range p.cells {
			column.Objects = nil
		}
		p.caption.SetText("")
		return
	}
	p.caption.SetText(p.shown.Caption)
	heads := [columns]string{lang.L("Size"), lang.L("Contrast"), lang.L("Kept"), lang.L("Edge, mm"), lang.L("d′ of the eye")}
	for i, column := range p.cells {
		head := control.Cell(heads[i], fyne.TextAlignLeading)
		head.TextStyle.Bold = true
		column.Objects = []fyne.CanvasObject{head}
		for _, r := range p.shown.Rows {
			l := control.Cell(r.Cells[i], fyne.TextAlignLeading)
			switch {
			case r.Over:
				l.Importance = widget.WarningImportance
			case !r.Visible:
				l.Importance = widget.LowImportance
			}
			column.Objects = append(column.Objects, l)
		}
	}
	p.worker.Request(request{p.shown.Panel, p.drawnIn, screen.PixelsPerUnit(p)})
}

// draw draws the picture of a panel.
func draw(r request) answer {
	return answer{panel: r.panel, colors: r.colors, plot: screen.Chart(r.colors, plotWidth-legendWidth, plotHeight, r.scale, curves(*r.panel, r.colors)), pictures: pictures(r.panel.Picture)}
}

// drawn shows the pictures, unless the panel or the colours are others by now.
func (p *Widget) drawn(a answer) {
	if a.panel != p.shown.Panel || a.colors != p.drawnIn {
		return
	}
	p.plot.Image = a.plot
	p.plot.Refresh()
	for i, m := range a.pictures {
		p.images[i].Image = m
		p.images[i].Refresh()
	}
}

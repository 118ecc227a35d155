// Package plotpanel plots the histogram or a line profile of the original and the
// denoised slice, the noise power spectrum or the MTF of an ROI, or the estimated error of the
// filter over its strength, with gonum/plot, as an image of exactly the panel's size.
//
// Draw does not use Fyne and runs on a worker; Widget shows its images; panel.go places it in the
// workbench.
package plotpanel

import (
	"fmt"
	"image"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
	"quell/ui/newest"
	"quell/ui/palette"
	"quell/ui/screen"
	"quell/ui/viewer"
	"quell/volume"
)

// Hooks are called on the UI goroutine for what the user does.
type Hooks struct {
	Take func(i int) // point i of the curve was chosen
	Find func()      // the curve is wanted
}

// Widget shows one plot. Its methods are for the UI goroutine.
type Widget struct {
	widget.BaseWidget

	picture *viewer.Picture
	focus   [3]int
	window  volume.Window
	colors  *palette.Colors // that the last plot was asked for
	marked  Marked
	kind    Kind
	hooks   Hooks
	curve   *Curve
	finding bool // the search for the curve is in progress
	can     bool // a search can start
	axis    axis // of the curve shown

	head    *fyne.Container
	find    *control.Button
	log     *control.Check // the axis of the counts is logarithmic
	removed *control.Check // the histogram is of the residual
	spectra *control.Check // the spectrum of the ROI, in place of its histogram
	all     *control.Check // the noise power spectrum is of all rectangles
	words   *widget.Label  // of the spectrum
	over    *curveArea
	image   *canvas.Image
	area    *plotArea
	note    *widget.Label
	content *fyne.Container
	worker  newest.Worker[Request, answer]
}

type answer struct {
	image *image.RGBA
	axis  axis
	words string
	err   error
}

// NewWidget returns an empty panel. start runs a function on another goroutine, do on
// the UI goroutine.
func NewWidget(start, do func(func()), hooks Hooks) *Widget {
	p := &Widget{hooks: hooks, image: canvas.NewImageFromImage(nil)}
	p.image.ScaleMode = canvas.ImageScaleFastest
	p.image.FillMode = canvas.ImageFillStretch
	p.worker = newest.Worker[Request, answer]{
		Go: start, Do: do,
		Work: func(r Request) answer {
			img, x, words, err := Draw(r)
			return answer{img, x, words, err}
		},
		Done: p.show,
	}
	p.note = widget.NewLabel("")
	p.note.SizeName = theme.SizeNameCaptionText
	p.note.Importance = widget.LowImportance
	p.note.Truncation = fyne.TextTruncateEllipsis
	p.area = newPlotArea(p.image, p.request)
	p.find = control.NewButton(lang.L("Find"), theme.SearchIcon(), func() { p.hooks.Find() })
	p.find.Importance = widget.LowImportance
	p.over = newCurveArea()
	p.over.tapped = func(x float32) { p.take(p.point(x)) }
	p.over.hovered = func(x float32, in bool) {
		if in {
			p.showPoint(p.point(x))
		} else {
			p.showFinding()
		}
	}
	p.over.stepped = func(direction int) { p.take(p.present() + direction) }
	p.log = control.NewCheck(lang.L("Log"), func(bool) { p.request() })
	p.removed = control.NewCheck(lang.L("Residual"), func(bool) { p.request() })
	p.spectra = control.NewCheck(lang.L("NPS/MTF"), func(bool) {
		p.showFinding()
		p.request()
	})
	p.all = control.NewCheck(lang.L("All rectangles"), func(bool) { p.request() })
	p.words = widget.NewLabel("")
	p.words.SizeName, p.words.Importance, p.words.Wrapping = theme.SizeNameCaptionText, widget.LowImportance, fyne.TextWrapWord
	p.head = container.NewBorder(nil, nil, nil, container.NewHBox(p.all, p.spectra, p.removed, p.log, p.find), p.note)
	p.content = container.NewBorder(p.head, p.words, nil, nil, container.NewStack(p.area, p.over))
	p.showFinding()
	p.ExtendBaseWidget(p)
	return p
}

// CreateRenderer implements fyne.Widget.
func (p *Widget) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.content) }

// Kind returns the kind of the plot.
func (p *Widget) Kind() Kind { return p.kind }

// Display plots a slice with a window, and its marks, or nothing if picture is nil; it
// returns at once if nothing that the plot shows has changed.
func (p *Widget) Display(picture *viewer.Picture, focus [3]int, window volume.Window, marked Marked) {
	same := screen.Colors() == p.colors && picture == p.picture && window == p.window && (p.kind != Profile || marked.Line != nil || focus == p.focus) && marked.equal(p.marked)
	p.picture, p.focus, p.window, p.marked = picture, focus, window, marked
	p.showFinding()
	if !same {
		p.request()
	}
}

// DisplayCurve shows the curve of the strength, nil for none; finding says whether
// the search for it is in progress, and can whether one can start. It returns at
// once if nothing has changed.
func (p *Widget) DisplayCurve(c *Curve, finding, can bool) {
	if finding != p.finding || can != p.can || !c.same(p.curve) {
		other := !c.same(p.curve)
		p.curve, p.finding, p.can = c, finding, can
		p.showFinding()
		if other && p.kind == Strength {
			p.request()
		}
	}
}

// Select shows a kind of plot.
func (p *Widget) Select(k Kind) {
	p.kind = k
	p.showFinding()
	p.request()
}

// ShowSpectrum plots the spectrum of the ROI, in the place of its histogram.
func (p *Widget) ShowSpectrum() { p.spectra.SetChecked(true) }

// plotted returns the kind of the plot that is shown.
func (p *Widget) plotted() Kind {
	if p.kind == Histogram && p.spectra.Checked && p.marked.Region != nil {
		return Spectrum
	}
	return p.kind
}

// showFinding shows the controls of the curve, and in the note how to get or use it.
func (p *Widget) showFinding() {
	on := p.kind == Strength
	p.over.Hidden = !on || p.curve == nil
	if hidden := !on || p.finding; hidden != p.find.Hidden {
		p.find.Hidden = hidden
		p.head.Refresh() // the button needs its place
	}
	kind := p.plotted()
	roi := p.kind == Histogram && p.marked.Region != nil
	for c, shown := range map[*control.Check]bool{
		p.log: kind == Histogram, p.removed: kind == Histogram, p.spectra: roi, p.all: kind == Spectrum && len(p.marked.Rectangles) > 1,
	} {
		if c.Hidden == shown {
			c.Hidden = !shown
			p.head.Refresh()
		}
	}
	if hidden := kind != Spectrum; hidden != p.words.Hidden {
		p.words.Hidden = hidden
		p.content.Refresh()
	}
	text := ""
	switch {
	case p.kind == Histogram && p.marked.Region != nil:
		text = fmt.Sprintf(lang.L("In %s"), p.marked.RegionName)
	case p.kind == Histogram:
	case p.kind == Profile && p.marked.Line != nil:
		text = p.marked.LineNote
	case p.kind == Profile:
		text = lang.L("Along the row under the pointer; L draws a line.")
	case p.finding:
		text = lang.L("Searching … Escape cancels.")
	case p.curve == nil:
		text = lang.L("The estimated error of each strength.")
	case p.curve.Old:
		text = lang.L("The curve is of other parameters.")
	default:
		text = lang.L("Click a point to take it.")
	}
	if p.note.Text != text {
		p.note.SetText(text)
	}
	if p.find.Disabled() == p.can {
		if p.can {
			p.find.Enable()
		} else {
			p.find.Disable()
		}
	}
}

// point returns the point of the curve nearest to a position; -1 for none.
func (p *Widget) point(x float32) int {
	if p.curve == nil || p.axis.to <= p.axis.from {
		return -1
	}
	return p.curve.nearest(p.axis, float64(x)*screen.PixelsPerUnit(p))
}

// present returns the point nearest to the present value, or else the best.
func (p *Widget) present() int {
	switch {
	case p.curve == nil:
		return -1
	case p.curve.Present <= 0:
		return p.curve.Best
	}
	return p.curve.nearest(p.axis, p.axis.at(p.curve.Present))
}

func (p *Widget) take(i int) {
	if p.curve != nil && i >= 0 && i < len(p.curve.X) {
		p.hooks.Take(i)
	}
}

func (p *Widget) showPoint(i int) {
	if i >= 0 && p.note.Text != p.curve.Labels[i] {
		p.note.SetText(p.curve.Labels[i])
	}
}

// empty says whether there is no slice for the plot.
func (p *Widget) empty() bool { return p.picture == nil && p.kind != Strength }

func (p *Widget) request() {
	switch {
	case p.empty():
		p.show(answer{})
		return
	case !p.Visible():
		return
	}
	size, scale := p.area.Size(), screen.PixelsPerUnit(p)
	p.colors = screen.Colors()
	p.worker.Request(Request{
		Kind: p.plotted(), Picture: p.picture, Curve: p.curve, Focus: p.focus, Window: p.window, Scale: scale, Colors: p.colors,
		Marked: p.marked, Log: p.log.Checked, Residual: p.removed.Checked, All: p.all.Checked,
		Width:  int(math.Round(float64(size.Width) * scale)),
		Height: int(math.Round(float64(size.Height) * scale)),
	})
}

func (p *Widget) show(a answer) {
	if p.empty() { // the series was closed meanwhile
		a = answer{}
	}
	p.axis = a.axis
	if a.words != p.words.Text {
		p.words.SetText(a.words)
		p.content.Refresh() // it may need more lines
	}
	p.showFinding()
	if a.err != nil {
		p.note.SetText(fmt.Sprintf(lang.L("No plot: %s"), a.err))
		return
	}
	if a.image == nil && p.kind != Strength && a.words == "" && p.picture != nil {
		p.note.SetText(lang.L("There is no voxel to plot."))
	}
	p.image.Image = nil
	if a.image != nil {
		p.image.Image = a.image
	}
	p.image.Refresh()
}

// plotArea requests a new plot when its size changes.
type plotArea struct {
	widget.BaseWidget
	image   *canvas.Image
	resized func()
}

func newPlotArea(image *canvas.Image, resized func()) *plotArea {
	a := &plotArea{image: image, resized: resized}
	a.ExtendBaseWidget(a)
	return a
}

// CreateRenderer implements fyne.Widget.
func (a *plotArea) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(a.image) }

// MinSize implements fyne.CanvasObject.
func (a *plotArea) MinSize() fyne.Size { return fyne.NewSize(160, 90) }

// Resize implements fyne.CanvasObject.
func (a *plotArea) Resize(s fyne.Size) {
	changed := s != a.Size()
	a.BaseWidget.Resize(s)
	if changed {
		a.resized()
	}
}

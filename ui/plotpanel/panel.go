// Package plotpanel plots the histogram or a line profile of the original and the
// denoised slice, with gonum/plot, as an image of exactly the panel's size.
//
// Draw does not use Fyne and runs on a worker; Panel shows its images. The package
// imports measure, ui/control, ui/newest, ui/screen, ui/viewer, gonum/plot and
// Fyne.
package plotpanel

import (
	"image"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
	"quell/ui/newest"
	"quell/ui/screen"
	"quell/ui/viewer"
	"quell/volume"
)

var kindNames = []string{"Histogram", "Line profile"}

// Panel shows one plot. Its methods are for the UI goroutine.
type Panel struct {
	widget.BaseWidget

	picture *viewer.Picture
	focus   [3]int
	window  volume.Window
	kind    Kind
	changed func()

	image   *canvas.Image
	area    *plotArea
	choice  *control.Radio
	note    *widget.Label
	content fyne.CanvasObject
	worker  newest.Worker[Request, answer]
}

type answer struct {
	image *image.RGBA
	err   error
}

// New returns an empty panel. start runs a function on another goroutine, do on
// the UI goroutine; changed is called when the user selects another kind of plot.
func New(start, do func(func()), changed func()) *Panel {
	p := &Panel{changed: changed, image: canvas.NewImageFromImage(nil)}
	p.image.ScaleMode = canvas.ImageScaleFastest
	p.image.FillMode = canvas.ImageFillStretch
	p.worker = newest.Worker[Request, answer]{
		Go: start, Do: do,
		Work: func(r Request) answer {
			img, err := Draw(r)
			return answer{img, err}
		},
		Done: p.show,
	}
	p.choice = control.NewRadio(kindNames, nil)
	p.choice.SetSelected(kindNames[Histogram])
	p.choice.OnChanged = func(name string) {
		p.kind = Histogram
		if name == kindNames[Profile] {
			p.kind = Profile
		}
		p.changed()
		p.request()
	}
	p.note = widget.NewLabel("")
	p.note.SizeName = theme.SizeNameCaptionText
	p.note.Importance = widget.LowImportance
	p.area = newPlotArea(p.image, p.request)
	p.content = container.NewBorder(container.NewBorder(nil, nil, p.choice, p.note), nil, nil, nil, p.area)
	p.ExtendBaseWidget(p)
	return p
}

// CreateRenderer implements fyne.Widget.
func (p *Panel) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.content) }

// Kind returns what is plotted.
func (p *Panel) Kind() Kind { return p.kind }

// Display plots a slice, line and window; it returns at once where nothing that
// the plot shows has changed.
func (p *Panel) Display(picture *viewer.Picture, focus [3]int, window volume.Window) {
	same := picture == p.picture && window == p.window && (p.kind != Profile || focus == p.focus)
	p.picture, p.focus, p.window = picture, focus, window
	if !same {
		p.request()
	}
}

func (p *Panel) request() {
	if !p.Visible() || p.picture == nil {
		return
	}
	size, scale := p.area.Size(), screen.PixelsPerUnit(p)
	p.worker.Request(Request{
		Kind: p.kind, Picture: p.picture, Focus: p.focus, Window: p.window, Scale: scale,
		Width:  int(math.Round(float64(size.Width) * scale)),
		Height: int(math.Round(float64(size.Height) * scale)),
	})
}

func (p *Panel) show(a answer) {
	p.note.SetText("")
	if a.err != nil {
		p.note.SetText("No plot: " + a.err.Error())
		return
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

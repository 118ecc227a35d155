package filterpanel

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"quell/ui/control"
)

// bound draws on a slider how far its value keeps visible objects: green up to the bound, amber beyond.
type bound struct {
	object         fyne.CanvasObject // the slider with the marks
	slider         *control.Slider
	within, beyond *canvas.Rectangle
	at             float64 // 0: not known
}

// newBound returns a slider without a bound.
func newBound(s *slider) *bound {
	b := &bound{slider: &s.Slider, within: canvas.NewRectangle(nil), beyond: canvas.NewRectangle(nil)}
	b.object = container.New(b, s, b.within, b.beyond)
	b.show(0)
	return b
}

// show sets the bound; 0 for none.
func (b *bound) show(at float64) {
	b.at = at
	b.within.FillColor, b.beyond.FillColor = theme.Color(theme.ColorNameSuccess), theme.Color(theme.ColorNameWarning)
	b.within.Hidden, b.beyond.Hidden = at <= 0, at <= 0 || at >= b.slider.Max
	if size := b.object.Size(); size.Width > 0 {
		b.Layout(nil, size)
	}
	b.object.Refresh()
}

// Layout implements fyne.Layout: the marks lie below the track, which begins where Fyne's slider begins it.
func (b *bound) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	b.slider.Resize(size)
	end := (theme.Size(theme.SizeNameInlineIcon)-4)/2 + theme.Size(theme.SizeNameInnerPadding) - 1.5
	track := max(size.Width-2*end, 0)
	share := float32(0)
	if b.slider.Max > b.slider.Min {
		share = float32((min(b.at, b.slider.Max) - b.slider.Min) / (b.slider.Max - b.slider.Min))
	}
	const thick = 2
	y := size.Height - 2*thick
	b.within.Move(fyne.NewPos(end, y))
	b.within.Resize(fyne.NewSize(share*track, thick))
	b.beyond.Move(fyne.NewPos(end+share*track, y))
	b.beyond.Resize(fyne.NewSize((1-share)*track, thick))
}

// MinSize implements fyne.Layout.
func (b *bound) MinSize([]fyne.CanvasObject) fyne.Size { return b.slider.MinSize() }

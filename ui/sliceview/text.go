package sliceview

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"quell/ui/palette"
)

const (
	textSize   = 12
	letterSize = 14
	margin     = 6
)

// plate is a line of text on a dark translucent ground, readable on bone and on
// air.
type plate struct {
	ground *canvas.Rectangle
	text   *canvas.Text
}

const platePadding = 3

func newPlate(c color.Color, size float32, bold bool) *plate {
	p := &plate{ground: canvas.NewRectangle(palette.Picture.Plate), text: canvas.NewText("", c)}
	p.ground.CornerRadius = 2
	p.text.TextSize = size
	p.text.TextStyle = fyne.TextStyle{Bold: bold}
	return p
}

func (p *plate) set(s string) { p.text.Text = s }

func (p *plate) size() fyne.Size { return p.text.MinSize() }

// move places the top left corner of the text.
func (p *plate) move(pos fyne.Position) {
	size := p.size()
	p.text.Move(pos)
	p.text.Resize(size)
	p.ground.Move(pos.SubtractXY(platePadding, 0))
	p.ground.Resize(size.AddWidthHeight(2*platePadding, 0))
}

func (p *plate) show(on bool) { p.text.Hidden, p.ground.Hidden = !on, !on }

func (p *plate) objects() []fyne.CanvasObject { return []fyne.CanvasObject{p.ground, p.text} }

// ellipsis shortens s until it fits into width.
func ellipsis(s string, width, size float32, style fyne.TextStyle) string {
	if fyne.MeasureText(s, size, style).Width <= width {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes)
	for lo < hi { // the longest prefix that fits
		mid := (lo + hi + 1) / 2
		if fyne.MeasureText(string(runes[:mid])+"…", size, style).Width <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo == 0 {
		return ""
	}
	return string(runes[:lo]) + "…"
}

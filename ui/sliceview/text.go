package sliceview

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// Pictures have a black ground and light text in every theme.
var (
	black       = color.NRGBA{A: 0xff}
	lightText   = color.NRGBA{R: 0xe6, G: 0xe6, B: 0xe6, A: 0xff}
	dimText     = color.NRGBA{R: 0xa8, G: 0xa8, B: 0xa8, A: 0xff}
	letters     = color.NRGBA{R: 0xf0, G: 0xd8, B: 0x80, A: 0xff}
	plateGrey   = color.NRGBA{A: 0x90}
	profileLine = color.NRGBA{R: 0xff, G: 0xb3, B: 0x47, A: 0x80}
	crossLine   = color.NRGBA{R: 0xf0, G: 0xd8, B: 0x80, A: 0xb0}
	hairLine    = color.NRGBA{R: 0xf0, G: 0xd8, B: 0x80, A: 0x80}
	edgeLine    = color.NRGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}
	dividerLine = color.NRGBA{R: 0xf0, G: 0xf0, B: 0xf0, A: 0xd0}
	outlineLine = color.NRGBA{R: 0x60, G: 0xd0, B: 0xf0, A: 0xff}
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
	p := &plate{ground: canvas.NewRectangle(plateGrey), text: canvas.NewText("", c)}
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

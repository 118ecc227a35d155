package slicebar

import (
	"fmt"
	"image"
	"image/color"
	"reflect"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/ui/language"
	"quell/ui/palette"
	"quell/ui/screen"
	"quell/ui/session/measures"
	"quell/ui/wording"
)

// strip shows sigma and the verdict of every slice above the slider that selects it:
// the height of a column is sigma, the tick below it the verdict. If the noise of a
// slice is not known there is no column, if its verdict is not, the tick is dark.
type strip struct {
	widget.BaseWidget
	raster  *canvas.Raster
	Figures []measures.SliceFigure // by the slider's order
	unit    string
	at      int // the slice that is shown
	hover   func(text string)
	choose  func(i int)
}

var (
	_ desktop.Hoverable = (*strip)(nil)
	_ fyne.Tappable     = (*strip)(nil)
)

const (
	stripHeight = 22
	tickHeight  = 4 // of the verdicts, at the bottom
)

// markColor returns the colour of a verdict; "" is none yet.
func markColor(c *palette.Colors, v verdict.Word) color.NRGBA {
	switch v {
	case verdict.Nothing, verdict.Little:
		return c.Under
	case verdict.Good:
		return c.Matched
	case verdict.Fades, verdict.Texture:
		return c.Strong
	case verdict.Unknown:
		return c.Unknown
	}
	return c.Unjudged
}

// newStrip returns an empty strip. hover is called with a text for the slice under
// the pointer, "" if it left; choose with the slice that is clicked.
func newStrip(hover func(text string), choose func(i int)) *strip {
	s := &strip{hover: hover, choose: choose}
	s.raster = canvas.NewRaster(s.draw)
	s.raster.ScaleMode = canvas.ImageScaleFastest
	s.ExtendBaseWidget(s)
	return s
}

// CreateRenderer implements fyne.Widget.
func (s *strip) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(s.raster) }

// MinSize implements fyne.CanvasObject.
func (s *strip) MinSize() fyne.Size { return fyne.NewSize(40, stripHeight) }

// display shows the figures of all slices, by the slider's order, and marks one.
func (s *strip) display(figures []measures.SliceFigure, unit string, at int) {
	if at == s.at && unit == s.unit && slices.EqualFunc(figures, s.Figures, func(a, b measures.SliceFigure) bool { return reflect.DeepEqual(a, b) }) {
		return
	}
	s.Figures, s.unit, s.at = figures, unit, at
	s.raster.Refresh()
}

// draw renders the strip with w x h pixels.
func (s *strip) draw(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	n, colors := len(s.Figures), screen.Colors()
	if n == 0 || w == 0 {
		return img
	}
	most := s.largest()
	ticks := max(h*tickHeight/stripHeight, 1)
	top := h - ticks - max(ticks/4, 1) // of the columns, measured from below
	fill := func(x, y0, y1 int, c color.NRGBA) {
		for y := max(y0, 0); y < y1; y++ {
			img.SetNRGBA(x, y, c)
		}
	}
	for x := range w {
		i := x * n / w
		if w >= 4*n && i != (x+1)*n/w { // a gap if there is room
			continue
		}
		f := s.Figures[i]
		if measured(f.Noise) && most > 0 {
			c := colors.Sigma
			if f.Noise.Confidence == noise.Low {
				c = colors.UnsureSigma
			}
			fill(x, top-int(float64(top)*f.Noise.Sigma/most+0.5), top, c)
		}
		fill(x, h-ticks, h, markColor(colors, f.Verdict))
	}
	fill((2*s.at+1)*w/(2*n), 0, h, colors.Current)
	return img
}

func measured(f noise.Figure) bool {
	return f.Sigma > 0 && f.Confidence != noise.None && f.Confidence != ""
}

func (s *strip) largest() (most float64) {
	for _, f := range s.Figures {
		if measured(f.Noise) {
			most = max(most, f.Noise.Sigma)
		}
	}
	return most
}

// summary is the label next to the strip: "σ 3.9 to 5.2 HU".
func (s *strip) summary() string {
	most := s.largest()
	if most == 0 {
		if len(s.Figures) == 0 {
			return ""
		}
		return lang.L("σ not measured")
	}
	least := most
	for _, f := range s.Figures {
		if measured(f.Noise) {
			least = min(least, f.Noise.Sigma)
		}
	}
	text := "σ " + wording.Short(least)
	if wording.Short(least) != wording.Short(most) {
		text = fmt.Sprintf(lang.L("σ %s to %s"), wording.Short(least), wording.Short(most))
	}
	if s.unit != "" {
		text += " " + s.unit
	}
	return text
}

// text describes a slice in a line.
func (s *strip) text(i int) string {
	f := s.Figures[i]
	text := fmt.Sprintf(lang.L("Slice %d: "), i+1)
	switch {
	case measured(f.Noise):
		text += "σ " + language.Quantity(f.Noise.Sigma, s.unit) + ", " + lang.L(string(f.Noise.Confidence))
	case !f.Noise.Why.IsZero():
		text += lang.L("σ not measured: ") + strings.TrimSuffix(wording.LowerFirst(language.Of(f.Noise.Why)), ".")
	default:
		text += lang.L("σ not measured")
	}
	switch f.Verdict {
	case "":
		text += lang.L("; not judged yet")
	default:
		text += "; " + language.Of(f.Verdict.Message()) + ". " + language.Of(f.Why)
	}
	return text
}

// slice returns the slice at a place, -1 for none.
func (s *strip) slice(at fyne.Position) int {
	n, w := len(s.Figures), s.Size().Width
	if n == 0 || w <= 0 {
		return -1
	}
	return min(max(int(at.X*float32(n)/w), 0), n-1)
}

// MouseIn implements desktop.Hoverable.
func (s *strip) MouseIn(e *desktop.MouseEvent) { s.MouseMoved(e) }

// MouseMoved implements desktop.Hoverable.
func (s *strip) MouseMoved(e *desktop.MouseEvent) {
	if i := s.slice(e.Position); i >= 0 {
		s.hover(s.text(i))
	}
}

// MouseOut implements desktop.Hoverable.
func (s *strip) MouseOut() { s.hover("") }

// Tapped implements fyne.Tappable.
func (s *strip) Tapped(e *fyne.PointEvent) {
	if i := s.slice(e.Position); i >= 0 {
		s.choose(i)
	}
}

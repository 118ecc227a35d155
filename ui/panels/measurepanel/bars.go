package measurepanel

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/judge"
	"quell/ui/language"
)

// Bar is one part of the verdict on a scale from 0 to 1.
type Bar struct {
	Title    string  // what it is of: "Error, Slice 5"
	Figure   string  // the value in words: "+2 %"
	Known    bool    // there is a value; else Figure says why not, or what a click does
	Value    float64 // on the scale
	Lo, Hi   float64 // its interval; equal for none
	From, To float64 // the values that are good
	Center   bool    // a line marks the middle, which is best
	Doubtful bool    // the interval holds a bound, so that neither side is sure
	Tapped   string  // what a click does, for the tooltip; "" for nothing
}

// bar draws a Bar: the good values on the track, a line at each of their ends, and the value with its interval over it.
type bar struct {
	widget.BaseWidget
	shown Bar
	tap   func()
	hover func(o fyne.CanvasObject, text string) // text is "" when the pointer leaves

	explained bool // the tooltip is shown

	title, figure       *canvas.Text
	track, good, spread *canvas.Rectangle
	ends                [2]*canvas.Line
	middle              *canvas.Line
	value               *canvas.Rectangle
	ground              *canvas.Rectangle // while the pointer is on it
}

var (
	_ fyne.Tappable      = (*bar)(nil)
	_ desktop.Hoverable  = (*bar)(nil)
	_ desktop.Cursorable = (*bar)(nil)
)

// Sizes in units of the screen.
const (
	barHeight   = 20
	barTitle    = 112
	barFigure   = 62
	barInset    = 6 // from the edges, as labels have it
	trackHeight = 8
	valueWidth  = 4
	valueHeight = 14
)

func newBar(tap func(), hover func(fyne.CanvasObject, string)) *bar {
	b := &bar{tap: tap, hover: hover}
	text := func(align fyne.TextAlign) *canvas.Text {
		t := canvas.NewText("", nil)
		t.TextSize, t.Alignment = theme.Size(theme.SizeNameCaptionText), align
		return t
	}
	b.title, b.figure = text(fyne.TextAlignLeading), text(fyne.TextAlignTrailing)
	rectangle := func() *canvas.Rectangle { return canvas.NewRectangle(nil) }
	b.ground, b.track, b.good, b.spread, b.value = rectangle(), rectangle(), rectangle(), rectangle(), rectangle()
	b.track.CornerRadius, b.value.CornerRadius = 2, 1
	b.middle = canvas.NewLine(nil)
	b.ends = [2]*canvas.Line{canvas.NewLine(nil), canvas.NewLine(nil)}
	b.ground.Hide()
	b.ExtendBaseWidget(b)
	return b
}

// show draws another value.
func (b *bar) show(s Bar) {
	if s == b.shown {
		return
	}
	b.shown = s
	b.Refresh()
}

// good says whether the value is one of the good ones.
func (s Bar) good() bool { return s.Value >= s.From && s.Value <= s.To }

// colour is that of the value.
func (s Bar) colour() color.Color {
	switch {
	case !s.Known:
		return theme.Color(theme.ColorNameDisabled)
	case !s.good() || s.Doubtful:
		return theme.Color(theme.ColorNameWarning)
	}
	return theme.Color(theme.ColorNameSuccess)
}

// CreateRenderer implements fyne.Widget.
func (b *bar) CreateRenderer() fyne.WidgetRenderer { return &barRenderer{b} }

type barRenderer struct{ *bar }

// Destroy implements fyne.WidgetRenderer.
func (r *barRenderer) Destroy() {}

// MinSize implements fyne.WidgetRenderer.
func (r *barRenderer) MinSize() fyne.Size {
	return fyne.NewSize(barTitle+barFigure+2*barInset+60, barHeight)
}

// Objects implements fyne.WidgetRenderer.
func (r *barRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ground, r.track, r.good, r.spread, r.middle, r.ends[0], r.ends[1], r.value, r.title, r.figure}
}

// Layout implements fyne.WidgetRenderer.
func (r *barRenderer) Layout(size fyne.Size) {
	s, height := r.shown, r.title.MinSize().Height
	r.ground.Resize(size)
	r.title.Move(fyne.NewPos(barInset, (size.Height-height)/2))
	r.title.Resize(fyne.NewSize(barTitle, height))
	figure := float32(barFigure)
	if !s.Known {
		figure = size.Width - barTitle - 3*barInset // a sentence in the place of the track
	}
	r.figure.Move(fyne.NewPos(size.Width-barInset-figure, (size.Height-height)/2))
	r.figure.Resize(fyne.NewSize(figure, height))
	from, width := float32(barInset+barTitle), size.Width-barTitle-barFigure-3*barInset
	at := func(x float64) float32 { return from + width*float32(min(max(x, 0), 1)) }
	place := func(o *canvas.Rectangle, x0, x1, h float32) {
		o.Move(fyne.NewPos(x0, (size.Height-h)/2))
		o.Resize(fyne.NewSize(max(x1-x0, 0), h))
	}
	place(r.track, from, from+width, trackHeight)
	place(r.good, at(s.From), at(s.To), trackHeight)
	place(r.spread, at(s.Lo), at(s.Hi), 2)
	place(r.value, at(s.Value)-valueWidth/2, at(s.Value)+valueWidth/2, valueHeight)
	upright := func(l *canvas.Line, x float64, h float32) {
		l.Position1, l.Position2 = fyne.NewPos(at(x), (size.Height-h)/2), fyne.NewPos(at(x), (size.Height+h)/2)
	}
	upright(r.middle, 0.5, trackHeight)
	upright(r.ends[0], s.From, valueHeight-2)
	upright(r.ends[1], s.To, valueHeight-2)
}

// Refresh implements fyne.WidgetRenderer.
func (r *barRenderer) Refresh() {
	s := r.shown
	r.title.Text, r.figure.Text = s.Title, s.Figure
	r.title.Color, r.figure.Color = theme.Color(theme.ColorNameForeground), s.colour()
	r.ground.FillColor = theme.Color(theme.ColorNameHover)
	r.track.FillColor = theme.Color(theme.ColorNameInputBorder)
	green := theme.Color(theme.ColorNameSuccess)
	red, grn, blue, _ := green.RGBA()
	r.good.FillColor = color.NRGBA{R: uint8(red >> 8), G: uint8(grn >> 8), B: uint8(blue >> 8), A: 0x50}
	r.spread.FillColor, r.value.FillColor = theme.Color(theme.ColorNameForeground), s.colour()
	r.middle.StrokeColor, r.middle.StrokeWidth = theme.Color(theme.ColorNameBackground), 1
	for i, x := range [2]float64{s.From, s.To} {
		r.ends[i].StrokeColor, r.ends[i].StrokeWidth = green, 1
		r.ends[i].Hidden = !s.Known || x <= 0 || x >= 1
	}
	r.track.Hidden, r.good.Hidden, r.value.Hidden = !s.Known, !s.Known, !s.Known
	r.middle.Hidden, r.spread.Hidden = !s.Known || !s.Center, !s.Known || s.Hi <= s.Lo
	r.Layout(r.Size())
	canvas.Refresh(r.bar)
}

// Tapped implements fyne.Tappable.
func (b *bar) Tapped(*fyne.PointEvent) {
	if b.shown.Tapped != "" {
		b.leave() // another tab may hide the bar, which is told to no one
		b.tap()
	}
}

// MouseIn implements desktop.Hoverable.
func (b *bar) MouseIn(*desktop.MouseEvent) {
	if b.shown.Tapped != "" {
		b.explained = true
		b.ground.Show()
		b.hover(b, b.shown.Tapped)
	}
}

// MouseMoved implements desktop.Hoverable.
func (b *bar) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (b *bar) MouseOut() { b.leave() }

// leave takes the tooltip away.
func (b *bar) leave() {
	if b.explained {
		b.explained = false
		b.ground.Hide()
		b.hover(b, "")
	}
}

// Cursor implements desktop.Cursorable.
func (b *bar) Cursor() desktop.Cursor {
	if b.shown.Tapped != "" {
		return desktop.PointerCursor
	}
	return desktop.DefaultCursor
}

// bars are the figures by which a result is judged: of the slice, or of the volume if the slice has none of the present
// parameters.
func bars(s Snapshot) (all []Bar) {
	c := s.Slice
	if !(c.Known && c.Current) && s.Volume.Known && s.Volume.Current {
		c = s.Volume
	}
	for _, f := range judge.Listed(c.Measures) {
		if f.Unit != "%" {
			continue
		}
		b := Bar{Title: language.Of(f.Label), Figure: missing, From: f.Good, To: 1, Tapped: language.Of(f.Sentence)}
		if c.Known && f.Value == f.Value {
			b.Known, b.Value, b.Lo, b.Hi = true, f.Value, f.Low, f.High
			b.Figure = language.Number(f.Short())
			b.Doubtful = f.Low < f.Good && f.Value >= f.Good || f.High >= f.Good && f.Value < f.Good
		}
		all = append(all, b)
	}
	return all
}

package sliceview

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"quell/ui/palette"
	"quell/ui/viewer"
)

const (
	dividerReach  = 7   // units from the swipe's divider within which a drag moves it
	labelHeight   = 0.8 // of the picture's height, at which the labels of a swipe stand
	firstLabelRow = 2   // of the checkerboard's squares at the left edge; even, so of side A
	handleRadius  = 6
)

// sides marks the two sides of a comparison in the pane that shows both: the divider of
// a swipe with its handle, and a label for each side.
type sides struct {
	line   *canvas.Line
	handle *canvas.Circle
	labels [2]*plate
}

func newSides() *sides {
	s := &sides{line: canvas.NewLine(palette.Picture.Divider), handle: canvas.NewCircle(palette.Picture.Divider)}
	s.line.StrokeWidth = 1.5
	for i := range s.labels {
		s.labels[i] = newPlate(palette.Picture.Text, textSize, true)
	}
	return s
}

func (s *sides) objects() []fyne.CanvasObject {
	return append([]fyne.CanvasObject{s.line, s.handle}, append(s.labels[0].objects(), s.labels[1].objects()...)...)
}

// place shows what the mode needs; an empty name, or a label that does not fit on its
// side, is left out.
func (s *sides) place(p *Pane, names [2]string) {
	c, area := p.state.Comparison(), p.Size()
	shown := p.compares() && names[0] != ""
	swipe := shown && c.Mode == viewer.Swipe
	s.line.Hidden, s.handle.Hidden = !swipe, !swipe
	for i, label := range s.labels {
		label.set(names[i])
		label.show(shown && (swipe || c.Mode == viewer.Checkerboard))
	}
	switch {
	case swipe:
		x := p.divider()
		s.line.Position1, s.line.Position2 = fyne.NewPos(x, 0), fyne.NewPos(x, area.Height)
		s.handle.Move(fyne.NewPos(x-handleRadius, area.Height/2-handleRadius))
		s.handle.Resize(fyne.NewSquareSize(2 * handleRadius))
		y := labelHeight * area.Height
		left, right := s.labels[0].size().Width, s.labels[1].size().Width
		s.labels[0].move(fyne.NewPos(x-2*margin-left, y))
		s.labels[1].move(fyne.NewPos(x+2*margin, y))
		s.labels[0].show(x > left+3*margin)
		s.labels[1].show(area.Width-x > right+3*margin)
	case shown && c.Mode == viewer.Checkerboard:
		pixels := p.Pixels()
		size := float32(viewer.CheckerSize(pixels.Width, pixels.Height)) / p.scale()
		for i, label := range s.labels {
			label.move(fyne.NewPos(margin, size*float32(firstLabelRow+i)+margin))
		}
	}
}

// compares says whether the pane shows both sides of a comparison.
func (p *Pane) compares() bool {
	return p.role == viewer.Denoised && p.frame.Image != nil && p.state.Comparison().Mode != viewer.Plain
}

// divider returns the place of the swipe's divider.
func (p *Pane) divider() float32 {
	return float32(p.state.Comparison().DividerAt(p.Pixels().Width)) / p.scale()
}

// onDivider says whether a position is on the divider, to drag it.
func (p *Pane) onDivider(at fyne.Position) bool {
	return p.compares() && p.state.Comparison().Mode == viewer.Swipe && !p.onHeading(at) &&
		math.Abs(float64(at.X-p.divider())) <= dividerReach
}

package control

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
)

// segment draws an option of a row as a button that stays pressed while it is chosen.
type segment struct {
	item   *radioItem
	ground *canvas.Rectangle
	text   *canvas.Text
}

func newSegment(i *radioItem) *segment {
	s := &segment{item: i, ground: canvas.NewRectangle(nil), text: canvas.NewText(i.Text, nil)}
	s.ground.CornerRadius = 3
	s.text.Alignment = fyne.TextAlignCenter
	s.color()
	return s
}

// segmentPadding is the space on both sides of the text, and leastPadding that in a line that holds no more otherwise.
const segmentPadding, leastPadding = 9, 3

// MinSize implements fyne.WidgetRenderer.
func (s *segment) MinSize() fyne.Size {
	return s.text.MinSize().AddWidthHeight(2*s.item.group.padding, 2*theme.Size(theme.SizeNameInnerPadding))
}

// Layout implements fyne.WidgetRenderer.
func (s *segment) Layout(size fyne.Size) {
	s.ground.Resize(size)
	height := s.text.MinSize().Height
	s.text.Move(fyne.NewPos(0, (size.Height-height)/2))
	s.text.Resize(fyne.NewSize(size.Width, height))
}

// Refresh implements fyne.WidgetRenderer.
func (s *segment) Refresh() {
	s.color()
	s.ground.Refresh()
	s.text.Refresh()
}

// Objects implements fyne.WidgetRenderer.
func (s *segment) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{s.ground, s.text} }

// Destroy implements fyne.WidgetRenderer.
func (s *segment) Destroy() {}

// color follows the state of the option.
func (s *segment) color() {
	i := s.item
	s.text.Text, s.text.TextSize = i.Text, theme.Size(theme.SizeNameText)
	s.text.Color = theme.Color(theme.ColorNameForeground)
	s.ground.FillColor = theme.Color(theme.ColorNameButton)
	switch {
	case i.Disabled():
		s.text.Color = theme.Color(theme.ColorNameDisabled)
		s.ground.FillColor = theme.Color(theme.ColorNameDisabledButton)
	case i.Checked:
		s.text.Color = theme.Color(theme.ColorNameForegroundOnPrimary)
		s.ground.FillColor = theme.Color(theme.ColorNamePrimary)
	case i.hovered:
		s.ground.FillColor = theme.Color(theme.ColorNameInputBorder)
	}
	s.ground.StrokeWidth, s.ground.StrokeColor = 0, color.Transparent
	if i.focused {
		s.ground.StrokeWidth, s.ground.StrokeColor = 2, theme.Color(theme.ColorNameForeground)
	}
}

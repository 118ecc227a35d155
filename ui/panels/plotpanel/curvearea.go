package plotpanel

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// curveArea lies over the plot of a curve: a click takes the nearest point, and
// with the focus Left and Right take the neighbours of the present one.
type curveArea struct {
	widget.BaseWidget
	frame   *canvas.Rectangle // visible with the focus
	tapped  func(x float32)
	hovered func(x float32, in bool)
	stepped func(direction int)
}

var (
	_ fyne.Tappable      = (*curveArea)(nil)
	_ fyne.Focusable     = (*curveArea)(nil)
	_ desktop.Hoverable  = (*curveArea)(nil)
	_ desktop.Cursorable = (*curveArea)(nil)
	_ desktop.Keyable    = (*curveArea)(nil)
)

func newCurveArea() *curveArea {
	a := &curveArea{frame: canvas.NewRectangle(color.Transparent)}
	a.frame.StrokeWidth = 2
	a.ExtendBaseWidget(a)
	return a
}

// CreateRenderer implements fyne.Widget.
func (a *curveArea) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(a.frame) }

// Tapped implements fyne.Tappable.
func (a *curveArea) Tapped(e *fyne.PointEvent) { a.tapped(e.Position.X) }

// Cursor implements desktop.Cursorable.
func (a *curveArea) Cursor() desktop.Cursor { return desktop.PointerCursor }

// MouseIn implements desktop.Hoverable.
func (a *curveArea) MouseIn(e *desktop.MouseEvent) { a.hovered(e.Position.X, true) }

// MouseMoved implements desktop.Hoverable.
func (a *curveArea) MouseMoved(e *desktop.MouseEvent) { a.hovered(e.Position.X, true) }

// MouseOut implements desktop.Hoverable.
func (a *curveArea) MouseOut() { a.hovered(0, false) }

// FocusGained implements fyne.Focusable.
func (a *curveArea) FocusGained() {
	a.frame.StrokeColor = theme.Color(theme.ColorNameFocus)
	a.frame.Refresh()
}

// FocusLost implements fyne.Focusable.
func (a *curveArea) FocusLost() {
	a.frame.StrokeColor = color.Transparent
	a.frame.Refresh()
}

// TypedRune implements fyne.Focusable.
func (a *curveArea) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (a *curveArea) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyLeft:
		a.stepped(-1)
	case fyne.KeyRight:
		a.stepped(1)
	default:
		control.PassTyped(a, e)
	}
}

// KeyDown implements desktop.Keyable.
func (a *curveArea) KeyDown(e *fyne.KeyEvent) { control.PassHeld(a, e, true) }

// KeyUp implements desktop.Keyable.
func (a *curveArea) KeyUp(e *fyne.KeyEvent) { control.PassHeld(a, e, false) }

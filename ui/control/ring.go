package control

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
)

// ring draws a line around a control that has the focus. Fyne only tints the control, by less than the 3:1 to its
// surroundings that WCAG 2.1 asks of what has the focus: a stronger tint would leave the text too little contrast.
type ring struct {
	fyne.WidgetRenderer
	line *canvas.Rectangle
	on   bool
}

// ringWidth is the width of the line around what has the focus.
const ringWidth = 2

// ringed returns the renderer of a control with a ring, which is hidden.
func ringed(r fyne.WidgetRenderer) *ring {
	f := &ring{WidgetRenderer: r, line: canvas.NewRectangle(nil)}
	f.line.StrokeWidth, f.line.CornerRadius = ringWidth, theme.Size(theme.SizeNameInputRadius)
	f.show(false)
	return f
}

// show shows the ring or hides it. The control may have no renderer yet.
func (f *ring) show(on bool) {
	if f == nil {
		return
	}
	f.on, f.line.Hidden, f.line.StrokeColor = on, !on, theme.Color(theme.ColorNameForeground)
	f.line.Refresh()
}

// Layout implements fyne.WidgetRenderer.
func (f *ring) Layout(size fyne.Size) {
	f.WidgetRenderer.Layout(size)
	f.line.Resize(size)
}

// Refresh implements fyne.WidgetRenderer.
func (f *ring) Refresh() {
	f.WidgetRenderer.Refresh()
	f.show(f.on)
}

// Objects implements fyne.WidgetRenderer.
func (f *ring) Objects() []fyne.CanvasObject {
	objects := f.WidgetRenderer.Objects()
	return append(objects[:len(objects):len(objects)], f.line)
}

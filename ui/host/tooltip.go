package host

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// Tooltip is a text below the control that the pointer is on, or next to it. It
// lies on a Layer above the workbench that takes no events.
type Tooltip struct {
	Ground *control.Ground
	Text   *widget.Label
	Layer  *fyne.Container
}

func newTooltip() *Tooltip {
	t := &Tooltip{Ground: control.NewPlate(theme.ColorNameOverlayBackground, theme.ColorNameInputBorder, 3), Text: widget.NewLabel("")}
	t.Text.SizeName = theme.SizeNameCaptionText
	t.Layer = container.NewWithoutLayout(t.Ground, t.Text) // always shown: Fyne knows no position of a hidden widget
	t.Hide()
	return t
}

// Show writes text below o, within the canvas.
func (t *Tooltip) Show(o fyne.CanvasObject, text string) {
	t.ShowAt(o, fyne.NewPos(0, o.Size().Height+tipGap), text)
}

const (
	tipGap   = 6
	tipWidth = 480 // of the longest line
)

// Beside writes text at the left of o.
func (t *Tooltip) Beside(o fyne.CanvasObject, text string) {
	t.ShowAt(o, fyne.NewPos(-t.write(text).Width-tipGap, 0), text)
}

// write sets the text, in lines of a width that can be read, and returns its size.
func (t *Tooltip) write(text string) fyne.Size {
	t.Text.Wrapping = fyne.TextWrapOff
	t.Text.SetText(text)
	size := t.Text.MinSize()
	if size.Width > tipWidth {
		t.Text.Wrapping = fyne.TextWrapWord
		t.Text.Refresh()
		t.Text.Resize(fyne.NewSize(tipWidth, 0))
		size = fyne.NewSize(tipWidth, t.Text.MinSize().Height)
	}
	t.Text.Resize(size)
	return size
}

// ShowAt writes text at a position relative to o, or above o, within the canvas.
func (t *Tooltip) ShowAt(o fyne.CanvasObject, offset fyne.Position, text string) {
	const gap = tipGap
	driver := fyne.CurrentApp().Driver()
	origin := driver.AbsolutePositionForObject(t.Layer)
	at := driver.AbsolutePositionForObject(o).Subtract(origin).Add(offset)
	size := t.write(text)
	at.X = max(min(at.X, t.Layer.Size().Width-size.Width-gap), 0)
	if at.Y+size.Height > t.Layer.Size().Height { // above a widget at the lower edge
		at.Y -= offset.Y + size.Height + gap
	}
	t.Ground.Move(at)
	t.Ground.Resize(size)
	t.Text.Move(at)
	t.Ground.Show()
	t.Text.Show()
}

// Hide hides it.
func (t *Tooltip) Hide() {
	t.Ground.Hide()
	t.Text.Hide()
}

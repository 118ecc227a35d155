package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// tooltip is a text below the control that the pointer is on, or beside it. It lies
// on a layer above the workbench that takes no events.
type tooltip struct {
	ground *canvas.Rectangle
	text   *widget.Label
	layer  *fyne.Container
}

func newTooltip() *tooltip {
	t := &tooltip{ground: canvas.NewRectangle(theme.Color(theme.ColorNameOverlayBackground)), text: widget.NewLabel("")}
	t.text.SizeName = theme.SizeNameCaptionText
	t.ground.StrokeColor, t.ground.StrokeWidth = theme.Color(theme.ColorNameInputBorder), 1
	t.ground.CornerRadius = 3
	t.layer = container.NewWithoutLayout(t.ground, t.text) // always shown: Fyne knows no position of what is hidden
	t.hide()
	return t
}

// show writes text below o, within the canvas.
func (t *tooltip) show(o fyne.CanvasObject, text string) {
	t.showAt(o, fyne.NewPos(0, o.Size().Height+tipGap), text)
}

const (
	tipGap   = 6
	tipWidth = 480 // of the longest line
)

// beside writes text at the left of o.
func (t *tooltip) beside(o fyne.CanvasObject, text string) {
	t.showAt(o, fyne.NewPos(-t.write(text).Width-tipGap, 0), text)
}

// write sets the text, in lines of a width that can be read, and returns its size.
func (t *tooltip) write(text string) fyne.Size {
	t.text.Wrapping = fyne.TextWrapOff
	t.text.SetText(text)
	size := t.text.MinSize()
	if size.Width > tipWidth {
		t.text.Wrapping = fyne.TextWrapWord
		t.text.Refresh()
		t.text.Resize(fyne.NewSize(tipWidth, 0))
		size = fyne.NewSize(tipWidth, t.text.MinSize().Height)
	}
	t.text.Resize(size)
	return size
}

// showAt writes text at a position relative to o, or above o, within the canvas.
func (t *tooltip) showAt(o fyne.CanvasObject, offset fyne.Position, text string) {
	const gap = tipGap
	driver := fyne.CurrentApp().Driver()
	origin := driver.AbsolutePositionForObject(t.layer)
	at := driver.AbsolutePositionForObject(o).Subtract(origin).Add(offset)
	size := t.write(text)
	at.X = max(min(at.X, t.layer.Size().Width-size.Width-gap), 0)
	if at.Y+size.Height > t.layer.Size().Height { // above what is at the lower edge
		at.Y -= offset.Y + size.Height + gap
	}
	t.ground.Move(at)
	t.ground.Resize(size)
	t.text.Move(at)
	t.ground.Show()
	t.text.Show()
}

func (t *tooltip) hide() {
	t.ground.Hide()
	t.text.Hide()
}

// commandButton returns a flat button that runs a command of the table. Its tooltip
// names the command and its key.
func (w *Workbench) commandButton(icon fyne.Resource, text, id string) *control.Button {
	b := iconButton(icon, text, func() {
		w.tip.hide()
		w.run(w.command(id))
	})
	b.OnHover = func(in bool) {
		if in {
			w.tip.show(b, w.command(id).hint())
		} else {
			w.tip.hide()
		}
	}
	return b
}

// tips shows tooltips on a row of options, each of which is a command: id returns its ID.
func (w *Workbench) tips(row *control.Radio, id func(option string) string) {
	row.OnHover = func(option string, o fyne.CanvasObject, in bool) {
		if in {
			w.tip.show(o, w.command(id(option)).hint())
		} else {
			w.tip.hide()
		}
	}
}

// command returns the command with an ID, which is in the table.
func (w *Workbench) command(id string) Command {
	for _, c := range w.table {
		if c.ID == id {
			return c
		}
	}
	panic("no command is called " + id)
}

// hint is the text of a tooltip: "Noise map (M): the noise of every place ...".
func (c Command) hint() string {
	text := c.Title
	if len(c.Chords) > 0 {
		text += " (" + c.Chords[0].String() + ")"
	}
	if c.Help != "" {
		text += ": " + c.Help
	}
	return text
}

package host

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/panel"
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

// Button returns a flat button that runs a command of the table. Its tooltip
// names the command and its key.
func (h *Host) Button(icon fyne.Resource, text, id string) *control.Button {
	b := control.IconButton(icon, text, func() {
		h.Tip.Hide()
		h.Run(h.Command(id))
	})
	b.Named = func() string { return h.Command(id).Title }
	b.OnHover = func(in bool) {
		if in {
			h.Tip.Show(b, h.Command(id).Hint())
		} else {
			h.Tip.Hide()
		}
	}
	return b
}

// Tips shows tooltips on a row of options, each a command: id returns its ID.
func (h *Host) Tips(row *control.Radio, id func(option string) string) {
	row.Names = func(option string) string { return h.Command(id(option)).Title }
	row.OnHover = func(option string, o fyne.CanvasObject, in bool) {
		if in {
			h.Tip.Show(o, h.Command(id(option)).Hint())
		} else {
			h.Tip.Hide()
		}
	}
}

// Command returns the command with an ID, which is in the table.
func (h *Host) Command(id string) command.Command {
	for _, c := range h.Table {
		if c.ID == id {
			return c
		}
	}
	panic("no command is called " + id)
}

// Run carries out a command, unless it is disabled, a dialog is open or a blind comparison is
// in progress.
func (h *Host) Run(c command.Command) {
	if (h.Covered() || h.cover != nil) && !c.Always() || c.Enabled != nil && !c.Enabled() {
		return
	}
	c.Run()
	h.AwaitFrames()
}

// Modifiers returns the modifier keys that are held; none if the driver does not
// know, as in tests.
func (h *Host) Modifiers() fyne.KeyModifier {
	if d, ok := fyne.CurrentApp().Driver().(desktop.Driver); ok {
		return d.CurrentKeyModifiers()
	}
	return 0
}

// RefreshMenu updates check marks, lists and disabled items.
func (h *Host) RefreshMenu() { h.Bar.Refresh() }

// SetMenu rebuilds the main menu.
func (h *Host) SetMenu() {
	h.Bar = command.NewBar(h.Table, h.Run)
	h.Window.SetMainMenu(h.Bar.Main)
}

// PopUp opens a menu of commands at a position on the canvas.
func (h *Host) PopUp(commands []command.Command, at fyne.Position) {
	h.Bar.PopUp(commands, h.Window.Canvas(), at)
}

// TakeOver shows the object of a panel in the place of everything else.
func (h *Host) TakeOver(by panel.Covering, o fyne.CanvasObject) {
	for _, p := range h.Panels {
		if m, ok := p.(panel.Pauser); ok {
			m.Pause()
		}
	}
	h.cover = by
	h.Window.SetMainMenu(nil)
	h.Frame.SetVisible(false)
	o.Show()
	h.Window.SetContent(h.Window.Content()) // Fyne moves it to the place of the menu with its size alone
	h.Window.Canvas().Unfocus()
	h.showTitle()
}

// GiveBack shows everything again.
func (h *Host) GiveBack(o fyne.CanvasObject) {
	h.cover = nil
	o.Hide()
	h.Frame.SetVisible(true)
	if !h.Frame.FullScreen() {
		h.Window.SetMainMenu(h.Bar.Main)
	}
	h.Window.SetContent(h.Window.Content())
	h.Refresh()
}

// EndCover asks whether the panel in the place of everything else ends, and says false if there is
// none.
func (h *Host) EndCover() bool {
	if h.cover == nil {
		return false
	}
	h.cover.AskEnd()
	return true
}

package host

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/ui/command"
	"quell/ui/control"
)

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

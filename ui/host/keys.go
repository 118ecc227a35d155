package host

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/ui/command"
	"quell/ui/panel"
)

// BindKeys connects the chords of the command table to the canvas, in place of the chords
// of an earlier table. A control that has the focus passes on the keys that it does not
// use, see package control.
func (h *Host) BindKeys() {
	canvas := h.Window.Canvas()
	for _, s := range h.shortcuts {
		canvas.RemoveShortcut(s)
	}
	h.shortcuts = nil
	plain := map[command.Chord]command.Command{}
	held := map[fyne.KeyName]command.Command{}
	for _, c := range h.Table {
		for _, chord := range c.Chords {
			switch {
			case c.Hold != nil:
				held[chord.Key] = c
			case chord.Plain():
				plain[chord] = c
			default:
				s := chord.Shortcut()
				canvas.AddShortcut(s, func(fyne.Shortcut) { h.Run(c) })
				h.shortcuts = append(h.shortcuts, s)
			}
		}
	}
	keys, released := canvas.(desktop.Canvas)
	canvas.SetOnTypedKey(func(e *fyne.KeyEvent) {
		if e.Name == fyne.KeyEscape && released && !h.Covered() {
			return // cancels when it is released
		}
		if h.cover != nil {
			h.cover.Key(e.Name)
			return
		}
		if c, ok := plain[command.Chord{Key: e.Name, Mod: h.Modifiers() & fyne.KeyModifierShift}]; ok {
			h.Run(c)
		}
	})
	if !released {
		return
	}
	// Fyne closes an open main menu when Escape is released, and does not report
	// that release. A run is cancelled when both the press and the release are
	// reported, so that one Escape never closes a menu or dialog and cancels a run.
	armed := false
	keys.SetOnKeyDown(func(e *fyne.KeyEvent) {
		if e.Name == fyne.KeyEscape {
			armed = !h.Covered()
		}
		if c, ok := held[e.Name]; ok {
			c.Hold(true)
		}
	})
	keys.SetOnKeyUp(func(e *fyne.KeyEvent) {
		if e.Name == fyne.KeyEscape && armed && !h.Covered() {
			h.cancel()
		}
		if e.Name == fyne.KeyEscape {
			armed = false
		}
		if c, ok := held[e.Name]; ok {
			c.Hold(false)
		}
	})
}

// UseKeys makes the table of commands with the user's keys, and what is made of it.
func (h *Host) UseKeys() {
	var table []command.Command
	for _, p := range h.Panels {
		table = append(table, p.Commands()...)
	}
	h.Table = command.WithKeys(command.Translated(command.Sorted(append(table, h.commands()...))), h.Settings.Keys)
	h.SetMenu()
	h.BindKeys()
}

// commands are the commands of no panel.
func (h *Host) commands() []command.Command {
	return []command.Command{
		{ID: command.Quit, Title: "Quit", Menu: command.FileMenu, Gap: true, Chords: command.With(command.Ctrl, fyne.KeyQ), Run: h.Quit},
		{ID: command.Cancel, Title: "Cancel", Menu: command.ToolsMenu, Chords: command.Key(fyne.KeyEscape), Run: h.cancel},
	}
}

// cancel ends the topmost of: a dialog or pop-up, a panel in the place of all others, and what panels
// end, which is last full screen.
func (h *Host) cancel() {
	top := h.Window.Canvas().Overlays().Top()
	switch {
	case top != nil && len(h.dialogs) > 0:
		h.dialogs[len(h.dialogs)-1].Hide()
	case top != nil:
		top.Hide()
	case h.EndCover():
	default:
		for _, p := range h.Panels {
			if c, ok := p.(panel.Canceller); ok && c.Cancel() {
				return
			}
		}
	}
}

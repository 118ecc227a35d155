package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/ui/session/desk"
	"quell/ui/session/marks"
)

// The commands that a dialog and a blind comparison leave enabled.
const (
	cancelID = "cancel" // that of Escape
	quitID   = "quit"
)

func (c Command) always() bool { return c.ID == cancelID || c.ID == quitID }

// bindKeys connects the chords of the command table to the canvas, in place of those of an
// earlier table. A control that has the focus passes on the keys that it does not use, see
// package control.
func (w *Workbench) bindKeys() {
	canvas := w.main.Canvas()
	for _, s := range w.shortcuts {
		canvas.RemoveShortcut(s)
	}
	w.shortcuts = nil
	plain := map[Chord]Command{}
	held := map[fyne.KeyName]Command{}
	for _, c := range w.table {
		for _, chord := range c.Chords {
			switch {
			case c.Hold != nil:
				held[chord.Key] = c
			case chord.plain():
				plain[chord] = c
			default:
				s := chord.shortcut()
				canvas.AddShortcut(s, func(fyne.Shortcut) { w.run(c) })
				w.shortcuts = append(w.shortcuts, s)
			}
		}
	}
	keys, released := canvas.(desktop.Canvas)
	canvas.SetOnTypedKey(func(e *fyne.KeyEvent) {
		if e.Name == fyne.KeyEscape && released && !w.covered() {
			return // cancels when it is released
		}
		if w.reader.active() {
			w.reader.answer(readerKeys[e.Name])
			return
		}
		if c, ok := plain[Chord{e.Name, w.modifiers() & fyne.KeyModifierShift}]; ok {
			w.run(c)
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
			armed = !w.covered()
		}
		if c, ok := held[e.Name]; ok {
			c.Hold(true)
		}
	})
	keys.SetOnKeyUp(func(e *fyne.KeyEvent) {
		if e.Name == fyne.KeyEscape && armed && !w.covered() {
			w.cancel()
		}
		if e.Name == fyne.KeyEscape {
			armed = false
		}
		if c, ok := held[e.Name]; ok {
			c.Hold(false)
		}
	})
}

// covered says whether a dialog or a pop-up lies above the workbench.
func (w *Workbench) covered() bool { return w.main.Canvas().Overlays().Top() != nil }

// run carries out a command, unless it is disabled, a dialog is open or a blind comparison is
// in progress.
func (w *Workbench) run(c Command) {
	if (w.covered() || w.reader.active()) && !c.always() || c.Enabled != nil && !c.Enabled() {
		return
	}
	c.Run()
	w.awaitFrames()
}

// modifiers returns the modifier keys that are held; none where the driver does
// not know, as in tests.
func (w *Workbench) modifiers() fyne.KeyModifier {
	if d, ok := fyne.CurrentApp().Driver().(desktop.Driver); ok {
		return d.CurrentKeyModifiers()
	}
	return 0
}

// cancel ends the topmost of: a dialog or pop-up, a blind comparison, a tool in use, the task in progress, a pane
// shown alone, full screen.
func (w *Workbench) cancel() {
	top := w.main.Canvas().Overlays().Top()
	switch {
	case top != nil && len(w.dialogs) > 0:
		w.dialogs[len(w.dialogs)-1].Hide()
	case top != nil:
		top.Hide()
	case w.reader.active():
		w.reader.askEnd()
	case w.session.Marks.Tool() != marks.NoTool:
		w.session.Marks.SetTool(marks.NoTool)
	case w.session.Tasks.Progress().Kind != desk.Idle:
		w.cancelTask()
	case w.cine.stop != nil:
		w.stopCine()
	case w.maximized >= 0:
		w.maximize(w.maximized)
	case w.pictures:
		w.toggleFullScreen()
	}
}

// unfocus gives the keys to the pictures when the pointer enters one, unless a
// field holds text that is not committed yet. An open main menu keeps its focus.
func (w *Workbench) unfocus() {
	canvas := w.main.Canvas()
	focused := canvas.Focused()
	if _, ok := focused.(desktop.Keyable); !ok {
		return
	}
	if field, ok := focused.(interface{ Editing() bool }); ok && field.Editing() {
		return
	}
	canvas.Unfocus()
}

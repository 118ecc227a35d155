package ui

import (
	"quell/ui/dialogs"
	"quell/ui/session"
)

// losses says what the user would lose, for the question before it is lost.
var losses = map[session.Loss]string{
	session.LosesRun:    "The filter is being applied to the volume. Nothing of an unfinished run is kept.",
	session.LosesExport: "The export is being written. Nothing of an unfinished export is kept.",
	session.LosesResult: "The denoised volume has not been exported.",
}

// confirm calls proceed, after a question where it would lose work of the user.
func (w *Workbench) confirm(proceed func()) {
	text, loses := losses[w.session.Loss()]
	switch {
	case !loses:
		proceed()
	case !w.asking:
		w.asking = true
		d := dialogs.Discard(text, proceed, w.main)
		d.SetOnClosed(func() { w.asking = false })
		w.show(d)
	}
}

// Quit closes the workbench, after a question where work would be lost.
func (w *Workbench) Quit() { w.confirm(w.quit) }

func (w *Workbench) quit() {
	w.Close()
	w.main.SetCloseIntercept(nil)
	w.main.Close()
}

// Close saves the settings, cancels all work and waits for its end, so that
// nothing is left half written. Only the first call has an effect.
func (w *Workbench) Close() {
	if w.closed {
		return
	}
	w.closed = true
	w.ending.Store(true)
	size := w.main.Canvas().Size()
	w.settings.WorkbenchSize = [2]float32{size.Width, size.Height}
	w.saveSettings()
	w.session.Close()
}

// saveSettings saves the settings. An error is shown in the status bar, as it does
// not concern the user's data.
func (w *Workbench) saveSettings() {
	if w.options.SettingsPath == "" {
		return
	}
	if err := w.settings.Save(w.options.SettingsPath); err != nil {
		w.status.note(err.Error())
	}
}

package ui

import (
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/ui/dialogs"
	"quell/ui/language"
	"quell/ui/session/desk"
)

// losses says what the user would lose, for the question before it is lost.
func losses() map[desk.Loss]string {
	return map[desk.Loss]string{
		desk.LosesRun:    lang.L("The filter is being applied to the volume. Nothing of an unfinished run is kept."),
		desk.LosesExport: lang.L("The export is being written. Nothing of an unfinished export is kept."),
		desk.LosesSend:   lang.L("The series is being sent. What the PACS has not stored yet is not sent."),
		desk.LosesResult: lang.L("A denoised volume has not been exported."),
		desk.LosesGone:   lang.L("The files that a denoised volume was exported to are gone, or were replaced."),
	}
}

// confirmTask calls proceed, which starts a task, after a question where that would end a
// run, an export or its sending.
func (w *Workbench) confirmTask(proceed func()) { w.ask(losses()[w.session.Tasks.Loss()], proceed) }

// confirmVoxels calls proceed, which changes the voxels of the series that is shown, after
// a question where that would lose work.
func (w *Workbench) confirmVoxels(proceed func()) {
	w.session.Exports.Check(func() { w.ask(losses()[w.session.Documents.VoxelsLoss()], proceed) })
}

// ask calls proceed, after a question where text says what that would lose. Only one
// question is open at a time.
func (w *Workbench) ask(text string, proceed func()) {
	switch {
	case text == "":
		proceed()
	case !w.asking:
		w.asking = true
		d := dialogs.Discard(text, proceed, w.main)
		d.SetOnClosed(func() {
			w.asking = false
			w.changed()
		})
		w.show(d)
	}
}

// apply filters the volume, after a question where that takes the place of a result
// that was not exported.
func (w *Workbench) apply() {
	w.session.Exports.Check(func() {
		text := ""
		if w.session.Results.ApplyLoses() {
			text = lang.L("No more results can be kept: the new one replaces the oldest, which has not been exported.")
		}
		w.ask(text, w.session.Results.Apply)
	})
}

// longWork is how long a run or export must have taken for Escape to ask before it
// cancels it.
const longWork = 10 * time.Second

// cancelTask cancels the task in progress, after a question where that loses work of
// some length.
func (w *Workbench) cancelTask() {
	p, text := w.session.Tasks.Progress(), ""
	if p.Elapsed >= longWork && (p.Kind == desk.Applying || p.Kind == desk.Exporting || p.Kind == desk.Sending) {
		text = losses()[w.session.Tasks.Loss()]
	}
	w.ask(text, func() {
		// The task may have ended while the question was open.
		if w.session.Tasks.Progress().Kind == p.Kind {
			w.session.Tasks.Cancel()
		}
	})
}

// Quit closes the workbench, after a question where work would be lost.
func (w *Workbench) Quit() {
	if w.reader.active() { // its answers are not saved yet
		w.reader.askEnd()
		return
	}
	w.session.Exports.Check(func() {
		text := losses()[w.session.Documents.Loss()]
		if text == "" && w.reader.ended != nil {
			text = lang.L("The answers of the blind comparison are not saved.")
		}
		w.ask(text, w.quit)
	})
}

// lookAtExports is how often it is looked whether exported files stand.
const lookAtExports = 5 * time.Second

// watchExports keeps the badges of exported results true while there are any.
func (w *Workbench) watchExports() {
	switch has := w.session.Exports.Any(); {
	case has && w.unwatch == nil:
		w.unwatch = w.options.Every(lookAtExports, func() {
			w.options.Do(func() {
				if w.watchExports(); w.unwatch != nil {
					w.session.Exports.Check(func() {})
				}
			})
		})
	case !has && w.unwatch != nil:
		w.unwatch()
		w.unwatch = nil
	}
}

func (w *Workbench) quit() {
	w.close(true)
	w.main.SetCloseIntercept(nil)
	w.main.Close()
}

// Close saves the settings, cancels all work and waits for its end, so that
// nothing is left half written. The next start offers to open the work again. Only
// the first call has an effect.
func (w *Workbench) Close() { w.close(false) }

// close ends all work; where forget is true the next start does not offer it.
func (w *Workbench) close(forget bool) {
	if w.closed {
		return
	}
	w.closed = true
	w.ending.Store(true)
	w.stopBlinking()
	w.stopCine()
	if w.unwatch != nil {
		w.unwatch()
	}
	size := w.main.Canvas().Size()
	w.settings.WorkbenchSize = [2]float32{size.Width, size.Height}
	w.keepLayout()
	w.saveSettings()
	var last *app.Workspace
	if work, open := w.workspace(); open && !forget {
		last = &work
	}
	w.session.Close()
	w.endAutosave(last)
}

// saveSettings saves the settings. An error is shown in the status bar, as it does
// not concern the user's data.
func (w *Workbench) saveSettings() {
	if w.options.SettingsPath == "" {
		return
	}
	if err := w.settings.Save(w.options.SettingsPath); err != nil {
		w.status.note(language.Sentence(err.Error()))
	}
}

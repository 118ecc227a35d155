package host

import (
	"slices"

	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"

	"quell/ui/dialogs"
	"quell/ui/session/desk"
)

// Losses says what the user would lose, for the question before it is lost.
func Losses() map[desk.Loss]string {
	return map[desk.Loss]string{
		desk.LosesRun:    lang.L("The filter is being applied to the volume. Nothing of an unfinished run is kept."),
		desk.LosesExport: lang.L("The export is being written. Nothing of an unfinished export is kept."),
		desk.LosesSend:   lang.L("The series is being sent. What the PACS has not stored yet is not sent."),
		desk.LosesResult: lang.L("A denoised volume has not been exported."),
		desk.LosesGone:   lang.L("The files that a denoised volume was exported to are gone, or were replaced."),
	}
}

// ConfirmTask calls proceed, which starts a task, after a question if that would end a
// run, an export or its sending.
func (h *Host) ConfirmTask(proceed func()) { h.Ask(Losses()[h.Session.Tasks.Loss()], proceed) }

// ConfirmVoxels calls proceed, which changes the voxels of the series that is shown, after
// a question if that would lose work.
func (h *Host) ConfirmVoxels(proceed func()) {
	h.Session.Exports.Check(func() { h.Ask(Losses()[h.Session.Documents.VoxelsLoss()], proceed) })
}

// Ask calls proceed, after a question if text says what that would lose. Only one
// question is open at a time.
func (h *Host) Ask(text string, proceed func()) {
	switch {
	case text == "":
		proceed()
	case !h.asking:
		h.asking = true
		d := dialogs.Discard(text, proceed, h.Window)
		d.SetOnClosed(func() {
			h.asking = false
			h.Changed()
		})
		h.ShowDialog(d)
	}
}

// ShowDialog opens a dialog; Escape closes it.
func (h *Host) ShowDialog(d dialog.Dialog) {
	h.dialogs = append(h.dialogs, d)
	d.SetOnClosed(func() {
		h.dialogs = slices.DeleteFunc(h.dialogs, func(open dialog.Dialog) bool { return open == d })
	})
	d.Show()
}

// Covered says whether a dialog or a pop-up lies above the workbench.
func (h *Host) Covered() bool { return h.Window.Canvas().Overlays().Top() != nil }

// Asking says whether a question about lost work is open.
func (h *Host) Asking() bool { return h.asking }

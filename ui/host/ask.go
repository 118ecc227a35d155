package host

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"

	"quell/ui/dialogs"
	"quell/ui/session/desk"
	"quell/ui/session/documents"
	"quell/ui/wording"
)

// Losses says what the user would lose, and of which series, for the question before it is lost; "" for nothing.
func (h *Host) Losses(all []documents.Loss) string {
	var says []string
	for _, loss := range all {
		one, several := lossText(loss.Kind)
		if len(loss.Of) > 1 {
			one = several
		}
		if strings.Contains(one, "%s") {
			one = fmt.Sprintf(one, h.names(loss.Of))
		}
		says = append(says, one)
	}
	return strings.Join(says, " ")
}

// lossText returns a sentence of a loss of one series, and of several.
func lossText(kind desk.Loss) (one, several string) {
	switch kind {
	case desk.LosesRun:
		one = lang.L("The filter is being applied to %s. Nothing of an unfinished run is kept.")
	case desk.LosesExport:
		one = lang.L("The export of %s is being written. Nothing of an unfinished export is kept.")
	case desk.LosesSend: // of a folder, whatever is open
		one = lang.L("The series is being sent. What the PACS has not stored yet is not sent.")
	case desk.LosesResult:
		return lang.L("The filter result of %s has not been exported."), lang.L("The filter results of %s have not been exported.")
	case desk.LosesGone:
		return lang.L("The files that the filter result of %s was exported to are gone, or were replaced."), lang.L("The files that the filter results of %s were exported to are gone, or were replaced.")
	}
	return one, one
}

// names returns the names of open series in quotes, each once.
func (h *Host) names(of []int) string {
	open := h.Session.Documents.List()
	var names []string
	for _, i := range slices.Compact(slices.Clone(of)) {
		names = append(names, fmt.Sprintf(lang.L("“%s”"), wording.Distinct(open, i, h.Settings.HideIdentity)))
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return fmt.Sprintf(lang.L("%s and %s"), strings.Join(names[:last], ", "), names[last])
}

// Shown returns the name of the series on the screen in quotes.
func (h *Host) Shown() string { return h.names([]int{h.Current()}) }

// ConfirmTask calls proceed, which starts a task, after a question if that would end a
// run, an export or its sending.
func (h *Host) ConfirmTask(proceed func()) {
	h.Ask(h.Losses(h.Session.Documents.TaskLoss()), proceed)
}

// ConfirmVoxels calls proceed, which changes the voxels of the series that is shown, after
// a question if that would lose work.
func (h *Host) ConfirmVoxels(proceed func()) {
	h.Session.Exports.Check(func() { h.Ask(h.Losses(h.Session.Documents.VoxelsLoss()), proceed) })
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

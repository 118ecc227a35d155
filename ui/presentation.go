package ui

import (
	"fmt"
	"path/filepath"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/ui/dialogs"
	"quell/ui/session/marks"
	"quell/ui/viewer"
)

// askPresentation asks where to write a presentation state: for the exported series into its folder,
// so that both are sent together.
func (w *Workbench) askPresentation() {
	folder, ok := w.session.Exports.Presentable()
	if !ok {
		return
	}
	source := w.session.Series()
	place, name := w.settings.ExportFolder, dialogs.PresentationName(source, w.settings.HideIdentity)
	note := lang.L("One DICOM file with the window, the area and the marks that are shown here, for the viewers of a PACS. It refers to ")
	if folder != "" {
		place, name = folder, app.PresentationName(folder)
		note += fmt.Sprintf(lang.L("the series exported to %s; marks have the figures of the denoised picture. Send to PACS sends both."), filepath.Base(folder))
	} else {
		note += lang.L("the series as it was opened; marks have the figures of the original.")
	}
	note += lang.L(" It names the patient as that series does.")
	w.show(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save a presentation state"), Note: note, Folder: place, Name: name, Show: w.show,
		Check: app.CheckOf(app.PresentationOutput, source),
		Save: func(path string, overwrite bool) {
			if folder == "" {
				w.rememberFolder(path)
			}
			w.session.Exports.SavePresentation(path, func(f marks.Figures, role viewer.Role) string {
				return markText(w.session, f, role, source.Volume.Unit)
			}, overwrite)
		},
	}, w.main))
}

// presentable says whether a presentation state can be saved.
func (w *Workbench) presentable() bool {
	_, ok := w.session.Exports.Presentable()
	return ok
}

package exporting

import (
	"fmt"
	"path/filepath"

	"fyne.io/fyne/v2/lang"

	"quell/app/files"
	"quell/app/workbench"
	"quell/ui/dialogs"
	"quell/ui/session/marks"
	"quell/ui/viewer"
	"quell/ui/wording"
)

// askPresentation asks where to write a presentation state: for the exported series into its folder,
// so that both are sent together.
func (p *Panel) askPresentation() {
	folder, ok := p.h.Session.Exports.Presentable()
	if !ok {
		return
	}
	source := p.h.Session.Series()
	place, name := p.h.Settings.ExportFolder, dialogs.PresentationName(source, p.h.Settings.HideIdentity)
	note := lang.L("One DICOM file with the window, the area and the marks that are shown here, for the viewers of a PACS. It refers to ")
	if folder != "" {
		place, name = folder, workbench.PresentationName(folder)
		note += fmt.Sprintf(lang.L("the series exported to %s; marks have the figures of the denoised picture. Send to PACS sends both."), filepath.Base(folder))
	} else {
		note += lang.L("the series as it was opened; marks have the figures of the original.")
	}
	note += lang.L(" It names the patient as that series does.")
	p.h.ShowDialog(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save a presentation state"), Note: note, Folder: place, Name: name, Show: p.h.ShowDialog,
		Check: files.CheckOf(files.PresentationOutput, source),
		Save: func(path string, overwrite bool) {
			if folder == "" {
				p.h.RememberFolder(path)
			}
			p.h.Session.Exports.SavePresentation(path, func(f marks.Figures, role viewer.Role) string {
				return wording.Mark(p.h.Session, f, role, source.Volume.Unit)
			}, overwrite)
		},
	}, p.h.Window))
}

// presentable says whether a presentation state can be saved.
func (p *Panel) presentable() bool {
	_, ok := p.h.Session.Exports.Presentable()
	return ok
}

package dialogs

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/files"
	"quell/app/job"
	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/ui/control"
	"quell/ui/language"
)

// SaveRequest describes a file to be written, and says how.
type SaveRequest struct {
	Title  string
	Note   string // sentences on the written files
	Folder string // to suggest; "" for the home folder
	Name   string // to suggest, with a number if a file of that name is there
	// Check returns why path cannot be written; an error that wraps files.ErrForeignTarget
	// if a file is there that it takes overwrite to replace.
	Check func(path string, overwrite bool) error
	Save  func(path string, overwrite bool)
	Show  func(dialog.Dialog) // shows the question
}

// Save asks where to write a file.
func Save(r SaveRequest, parent fyne.Window) *Dialog {
	path, report := control.NewEntry(lang.L("Write to")), wrapped("")
	target := func() string { return strings.TrimSpace(path.Text) }
	check := func(overwrite bool) error {
		if !filepath.IsAbs(target()) {
			return errors.New(lang.L("give the whole path: a folder to write to, and a name in it"))
		}
		return r.Check(target(), overwrite)
	}
	var d *Dialog
	save := control.NewButton(lang.L("Save"), theme.DocumentSaveIcon(), func() {
		foreign := errors.Is(check(false), files.ErrForeignTarget)
		write := func() {
			d.Hide()
			r.Save(target(), foreign)
		}
		if there, stands := workbench.ExistingFile(target()); stands { // also one that Quell wrote
			r.Show(Replace(fileStanding(there), write, parent))
			return
		}
		write()
	})
	save.Importance = widget.HighImportance
	path.OnSubmitted = submit(save)
	path.OnChanged = func(string) {
		err := check(false)
		text := r.Note
		if errors.Is(err, files.ErrForeignTarget) {
			err = check(true)
		}
		if there, stands := workbench.ExistingFile(target()); stands {
			text += " " + fileStanding(there) + lang.L(" You are asked before it is replaced.")
		}
		report.Importance = widget.MediumImportance
		save.Enable()
		if err != nil {
			text = sentence(err)
			report.Importance = widget.WarningImportance
			save.Disable()
		}
		report.SetText(text)
	}
	cancel := control.NewButton(lang.L("Cancel"), nil, func() { d.Hide() })
	content := container.NewVBox(container.NewBorder(nil, nil, widget.NewLabel(path.Name), nil, path), report)
	size := parent.Canvas().Size()
	d = newDialog(r.Title, content, fyne.NewSize(min(size.Width*0.8, 700), 220), parent)
	d.SetButtons([]fyne.CanvasObject{cancel, save})
	d.first = path
	// A picture or a report of the same slice may well show something else: none takes the place of another.
	base, ending := strings.TrimSuffix(r.Name, filepath.Ext(r.Name)), filepath.Ext(r.Name)
	path.SetText(workbench.FreePath(filepath.Join(StartFolder(r.Folder), base), ending, nil))
	return d
}

// fileStanding says in a sentence what file stands at a path.
func fileStanding(e workbench.Existing) string {
	return fmt.Sprintf(lang.L("%s exists, %s of %s."), filepath.Base(e.Path), language.Number(job.Bytes(e.Bytes)), e.Modified.Local().Format(dayAndTime))
}

// ReportName suggests a name for a report, see workbench.OutputName.
func ReportName(run *run.Run, hide bool) string {
	return workbench.OutputName(run.Source, run.Recipe, hide) + ".html"
}

// PictureName suggests a name for a picture of a slice, counted from 0, see workbench.OutputName.
func PictureName(of *series.Series, r denoise.Recipe, slice int, hide bool) string {
	return fmt.Sprintf("%s-slice-%d.png", workbench.OutputName(of, r, hide), slice+1)
}

// CineName suggests a name for all slices of a series, see workbench.OutputName.
func CineName(of *series.Series, r denoise.Recipe, hide bool) string {
	return workbench.OutputName(of, r, hide) + "-cine.png"
}

// MeasuresName suggests a name for the measures of a slice, counted from 0, and its volume, see workbench.OutputName.
func MeasuresName(of *series.Series, r denoise.Recipe, slice int, hide bool) string {
	return fmt.Sprintf("%s-slice-%d-measures.csv", workbench.OutputName(of, r, hide), slice+1)
}

// PresentationName suggests a name for a presentation state of a series as it was opened, see
// workbench.OutputName.
func PresentationName(of *series.Series, hide bool) string {
	return workbench.OutputName(of, denoise.Recipe{}, hide) + "-presentation.dcm"
}

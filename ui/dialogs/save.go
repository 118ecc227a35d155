package dialogs

import (
	"cmp"
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

	"quell/app"
	"quell/denoise"
	"quell/series"
	"quell/ui/control"
)

// SaveRequest describes a file to be written, and says how.
type SaveRequest struct {
	Title  string
	Note   string // sentences on what is written
	Folder string // to suggest; "" for the home folder
	Name   string // to suggest
	// Check returns why path cannot be written; an error that wraps app.ErrForeignTarget
	// where a file is there that is replaced after a question only.
	Check func(path string, overwrite bool) error
	Save  func(path string, overwrite bool)
	Show  func(dialog.Dialog) // shows the question
}

// Save asks where to write a file.
func Save(r SaveRequest, parent fyne.Window) *Dialog {
	path, report := control.NewEntry(), wrapped("")
	target := func() string { return strings.TrimSpace(path.Text) }
	check := func(overwrite bool) error {
		if !filepath.IsAbs(target()) {
			return errors.New(lang.L("give the whole path: a folder to write to, and a name in it"))
		}
		return r.Check(target(), overwrite)
	}
	var d *Dialog
	save := control.NewButton(lang.L("Save"), theme.DocumentSaveIcon(), func() {
		foreign := errors.Is(check(false), app.ErrForeignTarget)
		write := func() {
			d.Hide()
			r.Save(target(), foreign)
		}
		if !foreign {
			write()
			return
		}
		r.Show(newDialog(lang.L("Replace what exists?"), wrapped(filepath.Base(target())+lang.L(" exists. What it holds is lost when it is replaced.")), fyne.NewSize(480, 180), parent,
			choice{text: lang.L("Keep it"), importance: widget.HighImportance},
			choice{text: lang.L("Replace"), importance: widget.DangerImportance, chosen: write}))
	})
	save.Importance = widget.HighImportance
	path.OnSubmitted = submit(save)
	path.OnChanged = func(string) {
		err := check(false)
		text := r.Note
		if errors.Is(err, app.ErrForeignTarget) {
			if err = check(true); err == nil {
				text += " " + filepath.Base(target()) + lang.L(" exists: you are asked before it is replaced.")
			}
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
	content := container.NewVBox(container.NewBorder(nil, nil, widget.NewLabel(lang.L("Write to")), nil, path), report)
	size := parent.Canvas().Size()
	d = newDialog(r.Title, content, fyne.NewSize(min(size.Width*0.8, 700), 220), parent)
	d.SetButtons([]fyne.CanvasObject{cancel, save})
	d.first = path
	path.SetText(filepath.Join(startFolder(r.Folder), r.Name))
	return d
}

// ReportName suggests a name for a report, without the patient.
func ReportName(run *app.Run) string { return outputName(run) + ".html" }

// PictureName suggests a name for a picture of a slice, counted from 0, without the patient.
func PictureName(of *series.Series, r denoise.Recipe, slice int) string {
	return fmt.Sprintf("%s-slice-%d.png", outputName(&app.Run{Source: of, Recipe: r}), slice+1)
}

// PresentationName suggests a name for a presentation state of a series as it was opened, without
// the patient.
func PresentationName(of *series.Series) string {
	return cmp.Or(strings.ToLower(of.Modality), "volume") + "-presentation.dcm"
}

package dialogs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/ui/control"
	"quell/ui/language"
)

// ExportRequest holds the run to export, suggestions, and callbacks.
type ExportRequest struct {
	Run      *app.Run
	Recipe   string // of the run, as a label
	Stale    bool   // the current recipe is another than the run's
	Folder   string // to suggest; "" for the home folder
	Path     string // to suggest, in any folder: that of an export that failed; "" for none
	Compress bool   // suggest to compress DICOM
	Export   func(out string, o app.ExportOptions)
	// Volumes is the number of volumes of the 4-D series that the run is of one of, where
	// all can be filtered as it was; else 0. ExportAll filters and writes all.
	Volumes   int
	ExportAll func(out string, o app.ExportOptions)
	Show      func(dialog.Dialog) // shows the dialog that selects a folder
}

func asDICOM() string { return lang.L("DICOM series (a folder, one file per slice)") }
func asNIfTI() string { return lang.L("NIfTI (one .nii.gz file)") }

// datatypes are the two most useful ones: the result as it is, and the size of
// scanner data. The command line has more.
var datatypes = []string{"float32", "int16"}

// exportForm is the dialog's state.
type exportForm struct {
	request  ExportRequest
	parent   fyne.Window
	format   *control.Radio
	path     *control.Entry
	dtype    *control.Select
	types    fyne.CanvasObject
	hide     *control.Check
	compress *control.Check
	all      *control.Check // volumes of the 4-D series
	report   *widget.Label
	stale    *widget.Label // that the run was made with other parameters
	confirm  *control.Button
	foreign  bool // the export would replace what Quell did not write
}

// Export asks where and how to write a run, and shows beforehand what will be
// written, or why it cannot be.
func Export(r ExportRequest, parent fyne.Window) *Dialog {
	f := &exportForm{request: r, parent: parent}
	f.path = control.NewEntry()
	f.report = wrapped("")
	f.stale = wrapped(lang.L("The parameters were changed since this volume was filtered; the export is the volume as filtered."))
	f.stale.Importance = widget.WarningImportance
	f.dtype = control.NewSelect(datatypes, nil)
	f.dtype.SetSelected(datatypes[0])
	f.types = container.NewBorder(nil, nil, widget.NewLabel(lang.L("Voxels stored as")), nil, f.dtype)
	f.hide = control.NewCheck(lang.L("Remove patient identity"), nil)
	f.compress = control.NewCheck(lang.L("Compress without loss (JPEG Lossless)"), nil)
	f.compress.SetChecked(r.Compress)
	f.all = control.NewCheck(fmt.Sprintf(lang.L("All %d volumes of the 4-D series, each filtered in the same way"), r.Volumes), nil)
	f.all.Hidden = r.Volumes < 2
	f.format = control.NewRadioColumn([]string{asDICOM(), asNIfTI()}, nil)

	var d *Dialog
	f.confirm = control.NewButton(lang.L("Export"), theme.DocumentSaveIcon(), func() {
		options := f.options()
		export := func() {
			d.Hide()
			if f.all.Checked {
				r.ExportAll(f.target(), options)
			} else {
				r.Export(f.target(), options)
			}
		}
		if !f.foreign {
			export()
			return
		}
		options.Overwrite = true
		r.Show(Replace(f.target(), export, parent))
	})
	f.confirm.Importance = widget.HighImportance
	f.path.OnSubmitted = submit(f.confirm)
	cancel := control.NewButton(lang.L("Cancel"), nil, func() { d.Hide() })

	f.format.OnChanged = func(string) {
		f.path.SetText(f.renamed(f.path.Text))
		f.update()
	}
	f.path.OnChanged = func(string) { f.update() }
	f.dtype.OnChanged = func(string) { f.update() }
	f.hide.OnChanged = func(bool) { f.update() }
	f.compress.OnChanged = func(bool) { f.update() }
	f.all.OnChanged = func(bool) { f.update() }
	browse := control.NewButton(lang.L("Folder …"), theme.FolderOpenIcon(), f.browse)

	f.path.SetText(filepath.Join(startFolder(r.Folder), outputName(r.Run)))
	f.format.SetSelected(asDICOM())
	dicom := strings.HasPrefix(r.Run.Source.Format, "DICOM")
	if r.Path != "" {
		dicom = app.FormatOf(r.Path) == app.DICOM
	}
	if !dicom {
		f.format.SetSelected(asNIfTI())
	}
	if r.Path != "" {
		f.path.SetText(r.Path)
	}

	content := container.NewVBox(
		f.format,
		container.NewBorder(nil, nil, widget.NewLabel(lang.L("Write to")), browse, f.path),
		f.types, f.compress, f.hide, f.all, widget.NewSeparator(), f.report, f.stale,
	)
	size := parent.Canvas().Size()
	d = newDialog(lang.L("Export the denoised series"), content, fyne.NewSize(min(size.Width*0.8, 760), 410), parent)
	d.SetButtons([]fyne.CanvasObject{cancel, f.confirm})
	d.first = f.path
	return d
}

// target returns the path in the field.
func (f *exportForm) target() string { return strings.TrimSpace(f.path.Text) }

func (f *exportForm) options() app.ExportOptions {
	if app.FormatOf(f.target()) != app.DICOM {
		return app.ExportOptions{Dtype: f.dtype.Selected}
	}
	o := app.ExportOptions{Deidentify: f.hide.Checked && f.hide.Visible()}
	if f.compress.Checked && f.compress.Visible() {
		o.Compress = app.DefaultCompression
	}
	return o
}

// renamed returns a path with the extension of the selected format.
func (f *exportForm) renamed(path string) string {
	for _, end := range []string{".nii.gz", ".nii"} {
		path = strings.TrimSuffix(path, end)
	}
	if f.format.Selected() == asNIfTI() {
		path += ".nii.gz"
	}
	return path
}

// update shows what will be written, or why it cannot be.
func (f *exportForm) update() {
	if app.FormatOf(f.target()) == app.DICOM {
		f.types.Hide()
		f.compress.Show()
	} else {
		f.types.Show()
		f.compress.Hide()
	}
	source := f.request.Run.Source
	if app.CheckDeidentify(source, f.target()) == nil {
		f.hide.Show()
	} else {
		f.hide.Hide()
	}
	options := f.options()
	err := app.CheckOutput(source, f.target(), options)
	if err == nil && !filepath.IsAbs(f.target()) {
		err = errors.New(lang.L("give the whole path: a folder to write to, and a name in it"))
	}
	f.foreign = errors.Is(err, app.ErrForeignTarget)
	if f.foreign { // a question when the export begins
		options.Overwrite = true
		err = app.CheckOutput(source, f.target(), options)
	}
	if err != nil {
		f.report.Importance = widget.WarningImportance
		f.report.SetText(sentence(err))
		f.confirm.Disable()
		f.stale.Hide()
		return
	}
	f.confirm.Enable()
	f.stale.Hidden = !f.request.Stale
	f.report.Importance = widget.MediumImportance
	f.report.SetText(f.plan())
}

func (f *exportForm) plan() string {
	dims := f.request.Run.Result.Dims
	var b strings.Builder
	switch {
	case f.all.Checked && app.FormatOf(f.target()) == app.DICOM:
		fmt.Fprintf(&b, lang.L("A folder with a derived DICOM series for each of the %d volumes, which are filtered now."), f.request.Volumes)
	case f.all.Checked:
		fmt.Fprintf(&b, lang.L("One 4-D file of %d volumes of %d × %d × %d voxels, which are filtered now."), f.request.Volumes, dims[0], dims[1], dims[2])
	case f.options().Deidentify:
		fmt.Fprintf(&b, lang.L("A derived DICOM series of %d files without names, dates and private attributes (DICOM PS3.15 basic profile), with pseudonyms for patient, study and UIDs. Text drawn into the pixels stays, and so does a face that they show."), dims[2])
	case app.FormatOf(f.target()) == app.DICOM:
		fmt.Fprintf(&b, lang.L("A derived DICOM series of %d files: new series and instance UIDs, the study, patient and frame of reference of the source, image type DERIVED."), dims[2])
	default:
		fmt.Fprintf(&b, lang.L("One file of %d × %d × %d voxels with the geometry of the source."), dims[0], dims[1], dims[2])
	}
	if f.options().Compress != "" {
		b.WriteString(lang.L(" The pixels are compressed; every value stays as it is."))
	}
	fmt.Fprintf(&b, lang.L("\nFilter: %s.\nBeside it, %s holds the recipe."), f.request.Recipe, filepath.Base(f.target())+".recipe.json")
	if f.foreign {
		fmt.Fprintf(&b, lang.L("\n%s exists and was not written by Quell: you are asked before it is replaced."), filepath.Base(f.target()))
	}
	return b.String()
}

func (f *exportForm) browse() {
	d := dialog.NewFolderOpen(func(u fyne.ListableURI, err error) {
		if err == nil && u != nil {
			f.path.SetText(filepath.Join(u.Path(), filepath.Base(f.path.Text)))
		}
	}, f.parent)
	if u, err := storage.ListerForURI(storage.NewFileURI(filepath.Dir(f.path.Text))); err == nil {
		d.SetLocation(u)
	}
	f.request.Show(d)
}

// Replace asks before an export replaces a file or folder that Quell did not write.
func Replace(path string, replace func(), parent fyne.Window) *Dialog {
	text := filepath.Base(path) + lang.L(" exists and was not written by Quell. What it holds is lost when it is replaced.")
	return newDialog(lang.L("Replace what exists?"), wrapped(text), fyne.NewSize(480, 180), parent,
		choice{text: lang.L("Keep it"), importance: widget.HighImportance},
		choice{text: lang.L("Replace"), importance: widget.DangerImportance, chosen: replace})
}

// startFolder returns the last folder, or else the home folder.
func startFolder(last string) string {
	if info, err := os.Stat(last); last != "" && err == nil && info.IsDir() {
		return last
	}
	if home, err := os.UserHomeDir(); err == nil {
		return home
	}
	return "."
}

// outputName suggests a name with modality and filter, and without the patient.
func outputName(run *app.Run) string {
	name := strings.ToLower(run.Source.Modality)
	if name == "" {
		name = "volume"
	}
	return fmt.Sprintf("%s-%s-%dd", name, run.Recipe.Filter, run.Recipe.Dims)
}

// fileCount is a number of files in words.
func fileCount(n int) string {
	if n == 1 {
		return lang.L("1 file")
	}
	return fmt.Sprintf(lang.L("%d files"), n)
}

// Exported shows what an export wrote; open shows a folder to the user, and send, nil where there
// is nothing that a PACS takes, asks where to send it.
func Exported(r app.ExportReport, open func(folder string), send func(), parent fyne.Window) *Dialog {
	text := fmt.Sprintf(lang.L("%s written and read back: %s"), fileCount(r.Files), r.Output)
	if r.Recipe != "" {
		text += lang.L("\nRecipe: ") + r.Recipe
	}
	box := container.NewVBox(wrapped(text))
	for _, w := range r.Warnings {
		l := wrapped(language.Sentence(w))
		l.Importance = widget.WarningImportance
		box.Add(l)
	}
	choices := []choice{closeOnly(), {text: lang.L("Open folder"), chosen: func() { open(filepath.Dir(r.Output)) }}}
	if send != nil {
		choices = append(choices, choice{text: lang.L("Send to PACS …"), chosen: send})
	}
	return newDialog(lang.L("Exported"), box, fyne.NewSize(600, 240), parent, choices...)
}

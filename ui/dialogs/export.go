package dialogs

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/files"
	"quell/app/job"
	"quell/app/output"
	"quell/app/workbench"
	"quell/ui/control"
	"quell/ui/language"
	"quell/ui/newest"
)

// ExportRequest holds the run to export, suggestions, and callbacks.
type ExportRequest struct {
	Of       *workbench.Exporting
	Recipe   string              // of the run, as a label
	Stale    bool                // the current recipe is another than the run's
	Proposed workbench.Proposals // in the folder that is suggested
	Path     string              // to suggest in their place: the path of an export that failed; "" for none
	Hide     bool                // the identity is hidden on the screen
	Compress bool                // suggest to compress DICOM
	Attach   []string            // suggest to attach these to DICOM, see job.Attachments
	Export   func(out string, o job.Options)
	// Volumes is the number of volumes of the 4-D series that the run is of one of, if
	// all can be filtered as it was; else 0. ExportAll filters and writes all.
	Volumes   int
	ExportAll func(out string, o job.Options)
	Show      func(dialog.Dialog) // shows the dialog that selects a folder, and the question
	Go        func(func())        // runs a function on another goroutine
	Do        func(func())        // runs a function on the UI goroutine
}

func asDICOM() string { return lang.L("DICOM series (a folder, one file per slice)") }
func asFile(f *files.Format) string {
	return fmt.Sprintf(lang.L("%s (one %s file)"), f.Name, f.Proposed)
}

// datatypes are the two most useful ones: the result as it is, and the size of
// scanner data. The command line has more.
var datatypes = []string{"float32", "int16"}

// attachments are what can be attached, in the order of the boxes, and their labels.
func attachments() (names, labels []string) {
	return []string{job.AttachMaps, job.AttachMeasurements}, []string{lang.L("Attach maps of the noise and of what was removed"), lang.L("Attach measurements (structured report)")}
}

// attachBoxes returns the boxes of attachments, of which some are checked.
func attachBoxes(checked []string) (boxes []*control.Check) {
	names, labels := attachments()
	for i, label := range labels {
		box := control.NewCheck(label, nil)
		box.SetChecked(slices.Contains(checked, names[i]))
		boxes = append(boxes, box)
	}
	return boxes
}

// attached returns the names of the boxes that are shown and checked.
func attached(boxes []*control.Check) (checked []string) {
	names, _ := attachments()
	for i, box := range boxes {
		if box.Checked && box.Visible() {
			checked = append(checked, names[i])
		}
	}
	return checked
}

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
	attach   []*control.Check // one for each of attachments
	all      *control.Check   // volumes of the 4-D series
	report   *widget.Label
	stale    *widget.Label // that the run was made with other parameters
	confirm  *control.Button
	dialog   *Dialog
	proposed workbench.Proposals
	looker   newest.Worker[string, looked]
	seen     looked
	pressed  bool // the export begins as soon as what stands at the target is known
	foreign  bool // the export would replace what Quell did not write
}

// looked is what stands at a path.
type looked struct {
	path  string
	there workbench.Existing
	any   bool
}

// Export asks where and how to write a run, and shows beforehand what will be
// written, or why it cannot be.
func Export(r ExportRequest, parent fyne.Window) *Dialog {
	f := &exportForm{request: r, parent: parent}
	f.path = control.NewEntry(lang.L("Write to"))
	f.report = wrapped("")
	f.stale = wrapped(lang.L("The parameters were changed since this volume was filtered; the export is the volume as filtered."))
	f.stale.Importance = widget.WarningImportance
	f.dtype = control.NewSelect(lang.L("Voxels stored as"), datatypes, nil)
	f.dtype.SetSelected(datatypes[0])
	f.types = container.NewBorder(nil, nil, widget.NewLabel(f.dtype.Name), nil, f.dtype)
	f.hide = control.NewCheck(lang.L("Remove patient identity"), nil)
	f.compress = control.NewCheck(lang.L("Compress without loss (JPEG Lossless)"), nil)
	f.compress.SetChecked(r.Compress)
	f.attach = attachBoxes(r.Attach)
	f.all = control.NewCheck(fmt.Sprintf(lang.L("All %d volumes of the 4-D series, filtered in the same way"), r.Volumes), nil)
	f.all.Hidden = r.Volumes < 2
	choices := []string{asDICOM()}
	for _, format := range files.Offered() {
		choices = append(choices, asFile(format))
	}
	f.format = control.NewRadioColumn(choices, nil)

	f.proposed = r.Proposed
	f.looker = newest.Worker[string, looked]{Go: r.Go, Do: r.Do, Work: func(path string) looked {
		there, stands := r.Of.Existing(path)
		return looked{path, there, stands}
	}, Done: f.found}
	f.confirm = control.NewButton(lang.L("Export"), theme.DocumentSaveIcon(), f.press)
	f.confirm.Importance = widget.HighImportance
	f.path.OnSubmitted = submit(f.confirm)
	cancel := control.NewButton(lang.L("Cancel"), nil, func() { f.dialog.Hide() })

	f.format.OnChanged = func(string) {
		if f.isProposed() {
			f.path.SetText(f.proposal())
		} else {
			f.path.SetText(f.renamed(f.path.Text))
		}
		f.update()
	}
	// The mouse leaves the focus on what it clicked.
	enter := func() { submit(f.confirm)("") }
	f.format.OnSubmitted, f.hide.OnSubmitted, f.compress.OnSubmitted, f.all.OnSubmitted = enter, enter, enter, enter
	f.path.OnChanged = func(string) { f.update() }
	f.dtype.OnChanged = func(string) { f.update() }
	f.hide.OnChanged = func(bool) {
		if f.isProposed() {
			f.path.SetText(f.proposal())
		}
		f.update()
	}
	f.compress.OnChanged = func(bool) { f.update() }
	boxes := []fyne.CanvasObject{f.types, f.compress, f.hide}
	for _, box := range f.attach {
		box.OnSubmitted, box.OnChanged = enter, func(bool) { f.update() }
		boxes = append(boxes, box)
	}
	f.all.OnChanged = func(bool) { f.update() }
	browse := control.NewButton(lang.L("Folder …"), theme.FolderOpenIcon(), f.browse)

	f.path.SetText(f.proposed.DICOM)
	f.format.SetSelected(asDICOM())
	if format := files.OfferedFor(r.Path, r.Of.Run.Source.Format); format != nil {
		f.format.SetSelected(asFile(format))
	}
	if r.Path != "" {
		f.path.SetText(r.Path)
	}

	content := container.NewVBox(f.format, container.NewBorder(nil, nil, widget.NewLabel(lang.L("Write to")), browse, f.path))
	for _, o := range append(boxes, f.all, widget.NewSeparator(), f.report, f.stale) {
		content.Add(o)
	}
	size := parent.Canvas().Size()
	f.dialog = newDialog(lang.L("Export the denoised series"), content, fyne.NewSize(min(size.Width*0.8, 760), 430), parent)
	f.dialog.SetButtons([]fyne.CanvasObject{cancel, f.confirm})
	f.dialog.first = f.path
	return f.dialog
}

// isProposed says whether the path is as proposed.
func (f *exportForm) isProposed() bool {
	p := f.proposed
	return slices.Contains([]string{p.DICOM, p.Deidentified}, f.target()) || slices.Contains(slices.Collect(maps.Values(p.Files)), f.target())
}

// proposal returns the path to propose for the selected format.
func (f *exportForm) proposal() string {
	switch {
	case f.ending() != "":
		return f.proposed.Files[f.ending()]
	case f.hide.Checked:
		return f.proposed.Deidentified
	}
	return f.proposed.DICOM
}

// ending returns the ending of names in the selected format; "" for a folder.
func (f *exportForm) ending() string {
	for _, format := range files.Offered() {
		if asFile(format) == f.format.Selected() {
			return format.Proposed
		}
	}
	return ""
}

// found takes what stands at a path, and begins the export that waits for it.
func (f *exportForm) found(seen looked) {
	f.seen = seen
	f.update()
	if !f.pressed || seen.path != f.target() {
		return
	}
	if f.pressed = false; f.dialog.shown { // it was not cancelled meanwhile
		f.begin()
	}
}

// press begins the export once it is known what it replaces.
func (f *exportForm) press() {
	f.pressed = true
	f.looker.Request(f.target())
}

// begin exports, after a question if that replaces anything but an earlier export of the same.
func (f *exportForm) begin() {
	if f.confirm.Disabled() {
		return
	}
	out, options := f.target(), f.options()
	options.Overwrite = f.foreign
	export := func() {
		f.dialog.Hide()
		if f.all.Checked {
			f.request.ExportAll(out, options)
		} else {
			f.request.Export(out, options)
		}
	}
	if f.asks() {
		f.request.Show(Replace(f.standing(), export, f.parent))
		return
	}
	export()
}

// stands says whether something is known to be at the target.
func (f *exportForm) stands() bool {
	return f.seen.any && f.seen.path == f.target() && (f.seen.there.Files > 0 || !f.seen.there.Quell)
}

// asks says whether the target is replaced after a question only. An export of all volumes is not the
// same as the export of one, and presentation states are not written again.
func (f *exportForm) asks() bool {
	there := f.seen.there
	return f.foreign || f.stands() && (!there.Same || f.all.Checked || there.States > 0)
}

// standing describes the files at the target.
func (f *exportForm) standing() string {
	if !f.stands() {
		return fmt.Sprintf(lang.L("%s exists and was not written by Quell."), filepath.Base(f.target()))
	}
	return standing(f.seen.there, f.request.Hide)
}

// target returns the path in the field.
func (f *exportForm) target() string { return strings.TrimSpace(f.path.Text) }

func (f *exportForm) options() job.Options {
	if !files.IsFolder(f.target()) {
		return job.Options{Dtype: f.dtype.Selected}
	}
	o := job.Options{Deidentify: f.hide.Checked && f.hide.Visible()}
	if f.compress.Checked && f.compress.Visible() {
		o.Compress = job.DefaultCompression
	}
	o.Attach = attached(f.attach)
	return o
}

// renamed returns a path with the extension of the selected format.
func (f *exportForm) renamed(path string) string {
	base, _ := files.SplitEnding(path)
	return base + f.ending()
}

// update shows what will be written, or why it cannot be.
func (f *exportForm) update() {
	folder := files.IsFolder(f.target())
	show := func(o fyne.CanvasObject, shown bool) {
		if shown {
			o.Show()
		} else {
			o.Hide()
		}
	}
	show(f.types, !folder)
	show(f.compress, folder)
	for _, box := range f.attach {
		show(box, folder)
	}
	source := f.request.Of.Run.Source
	if output.CheckDeidentify(source, f.target()) == nil {
		f.hide.Show()
	} else {
		f.hide.Hide()
	}
	options := f.options()
	err := output.Check(source, f.target(), options)
	if err == nil && !filepath.IsAbs(f.target()) {
		err = errors.New(lang.L("give the whole path: a folder to write to, and a name in it"))
	}
	f.foreign = errors.Is(err, files.ErrForeignTarget)
	if f.foreign { // a question when the export begins
		options.Overwrite = true
		err = output.Check(source, f.target(), options)
	}
	if err != nil {
		f.report.Importance = widget.WarningImportance
		f.report.SetText(sentence(err))
		f.confirm.Disable()
		f.stale.Hide()
		return
	}
	f.confirm.Enable()
	if f.seen.path != f.target() {
		f.looker.Request(f.target())
	}
	f.stale.Hidden = !f.request.Stale
	f.report.Importance = widget.MediumImportance
	f.report.SetText(f.plan())
}

func (f *exportForm) plan() string {
	dims := f.request.Of.Run.Result.Dims
	var b strings.Builder
	switch {
	case f.all.Checked && files.IsFolder(f.target()):
		fmt.Fprintf(&b, lang.L("One derived DICOM series of all %d volumes, which are filtered now."), f.request.Volumes)
	case f.all.Checked:
		fmt.Fprintf(&b, lang.L("One 4-D file of %d volumes of %d × %d × %d voxels, which are filtered now."), f.request.Volumes, dims[0], dims[1], dims[2])
	case f.options().Deidentify:
		fmt.Fprintf(&b, lang.L("A derived DICOM series of %d files without names, dates and private attributes (DICOM PS3.15 basic profile), with pseudonyms for patient, study and UIDs. Text drawn into the pixels stays, and so does a face that they show."), dims[2])
	case files.IsFolder(f.target()):
		fmt.Fprintf(&b, lang.L("A derived DICOM series of %d files: new series and instance UIDs, the study, patient and frame of reference of the source, image type DERIVED."), dims[2])
	default:
		fmt.Fprintf(&b, lang.L("One file of %d × %d × %d voxels with the geometry of the source."), dims[0], dims[1], dims[2])
	}
	if f.options().Compress != "" {
		b.WriteString(lang.L(" The pixels are compressed; every value stays as it is."))
	}
	o := f.options()
	if o.Attaches(job.AttachMaps) {
		b.WriteString(lang.L(" Two parametric maps for each volume are series of their own in the study."))
	}
	if o.Attaches(job.AttachMeasurements) {
		b.WriteString(lang.L(" The result is judged for the measurements, which takes a while; they are a structured report in the study."))
	}
	fmt.Fprintf(&b, lang.L("\nFilter: %s.\nBeside it, %s contains the recipe."), f.request.Recipe, filepath.Base(f.target())+".recipe.json")
	switch {
	case f.asks():
		b.WriteString("\n" + f.standing() + lang.L(" You are asked before it is replaced."))
	case f.stands():
		b.WriteString("\n" + f.standing() + lang.L(" It is replaced."))
	}
	return b.String()
}

func (f *exportForm) browse() {
	d := dialog.NewFolderOpen(func(u fyne.ListableURI, err error) {
		if err == nil && u != nil {
			f.moveTo(u.Path())
		}
	}, f.parent)
	if u, err := storage.ListerForURI(storage.NewFileURI(filepath.Dir(f.path.Text))); err == nil {
		d.SetLocation(u)
	}
	f.request.Show(d)
}

// moveTo names another folder, and in it a name that is free there, unless the user chose one.
func (f *exportForm) moveTo(folder string) {
	if !f.isProposed() {
		f.path.SetText(filepath.Join(folder, filepath.Base(f.path.Text)))
		return
	}
	f.request.Go(func() {
		proposed := f.request.Of.Propose(folder, f.request.Hide)
		f.request.Do(func() {
			f.proposed = proposed
			f.path.SetText(f.proposal())
		})
	})
}

// StartFolder returns the last folder, or else the home folder.
func StartFolder(last string) string {
	if info, err := os.Stat(last); last != "" && err == nil && info.IsDir() {
		return last
	}
	if home, err := os.UserHomeDir(); err == nil {
		return home
	}
	return "."
}

// Exported shows what an export wrote; open shows a folder to the user, and send, nil if there
// is nothing that a PACS takes, asks where to send it.
func Exported(r job.Written, open func(folder string), send func(), parent fyne.Window) *Dialog {
	text := fmt.Sprintf(lang.L("%s written and read back: %s"), fileCount(r.Files), r.Output)
	if r.Recipe != "" {
		text += lang.L("\nRecipe: ") + r.Recipe
	}
	box := container.NewVBox(wrapped(text))
	for _, w := range r.Warnings {
		l := wrapped(language.Of(w))
		l.Importance = widget.WarningImportance
		box.Add(l)
	}
	choices := []choice{closeOnly(), {text: lang.L("Open folder"), chosen: func() { open(filepath.Dir(r.Output)) }}}
	if send != nil {
		choices = append(choices, choice{text: lang.L("Send to PACS …"), chosen: send})
	}
	return newDialog(lang.L("Exported"), box, fyne.NewSize(600, 240), parent, choices...)
}

// NoFileManager says where a folder is that no file manager shows.
func NoFileManager(path string, parent fyne.Window) *Dialog {
	field := control.NewEntry(lang.L("Folder")) // from which the path can be copied
	field.SetText(path)
	return newDialog(lang.L("No file manager"), container.NewVBox(wrapped(lang.L("No file manager answers on this desktop. The folder is:")), field), fyne.NewSize(600, 190), parent, closeOnly())
}

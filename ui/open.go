package ui

import (
	"context"
	"errors"
	"image"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"quell/app"
	"quell/ui/dialogs"
)

// Open shows the series at a path.
func (w *Window) Open(path string) { w.session.Open(path) }

// OpenBundled shows the series that comes with the program.
func (w *Window) OpenBundled() { w.session.OpenWith(w.options.Bundled) }

// opened follows a series that is shown.
func (w *Window) opened(path string) {
	title := Title
	if series := w.session.Series(); series != nil {
		name := series.Description
		switch {
		case path == "":
			name = "bundled series"
		case name == "":
			name = filepath.Base(path)
		}
		title += " – " + strings.TrimSpace(series.Modality+" "+name)
	}
	w.win.SetTitle(title)
	if path != "" {
		w.settings.Opened(path)
		w.saveSettings()
		w.setMenu() // for the list of recent series
	}
}

func (w *Window) forgetPaths() {
	w.settings.ForgetPaths()
	w.saveSettings()
	w.setMenu()
}

func (w *Window) toggleKeepPaths() {
	w.settings.KeepRecent = !w.settings.KeepRecent
	if !w.settings.KeepRecent {
		w.settings.ForgetPaths()
	}
	w.saveSettings()
	w.setMenu()
}

// failed shows an error's sentence. What the user cancelled is no error.
func (w *Window) failed(err error) {
	switch {
	case errors.Is(err, context.Canceled):
	case errors.Is(err, app.ErrEngineFailed) && w.session.Engine().Name != "cpu":
		w.offerCPU(err)
	default:
		w.show(dialogs.Error(err, w.win))
	}
}

// thumbnailPixels is enough for the chooser's pictures on a dense screen.
const thumbnailPixels = 128

func (w *Window) choose(c *app.Catalog, pick func(int), drop func()) {
	// One after the other: the first in the list are the first to be seen.
	pictures := func(ctx context.Context, order []int, show func(i int, m image.Image)) {
		w.options.Go(func() {
			for _, i := range order {
				picture := c.Thumbnail(ctx, i, thumbnailPixels)
				if ctx.Err() != nil {
					return
				}
				if picture != nil {
					w.options.Do(func() { show(i, picture) })
				}
			}
		})
	}
	w.show(dialogs.Choose(c, pick, drop, pictures, w.win))
}

// Drop opens what was dropped on the window: the first of several, as one
// window shows one series.
func (w *Window) Drop(uris []fyne.URI) {
	for _, u := range uris {
		if u.Scheme() == "file" {
			w.Open(u.Path())
			if len(uris) > 1 {
				w.status.note("Of several things dropped the first is opened; drop their folder to choose.")
			}
			return
		}
	}
	w.status.note("Only files and folders can be opened.")
}

func (w *Window) askFolder(use func(path string)) {
	w.place(dialog.NewFolderOpen(func(u fyne.ListableURI, err error) { w.picked(u, err, use) }, w.win))
}

func (w *Window) askFile(use func(path string)) {
	w.place(dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
		if r == nil {
			w.picked(nil, err, use)
			return
		}
		r.Close() // the readers open it themselves
		w.picked(r.URI(), err, use)
	}, w.win))
}

func (w *Window) picked(u fyne.URI, err error, use func(path string)) {
	switch {
	case err != nil:
		w.failed(err)
	case u != nil:
		use(u.Path())
	}
}

// place opens a file dialog large, in the folder used last.
func (w *Window) place(d *dialog.FileDialog) {
	if len(w.settings.RecentPaths) > 0 {
		parent := storage.NewFileURI(filepath.Dir(w.settings.RecentPaths[0]))
		if list, err := storage.ListerForURI(parent); err == nil {
			d.SetLocation(list)
		}
	}
	d.Resize(w.dialogSize())
	w.show(d)
}

// show puts a dialog over the window; Escape closes it again.
func (w *Window) show(d dialog.Dialog) {
	w.dialog = d
	d.Show()
}

func (w *Window) dialogSize() fyne.Size {
	size := w.win.Canvas().Size()
	return fyne.NewSize(min(size.Width*0.8, 1000), min(size.Height*0.8, 700))
}

func (w *Window) askExport() {
	run := w.session.Exportable()
	if run == nil {
		w.show(dialogs.Error(errors.New("there is nothing to export yet; apply the filter to the volume first"), w.win))
		return
	}
	w.show(dialogs.Export(dialogs.ExportRequest{
		Run: run, Stale: !w.session.Applied(), Folder: w.settings.ExportFolder, Recipe: recipeText(w.session, run.Recipe),
		Compress: w.settings.ExportCompressed,
		Export: func(out string, o app.ExportOptions) {
			if w.settings.KeepRecent {
				w.settings.ExportFolder = filepath.Dir(out)
			}
			if app.FormatOf(out) == app.DICOM {
				w.settings.ExportCompressed = o.Compress != ""
			}
			w.saveSettings()
			w.session.Export(out, o, func(r app.ExportReport) { w.show(dialogs.Exported(r, w.win)) })
		},
	}, w.win))
}

func (w *Window) askNoise() {
	facts, _ := w.session.Document().Facts()
	w.show(dialogs.Noise(dialogs.NoiseRequest{
		Unit: w.session.Series().Volume.Unit, Range: float64(facts.Hi) - float64(facts.Lo), Sigma: facts.Sigma,
		Magnitude: w.session.Series().Modality == "MR", Add: w.session.AddNoise,
	}, w.win))
}

func (w *Window) showFindings() {
	if series := w.session.Series(); series != nil {
		w.show(dialogs.Findings(series.Findings, w.win))
	}
}

func (w *Window) showAbout() { w.show(dialogs.About(app.Version(), w.app.Icon(), w.win)) }

func (w *Window) showShortcuts() {
	var sheet [][2]string
	for _, c := range w.table {
		var chords []string
		for _, chord := range c.Chords {
			chords = append(chords, chord.String())
		}
		if len(chords) > 0 {
			sheet = append(sheet, [2]string{strings.Join(chords, ", "), c.Title})
		}
	}
	w.show(dialogs.Shortcuts(sheet, gestures, w.win))
}

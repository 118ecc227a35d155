package ui

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"quell/app"
	"quell/internal/parallel"
	"quell/ui/dialogs"
)

// Open opens the series at a path beside those that are open, after a question where that
// would end a run or an export.
func (w *Workbench) Open(path string) {
	w.confirmTask(func() { w.session.Open(path) })
}

// OpenBundled opens the bundled series, after a question where that would end a run or an
// export.
func (w *Workbench) OpenBundled() {
	w.confirmTask(func() { w.session.OpenWith(w.options.Bundled) })
}

// opened follows a change of the series.
func (w *Workbench) opened(path string) {
	w.exportPath = ""
	if path != "" {
		w.settings.Opened(path)
		w.saveSettings()
		w.refreshMenu() // for the list of recent series
	}
}

// showTitle names the series in the title, unless the identity is hidden.
func (w *Workbench) showTitle() {
	title := Title
	if series := w.session.Series(); series != nil {
		name := series.Description
		switch {
		case w.session.Path() == "":
			name = "bundled series"
		case w.settings.HideIdentity:
			name = ""
		case name == "":
			name = filepath.Base(w.session.Path())
		}
		title = strings.TrimSpace(title + " – " + strings.TrimSpace(series.Modality+" "+name))
	}
	if w.main.Title() != title {
		w.main.SetTitle(title)
	}
}

func (w *Workbench) forgetPaths() {
	w.settings.ForgetPaths()
	w.saveSettings()
	w.refreshMenu()
}

func (w *Workbench) toggleKeepPaths() {
	w.settings.KeepRecent = !w.settings.KeepRecent
	if !w.settings.KeepRecent {
		w.settings.ForgetPaths()
		w.endAutosave(true)
	}
	w.saveSettings()
	w.refreshMenu()
}

// failed shows an error. A cancelled task is none.
func (w *Workbench) failed(err error) {
	var panicked *parallel.Panic
	switch {
	case errors.Is(err, context.Canceled):
	case errors.As(err, &panicked):
		text := "a fault in Quell stopped this task; the series and all other work are unchanged"
		if path := w.crashLog.Load(); path != nil {
			text += ". A report without names or paths of your data is in " + *path
		}
		w.show(dialogs.Error(fmt.Errorf("%s (%w)", text, err), w.main))
	case errors.Is(err, app.ErrEngineFailed) && w.session.Engine().Name != "cpu":
		w.offerCPU(err)
	default:
		w.show(dialogs.Error(err, w.main))
	}
}

// thumbnailPixels is the size of the chooser's thumbnails on a dense screen.
const thumbnailPixels = 128

func (w *Workbench) choose(c *app.Catalog, pick func(int), drop func()) {
	// One at a time, since those at the top of the list are visible.
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
	w.show(dialogs.Choose(c, pick, drop, pictures, w.main))
}

// Drop opens a file or folder that was dropped: the first of several, since the
// workbench shows one series.
func (w *Workbench) Drop(uris []fyne.URI) {
	if w.main.Canvas().Overlays().Top() != nil {
		return // a dialog waits for its answer
	}
	for _, u := range uris {
		if u.Scheme() == "file" {
			w.Open(u.Path())
			if len(uris) > 1 {
				w.status.note("Only the first of several files is opened; drop their folder to choose.")
			}
			return
		}
	}
	w.status.note("Only files and folders can be opened.")
}

// askPath opens a path that is typed; it begins with the folder used last.
func (w *Workbench) askPath() {
	start := ""
	if len(w.settings.RecentPaths) > 0 {
		start = filepath.Dir(w.settings.RecentPaths[0]) + string(filepath.Separator)
	}
	w.show(dialogs.Path(start, w.Open, w.main))
}

func (w *Workbench) askFolder(use func(path string)) {
	w.place(dialog.NewFolderOpen(func(u fyne.ListableURI, err error) { w.picked(u, err, use) }, w.main))
}

func (w *Workbench) askFile(use func(path string)) {
	w.place(dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
		if r == nil {
			w.picked(nil, err, use)
			return
		}
		r.Close() // the readers open it themselves
		w.picked(r.URI(), err, use)
	}, w.main))
}

func (w *Workbench) picked(u fyne.URI, err error, use func(path string)) {
	switch {
	case err != nil:
		w.failed(err)
	case u != nil:
		use(u.Path())
	}
}

// place opens a large file dialog in the folder that was used last.
func (w *Workbench) place(d *dialog.FileDialog) {
	if len(w.settings.RecentPaths) > 0 {
		parent := storage.NewFileURI(filepath.Dir(w.settings.RecentPaths[0]))
		if list, err := storage.ListerForURI(parent); err == nil {
			d.SetLocation(list)
		}
	}
	d.Resize(w.dialogSize())
	w.show(d)
}

// show opens a dialog; Escape closes it.
func (w *Workbench) show(d dialog.Dialog) {
	w.dialogs = append(w.dialogs, d)
	d.SetOnClosed(func() {
		w.dialogs = slices.DeleteFunc(w.dialogs, func(open dialog.Dialog) bool { return open == d })
	})
	d.Show()
}

func (w *Workbench) dialogSize() fyne.Size {
	size := w.main.Canvas().Size()
	return fyne.NewSize(min(size.Width*0.8, 1000), min(size.Height*0.8, 700))
}

func (w *Workbench) askExport() {
	run := w.session.Exportable()
	if run == nil {
		return
	}
	w.show(dialogs.Export(dialogs.ExportRequest{
		Run: run, Stale: !w.session.Applied(), Folder: w.settings.ExportFolder, Path: w.exportPath, Recipe: recipeText(w.session, run.Recipe),
		Compress: w.settings.ExportCompressed, Show: w.show,
		Export: func(out string, o app.ExportOptions) {
			if w.settings.KeepRecent {
				w.settings.ExportFolder = filepath.Dir(out)
			}
			if app.FormatOf(out) == app.DICOM {
				w.settings.ExportCompressed = o.Compress != ""
			}
			w.saveSettings()
			w.exportPath = out
			w.session.Export(out, o, func(r app.ExportReport) {
				w.exportPath = ""
				w.show(dialogs.Exported(r, w.openFolder, w.main))
			})
		},
	}, w.main))
}

// openFolder shows a folder in the desktop's file manager.
func (w *Workbench) openFolder(path string) {
	if err := w.app.OpenURL(&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}); err != nil {
		w.status.note("The folder cannot be shown: " + path)
	}
}

func (w *Workbench) askNoise() {
	facts, _ := w.session.Document().Facts()
	w.show(dialogs.Noise(dialogs.NoiseRequest{
		Unit: w.session.Series().Volume.Unit, Range: float64(facts.Hi) - float64(facts.Lo), Sigma: facts.Noise.Sigma,
		Magnitude: w.session.Series().Modality == "MR",
		Add:       func(n app.Noise) { w.confirmVoxels(func() { w.session.AddNoise(n) }) },
	}, w.main))
}

// clearReference removes the reference. With it goes added noise, and the result
// on the noisy voxels.
func (w *Workbench) clearReference() {
	if w.noisy() {
		w.confirmVoxels(w.session.ClearReference)
		return
	}
	w.session.ClearReference()
}

func (w *Workbench) showFindings() {
	if series := w.session.Series(); series != nil {
		w.show(dialogs.Findings(series.Findings, w.main))
	}
}

func (w *Workbench) showAbout() { w.show(dialogs.About(app.Version(), w.app.Icon(), w.main)) }

func (w *Workbench) showShortcuts() {
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
	w.show(dialogs.Shortcuts(sheet, gestures, w.main))
}

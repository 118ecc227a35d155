package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/internal/parallel"
	"quell/ui/dialogs"
	"quell/ui/language"
	"quell/ui/session/documents"
)

// Open opens the series at a path beside those that are open, after a question where that
// would end a run or an export.
func (w *Workbench) Open(path string) {
	w.confirmTask(func() { w.session.Reader.Open(path) })
}

// OpenBundled opens the bundled series, after a question where that would end a run or an
// export, or shows it where it is open.
func (w *Workbench) OpenBundled() {
	bundled := func(d documents.Opened) bool { return d.Path == "" }
	if i := slices.IndexFunc(w.session.Documents.List(), bundled); i >= 0 {
		w.showDocument(i)
		return
	}
	w.confirmTask(func() { w.session.Reader.OpenWith(w.options.Bundled) })
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
	if series := w.session.Series(); series != nil && !w.reader.active() && !arrives(w.session) {
		name := ""
		if shown := w.session.Documents.List()[w.current()]; !w.settings.HideIdentity || shown.Path == "" {
			name = documentName(shown, false)
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
	w.refresh()
}

func (w *Workbench) toggleKeepPaths() {
	w.settings.KeepRecent = !w.settings.KeepRecent
	if !w.settings.KeepRecent {
		w.settings.ForgetPaths()
		w.endAutosave(nil)
	}
	w.saveSettings()
	w.refresh()
}

// failed shows an error. A cancelled task is none.
func (w *Workbench) failed(err error) {
	var panicked *parallel.Panic
	switch {
	case errors.Is(err, context.Canceled):
	case errors.As(err, &panicked):
		text := lang.L("a fault in Quell stopped this task; the series and all other work are unchanged")
		if path := w.crashLog.Load(); path != nil {
			text += lang.L(". A report without names or paths of your data is in ") + *path
		}
		w.show(dialogs.Error(fmt.Errorf("%s (%s)", text, language.Sentence(err.Error())), w.main))
	case errors.Is(err, app.ErrEngineFailed) && w.session.Engine().Name != "cpu":
		w.offerCPU(err)
	default:
		w.show(dialogs.Error(err, w.main))
	}
}

// thumbnailPixels is the size of the chooser's thumbnails on a dense screen.
const thumbnailPixels = 128

func (w *Workbench) choose(c *app.Catalog, pick func(int), drop func()) {
	pictures := func(ctx context.Context, order []int, show func(i int, m image.Image)) {
		w.options.Go(func() {
			c.Thumbnails(ctx, order, thumbnailPixels, func(i int, m *image.Gray) {
				w.options.Do(func() { show(i, m) })
			})
		})
	}
	w.show(dialogs.Choose(c, pick, drop, pictures, w.main))
}

// askDamaged asks whether a series is opened without its broken files.
func (w *Workbench) askDamaged(err error, rest int, open, drop func()) {
	w.show(dialogs.Damaged(err, rest, open, drop, w.main))
}

// Drop opens a file or folder that was dropped: the first of several, since the
// workbench shows one series.
func (w *Workbench) Drop(uris []fyne.URI) {
	if w.covered() || w.reader.active() {
		return // a dialog waits for its answer
	}
	for _, u := range uris {
		if u.Scheme() == "file" {
			w.Open(u.Path())
			if len(uris) > 1 {
				w.status.note(lang.L("Only the first of several files is opened; drop their folder to choose."))
			}
			return
		}
	}
	w.status.note(lang.L("Only files and folders can be opened."))
}

// askPath opens a path that is typed or chosen; it begins with the folder used last.
func (w *Workbench) askPath() { w.browse(lang.L("Open a file or folder"), w.Open) }

// askFolder and askFile ask for a folder or a file by the dialog of the desktop, or by that
// of the workbench, where both can be chosen.
func (w *Workbench) askFolder(title string, use func(path string)) { w.askDesktop(title, true, use) }

func (w *Workbench) askFile(title string, use func(path string)) { w.askDesktop(title, false, use) }

func (w *Workbench) askDesktop(title string, folder bool, use func(path string)) {
	if w.choosing {
		return
	}
	if !w.options.DesktopDialogs || !hasDesktopDialog() {
		w.browse(title, use)
		return
	}
	w.choosing = true
	parent, start := portalParent(w.main), w.lastFolder()
	w.options.Go(func() {
		path, err := desktopDialog(parent, title, start, folder)
		w.options.Do(func() {
			w.choosing = false
			switch {
			case errors.Is(err, errNoDesktopDialog):
				w.browse(title, use)
			case err != nil:
				w.failed(err)
			case path != "":
				use(path)
			}
		})
	})
}

// browse asks for a file or folder by a dialog of the workbench.
func (w *Workbench) browse(title string, use func(path string)) {
	start := w.lastFolder()
	if start == "" {
		start = "~"
	}
	if !strings.HasSuffix(start, string(filepath.Separator)) {
		start += string(filepath.Separator)
	}
	w.show(dialogs.Browse(dialogs.BrowseRequest{Title: title, Start: start, Open: use, Go: w.options.Go, Do: w.options.Do}, w.main))
}

// lastFolder returns the folder that holds the series opened last, "" for none.
func (w *Workbench) lastFolder() string {
	if len(w.settings.RecentPaths) == 0 {
		return ""
	}
	return filepath.Dir(w.settings.RecentPaths[0])
}

// show opens a dialog; Escape closes it.
func (w *Workbench) show(d dialog.Dialog) {
	w.dialogs = append(w.dialogs, d)
	d.SetOnClosed(func() {
		w.dialogs = slices.DeleteFunc(w.dialogs, func(open dialog.Dialog) bool { return open == d })
	})
	d.Show()
}

// askExport asks where to export the run. Names that are free are looked for in the background,
// which is done before the dialog opens if the file system answers soon.
func (w *Workbench) askExport() {
	run := w.session.Results.Exportable()
	if run == nil || w.proposals.Busy() {
		return
	}
	w.proposals.Request(proposed{of: app.NewExporting(run, w.session.Exports.Of(run)), folder: w.settings.ExportFolder, hide: w.settings.HideIdentity})
	const soon = 100 * time.Millisecond
	w.proposals.Await(time.After(soon))
}

// proposed are names for an export of a run, as they were free when they were looked for.
type proposed struct {
	of     *app.Exporting
	folder string // to suggest; "" for the home folder
	hide   bool   // the identity is hidden
	free   app.Proposals
}

func (w *Workbench) showExport(p proposed) {
	if w.session.Results.Exportable() != p.of.Run || w.covered() {
		return // another series is shown by now
	}
	volumes := 0
	if w.session.Exports.CanWriteAll() {
		g, _ := w.session.Documents.Group()
		volumes = g.Len()
	}
	w.show(dialogs.Export(dialogs.ExportRequest{
		Of: p.of, Stale: !w.session.Results.Applied(), Proposed: p.free, Path: w.exportPath, Recipe: recipeText(w.session, p.of.Run.Recipe),
		Hide: p.hide, Compress: w.settings.ExportCompressed, Show: w.show, Go: w.options.Go, Do: w.options.Do,
		Export:    func(out string, o app.ExportOptions) { w.export(out, o, w.session.Exports.Write) },
		Volumes:   volumes,
		ExportAll: func(out string, o app.ExportOptions) { w.export(out, o, w.session.Exports.WriteAll) },
	}, w.main))
}

// askReport asks where to write the report on the result.
func (w *Workbench) askReport() {
	run := w.session.Results.Exportable()
	if run == nil {
		return
	}
	note := lang.L("One HTML file with verdict, measures, ROIs and pictures of this slice in this window.")
	if w.settings.HideIdentity {
		note += lang.L(" The patient's identity is left out, as on the screen.")
	} else {
		note += lang.L(" It names the patient; H hides the identity first.")
	}
	if !w.session.Results.Applied() {
		note += lang.L(" The parameters were changed since; the report is on the volume as filtered.")
	}
	w.show(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save a report"), Note: note, Folder: w.settings.ExportFolder, Name: dialogs.ReportName(run, w.settings.HideIdentity), Check: app.CheckOf(app.ReportOutput, run.Source), Show: w.show,
		Save: func(path string, overwrite bool) {
			w.rememberFolder(path)
			w.session.Exports.SaveReport(path, w.settings.HideIdentity, overwrite)
		},
	}, w.main))
}

// rememberFolder keeps the folder that the user chose for a file, which the next dialog suggests,
// where paths may be kept, and saves the settings.
func (w *Workbench) rememberFolder(path string) {
	if w.settings.KeepRecent {
		w.settings.ExportFolder = filepath.Dir(path)
	}
	w.saveSettings()
}

// export remembers where an export goes and begins it.
func (w *Workbench) export(out string, o app.ExportOptions, begin func(string, app.ExportOptions, func(app.ExportReport))) {
	if app.FormatOf(out).Compressions != nil {
		w.settings.ExportCompressed = o.Compress != ""
	}
	w.rememberFolder(out)
	w.exportPath = out
	begin(out, o, func(r app.ExportReport) {
		w.exportPath = ""
		w.watchExports()
		var send func()
		if app.FormatOf(r.Output).Identity {
			w.sendable, send = r.Output, w.askSend
		}
		w.show(dialogs.Exported(r, w.openFolder, send, w.main))
		w.changed()
	})
}

// openFolder shows a folder in the desktop's file manager.
func (w *Workbench) openFolder(path string) {
	if err := w.app.OpenURL(&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}); err != nil {
		w.show(dialogs.NoFileManager(path, w.main))
	}
}

func (w *Workbench) askNoise() {
	facts, _ := w.session.Document().Facts()
	w.show(dialogs.Noise(dialogs.NoiseRequest{
		Unit: w.session.Series().Volume.Unit, Range: float64(facts.Hi) - float64(facts.Lo), Sigma: facts.Noise.Sigma,
		Magnitude: w.session.Series().Modality == "MR",
		Add:       func(n app.Noise) { w.confirmVoxels(func() { w.session.Reader.AddNoise(n) }) },
	}, w.main))
}

// clearReference removes the reference. With it goes added noise, and the result
// on the noisy voxels.
func (w *Workbench) clearReference() {
	if w.noisy() {
		w.confirmVoxels(w.session.Reader.ClearReference)
		return
	}
	w.session.Reader.ClearReference()
}

func (w *Workbench) showFindings() {
	if series := w.session.Series(); series != nil {
		w.show(dialogs.Findings(series.Findings, w.main))
	}
}

// ShowNotice shows the notice on clinical use where it is due. Nothing waits for it.
func (w *Workbench) ShowNotice() {
	if now := w.options.Now(); w.settings.NoticeDue(now) {
		w.settings.Noticed = now
		w.saveSettings()
		w.show(dialogs.Notice(w.main))
	}
}

func (w *Workbench) showAbout() { w.show(dialogs.About(app.Version(), w.app.Icon(), w.main)) }

// showShortcuts shows the keys of the table of commands, menu by menu, and the mouse.
func (w *Workbench) showShortcuts() { w.show(dialogs.Shortcuts(w.helpSections(), w.main)) }

// helpSections returns the help sheet: keys by menu, then those of no menu, and the mouse.
func (w *Workbench) helpSections() (sections []dialogs.Section) {
	for _, menu := range append(slices.Clone(menuOrder), "") {
		s := dialogs.Section{Title: lang.L(cmp.Or(menu, "Slices"))}
		for _, c := range w.table {
			if cmp.Or(c.Menu, c.Section) == menu && len(c.Chords) > 0 {
				s.Rows = append(s.Rows, [2]string{c.keys(), c.Title})
			}
		}
		if len(s.Rows) > 0 {
			sections = append(sections, s)
		}
	}
	mouse := dialogs.Section{Title: lang.L("Mouse")}
	for _, g := range gestures {
		mouse.Rows = append(mouse.Rows, [2]string{lang.L(g[0]), lang.L(g[1])})
	}
	return append(sections, mouse)
}

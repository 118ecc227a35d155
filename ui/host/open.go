package host

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/open"
	"quell/app/workbench"
	"quell/ui/dialogs"
	"quell/ui/panel"
	"quell/ui/portal"
	"quell/ui/session/documents"
)

// thumbnailPixels is the size of the chooser's thumbnails on a dense screen.
const thumbnailPixels = 128

// IsOpen says whether a series is open.
func (h *Host) IsOpen() bool { return h.Session.Series() != nil }

// Idle says whether a series is open and no task in progress, which another would replace.
func (h *Host) Idle() bool { return h.IsOpen() && !h.Session.Tasks.Busy() }

// Open opens the series at a path along with the series that are open, after a question
// if that would end a run or an export; or a project.
func (h *Host) Open(path string) {
	for _, p := range h.Panels {
		if o, ok := p.(panel.PathOpener); ok && o.OpenPath(path) {
			return
		}
	}
	h.ConfirmTask(func() { h.Session.Reader.Open(path) })
}

// OpenBundled opens the bundled series, after a question if that would end a run or an
// export, or shows it if it is open.
func (h *Host) OpenBundled() {
	bundled := func(d documents.Listed) bool { return d.Path == "" }
	if i := slices.IndexFunc(h.Session.Documents.List(), bundled); i >= 0 {
		h.ShowDocument(i)
		return
	}
	h.ConfirmTask(func() { h.Session.Reader.OpenWith(h.Bundled) })
}

// Opened follows a change of the series.
func (h *Host) Opened(path string) {
	for _, p := range h.Panels {
		if o, ok := p.(panel.Opener); ok {
			o.Opened(path)
		}
	}
}

// Choose asks which series of several is opened.
func (h *Host) Choose(c *open.Catalog, pick func(int), drop func()) {
	pictures := func(ctx context.Context, order []int, show func(i int, m image.Image)) {
		h.Go(func() {
			c.Thumbnails(ctx, order, thumbnailPixels, func(i int, m *image.Gray) {
				h.Do(func() { show(i, m) })
			})
		})
	}
	h.ShowDialog(dialogs.Choose(c, pick, drop, pictures, h.Window))
}

// AskDamaged asks whether a series is opened without its broken files.
func (h *Host) AskDamaged(err error, rest int, open, drop func()) {
	h.ShowDialog(dialogs.Damaged(err, rest, open, drop, h.Window))
}

// Drop opens a file or folder that was dropped: the first of several, since the
// workbench shows one series. If one is open, a question offers to open it beside that.
func (h *Host) Drop(uris []fyne.URI) {
	if h.Covered() || h.cover != nil {
		return // a dialog waits for its answer
	}
	for _, u := range uris {
		if u.Scheme() == "file" {
			h.openDropped(u.Path())
			if len(uris) > 1 {
				h.Note(lang.L("Only the first of several files is opened; drop their folder to choose."))
			}
			return
		}
	}
	h.Note(lang.L("Only files and folders can be opened."))
}

// openDropped opens a path, after the question whether it is to stand beside the series on the screen, if that is not
// the example of the start.
func (h *Host) openDropped(path string) {
	if !h.Idle() || h.Session.Documents.Example() || strings.EqualFold(filepath.Ext(path), workbench.ProjectEnding) {
		h.Open(path)
		return
	}
	h.ShowDialog(dialogs.Dropped(func() { h.Open(path) }, func() { h.Session.Reader.OpenBeside(path) }, h.Window))
}

// ShowDocument shows an open series. One that was put away is read again, after a
// question if that would end a run or an export.
func (h *Host) ShowDocument(i int) {
	open := h.Session.Documents.List()
	switch {
	case i < 0 || i >= len(open) || open[i].Shown || h.Covered():
	case open[i].Away:
		h.ConfirmTask(func() { h.Session.Documents.Show(i) })
	default:
		h.Session.Documents.Show(i)
	}
}

// Workspace returns all that is open with how it is shown, false if nothing is open that is worth keeping.
func (h *Host) Workspace() (work workbench.Workspace, open bool) {
	work, open = h.Session.Documents.Workspace()
	work.Display = h.Display()
	return work, open
}

// Display returns what the panels keep of how they show series.
func (h *Host) Display() json.RawMessage {
	values := map[string]any{}
	h.keepers(func(k panel.Keeper) { k.Keep(func(name string, value any) { values[name] = value }) })
	data, _ := json.Marshal(values)
	return data
}

// RestoreDisplay gives the panels what was kept of them.
func (h *Host) RestoreDisplay(work workbench.Workspace) {
	if get, known := keptState(work); known {
		h.keepers(func(k panel.Keeper) { k.Restore(get) })
	}
}

// Offered says in sentences, each behind a space, what RestoreDisplay brings back besides how series are shown.
func (h *Host) Offered(work workbench.Workspace) (text string) {
	if get, known := keptState(work); known {
		h.keepers(func(k panel.Keeper) { text += k.Offer(get) })
	}
	return text
}

// keepers calls f for every panel with a state to keep.
func (h *Host) keepers(f func(panel.Keeper)) {
	for _, p := range h.Panels {
		if k, ok := p.(panel.Keeper); ok {
			f(k)
		}
	}
}

// keptState returns what reads the state of panels in saved work; false if there is none.
func keptState(work workbench.Workspace) (get func(name string, into any) bool, known bool) {
	var values map[string]json.RawMessage
	err := json.Unmarshal(work.Display, &values)
	return func(name string, into any) bool {
		value, ok := values[name]
		return ok && json.Unmarshal(value, into) == nil
	}, err == nil
}

// AskPath opens a path that is typed or chosen; it begins with the folder used last.
func (h *Host) AskPath() { h.browse(lang.L("Open a file or folder"), h.Open) }

// AskAny asks for a file or a folder, by the workbench's own dialog: no dialog of a desktop takes both.
func (h *Host) AskAny(title string, use func(path string)) { h.browse(title, use) }

// AskFolder asks for a folder by the dialog of the desktop, or by the workbench's,
// if both can be chosen.
func (h *Host) AskFolder(title string, use func(path string)) { h.askDesktop(title, true, use) }

// AskFile asks for a file likewise.
func (h *Host) AskFile(title string, use func(path string)) { h.askDesktop(title, false, use) }

func (h *Host) askDesktop(title string, folder bool, use func(path string)) {
	if h.choosing {
		return
	}
	if !h.DesktopDialogs || !portal.Exists() {
		h.browse(title, use)
		return
	}
	h.choosing = true
	parent, start := portal.Parent(h.Window), h.lastFolder()
	h.Go(func() {
		path, err := portal.Ask(parent, title, start, folder)
		h.Do(func() {
			h.choosing = false
			switch {
			case errors.Is(err, portal.ErrNone):
				h.browse(title, use)
			case err != nil:
				h.Fail(err)
			case path != "":
				use(path)
			}
		})
	})
}

// browse asks for a file or folder by a dialog of the workbench.
func (h *Host) browse(title string, use func(path string)) {
	start := h.lastFolder()
	if start == "" {
		start = "~"
	}
	if !strings.HasSuffix(start, string(filepath.Separator)) {
		start += string(filepath.Separator)
	}
	h.ShowDialog(dialogs.Browse(dialogs.BrowseRequest{Title: title, Start: start, Open: use, Go: h.Go, Do: h.Do}, h.Window))
}

// lastFolder returns the folder that holds the series opened last, "" for none.
func (h *Host) lastFolder() string {
	if len(h.Settings.RecentPaths) == 0 {
		return ""
	}
	return filepath.Dir(h.Settings.RecentPaths[0])
}

// RememberFolder keeps the folder that the user chose for a file, which the next dialog suggests,
// if paths may be kept, and saves the settings.
func (h *Host) RememberFolder(path string) {
	if h.Settings.KeepRecent {
		h.Settings.ExportFolder = filepath.Dir(path)
	}
	h.SaveSettings()
}

// OpenFolder shows a folder in the desktop's file manager.
func (h *Host) OpenFolder(path string) {
	if err := h.App.OpenURL(&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}); err != nil {
		h.ShowDialog(dialogs.NoFileManager(path, h.Window))
	}
}

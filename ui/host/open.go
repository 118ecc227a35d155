package host

import (
	"context"
	"image"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/open"
	"quell/app/workbench"
	"quell/ui/dialogs"
	"quell/ui/panel"
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

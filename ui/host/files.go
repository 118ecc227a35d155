package host

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/ui/dialogs"
	"quell/ui/portal"
)

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

// Package opening is what stands over the pictures before a series is open: ways to open one, and
// the series that is being read.
package opening

import (
	"fmt"
	"image"
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/pacs"
	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/palette"
	"quell/ui/panel"
	"quell/ui/session/documents"
	"quell/ui/wording"
)

// invitedPaths is how many of the series that were open last the invitation offers.
const invitedPaths = 5

// Invite covers the panes while no series is open, and offers ways to open one.
type Invite struct {
	h      *host.Host
	Layer  *fyne.Container
	recent *fyne.Container
	shown  []string // titles and paths of the series in recent
}

// NewInvite returns the invitation of a workbench.
func NewInvite(h *host.Host) panel.Panel {
	i := &Invite{h: h, recent: container.NewVBox()}
	heading := widget.NewLabelWithStyle(lang.L("Open a CT or MR series"), fyne.TextAlignCenter, fyne.TextStyle{Bold: true})
	heading.SizeName = theme.SizeNameSubHeadingText
	ways := widget.NewLabelWithStyle(lang.L("Drop a folder, a file or a zip archive anywhere in this window, or choose:"), fyne.TextAlignCenter, fyne.TextStyle{})
	folder := h.Button(theme.FolderOpenIcon(), lang.L("Open folder …"), "open-folder")
	file := h.Button(theme.FileIcon(), lang.L("Open file …"), "open-file")
	bundled := h.Button(nil, lang.L("Open the bundled series"), "open-bundled")
	folder.Importance, file.Importance, bundled.Importance = widget.HighImportance, widget.MediumImportance, widget.MediumImportance
	buttons := container.NewHBox(folder, file, bundled)
	i.Layer = container.NewStack(control.NewGround(theme.ColorNameBackground),
		container.NewCenter(container.NewVBox(heading, ways, container.NewCenter(buttons), i.recent)))
	i.Layer.Hide()
	return i
}

// Show implements panel.Panel: it shows the invitation while no series is open or being read.
func (i *Invite) Show(panel.Snapshot) {
	if i.h.IsOpen() || i.h.Session.Tasks.Busy() {
		i.Layer.Hide()
		return
	}
	recent := i.recentCommands()
	recent = recent[:min(len(recent), invitedPaths)]
	shown := slices.Clone(i.h.Settings.RecentPaths)
	for _, c := range recent {
		shown = append(shown, c.Title)
	}
	if !slices.Equal(shown, i.shown) {
		i.shown = shown
		i.recent.RemoveAll()
		if len(recent) > 0 {
			i.recent.Add(widget.NewLabelWithStyle(lang.L("Open recent"), fyne.TextAlignCenter, fyne.TextStyle{}))
		}
		for _, c := range recent {
			b := control.NewButton(c.Title, nil, func() { i.h.Run(c) })
			b.Importance = widget.LowImportance
			i.recent.Add(container.NewCenter(b))
		}
	}
	i.Layer.Show()
}

// Dock implements panel.Panel.
func (i *Invite) Dock() panel.Dock { return panel.Dock{Area: panel.Pictures, Object: i.Layer} }

// Opened implements panel.Opener.
func (i *Invite) Opened(path string) {
	if path != "" && !pacs.IsSpooled(path) { // images of a PACS are gone at the end
		i.h.Settings.Opened(path)
		i.h.SaveSettings()
		i.h.RefreshMenu() // for the list of recent series
	}
}

// Commands implements panel.Panel.
func (i *Invite) Commands() []command.Command {
	return []command.Command{
		{ID: "open-folder", Title: "Open folder …", Menu: command.FileMenu, Chords: command.With(command.Ctrl, fyne.KeyO), Run: func() { i.h.AskFolder(lang.L("Open a folder"), i.h.Open) }},
		{ID: "open-file", Title: "Open file …", Menu: command.FileMenu, Chords: command.With(command.Ctrl|fyne.KeyModifierShift, fyne.KeyO), Run: func() { i.h.AskFile(lang.L("Open a file"), i.h.Open) }},
		{ID: "open-path", Title: "Open a path …", Menu: command.FileMenu, Chords: command.With(command.Ctrl, fyne.KeyL), Run: i.h.AskPath},
		{ID: "open-pacs", Title: "Open from PACS …", Menu: command.FileMenu, Run: i.askArchive},
		{ID: "pacs-places", Title: "PACS nodes …", Menu: command.EditMenu, Run: func() { i.askPlaces(func() {}) },
			Help: "adds, changes, tests and removes the PACS that are kept under a name"},
		{ID: "open-bundled", Title: "Open the bundled series", Menu: command.FileMenu, Run: i.h.OpenBundled},
		{ID: "open-recent", Title: "Open recent", Menu: command.FileMenu, List: i.recentCommands},
	}
}

// recentCommands open the series that were open last.
func (i *Invite) recentCommands() (out []command.Command) {
	for n, path := range i.h.Settings.RecentPaths {
		title := filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
		if i.h.Settings.HideIdentity { // names of files may be names of patients
			title = fmt.Sprintf(lang.L("Recent series %d"), n+1)
		}
		out = append(out, command.Command{Title: title, Run: func() { i.h.Open(path) }})
	}
	return out
}

// arriving covers the panes while a series is read, from its first slice on.
type arriving struct {
	panel.Base
	layer *fyne.Container
	slice *canvas.Image
	text  *canvas.Text
	shown image.Image
}

// NewArriving returns the cover of a series that is being read.
func NewArriving(*host.Host) panel.Panel {
	a := &arriving{slice: canvas.NewImageFromImage(image.NewGray(image.Rect(0, 0, 1, 1))), text: canvas.NewText("", palette.Picture.Text)}
	a.slice.FillMode = canvas.ImageFillContain
	a.text.TextStyle.Bold = true
	a.text.TextSize = theme.Size(theme.SizeNameText)
	a.layer = container.NewStack(canvas.NewRectangle(palette.Picture.Ground), a.slice, container.NewPadded(container.NewVBox(a.text)))
	a.layer.Hide()
	return a
}

// Show implements panel.Panel: it shows the slice of a series that is being read, and how far that is.
func (a *arriving) Show(now panel.Snapshot) {
	s, hide := now.Session, now.Settings.HideIdentity
	if !panel.Arrives(s) {
		a.layer.Hide()
		return
	}
	series := s.Reader.Arriving()
	text := wording.Joined(wording.Series(documents.Listed{Path: series.Path, Name: series.Name, Meta: series.Meta, Dims: series.Dims}, hide), s.Tasks.Progress().Text)
	if a.text.Text != text {
		a.text.Text = text
		a.text.Refresh()
	}
	if a.shown != series.Slice {
		a.shown, a.slice.Image = series.Slice, series.Slice
		a.slice.Refresh()
	}
	a.layer.Show()
}

// Dock implements panel.Panel.
func (a *arriving) Dock() panel.Dock { return panel.Dock{Area: panel.Pictures, Object: a.layer} }

// askArchive asks for a series of a PACS and opens it.
func (i *Invite) askArchive() {
	kept, err := pacs.Places()
	if err != nil {
		i.h.Fail(err)
	}
	reader := i.h.Session.Reader
	var beside func(pacs.Place, pacs.Row)
	if i.h.Idle() && !i.h.Session.Documents.Example() {
		beside = reader.OpenArchiveBeside
	}
	i.h.ShowDialog(dialogs.Archive(dialogs.ArchiveRequest{
		Beside: beside, Edit: func() { i.askPlaces(i.askArchive) },
		Places: slices.Concat(kept, i.h.Settings.Nodes), Hide: i.h.Settings.HideIdentity,
		Search: reader.SearchArchive, Preview: reader.PreviewArchive,
		Open: func(p pacs.Place, r pacs.Row, first image.Image) {
			i.h.ConfirmTask(func() { reader.OpenArchive(p, r, first) })
		},
	}, i.h.Window))
}

// askPlaces shows the places of a PACS, which can be changed there, and calls then when the dialog is closed.
func (i *Invite) askPlaces(then func()) {
	kept, err := pacs.Places()
	if err != nil {
		i.h.Fail(err)
		return
	}
	after := func(err error) ([]pacs.Place, error) {
		if err != nil {
			return nil, err
		}
		return pacs.Places()
	}
	d := dialogs.Places(dialogs.PlacesRequest{
		Places: kept, Echo: i.h.Session.Exports.Echo,
		Save:   func(former string, p pacs.Place) ([]pacs.Place, error) { return after(pacs.ReplacePlace(former, p)) },
		Remove: func(name string) ([]pacs.Place, error) { return after(pacs.RemovePlace(name)) },
	}, i.h.Window)
	i.h.ShowDialog(d)
	d.SetOnClosed(then)
}

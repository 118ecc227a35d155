package ui

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// invitedPaths is how many of the series that were open last the invitation offers.
const invitedPaths = 5

// invite covers the panes while no series is open, and offers ways to open one.
type invite struct {
	layer  *fyne.Container
	recent *fyne.Container
	shown  []string // titles and paths of the series in recent
}

func newInvite(w *Workbench) *invite {
	i := &invite{recent: container.NewVBox()}
	heading := widget.NewLabelWithStyle(lang.L("Open a CT or MR series"), fyne.TextAlignCenter, fyne.TextStyle{Bold: true})
	heading.SizeName = theme.SizeNameSubHeadingText
	ways := widget.NewLabelWithStyle(lang.L("Drop a folder, a file or a zip archive anywhere in this window, or choose:"), fyne.TextAlignCenter, fyne.TextStyle{})
	folder := w.commandButton(theme.FolderOpenIcon(), lang.L("Open folder …"), "open-folder")
	file := w.commandButton(theme.FileIcon(), lang.L("Open file …"), "open-file")
	bundled := w.commandButton(nil, lang.L("Open the bundled series"), "open-bundled")
	folder.Importance, file.Importance, bundled.Importance = widget.HighImportance, widget.MediumImportance, widget.MediumImportance
	buttons := container.NewHBox(folder, file, bundled)
	i.layer = container.NewStack(canvas.NewRectangle(color.Black),
		container.NewCenter(container.NewVBox(heading, ways, container.NewCenter(buttons), i.recent)))
	i.layer.Hide()
	return i
}

// display shows the invitation while no series is open or being read.
func (i *invite) display(w *Workbench) {
	if w.open() || w.session.Tasks.Busy() {
		i.layer.Hide()
		return
	}
	recent := w.recentCommands()
	recent = recent[:min(len(recent), invitedPaths)]
	shown := slices.Clone(w.settings.RecentPaths)
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
			b := control.NewButton(c.Title, nil, func() { w.run(c) })
			b.Importance = widget.LowImportance
			i.recent.Add(container.NewCenter(b))
		}
	}
	i.layer.Show()
}

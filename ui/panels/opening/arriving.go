package opening

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"quell/ui/host"
	"quell/ui/palette"
	"quell/ui/panel"
	"quell/ui/session/documents"
	"quell/ui/wording"
)

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

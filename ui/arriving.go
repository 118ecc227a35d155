package ui

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"quell/ui/session"
	"quell/ui/session/documents"
)

// arriving covers the panes while a series is read, from its first slice on.
type arriving struct {
	layer *fyne.Container
	slice *canvas.Image
	text  *canvas.Text
	shown image.Image
}

func newArriving() *arriving {
	a := &arriving{slice: canvas.NewImageFromImage(image.NewGray(image.Rect(0, 0, 1, 1))), text: canvas.NewText("", color.White)}
	a.slice.FillMode = canvas.ImageFillContain
	a.text.TextStyle.Bold = true
	a.text.TextSize = theme.Size(theme.SizeNameText)
	a.layer = container.NewStack(canvas.NewRectangle(color.Black), a.slice, container.NewPadded(container.NewVBox(a.text)))
	a.layer.Hide()
	return a
}

// arrives says whether a series that is being read is on the screen. No name and no number of the
// series before may stand beside its picture.
func arrives(s *session.Session) bool {
	return s.Reader.Arriving() != nil && s.Reader.Arriving().Slice != nil
}

// display shows the slice of a series that is being read, and how far that is.
func (a *arriving) display(s *session.Session, hide bool) {
	if !arrives(s) {
		a.layer.Hide()
		return
	}
	series := s.Reader.Arriving()
	text := joined(documentName(documents.Opened{Path: series.Path, Name: series.Name, Meta: series.Meta, Dims: series.Dims}, hide), s.Tasks.Progress().Text)
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

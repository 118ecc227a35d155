package ui

import (
	"math"

	"fyne.io/fyne/v2"
)

// sideWidth is the width of the filter column: enough for a slider with unit and
// field, and no more, as the pictures need the space.
const sideWidth = 346

// fixedWidthLayout gives its objects a fixed width and the available height.
type fixedWidthLayout struct{ width float32 }

// Layout implements fyne.Layout.
func (l fixedWidthLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.NewPos(0, 0))
		o.Resize(size)
	}
}

// MinSize implements fyne.Layout.
func (l fixedWidthLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(l.width, 0)
	for _, o := range objects {
		size.Height = max(size.Height, o.MinSize().Height)
	}
	return size
}

// paneLayout places the visible panes side by side with equal widths in whole
// units, so that linked pictures have the same size in pixels.
type paneLayout struct{}

const paneGap = 2

// Layout implements fyne.Layout.
func (paneLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	var shown []fyne.CanvasObject
	for _, o := range objects {
		if o.Visible() {
			shown = append(shown, o)
		}
	}
	if len(shown) == 0 {
		return
	}
	n := float32(len(shown))
	width := float32(math.Floor(float64((size.Width - paneGap*(n-1)) / n)))
	height := float32(math.Floor(float64(size.Height)))
	for i, o := range shown {
		o.Move(fyne.NewPos(float32(i)*(width+paneGap), 0))
		o.Resize(fyne.NewSize(width, height))
	}
}

// MinSize implements fyne.Layout.
func (paneLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		if o.Visible() {
			m := o.MinSize()
			size.Width += m.Width + paneGap
			size.Height = max(size.Height, m.Height)
		}
	}
	return size
}

package pictures

import (
	"math"

	"fyne.io/fyne/v2"
)

// paneLayout places the visible panes side by side, four of them in two rows, with equal
// sizes in whole units, so that linked pictures have the same size in pixels.
// One of them may be an inset, small in a corner of another.
type paneLayout struct {
	// inset returns an inset and the picture below it; nil for none.
	inset func() (small, over fyne.CanvasObject)
}

const paneGap = 2

// Measures of the inset, in units; its share is of the shorter side of what it lies over.
const (
	insetShare  = 0.25
	insetMost   = 400
	insetMargin = 6
)

// columns returns in how many columns n panes stand.
func (paneLayout) columns(n int) int {
	if n == 4 {
		return 2
	}
	return n
}

// shown returns the objects that are visible and no inset.
func (l paneLayout) shown(objects []fyne.CanvasObject) (shown []fyne.CanvasObject) {
	small, _ := l.inset()
	for _, o := range objects {
		if o.Visible() && o != small {
			shown = append(shown, o)
		}
	}
	return shown
}

// Layout implements fyne.Layout.
func (l paneLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	shown := l.shown(objects)
	if len(shown) == 0 {
		return
	}
	columns := l.columns(len(shown))
	across := func(space float32, n int) float32 {
		return float32(math.Floor(float64((space - paneGap*float32(n-1)) / float32(n))))
	}
	width, height := across(size.Width, columns), across(size.Height, len(shown)/columns)
	for i, o := range shown {
		o.Move(fyne.NewPos(float32(i%columns)*(width+paneGap), float32(i/columns)*(height+paneGap)))
		o.Resize(fyne.NewSize(width, height))
	}
	if small, over := l.inset(); small != nil {
		side := float32(math.Floor(float64(min(insetShare*min(width, height), insetMost))))
		small.Resize(fyne.NewSquareSize(side))
		small.Move(over.Position().AddXY(width-side-insetMargin, height-side-insetMargin))
	}
}

// MinSize implements fyne.Layout.
func (l paneLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var most fyne.Size
	shown := l.shown(objects)
	if len(shown) == 0 {
		return most
	}
	for _, o := range shown {
		most = most.Max(o.MinSize())
	}
	columns := l.columns(len(shown))
	rows := len(shown) / columns
	return fyne.NewSize(float32(columns)*(most.Width+paneGap), float32(rows)*(most.Height+paneGap)-paneGap)
}

// Package screen answers what panels ask about the device they are shown on.
// It imports Fyne only.
package screen

import "fyne.io/fyne/v2"

// PixelsPerUnit returns how many device pixels one of Fyne's units is wide
// where o is shown; 1 where it is not shown yet.
func PixelsPerUnit(o fyne.CanvasObject) float64 {
	app := fyne.CurrentApp()
	if app == nil {
		return 1
	}
	c := app.Driver().CanvasForObject(o)
	if c == nil {
		return 1
	}
	const span = 1000 // long enough for the rounding not to matter
	x, _ := c.PixelCoordinateForPosition(fyne.NewPos(span, span))
	if x <= 0 {
		return 1
	}
	return float64(x) / span
}

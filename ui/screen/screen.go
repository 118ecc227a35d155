// Package screen describes the device that panels are shown on, and draws charts for it.
package screen

import "fyne.io/fyne/v2"

// PixelsPerUnit returns the width of one Fyne unit in device pixels on the canvas of
// o; 1 if o is not on a canvas yet.
func PixelsPerUnit(o fyne.CanvasObject) float64 {
	app := fyne.CurrentApp()
	if app == nil {
		return 1
	}
	c := app.Driver().CanvasForObject(o)
	if c == nil {
		return 1
	}
	const span = 1000 // long enough to make rounding negligible
	x, _ := c.PixelCoordinateForPosition(fyne.NewPos(span, span))
	if x <= 0 {
		return 1
	}
	return float64(x) / span
}

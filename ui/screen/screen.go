// Package screen describes the device that panels are shown on, and draws charts for it.
package screen

import (
	"image"
	"math"

	"fyne.io/fyne/v2"

	"quell/report/chart"
	"quell/ui/language"
	"quell/ui/palette"
)

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

// DPI is how many units of the screen an inch has.
const DPI = 96

// Look is the style of charts in the colours of a theme and the language of the workbench.
func Look(c *palette.Colors) chart.Look {
	const letters = 9 // points
	return chart.Look{Ground: c.ChartGround, Ink: c.ChartInk, Grid: c.ChartGrid, Size: letters, Number: language.Number}
}

// Chart draws a chart of width x height units, and its legend beside it, at that many device pixels for a unit, in the
// colours of a theme and the language of the workbench. It returns nil if the chart cannot be drawn. Any goroutine may call
// it.
func Chart(colors *palette.Colors, width, height, pixelsPerUnit float64, c chart.Chart) image.Image {
	look := Look(colors)
	look.Beside = true
	pixels := func(units float64) int { return int(math.Round(units * max(pixelsPerUnit, 0.5))) }
	m, _, _, err := chart.Draw(look, pixels(width), pixels(height), pixels(DPI), c)
	if err != nil {
		return nil
	}
	return m
}

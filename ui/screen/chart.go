package screen

import (
	"image"
	"math"

	"quell/report/chart"
	"quell/ui/language"
	"quell/ui/palette"
)

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

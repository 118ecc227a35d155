package screen

import (
	"image"
	"math"

	"quell/report/chart"
	"quell/ui/language"
)

// DPI is how many units of the screen an inch has.
const DPI = 96

// Chart draws a chart of width x height units, and its legend beside it, at that many device pixels for a unit, in the
// colours and the language of the workbench. It returns nil if the chart cannot be drawn. Any goroutine may call it.
func Chart(width, height, pixelsPerUnit float64, c chart.Chart) image.Image {
	look := chart.Dark
	look.Number, look.Beside = language.Number, true
	pixels := func(units float64) int { return int(math.Round(units * max(pixelsPerUnit, 0.5))) }
	m, _, _, err := chart.Draw(look, pixels(width), pixels(height), pixels(DPI), c)
	if err != nil {
		return nil
	}
	return m
}

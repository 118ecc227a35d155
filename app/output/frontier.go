package output

import (
	"quell/app/judge"
	"quell/denoise/lesions"
	"quell/internal/message"
	"quell/report/chart"
	"quell/series"
)

// The size of a chart of frontiers, in pixels without its legend.
const (
	frontierWidth, frontierHeight = 640, 420
	frontierDPI                   = 96
	frontierHues                  = 7 // curves after these have their colours again, and are dashed
)

// WriteFrontiers writes a chart as PNG: the contrast kept over the noise left, a curve for each filter, with a mark
// where the dial stops. An earlier picture of Quell is replaced, any other file only with overwrite.
func WriteFrontiers(all []judge.Frontier, path string, s *series.Series, overwrite bool) error {
	m, _, _, err := chart.Draw(chart.Light, frontierWidth, frontierHeight, frontierDPI, FrontierChart(all, "noise left, %", "contrast kept of visible objects, %"))
	if err != nil {
		return message.Errorf(message.OutputUnwritable, "the chart cannot be drawn: %w", err)
	}
	return WritePicture(m, "", path, overwrite, s)
}

// FrontierChart plots the contrast kept over the noise left in percent, a curve for each filter, with a mark where the
// dial stops, and the least contrast that the dial keeps. left and kept are the labels of the axes.
func FrontierChart(all []judge.Frontier, left, kept string) chart.Chart {
	c := chart.Chart{X: chart.Axis{Label: left, Min: 0, Max: 100}, Y: chart.Axis{Label: kept, Min: 0, Max: 105}}
	point := func(s judge.Setting) chart.Point {
		return chart.Point{X: 100 * (1 - s.Noise().Value), Y: 100 * s.Contrast().Value}
	}
	for i, f := range all {
		if f.Settings == nil {
			continue
		}
		k := chart.Curve{Name: f.Filter, Series: i, Width: 1, Dashed: i >= frontierHues}
		for _, s := range f.Settings {
			k.Points = append(k.Points, point(s))
		}
		c.Curves = append(c.Curves, k)
		if f.Dial != nil {
			c.Curves = append(c.Curves, chart.Curve{Series: i, Mark: 4, Points: []chart.Point{point(*f.Dial)}})
		}
	}
	least := 100 * lesions.UsualBounds.Kept
	c.Curves = append(c.Curves, chart.Curve{Color: chart.Light.Grid, Width: 1, Dashed: true, Points: []chart.Point{{X: 0, Y: least}, {X: 100, Y: least}}})
	return c
}

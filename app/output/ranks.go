package output

import (
	"context"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/judge"
	"quell/denoise/lesions"
	"quell/internal/message"
	"quell/io/format"
	"quell/report/chart"
	"quell/series"
	"quell/volume"
)

// seriesMapSink writes one map of all volumes of a 4-D series that were filtered together, as one volume.
type seriesMapSink struct {
	staged
	option, about string
	values        func(m *executor.Made) *volume.Volume // nil for a filter of volumes
}

// Begin refuses files that cannot hold the map, and filters of volumes.
func (w *seriesMapSink) Begin(_ context.Context, first *executor.Made) error {
	switch {
	case !files.Holds(w.out, 2) || files.IsFolder(w.out):
		return job.Usagef("%s: the map is written as one file; give a name that ends in %s", w.out, message.Or(files.MapOutput.Endings))
	case first.Run == nil || first.Run.Recipe.SeriesFilter() == nil:
		return job.Usagef("--%s: only lowrank filters the volumes of a 4-D series together", w.option)
	}
	return nil
}

// Slab writes the map with the first volume.
func (w *seriesMapSink) Slab(ctx context.Context, s *executor.Slab) error {
	if w.stage != nil {
		return nil
	}
	if err := w.open(format.Options{Datatype: "float32"}); err != nil {
		return err
	}
	values := w.values(s.Whole)
	header := *s.Whole.Source
	header.Volume = &volume.Volume{Geometry: values.Geometry}
	if err := w.written.Begin(ctx, &header, format.Derived{Description: w.about + " " + describe(s.Whole.Run)}); err != nil {
		return writeError(w.out, err)
	}
	if err := w.written.Add(ctx, values, nil); err != nil {
		return writeError(w.out, err)
	}
	return nil
}

// sigmaOf returns the noise by which the volumes were filtered.
func sigmaOf(m *executor.Made) *volume.Volume {
	sigma := float32(m.Run.Resolved.Get("sigma").Float())
	out := volume.New(m.Source.Volume.Geometry.Crop(m.Region))
	if m.Run.Maps.Noise != nil {
		out = m.Run.Maps.Noise.Crop(m.Region)
	}
	for i := range out.Data {
		if m.Run.Maps.Noise != nil {
			out.Data[i] *= sigma // which counts in sigmas of the map
		} else {
			out.Data[i] = sigma
		}
	}
	return out
}

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

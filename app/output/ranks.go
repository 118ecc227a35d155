package output

import (
	"context"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/format"
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

package output

import (
	"context"
	"path/filepath"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/format"
	"quell/volume"
)

// seriesMapSink writes one map of all volumes of a 4-D series that were filtered together, as one volume.
type seriesMapSink struct {
	option, out string
	about       string
	values      func(m *executor.Made) *volume.Volume // nil for a filter of volumes
	stage       *atomic.Stage
	written     format.Writer
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
func (w *seriesMapSink) Slab(ctx context.Context, s *executor.Slab) (err error) {
	if w.stage != nil {
		return nil
	}
	w.out = filepath.Clean(w.out)
	if w.stage, err = atomic.Begin(w.out); err != nil {
		return err
	}
	w.written = files.NewWriter(w.out, w.stage.Path(filepath.Base(w.out)), format.Options{Datatype: "float32"})
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

// Finish completes the file and gives it its name.
func (w *seriesMapSink) Finish(ctx context.Context, _ *executor.Outcome) error {
	if _, err := w.written.Close(ctx); err != nil {
		return writeError(w.out, err)
	}
	return w.stage.Commit(ctx)
}

// Abort removes what was not committed.
func (w *seriesMapSink) Abort() {
	if w.written != nil {
		w.written.Discard()
	}
	if w.stage != nil {
		w.stage.Close()
	}
	w.written, w.stage = nil, nil
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

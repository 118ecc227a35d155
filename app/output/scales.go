package output

import (
	"context"
	"path/filepath"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// checkScales refuses scales of a recipe that has none, and files that cannot hold them.
func checkScales(r denoise.Recipe, out string) error {
	if !files.Holds(out, len(denoise.Directions)) || files.IsFolder(out) {
		return job.Usagef("%s: the scales are written as one file of several volumes; give a name that ends in %s", out, message.Or(files.MapOutput.Endings))
	}
	if f, err := denoise.FilterByName(r.Filter); err == nil && f.Support == nil {
		return job.Usagef("--scales-out: %s chooses no neighbourhood for every voxel", r.Filter)
	}
	return nil
}

// scalesSink writes how far the neighbourhood of every voxel of a run reaches: a file of eight
// volumes for every volume of the source in turn, one for each of denoise.Directions, of
// denoise.Lengths in voxels. Excluded voxels hold 0.
type scalesSink struct {
	out    string
	src    *executor.Source
	stage  *atomic.Stage      // nil before the first slab
	frames format.Writer      //
	kept   [][]*volume.Volume // the directions of the slabs of a volume that is not complete
}

// Begin refuses filters that choose no neighbourhood.
func (w *scalesSink) Begin(_ context.Context, first *executor.Made) error {
	return checkScales(first.Run.Recipe, w.out)
}

// Slab writes the scales of a run. A direction follows another, so that directions of slabs wait for the
// last.
func (w *scalesSink) Slab(ctx context.Context, s *executor.Slab) (err error) {
	scales, err := run.Scales(ctx, s.Part.Run)
	if err != nil {
		return err
	}
	if w.stage == nil {
		w.out = filepath.Clean(w.out)
		if w.stage, err = atomic.Begin(w.out); err != nil {
			return err
		}
	}
	if w.frames == nil {
		volumes := &series.Group{Places: make([]series.Place, w.src.Len()*len(scales))}
		w.frames = files.NewWriter(w.out, w.stage.Path(filepath.Base(w.out)), format.Options{Group: volumes, Datatype: "uint8"})
	}
	if w.kept = append(w.kept, scales); !s.Last {
		return nil
	}
	header := *s.Whole.Source
	header.Volume = &volume.Volume{Geometry: s.Whole.Source.Volume.Geometry.Crop(s.Whole.Region)}
	for d := range scales {
		if err := w.frames.Begin(ctx, &header, format.Derived{Description: "Lengths of neighbourhoods. " + describe(s.Whole.Run)}); err != nil {
			return writeError(w.out, err)
		}
		for _, part := range w.kept {
			if err := w.frames.Add(ctx, part[d], nil); err != nil {
				return writeError(w.out, err)
			}
		}
	}
	w.kept = nil
	return nil
}

// Finish completes the file and gives it its name.
func (w *scalesSink) Finish(ctx context.Context, _ *executor.Outcome) error {
	if _, err := w.frames.Close(ctx); err != nil {
		return writeError(w.out, err)
	}
	return w.stage.Commit(ctx)
}

// Abort removes what was not committed.
func (w *scalesSink) Abort() {
	if w.frames != nil {
		w.frames.Discard()
	}
	if w.stage != nil {
		w.stage.Close()
	}
	*w = scalesSink{out: w.out, src: w.src}
}

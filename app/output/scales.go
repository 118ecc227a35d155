package output

import (
	"context"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/message"
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
	staged
	src  *executor.Source
	kept [][]*volume.Volume // the directions of the slabs of a volume that is not complete
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
		volumes := &series.Group{Places: make([]series.Place, w.src.Len()*len(scales))}
		if err := w.open(format.Options{Group: volumes, Datatype: "uint8"}); err != nil {
			return err
		}
	}
	if w.kept = append(w.kept, scales); !s.Last {
		return nil
	}
	header := *s.Whole.Source
	header.Volume = &volume.Volume{Geometry: s.Whole.Source.Volume.Geometry.Crop(s.Whole.Region)}
	for d := range scales {
		if err := w.written.Begin(ctx, &header, format.Derived{Description: "Lengths of neighbourhoods. " + describe(s.Whole.Run)}); err != nil {
			return writeError(w.out, err)
		}
		for _, part := range w.kept {
			if err := w.written.Add(ctx, part[d], nil); err != nil {
				return writeError(w.out, err)
			}
		}
	}
	w.kept = nil
	return nil
}

// Abort also drops the directions that wait.
func (w *scalesSink) Abort() {
	w.staged.Abort()
	w.kept = nil
}

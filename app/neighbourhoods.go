package app

import (
	"context"
	"path/filepath"

	"quell/denoise"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// Neighbourhoods returns the function that computes the neighbourhood that the request's
// filter chooses around a voxel of the slice; ok is false for an excluded voxel. It reads
// the whole of the maps, and the function only the voxels around its own. It is nil where
// the filter chooses none.
func (q PreviewRequest) Neighbourhoods(ctx context.Context) (at func(x, y, z int) (l denoise.Lengths, ok bool)) {
	if !q.ChoosesNeighbourhoods() {
		return nil
	}
	resolved, err := q.resolve()
	if err != nil {
		return nil
	}
	if at, err = resolved.Neighbourhoods(ctx, q.Maps.input(q.Series.Volume), q.Region()); err != nil {
		return nil
	}
	return at
}

// ChoosesNeighbourhoods says whether the filter chooses one for every voxel.
func (q PreviewRequest) ChoosesNeighbourhoods() bool {
	f, err := denoise.FilterByName(q.Recipe.Filter)
	return err == nil && f.Support != nil
}

// checkScales refuses scales of a recipe that has none, and files that cannot hold them.
func checkScales(r denoise.Recipe, out string) error {
	if f := FormatOf(out); !f.Frames || f.Folder() {
		return Usagef("%s: the scales are written as one file of several volumes; give a name that ends in %s", out, message.Or(MapOutput.Endings))
	}
	if f, err := denoise.FilterByName(r.Filter); err == nil && f.Support == nil {
		return Usagef("--scales-out: %s chooses no neighbourhood for every voxel", r.Filter)
	}
	return nil
}

// scalesSink writes how far the neighbourhood of every voxel of a run reaches: a file of eight
// volumes for every volume of the source in turn, one for each of denoise.Directions, of
// denoise.Lengths in voxels. Excluded voxels hold 0.
type scalesSink struct {
	out    string
	src    *Source
	stage  *atomic.Stage      // nil before the first slab
	frames format.Writer      //
	kept   [][]*volume.Volume // the directions of the slabs of a volume that is not complete
}

// Begin refuses filters that choose no neighbourhood.
func (w *scalesSink) Begin(_ context.Context, first *Made) error {
	return checkScales(first.Run.Recipe, w.out)
}

// Slab writes the scales of a run. A direction follows another, so that those of slabs wait for the last.
func (w *scalesSink) Slab(ctx context.Context, s *Slab) (err error) {
	scales, err := scalesOf(ctx, s.Part.Run)
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
		w.frames = FormatOf(w.out).NewWriter(w.stage.Path(filepath.Base(w.out)), format.Options{Group: volumes, Datatype: "uint8"})
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
func (w *scalesSink) Finish(ctx context.Context, _ *Report) error {
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

// scalesOf returns the lengths of the neighbourhoods of a run along each of
// denoise.Directions.
func scalesOf(ctx context.Context, run *Run) ([]*volume.Volume, error) {
	box := run.Region
	scales := make([]*volume.Volume, len(denoise.Directions))
	for d := range scales {
		scales[d] = volume.New(run.Source.Volume.Geometry.Crop(box))
		scales[d].Unit = "voxels"
	}
	at, err := run.Resolved.Neighbourhoods(ctx, run.Maps.input(run.Source.Volume), box)
	if err != nil {
		return nil, err
	}
	n := scales[0].SliceVoxels()
	return scales, parallel.For(ctx, box.Dims()[2], func(k int) error {
		i := k * n
		for y := box.Min[1]; y < box.Max[1]; y++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			for x := box.Min[0]; x < box.Max[0]; x++ {
				if l, ok := at(x, y, box.Min[2]+k); ok {
					for d, h := range l {
						scales[d].Data[i] = float32(h)
					}
				}
				i++
			}
		}
		return nil
	})
}

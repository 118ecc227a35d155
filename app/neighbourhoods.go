package app

import (
	"context"
	"path/filepath"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/io/raster"
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
		return Usagef("%s: the scales are written as one file of several volumes; give a name that ends in %s", out, orList(MapOutput.Endings))
	}
	if f, err := denoise.FilterByName(r.Filter); err == nil && f.Support == nil {
		return Usagef("--scales-out: %s chooses no neighbourhood for every voxel", r.Filter)
	}
	return nil
}

// ExportScales writes how far the neighbourhood of every voxel of a run reaches: a
// NIfTI file of eight volumes, one for each of denoise.Directions, of denoise.Lengths
// in voxels. Excluded voxels hold 0. Of the options Overwrite counts.
func ExportScales(ctx context.Context, run *Run, out string, o ExportOptions) error {
	if err := checkScales(run.Resolved, out); err != nil {
		return err
	}
	if err := (Gate{Inputs: sourcesOf(run.Source), Outputs: []Target{{"--scales-out", out, MapOutput}}, Overwrite: o.Overwrite}).Check(); err != nil {
		return err
	}
	w, err := beginScales(out, 1)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.add(ctx, run); err != nil {
		return err
	}
	return w.commit(ctx)
}

// scalesExport writes the lengths of the neighbourhoods of runs on one grid to one file, eight
// volumes for each run in turn. The file is made in a stage, read back and committed.
type scalesExport struct {
	out    string
	runs   int
	stage  *atomic.Stage
	frames *raster.FrameWriter // nil before the first run
}

// beginScales begins a file for so many runs. The caller closes it.
func beginScales(out string, runs int) (*scalesExport, error) {
	out = filepath.Clean(out)
	stage, err := atomic.Begin(out)
	if err != nil {
		return nil, err
	}
	return &scalesExport{out: out, runs: runs, stage: stage}, nil
}

// add writes the scales of the next run.
func (w *scalesExport) add(ctx context.Context, run *Run) error {
	scales, err := scalesOf(ctx, run)
	if err != nil {
		return err
	}
	if w.frames == nil {
		part := section(run.Source, run.Region)
		w.frames, err = FormatOf(w.out).frames(w.stage.Path(filepath.Base(w.out)), w.runs*len(scales), part, 0, "uint8", "Lengths of neighbourhoods. "+describe(run), nil)
		if err != nil {
			return writeError(w.out, err)
		}
	}
	for _, v := range scales {
		if err := w.frames.Add(ctx, v); err != nil {
			return writeError(w.out, err)
		}
	}
	return nil
}

// commit completes the file and gives it its name.
func (w *scalesExport) commit(ctx context.Context) error {
	if err := w.frames.Close(ctx); err != nil {
		return writeError(w.out, err)
	}
	return w.stage.Commit(ctx)
}

// close removes what was not committed.
func (w *scalesExport) close() {
	if w.frames != nil {
		w.frames.Discard()
	}
	w.stage.Close()
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

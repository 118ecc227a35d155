package app

import (
	"context"
	"path/filepath"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/io/nifti"
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

// checkScales reports why the scales of a recipe's neighbourhoods cannot be written to
// out.
func checkScales(s *series.Series, r denoise.Recipe, out string, o ExportOptions) error {
	if FormatOf(out) != NIfTI {
		return Usagef("%s: the scales are written as NIfTI; give a name that ends in .nii or .nii.gz", out)
	}
	if f, err := denoise.FilterByName(r.Filter); err == nil && f.Support == nil {
		return Usagef("--scales-out: %s chooses no neighbourhood for every voxel", r.Filter)
	}
	return checkTarget(s, filepath.Clean(out), o)
}

// ExportScales writes how far the neighbourhood of every voxel of a run reaches: a
// NIfTI file of eight volumes, one for each of denoise.Directions, of denoise.Lengths
// in voxels. Excluded voxels hold 0. Of the options Overwrite counts.
func ExportScales(ctx context.Context, run *Run, out string, o ExportOptions) error {
	out = filepath.Clean(out)
	if err := checkScales(run.Source, run.Resolved, out, o); err != nil {
		return err
	}
	part := section(run.Source, run.Region)
	frames := make([]*volume.Volume, len(denoise.Directions))
	for d := range frames {
		frames[d] = volume.New(part.Volume.Geometry)
		frames[d].Unit = "voxels"
	}
	at, err := run.Resolved.Neighbourhoods(ctx, run.Maps.input(run.Source.Volume), run.Region)
	if err != nil {
		return err
	}
	box := run.Region
	n := part.Volume.SliceVoxels()
	err = parallel.For(ctx, box.Dims()[2], func(k int) error {
		i := k * n
		for y := box.Min[1]; y < box.Max[1]; y++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			for x := box.Min[0]; x < box.Max[0]; x++ {
				if l, ok := at(x, y, box.Min[2]+k); ok {
					for d, h := range l {
						frames[d].Data[i] = float32(h)
					}
				}
				i++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return writeScales(ctx, frames, part, out, "Lengths of neighbourhoods. "+describe(run))
}

// writeScales writes the volumes in a stage, reads them back and commits the file.
func writeScales(ctx context.Context, frames []*volume.Volume, from *series.Series, out, description string) error {
	stage, err := atomic.Begin(out)
	if err != nil {
		return err
	}
	defer stage.Close()
	name := filepath.Base(out)
	w, err := nifti.NewFrameWriter(stage.Path(name), len(frames), from, 0, "uint8", description)
	if err != nil {
		return writeError(out, err)
	}
	defer w.Discard()
	for _, v := range frames {
		if err := w.Add(ctx, v); err != nil {
			return writeError(out, err)
		}
	}
	if err := w.Close(ctx); err != nil {
		return writeError(out, err)
	}
	return stage.Commit(ctx)
}

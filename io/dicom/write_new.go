package dicom

import (
	"context"
	"math"

	"quell/io/dicom/derive"
	"quell/series"
	"quell/volume"
)

// WriteNew writes the volume of a series that has no DICOM source (one from
// NIfTI) into the folder dir, one Secondary Capture file per slice with position,
// orientation and spacing. Whole values that fit 16 bits are stored as they are;
// others are scaled into 16 bits with rescale slope and intercept, and the
// report says by how much that rounds. Masked voxels are stored as padding.
// Folder, progress and errors are as for Write.
func WriteNew(ctx context.Context, dir string, s *series.Series, d derive.Derived, progress func(done, total int)) (derive.Report, error) {
	v := s.Volume
	n, err := derive.NewSecondaryCaptures(ctx, dir, s, d)
	if err != nil {
		return derive.Report{}, err
	}
	files := make([][]int, v.Dims[2])
	for k := range files {
		files[k] = []int{k}
	}
	w := newSeriesWriter(files, progress)
	w.report.SeriesUID = n.UID
	// Files are numbered along row x column, which a left-handed grid runs
	// against.
	backwards := v.Affine.Det() < 0
	along := func(k int) int {
		if backwards {
			return v.Dims[2] - 1 - k
		}
		return k
	}
	positions := make([]volume.Vec, v.Dims[2])
	for k := range positions {
		positions[k] = v.Affine.Apply(0, 0, float64(along(k)))
	}
	w.make = func(k int) ([]byte, [][]byte, error) {
		pixels := n.Pixels(along(k))
		return n.File(k, positions[k], pixels), [][]byte{pixels}, nil
	}
	if err := w.run(ctx, dir, positions); err != nil {
		return derive.Report{}, err
	}
	if n.Format.Slope != 1 || n.Format.Intercept != math.Trunc(n.Format.Intercept) {
		w.warn("Values are scaled into 16 bits; each is within %.3g of what it was.", n.Format.Slope/2)
	}
	return w.report, nil
}

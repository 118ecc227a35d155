package nifti

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"quell/series"
	"quell/volume"
)

// WriteFrames writes several volumes on one grid to path, a .nii or .nii.gz, as the
// frames of one four-dimensional file: fourth dimension len(frames), which
// [ReadVolume] reads by number. Integer types store values unscaled where all of all
// frames are whole and fit. Otherwise it is [Write].
func WriteFrames(ctx context.Context, path string, frames []*volume.Volume, from *series.Series, dtype, description string) error {
	d, err := datatypeByName(dtype)
	if err != nil {
		return err
	}
	_, ext, gz := splitExt(path)
	if !strings.EqualFold(ext, ".nii") {
		return errors.New("the name must end in .nii or .nii.gz: only NIfTI holds several volumes")
	}
	if len(frames) == 0 || len(frames) > maxDim16 {
		return fmt.Errorf("a file holds 1 to %d volumes, not %d", maxDim16, len(frames))
	}
	grid := frames[0].Geometry
	all := volume.Volume{Geometry: grid, Data: make([]float32, 0, len(frames)*grid.Voxels())}
	for i, v := range frames {
		if err := v.Validate(); err != nil {
			return err
		}
		if !v.SameGrid(grid, 0) {
			return fmt.Errorf("volume %d lies on another grid than the first", i)
		}
		all.Data = append(all.Data, v.Data...)
	}
	source, err := sourceHeader(from)
	if err != nil {
		return err
	}
	e := newEncoder(d, &all)
	h := newHeader(grid, source, e, description)
	h.dim[0], h.dim[4] = 4, int64(len(frames))
	return writeNew(path, func(w io.Writer) error { return writeSingle(ctx, w, h, e, &all, gz != "") })
}

package command

import (
	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/app/open"
	"quell/internal/message"
	"quell/volume"
)

// InOrderOf returns a volume of a path in the order of the reference's voxels, and refuses one that has not its dims.
func InOrderOf(cmd *cobra.Command, path string, v, ref *volume.Volume) (*volume.Volume, error) {
	if ordered, ok := v.InOrderOf(ref.Geometry, open.GridTolerance); ok {
		return ordered, nil
	}
	if v.Dims != ref.Dims {
		return nil, &job.InputError{
			Path:    path,
			Problem: message.New(message.GridDiffers, "is %s voxels, the reference %s", open.DimsText(v.Dims), open.DimsText(ref.Dims)),
			Advice:  message.Text("compare series of the same dims"),
		}
	}
	if err := open.SameGrid(ref.Geometry, v.Geometry); err != nil {
		Warn(cmd, "warning: %s: %v", path, err)
	}
	return v, nil
}

// OpenSame reads a volume that must have the reference's dims, in the order of its voxels if both lie on one grid.
// Different positions are only a warning: many programs do not write them.
func OpenSame(cmd *cobra.Command, path string, ref *volume.Volume) (*volume.Volume, error) {
	in, err := OpenInput(cmd, job.Input{Path: path})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return InOrderOf(cmd, path, in.Volume, ref)
}

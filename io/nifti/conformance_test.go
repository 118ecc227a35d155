package nifti_test

import (
	"context"
	"path/filepath"
	"testing"

	"quell/io/iotest"
	"quell/io/nifti"
	"quell/volume"
)

// writing adapts Write to the conformance suite.
func writing(dtype string) func(context.Context, string, string, *volume.Volume) error {
	return func(ctx context.Context, dir, name string, v *volume.Volume) error {
		return nifti.Write(ctx, filepath.Join(dir, name), v, nil, nil, dtype, "")
	}
}

func TestConformance(t *testing.T) {
	all := []iotest.Grid{iotest.Axial, iotest.Analyze, iotest.Sagittal, iotest.Oblique, iotest.LeftHanded, iotest.Sheared}
	analyze := []iotest.Grid{iotest.Analyze}
	for _, c := range []struct {
		name, ext, dtype string
		grids            []iotest.Grid
		tolerance        float64
	}{
		{"nii float32", ".nii", "", all, 0},
		{"nii float64", ".nii", "float64", all, 0},
		{"nii.gz float32", ".nii.gz", "float32", all, 0},
		// Half a step of 65533, and the rounding of the reader's float32.
		{"nii int16", ".nii", "int16", all, 0.51 / 65533},
		{"nii.gz uint16", ".nii.gz", "uint16", all, 0.51 / 65533},
		{"nii int32", ".nii", "int32", all, 1e-7},
		{"hdr float32", ".hdr", "", analyze, 0},
		{"hdr float64", ".hdr", "float64", analyze, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			iotest.Run(t, iotest.Format{
				Write: writing(c.dtype), Read: nifti.Read, Ext: c.ext,
				Grids: c.grids, Tolerance: c.tolerance,
				Position: 1e-4, // float32 rounding of positions near 300 mm
			})
		})
	}
}

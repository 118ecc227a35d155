package metaimage_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"

	"quell/io/iotest"
	"quell/io/metaimage"
	"quell/series"
	"quell/volume"
)

func TestConformance(t *testing.T) {
	all := []iotest.Grid{iotest.Axial, iotest.Analyze, iotest.Sagittal, iotest.Oblique, iotest.LeftHanded, iotest.Sheared}
	for _, dtype := range []string{"", "float64"} {
		t.Run(dtype, func(t *testing.T) {
			iotest.Run(t, iotest.Format{
				Write: func(ctx context.Context, dir, name string, v *volume.Volume) error {
					_, err := metaimage.Make.Write(ctx, filepath.Join(dir, name), v, nil, nil, dtype, "")
					return err
				},
				Read: func(ctx context.Context, fsys fs.FS, name string) (*series.Series, error) {
					return metaimage.Open.Read(ctx, fsys, name, 0, "")
				},
				Ext: ".mha", Grids: all, Position: 1e-9,
			})
		})
	}
}

package dicom_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"quell/io/dicom"
	"quell/io/dicom/derive"
	"quell/io/dicom/dicomtest"
	"quell/io/iotest"
	"quell/series"
	"quell/volume"
)

// TestConformance runs the suite of readers and writers over a series made from a volume.
func TestConformance(t *testing.T) {
	iotest.Run(t, iotest.Format{
		Write: func(ctx context.Context, dir, name string, v *volume.Volume) error {
			s := &series.Series{Meta: series.Meta{Format: "NIfTI-1", Modality: "CT"}, Volume: v}
			d := derive.Derived{Description: "made by a test", Version: "0", Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
			r, err := dicomtest.WriteNew(ctx, filepath.Join(dir, name), s, d, nil)
			if err == nil {
				dicomtest.SameInSlices(t, filepath.Join(dir, name), r, s, v, d)
			}
			return err
		},
		Read: func(ctx context.Context, fsys fs.FS, name string) (*series.Series, error) {
			below, err := fs.Sub(fsys, name)
			if err != nil {
				return nil, err
			}
			c, err := dicom.Scan(ctx, below, nil)
			if err != nil {
				return nil, err
			}
			return c.Load(ctx, c.Default, nil)
		},
		Grids: []iotest.Grid{iotest.Axial, iotest.Sagittal, iotest.Oblique, iotest.Sheared},
		// Half a step of 16 bits, and the reader's float32.
		Tolerance: 0.51 / 65535,
		Position:  1e-3, // decimal strings of 16 characters
	})
}

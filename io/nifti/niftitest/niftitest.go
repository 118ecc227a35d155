// Package niftitest writes NIfTI and Analyze files for tests.
package niftitest

import (
	"context"
	"strconv"

	"quell/io/format"
	"quell/io/nifti"
	"quell/series"
	"quell/volume"
)

// Write writes a volume, which was made from no file. dtype is "" for the default.
func Write(ctx context.Context, path string, v *volume.Volume, dtype string) error {
	_, err := nifti.Make.Write(ctx, path, v, nil, &series.Series{Volume: v}, format.Derived{}, format.Options{Datatype: dtype})
	return err
}

// Write4D writes volumes that are step seconds apart, 0 if that is not known, to one file.
func Write4D(ctx context.Context, path string, step float64, volumes ...*volume.Volume) error {
	w := nifti.Make.NewWriter(path, format.Options{Group: Times(len(volumes), step)})
	defer w.Discard()
	for _, v := range volumes {
		if err := w.Begin(ctx, &series.Series{Volume: v}, format.Derived{}); err != nil {
			return err
		}
		if err := w.Add(ctx, v, nil); err != nil {
			return err
		}
	}
	_, err := w.Close(ctx)
	return err
}

// Times returns a series of so many volumes, step seconds apart.
func Times(volumes int, step float64) *series.Group {
	g := &series.Group{Step: step}
	for k := range volumes {
		g.Places = append(g.Places, series.Place{{Axis: "time", Value: strconv.FormatFloat(float64(k)*step, 'g', -1, 64)}})
	}
	return g
}

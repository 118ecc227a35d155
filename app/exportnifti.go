package app

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"quell/io/nifti"
	"quell/series"
	"quell/volume"
)

func checkDtype(format Format, dtype string) error {
	switch {
	case dtype == "":
		return nil
	case format == DICOM:
		return Usagef("a data type is for NIfTI and Analyze; DICOM keeps that of its source")
	case !slices.Contains(nifti.Datatypes(), dtype):
		return Usagef("no data type is called %q; there are %s", dtype, strings.Join(nifti.Datatypes(), ", "))
	}
	return nil
}

// writeNIfTI makes the file or pair of that name in dir and reads it back.
func writeNIfTI(ctx context.Context, j job, dir, name string, o ExportOptions, progress func(done, total int), report *ExportReport) error {
	if err := nifti.Write(ctx, filepath.Join(dir, name), j.result, j.series, o.Dtype, j.derived.Description); err != nil {
		return err
	}
	back, err := nifti.Read(ctx, openFolder(dir, false), name)
	if err != nil {
		return fmt.Errorf("cannot be read back: %w", err)
	}
	if err := sameValues(j.result, back); err != nil {
		return fmt.Errorf("was read back and differs from what was to be written (%w), so it is not kept; check the disk, or choose another place", err)
	}
	report.Files = 1
	if nifti.ImagePath(name) != name {
		report.Files = 2
	}
	if progress != nil {
		progress(1, 1)
	}
	return nil
}

// sameValues compares what was to be written with what was read back, at the
// same place in the patient: Analyze knows one order of voxels only and the
// writer turns them into it. Every voxel has to be within half a rescale step.
func sameValues(want *volume.Volume, back *series.Series) error {
	got := back.Volume
	w, g := want.View(volume.Axial), got.View(volume.Axial)
	if w.Size != g.Size {
		return fmt.Errorf("%s voxels became %s", DimsText(want.Dims), DimsText(got.Dims))
	}
	step := 0.0
	if len(back.Sources) == 1 {
		step = math.Abs(back.Sources[0].Slope)
	}
	var ws, gs []float32
	var mask []bool
	for z := range w.Size[2] {
		ws, gs, mask = w.Extract(ws, want, z), g.Extract(gs, got, z), w.ExtractMask(mask, want, z)
		for i, x := range ws {
			if mask != nil && !mask[i] {
				continue
			}
			// Values are float32 on both sides: two roundings on top of the step.
			slack := step/2 + 2.4e-7*math.Abs(float64(x))
			if d := math.Abs(float64(gs[i]) - float64(x)); !(d <= slack) {
				return fmt.Errorf("a voxel of slice %d is %v instead of %v", z, gs[i], x)
			}
		}
	}
	return nil
}

package app

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// imagePath is the .img of a pair, given its .hdr; other paths stay as they are.
func imagePath(path string) string {
	if ext := filepath.Ext(path); strings.EqualFold(ext, ".hdr") {
		return strings.TrimSuffix(path, ext) + ".img"
	}
	return path
}

// stagePrefix begins the names of folders in which an export is made; io/dicom
// uses the same and passes over them when it looks for series.
const stagePrefix = ".quell-export-"

// clearStages removes what killed exports left in a folder: stages that nobody
// has touched for a day.
func clearStages(parent string) {
	stages, err := filepath.Glob(filepath.Join(parent, stagePrefix+"*"))
	if err != nil {
		return // the folder's name is no pattern; nothing is lost by leaving them
	}
	for _, stage := range stages {
		if info, err := os.Lstat(stage); err == nil && info.IsDir() && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(stage)
		}
	}
}

// writeNIfTI writes into a folder of its own beside the target, reads that
// back and renames. A kill in the middle leaves the folder, whose name begins
// with a dot, and nothing under the target's name.
func writeNIfTI(ctx context.Context, j job, out string, o ExportOptions, progress func(done, total int), report *ExportReport) error {
	parent, name := filepath.Dir(out), filepath.Base(out)
	err := os.MkdirAll(parent, 0o777)
	var stage string
	if err == nil {
		clearStages(parent)
		stage, err = os.MkdirTemp(parent, stagePrefix)
	}
	if err != nil {
		return unwritable(out, err)
	}
	defer os.RemoveAll(stage)

	if err := nifti.Write(ctx, filepath.Join(stage, name), j.result, j.series, o.Dtype, j.derived.Description); err != nil {
		return unwritable(out, err)
	}
	back, err := nifti.Read(ctx, os.DirFS(stage), name)
	if err != nil {
		return fmt.Errorf("%s cannot be read back: %w", out, err)
	}
	if err := sameValues(j.result, back); err != nil {
		return fmt.Errorf("%s: what was written was read back and is not what was meant (%w), so it is not kept; check the disk, or choose another place", out, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// The header comes last: a pair without it is no image.
	names := []string{name}
	if img := imagePath(name); img != name {
		names = []string{img, name}
	}
	for _, n := range names {
		if err := os.Rename(filepath.Join(stage, n), filepath.Join(parent, n)); err != nil {
			return unwritable(out, err)
		}
	}
	report.Files = len(names)
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

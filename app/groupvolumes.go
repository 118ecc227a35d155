package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"quell/io/dicom"
	"quell/io/nifti"
	"quell/io/raster"
	"quell/volume"
)

// dicomVolumes writes the volumes to the files of one DICOM series.
type dicomVolumes struct {
	of    *groupExport
	files *dicom.SeriesWriter // nil before the first volume
}

func (w *dicomVolumes) add(ctx context.Context, k int, e export) (clipped int64, err error) {
	g := w.of.group
	warnings := e.prepare(w.of.options)
	if w.files == nil {
		w.of.report.Warnings = warnings // of each volume the same
		if w.files, err = dicom.NewSeriesWriter(w.of.stage.Path(filepath.Base(w.of.out)), g.Len(), nil); err != nil {
			return 0, err
		}
	}
	e.derived.Place, e.derived.Step = g.Places[k], g.Step
	if g.Gradients != nil {
		e.derived.Gradient = &g.Gradients.Volumes[k]
	}
	before := w.files.Clipped()
	if hasDICOM(e.series) {
		err = w.files.Add(ctx, e.series, e.result, e.derived)
	} else {
		err = w.files.AddNew(ctx, e.fresh(), e.derived)
	}
	return w.files.Clipped() - before, err
}

func (w *dicomVolumes) finish(ctx context.Context) error {
	if w.files == nil {
		return nil
	}
	done, err := w.files.Close(ctx)
	if err != nil {
		return err
	}
	r := &w.of.report
	r.Files, r.Clipped, r.Warnings = done.Files, done.Clipped, append(done.Warnings, r.Warnings...)
	return nil
}

func (w *dicomVolumes) discard() {
	if w.files != nil {
		w.files.Discard()
	}
}

func fileVolumesOf(w *groupExport) volumeSink { return &fileVolumes{of: w} }

// fileVolumes writes the volumes as the frames of one file.
type fileVolumes struct {
	of     *groupExport
	frames *raster.FrameWriter // nil before the first volume
}

func (w *fileVolumes) add(ctx context.Context, _ int, e export) (clipped int64, err error) {
	if w.frames == nil {
		g, path := w.of.group, w.of.stage.Path(filepath.Base(w.of.out))
		if w.frames, err = FormatOf(path).frames(path, g.Len(), e.series, g.Step, w.of.options.Dtype, e.derived.Description, g.Gradients); err != nil {
			return 0, err
		}
		if err := w.addGradients(path, e.series.Volume.Geometry); err != nil {
			return 0, err
		}
	}
	return 0, e.addTo(ctx, w.frames)
}

// addGradients writes the diffusion gradients of the volumes beside the file.
func (w *fileVolumes) addGradients(path string, grid volume.Geometry) error {
	gradients := w.of.group.Gradients
	if gradients == nil {
		return nil
	}
	if f := FormatOf(path); f.beside == nil {
		w.of.report.Warnings = append(w.of.report.Warnings, fmt.Sprintf("%s files do not keep the diffusion gradients; write NIfTI to keep them.", f.Name))
		return nil
	}
	bval, bvec := nifti.FormatGradients(gradients, grid)
	bvalPath, bvecPath := nifti.GradientFiles(path)
	for path, text := range map[string][]byte{bvalPath: bval, bvecPath: bvec} {
		if text == nil {
			continue
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
		w.of.report.Files++
	}
	return nil
}

func (w *fileVolumes) finish(ctx context.Context) error {
	if w.frames == nil {
		return nil
	}
	w.of.report.Files++
	if err := w.frames.Close(ctx); err != nil {
		return err
	}
	if lost := w.frames.Lost(); lost != "" {
		w.of.report.Warnings = append(w.of.report.Warnings, lost)
	}
	return nil
}

func (w *fileVolumes) discard() {
	if w.frames != nil {
		w.frames.Discard()
	}
}

package app

import (
	"context"
	"os"
	"path/filepath"

	"quell/io/dicom"
	"quell/io/nifti"
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

// fileVolumes writes the volumes as the frames of one file.
type fileVolumes struct {
	of     *groupExport
	frames *nifti.FrameWriter // nil before the first volume
}

func (w *fileVolumes) add(ctx context.Context, _ int, e export) (clipped int64, err error) {
	if w.frames == nil {
		g, path := w.of.group, w.of.stage.Path(filepath.Base(w.of.out))
		if w.frames, err = nifti.NewFrameWriter(path, g.Len(), e.series, g.Step, w.of.options.Dtype, e.derived.Description); err != nil {
			return 0, err
		}
		if err := w.addGradients(path, e.series.Volume.Geometry); err != nil {
			return 0, err
		}
	}
	return 0, e.addTo(ctx, w.frames)
}

// addGradients writes the diffusion gradients of the volumes beside a NIfTI file.
func (w *fileVolumes) addGradients(path string, grid volume.Geometry) error {
	gradients := w.of.group.Gradients
	if gradients == nil {
		return nil
	}
	bval, bvec := nifti.FormatGradients(gradients, grid)
	w.frames.Mark(nifti.GradientMark(bval, bvec))
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
	return w.frames.Close(ctx)
}

func (w *fileVolumes) discard() {
	if w.frames != nil {
		w.frames.Discard()
	}
}

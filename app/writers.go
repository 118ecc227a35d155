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

// volumeWriter writes the volumes of an output in its format, slab by slab, in the stage of the
// output. discard removes what is not finished.
type volumeWriter interface {
	add(ctx context.Context, k int, e export) (clipped int64, err error)
	finish(ctx context.Context) error
	discard()
}

// dicomWriter writes the volumes to the files of one DICOM series, and reads them back.
type dicomWriter struct {
	of    *seriesSink
	files *dicom.SeriesWriter // nil before the first slab
}

func newDICOMWriter(of *seriesSink) volumeWriter { return &dicomWriter{of: of} }

func (w *dicomWriter) add(ctx context.Context, k int, e export) (clipped int64, err error) {
	if w.files == nil {
		if w.files, err = dicom.NewSeriesWriter(w.of.path(), w.of.src.Len(), w.of.progress); err != nil {
			return 0, err
		}
	}
	before := w.files.Clipped()
	if e.first {
		warnings := e.prepare(w.of.options)
		if k == 0 {
			w.of.written.Warnings = warnings // of each volume the same
		}
		if g := w.of.src.Group; g != nil {
			e.derived.Place, e.derived.Step = g.Places[k], g.Step
			if g.Gradients != nil {
				e.derived.Gradient = &g.Gradients.Volumes[k]
			}
		}
		if err := w.files.Begin(ctx, e.series, e.derived); err != nil {
			return 0, err
		}
	}
	err = w.files.AddSlices(ctx, e.result)
	return w.files.Clipped() - before, err
}

func (w *dicomWriter) finish(ctx context.Context) error {
	if w.files == nil {
		return nil
	}
	done, err := w.files.Close(ctx)
	if err != nil {
		return err
	}
	r := &w.of.written
	r.Files, r.Clipped, r.Warnings = done.Files, done.Clipped, append(done.Warnings, r.Warnings...)
	return nil
}

func (w *dicomWriter) discard() {
	if w.files != nil {
		w.files.Discard()
	}
}

// fileWriter writes the volumes as the frames of one file or pair, and reads it back.
type fileWriter struct {
	of     *seriesSink
	frames *raster.FrameWriter // nil before the first slab, and for a file that is written at once
}

func newFileWriter(of *seriesSink) volumeWriter { return &fileWriter{of: of} }

func (w *fileWriter) add(ctx context.Context, _ int, e export) (clipped int64, err error) {
	format := FormatOf(w.of.out)
	if w.of.src.Group == nil && e.complete {
		return 0, w.whole(ctx, format, e)
	}
	if w.frames == nil {
		if w.frames, err = format.frames(w.of.path(), w.of.src.Len(), e.series, w.of.step(), w.of.options.Dtype, e.derived.Description, w.of.gradients()); err != nil {
			return 0, err
		}
		if err := w.addGradients(format, e.series.Volume.Geometry); err != nil {
			return 0, err
		}
	}
	return 0, w.frames.AddSlices(ctx, e.series.Volume.Geometry, e.result)
}

// whole writes the only volume.
func (w *fileWriter) whole(ctx context.Context, format *Format, e export) error {
	path, r := w.of.path(), &w.of.written
	lost, err := format.whole(ctx, path, e, w.of.options.Dtype)
	r.Files = 1
	w.lost(lost)
	if err != nil {
		return err
	}
	if format.second != nil {
		back, err := nifti.Read(ctx, openFolder(filepath.Dir(path), false), filepath.Base(path))
		if err != nil {
			return fmt.Errorf("cannot be read back: %w", err)
		}
		if err := sameValues(e.result, back); err != nil {
			return fmt.Errorf("was read back and differs from what was to be written (%w), so it is not kept; check the disk, or choose another place", err)
		}
		r.Files = 2
		w.lost(format.lost(e.result.Geometry))
	}
	if w.of.progress != nil {
		w.of.progress(1, 1)
	}
	return nil
}

// lost adds a warning about what the file does not keep.
func (w *fileWriter) lost(text string) {
	if text != "" {
		w.of.written.Warnings = append(w.of.written.Warnings, text)
	}
}

// addGradients writes the diffusion gradients of the volumes beside the file.
func (w *fileWriter) addGradients(format *Format, grid volume.Geometry) error {
	gradients := w.of.gradients()
	if gradients == nil {
		return nil
	}
	if format.beside == nil {
		w.lost(fmt.Sprintf("%s files do not keep the diffusion gradients; write NIfTI to keep them.", format.Name))
		return nil
	}
	bval, bvec := nifti.FormatGradients(gradients, grid)
	bvalPath, bvecPath := nifti.GradientFiles(w.of.path())
	for path, text := range map[string][]byte{bvalPath: bval, bvecPath: bvec} {
		if text == nil {
			continue
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
		w.of.written.Files++
	}
	return nil
}

func (w *fileWriter) finish(ctx context.Context) error {
	if w.frames == nil {
		return nil
	}
	w.of.written.Files++
	err := w.frames.Close(ctx)
	w.lost(w.frames.Lost())
	return err
}

func (w *fileWriter) discard() {
	if w.frames != nil {
		w.frames.Discard()
	}
}

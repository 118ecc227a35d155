package app

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"quell/denoise"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/nifti"
	"quell/series"
	"quell/volume"
)

// groupExport writes the volumes of a 4-D series to one output, one after another: a 4-D
// NIfTI file, or a folder that holds one DICOM series. No volume is kept in memory. The output
// and its record are made in a stage and committed together.
type groupExport struct {
	out     string
	options ExportOptions
	group   *series.Group
	stage   *atomic.Stage
	record  *Record // nil for none
	started time.Time
	report  ExportReport

	frames *nifti.FrameWriter  // nil for DICOM, and before the first volume
	files  *dicom.SeriesWriter // nil for NIfTI, and before the first volume
}

// beginGroup begins an output. The caller closes it. asked is the recipe, nil where nothing
// is filtered; recorded says whether a record is written.
func beginGroup(out string, o ExportOptions, group *series.Group, asked *denoise.Recipe, recorded bool) (*groupExport, error) {
	out = filepath.Clean(out)
	o.Now = cmp.Or(o.Now, time.Now())
	stage, err := atomic.Begin(out)
	if err != nil {
		return nil, err
	}
	w := &groupExport{out: out, options: o, group: group, stage: stage, started: time.Now(), report: ExportReport{Output: out}}
	if recorded {
		w.record = &Record{Quell: Version(), Recipe: asked, Asked: asked, Time: o.Now.Truncate(time.Second)}
	}
	return w, nil
}

// add writes volume k, the next one, and returns what was done.
func (w *groupExport) add(ctx context.Context, k int, e export) (ExportReport, error) {
	var report ExportReport
	var err error
	started := time.Now()
	wait := e.record.identify()
	if FormatOf(w.out) == DICOM {
		report.Clipped, err = w.addDICOM(ctx, k, e)
	} else {
		err = w.addNIfTI(ctx, e)
	}
	wait()
	if err != nil {
		return report, writeError(w.out, err)
	}
	if w.record != nil && e.record != nil {
		if k == 0 {
			w.record.Source = SourceRecord{Format: e.record.Source.Format, Modality: e.record.Source.Modality, Dims: e.record.Source.Dims}
			w.record.Noise, w.record.Engine, w.record.Region = e.record.Noise, e.record.Engine, e.record.Region
		}
		e.record.of = nil // the volume makes room for the next one
		e.record.Quell, e.record.Time, e.record.Place = "", time.Time{}, w.group.Places[k]
		w.record.Volumes = append(w.record.Volumes, e.record)
	}
	report.Write = time.Since(started)
	return report, nil
}

// addDICOM writes volume k to the files of the series. It returns how many voxels were clipped.
func (w *groupExport) addDICOM(ctx context.Context, k int, e export) (clipped int64, err error) {
	warnings := e.prepare(w.options)
	if w.files == nil {
		w.report.Warnings = warnings // of each volume the same
		if w.files, err = dicom.NewSeriesWriter(w.stage.Path(filepath.Base(w.out)), w.group.Len(), nil); err != nil {
			return 0, err
		}
	}
	e.derived.Place, e.derived.Step = w.group.Places[k], w.group.Step
	if g := w.group.Gradients; g != nil {
		e.derived.Gradient = &g.Volumes[k]
	}
	before := w.files.Clipped()
	if hasDICOM(e.series) {
		err = w.files.Add(ctx, e.series, e.result, e.derived)
	} else {
		err = w.files.AddNew(ctx, e.fresh(), e.derived)
	}
	return w.files.Clipped() - before, err
}

// addNIfTI writes a volume as the next frame of the file.
func (w *groupExport) addNIfTI(ctx context.Context, e export) (err error) {
	if w.frames == nil {
		path := w.stage.Path(filepath.Base(w.out))
		if w.frames, err = nifti.NewFrameWriter(path, w.group.Len(), e.series, w.group.Step, w.options.Dtype, e.derived.Description); err != nil {
			return err
		}
		if err := w.addGradients(path, e.series.Volume.Geometry); err != nil {
			return err
		}
	}
	return e.addTo(ctx, w.frames)
}

// addGradients writes the diffusion gradients of the volumes beside a NIfTI file.
func (w *groupExport) addGradients(path string, grid volume.Geometry) error {
	if w.group.Gradients == nil {
		return nil
	}
	bval, bvec := nifti.FormatGradients(w.group.Gradients, grid)
	w.frames.Mark(nifti.GradientMark(bval, bvec))
	bvalPath, bvecPath := nifti.GradientFiles(path)
	for path, text := range map[string][]byte{bvalPath: bval, bvecPath: bvec} {
		if text == nil {
			continue
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
		w.report.Files++
	}
	return nil
}

// commit completes the output, reads it back, and gives it its name.
func (w *groupExport) commit(ctx context.Context) (ExportReport, error) {
	err := w.finish(ctx)
	w.report.Write = time.Since(w.started)
	logger.Load().Info("export", outcome(err), slog.Int("volumes", w.group.Len()), slog.Int("files", w.report.Files), slog.Duration("took", w.report.Write))
	return w.report, err
}

func (w *groupExport) finish(ctx context.Context) error {
	if w.frames != nil {
		if err := w.frames.Close(ctx); err != nil {
			return writeError(w.out, err)
		}
		w.report.Files++
	}
	if w.files != nil {
		done, err := w.files.Close(ctx)
		if err != nil {
			return writeError(w.out, err)
		}
		w.report.Files, w.report.Clipped, w.report.Warnings = done.Files, done.Clipped, append(done.Warnings, w.report.Warnings...)
	}
	recorded, err := commit(ctx, w.stage, w.out, w.options, w.record)
	w.report.Recipe = recorded
	return err
}

// close removes what was not committed.
func (w *groupExport) close() {
	if w.frames != nil {
		w.frames.Discard()
	}
	if w.files != nil {
		w.files.Discard()
	}
	w.stage.Close()
}

// checkGroupOutput refuses what an output of several volumes cannot be.
func checkGroupOutput(out Output) error {
	switch {
	case FormatOf(out.Path) == Analyze:
		return Usagef("%s: Analyze files hold one volume; name a .nii or .nii.gz for all, or choose one with --series", out.Path)
	case out.Removed != "" && FormatOf(out.Removed) == Analyze:
		return Usagef("%s: Analyze files hold one volume; name a .nii or .nii.gz for all, or choose one with --series", out.Removed)
	}
	return nil
}

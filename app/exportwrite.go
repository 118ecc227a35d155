package app

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"time"

	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/nifti"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// section returns the part of a series that a region of whole slices covers.
func section(s *series.Series, r volume.Region) *series.Series {
	if r == s.Volume.Bounds() {
		return s
	}
	part := *s
	part.Volume = s.Volume.Crop(r)
	if len(s.Sources) == s.Volume.Dims[2] {
		part.Sources = s.Sources[r.Min[2]:r.Max[2]]
	}
	return &part
}

// export is what is written to one output.
type export struct {
	series  *series.Series  // source of result, on the same grid
	result  *volume.Volume  // nil where there are slabs
	derived dicom.Derived   // without version and date
	record  *Record         // nil for none
	arrival *volume.Arrival // of the voxels of result
	// slabs passes the slices of the result, which is not in memory as a whole, some at a time
	// and in order; nil for a result that is. Only NIfTI is written from them.
	slabs func(ctx context.Context, add func(part *volume.Volume) error) error
	// settled returns when the run that result is of is finished, with its error; nil for a
	// finished run. Nothing is committed before.
	settled func(ctx context.Context) error
}

// write checks the output, writes it in the format of FormatOf, with its record beside
// it, and logs that. After an error or a cancel an earlier output and its record are
// still there. progress, which may be nil, counts files.
func write(ctx context.Context, e export, out string, o ExportOptions, progress func(done, total int)) (ExportReport, error) {
	started := time.Now()
	if o.Now.IsZero() {
		o.Now = started
	}
	err := CheckOutput(e.series, out, o) // a slash at the end makes the name that of a folder
	out = filepath.Clean(out)
	report := ExportReport{Output: out}
	if err == nil {
		err = checkSpace(e.series, e.series.Volume.Bounds(), out, o)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = writeStaged(ctx, e, out, o, progress, &report)
	}
	report.Write = time.Since(started)
	logger.Load().Info("export", outcome(err), slog.Int("files", report.Files), slog.Int64("clipped", report.Clipped),
		slog.Duration("took", report.Write))
	return report, err
}

// writeStaged makes the output and its record in a stage beside out, reads the
// output back, and commits both together.
func writeStaged(ctx context.Context, e export, out string, o ExportOptions, progress func(done, total int), report *ExportReport) error {
	stage, err := atomic.Begin(out)
	if err != nil {
		return err
	}
	defer stage.Close()
	name := filepath.Base(out)
	wait := e.record.identify()
	err = FormatOf(out).write(ctx, e, stage.Dir(), name, o, progress, report)
	wait()
	if err != nil {
		return writeError(out, err)
	}
	if e.settled != nil {
		if err := e.settled(ctx); err != nil {
			return err
		}
	}
	report.Recipe, err = commit(ctx, stage, out, o, e.record)
	return err
}

// commit gives an output in a stage its name, together with its record, which may be nil,
// and returns the name of that.
func commit(ctx context.Context, stage *atomic.Stage, out string, o ExportOptions, record *Record) (recorded string, err error) {
	if record != nil {
		if o.Deidentify {
			record.deidentify()
		}
		recorded = out + recordSuffix
		if stage.Inside() {
			recorded = filepath.Join(out, insideRecord)
		}
		if err := record.save(stage.Path(filepath.Base(recorded))); err != nil {
			return "", writeError(out, err)
		}
	}
	if err := checkExisting(out, o.Overwrite); err != nil {
		return "", err // another program wrote there meanwhile
	}
	names := companions(out)
	if stage.Inside() {
		names = []string{insideRecord}
	}
	if err := stage.Commit(ctx, names...); err != nil {
		return "", err
	}
	return recorded, nil
}

// prepare completes what the files of DICOM state, and returns warnings about it.
func (e *export) prepare(o ExportOptions) (warnings []string) {
	e.derived.Version, e.derived.Now, e.derived.Compress = Version(), o.Now, o.Compress
	if o.Deidentify {
		key, err := pseudonymKey()
		if err != nil {
			warnings = []string{fmt.Sprintf("The key of the pseudonyms cannot be stored (%v): another export of this patient gets other pseudonyms.", err)}
		}
		e.derived.Deidentify, e.derived.Secret = true, key
	}
	if !hasDICOM(e.series) && FormatNamed(e.series.Format).Identity {
		why := "The source's files have no instance UIDs"
		if e.series.Resampled != nil {
			why = "The slices are interpolated"
		}
		warnings = append(warnings, why+": the export is a new series without patient data.")
	}
	return warnings
}

// fresh returns the result as a series without a DICOM source.
func (e *export) fresh() *series.Series {
	fresh := *e.series
	fresh.Volume = e.result
	return &fresh
}

// writeDICOM makes the folder of that name in dir and reads it back.
func writeDICOM(ctx context.Context, e export, dir, name string, o ExportOptions, progress func(done, total int), report *ExportReport) error {
	dir = filepath.Join(dir, name)
	warnings := e.prepare(o)
	var done dicom.Report
	var err error
	if hasDICOM(e.series) {
		done, err = dicom.Write(ctx, dir, e.series, e.result, e.derived, progress)
	} else {
		done, err = dicom.WriteNew(ctx, dir, e.fresh(), e.derived, progress)
	}
	report.Files, report.Clipped, report.Warnings = done.Files, done.Clipped, append(done.Warnings, warnings...)
	return err
}

// addTo adds the voxels as the next frame of a file.
func (e export) addTo(ctx context.Context, w *raster.FrameWriter) error {
	if e.slabs == nil {
		return w.Add(ctx, e.result)
	}
	return e.slabs(ctx, func(part *volume.Volume) error { return w.AddSlices(ctx, e.series.Volume.Geometry, part) })
}

// writeSlabs makes a file of slabs, and reads it back.
func writeSlabs(ctx context.Context, e export, path string, o ExportOptions) (lost string, err error) {
	w, err := FormatOf(path).frames(path, 1, e.series, 0, o.Dtype, e.derived.Description, nil)
	if err != nil {
		return "", err
	}
	defer w.Discard()
	if err := e.addTo(ctx, w); err != nil {
		return "", err
	}
	err = w.Close(ctx)
	return w.Lost(), err
}

// writeFile makes the file or pair of that name in dir and reads it back.
func writeFile(ctx context.Context, e export, dir, name string, o ExportOptions, progress func(done, total int), report *ExportReport) error {
	format, path := FormatOf(name), filepath.Join(dir, name)
	lost, err := "", error(nil)
	report.Files = 1
	if e.slabs != nil {
		lost, err = writeSlabs(ctx, e, path, o)
	} else {
		lost, err = format.whole(ctx, path, e, o.Dtype)
	}
	if lost != "" {
		report.Warnings = append(report.Warnings, lost)
	}
	if err != nil || e.slabs != nil {
		return err // a single file was read back
	}
	if format.second != nil {
		back, err := nifti.Read(ctx, openFolder(dir, false), name)
		if err != nil {
			return fmt.Errorf("cannot be read back: %w", err)
		}
		if err := sameValues(e.result, back); err != nil {
			return fmt.Errorf("was read back and differs from what was to be written (%w), so it is not kept; check the disk, or choose another place", err)
		}
		report.Files = 2
		if text := format.lost(e.result.Geometry); text != "" {
			report.Warnings = append(report.Warnings, text)
		}
	}
	if progress != nil {
		progress(1, 1)
	}
	return nil
}

// analyzeLoss warns of the positions that an Analyze file does not keep.
func analyzeLoss(g volume.Geometry) string {
	const visible = 0.1 // mm
	off := nifti.AnalyzeError(g)
	if off <= visible {
		return ""
	}
	return fmt.Sprintf("Analyze stores no orientation and no distant origin: other programs place voxels up to %.1f mm from their position; write NIfTI to keep it.", off)
}

// sameValues compares the volume to be written with what was read back, at the same
// position in the patient, because Analyze has an order of voxels of its own. Every
// voxel has to be within half a rescale step.
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
				return fmt.Errorf("a voxel of slice %d is %v instead of %v", z+1, gs[i], x)
			}
		}
	}
	return nil
}

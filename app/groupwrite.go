package app

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"quell/denoise"
	"quell/io/atomic"
	"quell/series"
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

	volumes volumeSink
}

// volumeSink writes the volumes of a 4-D series in the format of the output. discard removes what
// is not finished.
type volumeSink interface {
	add(ctx context.Context, k int, e export) (clipped int64, err error)
	finish(ctx context.Context) error
	discard()
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
	w.volumes = FormatOf(out).volumes(w)
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
	report.Clipped, err = w.volumes.add(ctx, k, e)
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

// commit completes the output, reads it back, and gives it its name.
func (w *groupExport) commit(ctx context.Context) (ExportReport, error) {
	err := w.finish(ctx)
	w.report.Write = time.Since(w.started)
	logger.Load().Info("export", outcome(err), slog.Int("volumes", w.group.Len()), slog.Int("files", w.report.Files), slog.Duration("took", w.report.Write))
	return w.report, err
}

func (w *groupExport) finish(ctx context.Context) error {
	if err := w.volumes.finish(ctx); err != nil {
		return writeError(w.out, err)
	}
	recorded, err := commit(ctx, w.stage, w.out, w.options, w.record)
	w.report.Recipe = recorded
	return err
}

// close removes what was not committed.
func (w *groupExport) close() {
	w.volumes.discard()
	w.stage.Close()
}

// checkGroupOutput refuses what an output of several volumes cannot be.
func checkGroupOutput(out Output) error {
	for _, path := range []string{out.Path, out.Removed} {
		if f := FormatOf(path); path != "" && !f.Frames {
			return Usagef("%s: %s files hold one volume; name a NIfTI file for all, or choose one with --series", path, f.Name)
		}
	}
	return nil
}

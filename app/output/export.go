package output

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/run"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// exportOf returns the export of the result in a slab.
func exportOf(s *executor.Slab) (e export, err error) {
	e = export{series: s.Part.Section(), result: s.Part.Result, first: s.First, complete: s.First && s.Last}
	if !e.complete { // a header
		whole := *s.Whole.Source
		region := s.Whole.Region
		if len(whole.Sources) == whole.Volume.Dims[2] {
			whole.Sources = whole.Sources[region.Min[2]:region.Max[2]]
		}
		whole.Volume = &volume.Volume{Geometry: whole.Volume.Geometry.Crop(region), Unit: whole.Volume.Unit, Modality: whole.Volume.Modality}
		e.part, e.series = e.series, &whole
	}
	e.derived, err = derivation(s.Whole)
	return e, err
}

// exportAs returns exportOf with the description that options ask for.
func exportAs(o job.Options) func(*executor.Slab) (export, error) {
	if !o.Replaces {
		return exportOf
	}
	return func(s *executor.Slab) (export, error) {
		e, err := exportOf(s)
		e.derived.Suffix = strings.TrimSuffix(e.derived.Suffix, "]") + ", replaces earlier]"
		return e, err
	}
}

// derivation says how a result was made.
func derivation(m *executor.Made) (d format.Derived, err error) {
	switch {
	case m.Run != nil:
		d = format.Derived{Description: describe(m.Run), Suffix: "[Quell " + m.Run.Recipe.Filter + "]"}
		d.Recipe, err = json.Marshal(m.Run.Resolved)
	case m.Noise != nil:
		d = format.Derived{Description: fmt.Sprintf("Quell %s added %s. Not for clinical use.", job.Version(), *m.Noise), Suffix: "[Quell noise]", Code: pixelAddition}
		d.Recipe, err = json.Marshal(m.Noise)
	default:
		d = format.Derived{Description: fmt.Sprintf("Converted from %s by Quell %s%s. Not for clinical use.", m.Source.Format, job.Version(), whereText(m.Source, nil)), Code: conversion}
	}
	return d, err
}

// recordFor returns the record of a result; nil if it is not recorded: a conversion is what it was,
// unless it was resampled: the record then states the places at which its slices were measured.
func recordFor(m *executor.Made, o job.Options) *Record {
	switch {
	case m.Run != nil:
		return RecordOf(m.Run, o)
	case m.Noise != nil:
		record := newRecord(m.Clean, o.Now)
		record.Noise = m.Noise
		return record
	case m.Source.Resampled != nil:
		return newRecord(m.Source, o.Now)
	}
	return nil
}

// RecordOf returns the record of a run's result.
func RecordOf(run *run.Run, o job.Options) *Record {
	record := newRecord(run.Source, o.Now)
	record.Recipe, record.Asked, record.Engine = new(run.Resolved), new(run.Recipe), new(run.Engine)
	record.Parts = run.Parts
	if run.Result != nil {
		record.Outcome = run.Outcome()
	}
	if !run.Whole() {
		record.Region = new(run.Region)
	}
	record.NoiseMap, record.Mask = run.Maps.Records()
	if run.Tuned != nil && len(run.Tuned.Curve.Points) > 0 {
		record.Curve = new(run.Tuned.Curve)
	}
	return record
}

// describe returns the derivation in words.
func describe(run *run.Run) string {
	text := fmt.Sprintf("Noise filtered by Quell %s: %s", job.Version(), run.Resolved)
	for _, f := range run.Source.Findings {
		if f.Kind == series.Noise {
			text += ". " + f.Text.Clause().String()
		}
	}
	return text + whereText(run.Source, run.Parts) + ". Not for clinical use."
}

// whereText says what was done with uneven slices; "" if there are none.
func whereText(s *series.Series, parts []series.Part) string {
	switch {
	case s.Resampled != nil:
		return ". Resampled: " + s.Resampled.String()
	case parts != nil:
		return ". Slices " + run.PartsText(parts) + " filtered by themselves"
	}
	return ""
}

// pixelAddition is the derivation of added noise (PS3.16 CID 7203).
var pixelAddition = format.Code{Value: "113042", Scheme: "DCM", Meaning: "Pixel by pixel addition"}

// conversion is the derivation of a file of another format, values unchanged. The
// standard has no code for it.
var conversion = format.Code{Value: "CONVERSION", Scheme: "99QUELL", Meaning: "Converted from another file format"}

// writeError names the output in an error of a writer, which knows only the stage
// that it wrote to.
func writeError(out string, err error) error {
	var dcm *dicom.Error
	var number syscall.Errno
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &dcm):
		if dcm.Name != "" {
			return err // about a source file
		}
		named := *dcm
		named.Name = out
		return &named
	case errors.As(err, &number):
		return atomic.WriteError(out, err)
	}
	return message.Named(out, err)
}

// export is the content of one output of a volume or of some slices of it.
type export struct {
	series   *series.Series // source of result, on the same grid; without voxels if result has some slices
	part     *series.Series // source of those slices
	result   *volume.Volume // of all slices, or of some
	first    bool           // result begins the volume
	complete bool           // of all
	derived  format.Derived
	arrival  *volume.Arrival // of the voxels of result
}

// commit gives an output in a stage its name, together with its record, which may be nil,
// and returns the name of that.
func commit(ctx context.Context, stage *atomic.Stage, out string, o job.Options, record *Record) (recorded string, err error) {
	if record != nil {
		if o.Deidentify {
			record.deidentify()
		}
		recorded = out + files.RecordSuffix
		if stage.Inside() {
			recorded = filepath.Join(out, files.InsideRecord)
		}
		if err := record.save(stage.Path(filepath.Base(recorded))); err != nil {
			return "", writeError(out, err)
		}
	}
	if err := files.CheckExisting(out, o.Overwrite); err != nil {
		return "", err // another program wrote there meanwhile
	}
	names := files.Companions(out)
	if stage.Inside() {
		names = []string{files.InsideRecord}
	}
	if err := stage.Commit(ctx, names...); err != nil {
		return "", err
	}
	return recorded, nil
}

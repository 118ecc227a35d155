package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quell/io/atomic"
	"quell/io/dicom"
	"quell/series"
	"quell/volume"
)

// Format is what an output's name asks for.
type Format int

// The formats Export writes.
const (
	DICOM   Format = iota // a folder, one file per slice
	NIfTI                 // NAME.nii or NAME.nii.gz
	Analyze               // NAME.hdr and NAME.img
)

// FormatOf returns the format that an output name asks for: .nii and .nii.gz
// are NIfTI, .hdr is Analyze, anything else is a folder of DICOM.
func FormatOf(out string) Format {
	name := strings.ToLower(out)
	switch {
	case strings.HasSuffix(name, ".nii"), strings.HasSuffix(name, ".nii.gz"):
		return NIfTI
	case strings.HasSuffix(name, ".hdr"):
		return Analyze
	}
	return DICOM
}

// ExportOptions are what the name of an output does not say.
type ExportOptions struct {
	Dtype string    `json:"dtype,omitempty"` // of NIfTI and Analyze, see nifti.Datatypes; "" is float32
	Now   time.Time `json:"-"`               // dates the output; zero is the time of the call
	// Deidentify leaves the patient's identity out of DICOM made from DICOM, see
	// dicom.Derived. The pixels stay as they are.
	Deidentify bool `json:"deidentify,omitempty"`
	// Compress says how the pixels of DICOM are stored; "" is plainly.
	Compress dicom.Compression `json:"compress,omitempty"`
	// Overwrite replaces an existing output that Quell did not write, see
	// ErrForeignTarget. Earlier outputs of Quell are replaced in any case.
	Overwrite bool `json:"overwrite,omitempty"`
}

// DefaultCompression is what compression without a name means: the smaller one, and
// DICOM's own default.
const DefaultCompression = dicom.JPEGLossless

// compressed says whether compression is asked for.
func (o ExportOptions) compressed() bool {
	return o.Compress != "" && o.Compress != dicom.Uncompressed
}

// ExportReport is what an export did.
type ExportReport struct {
	Output   string        // the folder or file written
	Files    int           // in Output; an Analyze pair is two
	Clipped  int64         // voxels outside what the output can store, moved to its end
	Warnings []string      // sentences for a person
	Recipe   string        // the record written beside Output
	Write    time.Duration // what it took
}

// CheckOutput says whether an export of s to out can begin: whether the place
// can be written, is not the source, and holds nothing that would be lost. It is what
// Export checks first, for those who want to know before hours of filtering.
func CheckOutput(s *series.Series, out string, o ExportOptions) error {
	format := FormatOf(out)
	if out == "" {
		return Usagef("the output has no name")
	}
	if strings.HasSuffix(strings.ToLower(out), ".img") {
		return Usagef("%s: name the header, NAME.hdr, and the .img is written beside it", out)
	}
	if err := checkDtype(format, o.Dtype); err != nil {
		return err
	}
	if o.compressed() && !slices.Contains(dicom.Compressions(), o.Compress) {
		return Usagef("no compression is called %q; there are %v", o.Compress, dicom.Compressions())
	}
	if o.compressed() && format != DICOM {
		return Usagef("%s: compression is for DICOM; NIfTI is compressed where its name ends in .nii.gz", out)
	}
	if o.Deidentify {
		if err := CheckDeidentify(s, out); err != nil {
			return err
		}
	}
	if err := checkPositions(s, format); err != nil {
		return err
	}
	return checkTarget(s, out, o)
}

// Export writes a run's result to out, as FormatOf says, and a record of how
// it was made to out + ".recipe.json". The output is written beside its place,
// read back, compared and renamed: it is there whole or not at all, and after
// an error or a cancel whatever out held before is still there. progress, which
// may be nil, counts files.
func Export(ctx context.Context, run *Run, out string, o ExportOptions, progress func(done, total int)) (ExportReport, error) {
	recipe, err := json.Marshal(run.Resolved)
	if err != nil {
		return ExportReport{}, err
	}
	record := newRecord(run.Source, o.Now)
	record.Recipe, record.Asked, record.Engine = &run.Resolved, &run.Recipe, &run.Engine
	if !run.Whole() {
		record.Region = &run.Region
	}
	return write(ctx, job{
		series: section(run.Source, run.Region),
		result: run.Result,
		record: record,
		derived: dicom.Derived{
			Recipe:      recipe,
			Description: describe(run),
			Suffix:      "[Quell " + run.Recipe.Filter + "]",
			Code:        dicom.Smoothing,
		},
	}, out, o, progress)
}

// describe is the derivation in words.
func describe(run *Run) string {
	text := fmt.Sprintf("Noise filtered by Quell %s: %s", Version(), run.Resolved)
	for _, f := range run.Source.Findings {
		if f.Kind == "noise" {
			text += ". " + strings.TrimSuffix(f.Text, ".")
		}
	}
	return text + ". Not for clinical use."
}

// pixelAddition is the derivation of added noise (PS3.16 CID 7203).
var pixelAddition = dicom.Code{Value: "113042", Scheme: "DCM", Meaning: "Pixel by pixel addition"}

// ExportNoisy writes a series that AddNoise made of clean, as Export does.
func ExportNoisy(ctx context.Context, clean, noisy *series.Series, n Noise, out string, o ExportOptions, progress func(done, total int)) (ExportReport, error) {
	recipe, err := json.Marshal(n)
	if err != nil {
		return ExportReport{}, err
	}
	record := newRecord(clean, o.Now)
	record.Noise = &n
	return write(ctx, job{
		series: clean, result: noisy.Volume, record: record,
		derived: dicom.Derived{
			Recipe:      recipe,
			Description: fmt.Sprintf("Quell %s added %s. Not for clinical use.", Version(), n),
			Suffix:      "[Quell noise]",
			Code:        pixelAddition,
		},
	}, out, o, progress)
}

// conversion is what Convert did, for which the standard has no code: a file
// of another format became DICOM, values unchanged.
var conversion = dicom.Code{Value: "CONVERSION", Scheme: "99QUELL", Meaning: "Converted from another file format"}

// Convert writes a series in another format without changing its values. From
// DICOM to DICOM there is nothing to convert: that is a UsageError.
func Convert(ctx context.Context, s *series.Series, out string, o ExportOptions, progress func(done, total int)) (ExportReport, error) {
	if err := checkConversion(s, out); err != nil {
		return ExportReport{}, err
	}
	return write(ctx, job{
		series: s, result: s.Volume,
		derived: dicom.Derived{
			Description: fmt.Sprintf("Converted from %s by Quell %s. Not for clinical use.", s.Format, Version()),
			Code:        conversion,
		},
	}, out, o, progress)
}

func checkConversion(s *series.Series, out string) error {
	if FormatOf(out) == DICOM && hasDICOM(s) {
		return Usagef("the input is DICOM already; give an output that ends in .nii, .nii.gz or .hdr")
	}
	return nil
}

// hasDICOM says whether every slice of a series has its DICOM file to be
// derived from.
func hasDICOM(s *series.Series) bool {
	if len(s.Sources) != s.Volume.Dims[2] {
		return false
	}
	return !slices.ContainsFunc(s.Sources, func(src series.Source) bool { return src.UID == "" || src.FS == nil })
}

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

// job is one thing to be written.
type job struct {
	series  *series.Series // where result comes from, on its grid
	result  *volume.Volume
	derived dicom.Derived // for DICOM; its version and date are filled in
	record  *Record       // nil for none
}

func write(ctx context.Context, j job, out string, o ExportOptions, progress func(done, total int)) (ExportReport, error) {
	started := time.Now()
	if o.Now.IsZero() {
		o.Now = started
	}
	report := ExportReport{Output: out}
	err := CheckOutput(j.series, out, o)
	if err == nil {
		err = checkSpace(j.series, j.series.Volume.Bounds(), out, o)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = writeStaged(ctx, j, out, o, progress, &report)
	}
	report.Write = time.Since(started)
	logger.Load().Info("export", outcome(err), slog.Int("files", report.Files), slog.Int64("clipped", report.Clipped),
		slog.Duration("took", report.Write))
	return report, err
}

// writeStaged makes the output and its record in a stage beside out, reads the
// output back, and commits both together.
func writeStaged(ctx context.Context, j job, out string, o ExportOptions, progress func(done, total int), report *ExportReport) error {
	stage, err := atomic.Begin(out)
	if err != nil {
		return err
	}
	defer stage.Close()
	name := filepath.Base(out)
	if FormatOf(out) == DICOM {
		err = writeDICOM(ctx, j, stage.Path(name), o, progress, report)
	} else {
		err = writeNIfTI(ctx, j, stage.Dir(), name, o, progress, report)
	}
	if err != nil {
		return writeError(out, err)
	}
	if j.record != nil {
		if o.Deidentify {
			j.record.deidentify()
		}
		if err := j.record.save(stage.Path(name + recordSuffix)); err != nil {
			return writeError(out, err)
		}
		report.Recipe = out + recordSuffix
	}
	if err := checkExisting(out, o); err != nil {
		return err // it was written meanwhile
	}
	return stage.Commit(ctx, companions(out)...)
}

// writeDICOM makes the folder dir.
func writeDICOM(ctx context.Context, j job, dir string, o ExportOptions, progress func(done, total int), report *ExportReport) error {
	j.derived.Version, j.derived.Now, j.derived.Compress = Version(), o.Now, o.Compress
	var unkept []string
	if o.Deidentify {
		key, err := pseudonymKey()
		if err != nil {
			unkept = []string{fmt.Sprintf("The key of the pseudonyms cannot be kept (%v): another export of this patient gets other pseudonyms.", err)}
		}
		j.derived.Deidentify, j.derived.Secret = true, key
	}
	var done dicom.Report
	var err error
	if hasDICOM(j.series) {
		done, err = dicom.Write(ctx, dir, j.series, j.result, j.derived, progress)
	} else {
		if strings.HasPrefix(j.series.Format, "DICOM") {
			unkept = append(unkept, "The source's files have no instance UIDs: the export is a new series and holds nothing of the patient.")
		}
		fresh := *j.series
		fresh.Volume = j.result
		done, err = dicom.WriteNew(ctx, dir, &fresh, j.derived, progress)
	}
	report.Files, report.Clipped, report.Warnings = done.Files, done.Clipped, append(done.Warnings, unkept...)
	return err
}

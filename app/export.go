package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"quell/io/dicom"
	"quell/series"
)

// ExportOptions are the options of an export besides its name.
type ExportOptions struct {
	Dtype string    `json:"dtype,omitempty"` // one of Format.Datatypes; "" is the first
	Now   time.Time `json:"-"`               // date of the output; zero is the time of the call
	// Deidentify removes the patient's identity from DICOM made from DICOM, see
	// dicom.Derived. The pixels are not changed.
	Deidentify bool `json:"deidentify,omitempty"`
	// Compress is the compression of the pixels of DICOM; "" is none.
	Compress dicom.Compression `json:"compress,omitempty"`
	// Overwrite replaces an existing output that Quell did not write, see
	// ErrForeignTarget. Earlier outputs of Quell are replaced in any case.
	Overwrite bool `json:"overwrite,omitempty"`
}

// DefaultCompression is the compression that is used where none is named: the one
// with the smaller files, and DICOM's own default.
const DefaultCompression = dicom.JPEGLossless

// compressed reports whether the pixels of DICOM are to be compressed.
func (o ExportOptions) compressed() bool {
	return o.Compress != "" && o.Compress != dicom.Uncompressed
}

// ExportReport describes a finished export.
type ExportReport struct {
	Output   string        // the folder or file written
	Files    int           // in Output; an Analyze pair is two
	Clipped  int64         // voxels outside what the output can store, clipped to its ends
	Warnings []string      // sentences for a person
	Recipe   string        // the record written beside Output
	Write    time.Duration // what it took
}

// exportOf returns the export of a run's result.
func exportOf(run *Run, o ExportOptions) (export, error) {
	recipe, err := json.Marshal(run.Resolved)
	if err != nil {
		return export{}, err
	}
	return export{
		series: section(run.Source, run.Region),
		result: run.Result,
		record: recordOf(run, o),
		derived: dicom.Derived{
			Recipe:      recipe,
			Description: describe(run),
			Suffix:      "[Quell " + run.Recipe.Filter + "]",
			Code:        dicom.Smoothing,
		},
	}, nil
}

// recordOf returns the record of a run's result.
func recordOf(run *Run, o ExportOptions) *Record {
	record := newRecord(run.Source, o.Now)
	record.Recipe, record.Asked, record.Engine = new(run.Resolved), new(run.Recipe), new(run.Engine)
	record.Parts = run.Parts
	if !run.Whole() {
		record.Region = new(run.Region)
	}
	record.NoiseMap, record.Mask = run.Maps.records()
	if run.Tuned != nil {
		record.Curve = new(run.Tuned.Curve)
	}
	return record
}

// describe returns the derivation in words.
func describe(run *Run) string {
	text := fmt.Sprintf("Noise filtered by Quell %s: %s", Version(), run.Resolved)
	for _, f := range run.Source.Findings {
		if f.Kind == series.Noise {
			text += ". " + strings.TrimSuffix(f.Text, ".")
		}
	}
	return text + whereText(run.Source, run.Parts) + ". Not for clinical use."
}

// whereText says what was done with uneven slices; "" where there are none.
func whereText(s *series.Series, parts []series.Part) string {
	switch {
	case s.Resampled != nil:
		return ". Resampled: " + s.Resampled.String()
	case parts != nil:
		return ". Slices " + partsText(parts) + " filtered by themselves"
	}
	return ""
}

// pixelAddition is the derivation of added noise (PS3.16 CID 7203).
var pixelAddition = dicom.Code{Value: "113042", Scheme: "DCM", Meaning: "Pixel by pixel addition"}

// noisyExport returns the export of a series that AddNoise made of clean.
func noisyExport(clean, noisy *series.Series, n Noise, o ExportOptions) (export, error) {
	recipe, err := json.Marshal(n)
	if err != nil {
		return export{}, err
	}
	record := newRecord(clean, o.Now)
	record.Noise = &n
	return export{
		series: clean, result: noisy.Volume, record: record,
		derived: dicom.Derived{
			Recipe:      recipe,
			Description: fmt.Sprintf("Quell %s added %s. Not for clinical use.", Version(), n),
			Suffix:      "[Quell noise]",
			Code:        pixelAddition,
		},
	}, nil
}

// conversion is the derivation of a file of another format, values unchanged. The
// standard has no code for it.
var conversion = dicom.Code{Value: "CONVERSION", Scheme: "99QUELL", Meaning: "Converted from another file format"}

// Convert writes a series in another format without changing its values. DICOM to
// DICOM is a *UsageError.
func Convert(ctx context.Context, s *series.Series, out string, o ExportOptions, progress func(done, total int)) (ExportReport, error) {
	if err := checkConversion(s, out); err != nil {
		return ExportReport{}, err
	}
	return write(ctx, conversionOf(s), out, o, progress)
}

// conversionOf returns the export of a series as it is. What was resampled has a record, which
// states where its slices were measured.
func conversionOf(s *series.Series) export {
	var record *Record
	if s.Resampled != nil {
		record = newRecord(s, time.Time{})
	}
	return export{
		series: s, result: s.Volume, record: record,
		derived: dicom.Derived{
			Description: fmt.Sprintf("Converted from %s by Quell %s%s. Not for clinical use.", s.Format, Version(), whereText(s, nil)),
			Code:        conversion,
		},
	}
}

// checkConversion refuses a conversion from DICOM to DICOM.
func checkConversion(s *series.Series, out string) error {
	if FormatOf(out).Identity && hasDICOM(s) {
		return Usagef("the input is DICOM already; give an output that ends in %s", orList(fileEndings()))
	}
	return nil
}

// hasDICOM reports whether every slice of a series has a DICOM file from which its
// output can be derived.
func hasDICOM(s *series.Series) bool {
	if len(s.Sources) != s.Volume.Dims[2] {
		return false
	}
	return !slices.ContainsFunc(s.Sources, func(src series.Source) bool { return src.UID == "" || src.FS == nil })
}

package output

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/series"
	"quell/volume"
)

// CheckDeidentify returns a job.UsageError if an export of s to out cannot be
// de-identified: that takes DICOM input and DICOM output.
func CheckDeidentify(s *series.Series, out string) error {
	switch {
	case !files.FormatOf(out).Identity:
		return job.Usagef("%s: only DICOM output can be de-identified; name a folder", out)
	case !dicom.Derivable(s) && files.FormatNamed(s.Format).Identity:
		return job.Usagef("the input's files have no instance UIDs, so the output is a new series without patient data; leave de-identification out")
	case !dicom.Derivable(s):
		return job.Usagef("the input is not DICOM and has no patient data; leave de-identification out")
	}
	return nil
}

// checkPositions refuses an output that would put the slices of an irregular
// series elsewhere: files of one volume store one spacing for all slices, and so
// does a new DICOM series.
func checkPositions(s *series.Series, format *files.Format) error {
	if s.Irregular == 0 || format.Identity && dicom.Derivable(s) {
		return nil
	}
	name := message.Verbatim(format.Name)
	if format.Folder() {
		name = message.Text("A new DICOM series")
	}
	return &job.InputError{
		Problem: message.New(message.SlicesUneven, "the slices are unevenly spaced or missing, and %s stores one spacing for all: slices would lie up to %.1f mm from where they were measured", name, s.Irregular),
		Advice:  message.Text("write a folder of DICOM, which keeps every position, find the missing files, or interpolate even slices on the command line (--uneven resample)"),
	}
}

// Check reports why an export of s to out cannot begin: options that do not go
// together, or an output that the Gate refuses. Every export checks the same first; Check
// is for callers who want to know before hours of filtering.
func Check(s *series.Series, out string, o job.Options) error {
	if err := CheckOptions(s, out, o); err != nil {
		return err
	}
	return files.Gate{Inputs: files.SourcesOf(s), Outputs: []files.Target{{Option: "OUT", Path: out, Kind: files.SeriesOutput}}, Overwrite: o.Overwrite}.Check()
}

// CheckOptions refuses options of an export that do not go together.
func CheckOptions(s *series.Series, out string, o job.Options) error {
	if out == "" {
		return job.Usagef("the output has no name")
	}
	if err := files.SeriesOutput.CheckName(out); err != nil {
		return err
	}
	out = filepath.Clean(out)
	format := files.FormatOf(out)
	if header := files.HeaderOf(out); header != nil {
		return job.Usagef("%s: name the header, NAME%s, and the %s is written beside it", out, header.Endings[0], header.Voxels)
	}
	if err := checkDtype(format, o.Dtype); err != nil {
		return err
	}
	if o.Compressed() && !slices.Contains(dicom.Compressions(), o.Compress) {
		return job.Usagef("no compression is called %q; there are %v", o.Compress, dicom.Compressions())
	}
	if o.Compressed() && !format.Compresses {
		return job.Usagef("%s: compression is for DICOM; NIfTI is compressed where its name ends in .nii.gz", out)
	}
	if o.Deidentify {
		if err := CheckDeidentify(s, out); err != nil {
			return err
		}
	}
	return checkPositions(s, format)
}

// checkDtype refuses a data type that the format does not have.
func checkDtype(format *files.Format, dtype string) error {
	switch {
	case dtype == "":
		return nil
	case format.Datatypes == nil:
		return job.Usagef("a data type is for files of one image; DICOM keeps that of its source")
	case !slices.Contains(format.Datatypes, dtype):
		return job.Usagef("no data type is called %q; there are %s", dtype, strings.Join(format.Datatypes, ", "))
	}
	return nil
}

// outputSize returns how many bytes an output takes at least; 0 for a compressed
// one, for which that is not known before.
func outputSize(s *series.Series, region volume.Region, out string, o job.Options) int64 {
	switch f := files.FormatOf(out); {
	case o.Compressed() || strings.HasSuffix(strings.ToLower(out), ".gz"):
		return 0
	case !f.Identity || !dicom.Derivable(s):
		return int64(region.Voxels()) * int64(f.Stored(o.Dtype))
	}
	// A derived file is as large as its source, or larger if that is compressed.
	size := int64(0)
	counted := map[string]bool{}
	for _, src := range s.Sources[region.Min[2]:region.Max[2]] {
		if info, err := fs.Stat(src.FS, src.Name); err == nil && !counted[src.Name] {
			counted[src.Name] = true
			size += info.Size()
		}
	}
	return size
}

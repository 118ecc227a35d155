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
	case !files.Identified(out):
		return job.Usagef("%s: only DICOM output can be de-identified; name a folder", out)
	case !files.Derives(out, s) && files.FormatNamed(s.Format).Identity:
		return job.Usagef("the input's files have no instance UIDs, so the output is a new series without patient data; leave de-identification out")
	case !files.Derives(out, s):
		return job.Usagef("the input is not DICOM and has no patient data; leave de-identification out")
	}
	return nil
}

// checkPositions refuses an output that would put the slices of an irregular
// series elsewhere: files of one volume store one spacing for all slices, and so
// does a new DICOM series.
func checkPositions(s *series.Series, out string) error {
	name := files.OneSpacing(out, s)
	if s.Irregular == 0 || name.IsZero() {
		return nil
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
	if o.Compressed() && !slices.Contains(dicom.Compressions(), o.Compress) {
		return job.Usagef("no compression is called %q; there are %v", o.Compress, dicom.Compressions())
	}
	if err := files.CheckStored(out, o.Dtype, o.Compressed()); err != nil {
		return err
	}
	if o.Deidentify {
		if err := CheckDeidentify(s, out); err != nil {
			return err
		}
	}
	return checkPositions(s, out)
}

// outputSize returns how many bytes an output takes at least; 0 for a compressed
// one, for which that is not known before.
func outputSize(s *series.Series, region volume.Region, out string, o job.Options) int64 {
	switch {
	case o.Compressed() || strings.HasSuffix(strings.ToLower(out), ".gz"):
		return 0
	case !files.Derives(out, s):
		return int64(region.Voxels()) * files.StoredBytes(out, o.Dtype)
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

package files

import (
	"slices"
	"strings"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/format"
	"quell/series"
)

// The functions of this file ask the format that the name of an output stands for, so that no other package chooses one.

// IsFolder reports whether an output is a folder of files.
func IsFolder(out string) bool { return formatOf(out).Folder() }

// PartsOf returns the files that an output of one file or a pair consists of.
func PartsOf(out string) []string { return formatOf(out).Files(out) }

// Identified reports whether the files of an output name patient, study and series, as a PACS asks for.
func Identified(out string) bool { return formatOf(out).Identity }

// Compresses reports whether an output takes a compression that is chosen.
func Compresses(out string) bool { return formatOf(out).Compresses }

// Streams reports whether an output is written while its voxels are computed.
func Streams(out string) bool { return formatOf(out).Streams }

// Holds reports whether an output holds so many volumes.
func Holds(out string, volumes int) bool { return formatOf(out).Holds(volumes) }

// CheckVolumes refuses an output that cannot hold so many volumes.
func CheckVolumes(out string, volumes int) error {
	if f := formatOf(out); !f.Holds(volumes) {
		return job.Usagef("%s: %s files contain one volume; name a NIfTI file for all, or choose one with --series", out, f.Name)
	}
	return nil
}

// Derives reports whether an output of a series is derived from the files of the series, slice by slice.
func Derives(out string, s *series.Series) bool { return formatOf(out).Derives(s) }

// NewWriter returns the writer of an output, at a path of the same ending.
func NewWriter(out, path string, o format.Options) format.Writer {
	return formatOf(out).NewWriter(path, o)
}

// StoredBytes is how many bytes a voxel takes in an output that is not compressed.
func StoredBytes(out, dtype string) int64 { return int64(formatOf(out).Stored(dtype)) }

// WaitingBytes is how many bytes a voxel takes on the disk next to an output until the last slab is there.
func WaitingBytes(out, dtype string) int64 { return int64(formatOf(out).Waiting(dtype)) }

// OneSpacing returns what stores one spacing for all slices of a series; the zero message if an output keeps the position
// of each.
func OneSpacing(out string, s *series.Series) message.Message {
	f := formatOf(out)
	switch {
	case f.Derives(s):
		return message.Message{}
	case f.Folder():
		return message.Text("A new DICOM series")
	}
	return message.Verbatim(f.Name)
}

// CheckStored refuses a data type or a compression that the format of an output does not have.
func CheckStored(out, dtype string, compressed bool) error {
	f := formatOf(out)
	if header := headerOf(out); header != nil {
		return job.Usagef("%s: name the header, NAME%s, and the %s is written beside it", out, header.Endings[0], header.Voxels)
	}
	switch {
	case dtype != "" && f.Datatypes == nil:
		return job.Usagef("a data type is for files of one image; DICOM keeps that of its source")
	case dtype != "" && !slices.Contains(f.Datatypes, dtype):
		return job.Usagef("no data type is called %q; there are %s", dtype, strings.Join(f.Datatypes, ", "))
	case compressed && !f.Compresses:
		return job.Usagef("%s: compression is for DICOM; NIfTI is compressed where its name ends in .nii.gz", out)
	}
	return nil
}

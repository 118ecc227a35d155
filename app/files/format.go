// Package files knows files by their names and beginnings: the table of formats, the kinds of
// outputs with the files that belong to each, and the gate that every output passes before it is
// written. It reads no voxels.
package files

import (
	"slices"
	"strings"

	"quell/internal/message"
	"quell/io/dicom"
	"quell/io/format"
	"quell/io/metaimage"
	"quell/io/mgh"
	"quell/io/nifti"
	"quell/io/nrrd"
)

// Format is a file format, see [format.Format]. Everything that differs between formats is asked of the table, by what
// a format can do; no other code asks which one a file is of.
type Format = format.Format

// Formats is the table of all formats. The first one takes what no other one is named for.
var Formats = []*Format{&dicom.Format, &nifti.Format, &nifti.Analyze, &nrrd.Format, &metaimage.Format, &mgh.Format}

// Names returns the names of the formats that can as a choice, in the order of the table.
func Names(can func(f *Format) bool) message.Message {
	var names []string
	for _, f := range Formats {
		if can(f) {
			names = append(names, f.Name)
		}
	}
	return message.Or(names)
}

// AllNames returns the names of all formats as a choice.
func AllNames() message.Message { return Names(func(*Format) bool { return true }) }

// formatOf returns the format of an output by the ending of its name: DICOM, a folder, for one
// that no other format has.
func formatOf(out string) *Format {
	for _, f := range Formats {
		if f.Ending(out) != "" {
			return f
		}
	}
	return Formats[0]
}

// FormatNamed returns the format of a series by series.Meta.Format. A series that was not read
// from a file has one that can do nothing.
func FormatNamed(name string) *Format {
	for _, f := range Formats {
		if strings.HasPrefix(name, f.Name) {
			return f
		}
	}
	return &Format{Endings: []string{}}
}

// endingsOf returns the endings of the formats that can, in the order of the table.
func endingsOf(can func(f *Format) bool) []string {
	var all []string
	for _, f := range Formats {
		if can(f) {
			all = append(all, f.Endings...)
		}
	}
	return all
}

// FileEndings returns the endings of all outputs that are files, in lower case.
func FileEndings() []string { return endingsOf(func(*Format) bool { return true }) }

// headerOf returns the format with the ending of a name for files of voxels; nil for another name.
func headerOf(out string) *Format {
	for _, f := range Formats {
		if f.Voxels != "" && strings.HasSuffix(strings.ToLower(out), f.Voxels) {
			return f
		}
	}
	return nil
}

// Offered returns the formats of one file that the workbench offers.
func Offered() []*Format {
	return slices.DeleteFunc(slices.Clone(Formats), func(f *Format) bool { return f.Proposed == "" })
}

// OfferedFor returns the format of one file to propose for an output, or if it has no name yet for a series of a format;
// nil to propose a folder. In place of a format that is not offered it is the first.
func OfferedFor(out, source string) *Format {
	f := FormatNamed(source)
	if out != "" {
		f = formatOf(out)
	}
	switch {
	case f.Folder():
		return nil
	case f.Proposed != "":
		return f
	}
	return Offered()[0]
}

// SplitEnding divides the name of an output before the ending that says its format.
func SplitEnding(out string) (base, ending string) {
	for _, f := range Formats {
		if e := f.Ending(out); e != "" {
			return out[:len(out)-len(e)], out[len(out)-len(e):]
		}
	}
	return out, ""
}

// FormatBy returns the format that reads a file by its name, its beginning and, if it is compressed by gzip, the
// beginning of its content; nil for none. packed reports that the file is of the format once it is decompressed.
func FormatBy(head, inner []byte, name string) (f *Format, packed bool) {
	for _, f := range Formats { // before the formats that take any gzip for theirs
		if f.Unpacks && f.Sniff(inner, name) {
			return f, true
		}
	}
	named := FormatOfInput(name) // several formats take any gzip
	if named != nil && named.Sniff != nil && named.Sniff(head, name) {
		return named, false
	}
	for _, f := range Formats {
		if f.Sniff != nil && f.Sniff(head, name) {
			return f, false
		}
	}
	return nil, false
}

// IsIndex reports whether a file of that name stands for its folder.
func IsIndex(name string) bool {
	return slices.ContainsFunc(Formats, func(f *Format) bool { return f.Index != "" && f.Index == name })
}

// FormatOfInput returns the format with headers that are named like a file; nil for none.
func FormatOfInput(name string) *Format {
	for _, f := range Formats {
		if in, _ := f.Input(name); in != "" {
			return f
		}
	}
	return nil
}

// SplitInput divides the name of a file of one image before its ending, and returns the ending of an
// output in the same format; "" for another file, and for the file of voxels next to a header.
func SplitInput(name string) (base, output string) {
	f := FormatOfInput(name)
	if f == nil {
		return name, ""
	}
	in, output := f.Input(name)
	return name[:len(name)-len(in)], output
}

// IsImageFile reports whether a file is named like one image of a format that is not DICOM; of a pair,
// the header alone counts.
func IsImageFile(name string) bool { return FormatOfInput(name) != nil }

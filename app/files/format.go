// Package files knows files by their names and beginnings: the table of formats, the kinds of
// outputs with the files that belong to each, and the gate that every output passes before it is
// written. It reads no voxels.
package files

import (
	"slices"
	"strings"

	"quell/io/dicom"
	"quell/io/format"
	"quell/io/metaimage"
	"quell/io/nifti"
	"quell/io/nrrd"
	"quell/io/raster"
)

// Format is a file format. Everything that differs between formats is asked here, by what a
// format can do; no other code asks which one a file is of.
type Format struct {
	format.Format
	Opener raster.Opener // of a file of one image that Sniff recognises; nil for none
}

// Formats is the table of all formats. The first one takes what no other one is named for.
var Formats = []*Format{
	{dicom.Format, nil},
	{nifti.Format, nifti.Open},
	{nifti.Analyze, nil}, // opened as NIfTI is
	{nrrd.Format, nrrd.Open},
	{metaimage.Format, metaimage.Open},
}

// FormatOf returns the format of an output by the ending of its name: DICOM, a folder, for one
// that no other format has.
func FormatOf(out string) *Format {
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
	return &Format{Format: format.Format{Endings: []string{}}}
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

// HeaderOf returns the format whose files of voxels have the ending of a name; nil for another name.
func HeaderOf(out string) *Format {
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

// OfferedFor returns the format of one file to propose in place of f: f itself if it is offered, else the first.
func OfferedFor(f *Format) *Format {
	if f.Proposed != "" {
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

// FormatBy returns the format that reads a file by its beginning and its name; nil for none.
func FormatBy(head []byte, name string) *Format {
	for _, f := range Formats {
		if f.Opener != nil && f.Sniff(head, name) {
			return f
		}
	}
	return nil
}

// SplitInput divides the name of a file of one image before its ending, and returns the ending of an
// output in the same format; "" for another file, and for the file of voxels next to a header.
func SplitInput(name string) (base, output string) {
	for _, f := range Formats {
		if in, output := f.Input(name); in != "" {
			return name[:len(name)-len(in)], output
		}
	}
	return name, ""
}

// IsImageFile reports whether a file is named like one image of a format that is not DICOM; of a pair,
// the header alone counts.
func IsImageFile(name string) bool {
	_, output := SplitInput(name)
	return output != ""
}

package app

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
	open raster.Opener // of a file of one image that Sniff recognises; nil for none
}

// formats is the table of all formats. The first one takes what no other one is named for.
var formats = []*Format{
	{dicom.Format, nil},
	{nifti.Format, nifti.Open},
	{nifti.Analyze, nil}, // opened as NIfTI is
	{nrrd.Format, nrrd.Open},
	{metaimage.Format, metaimage.Open},
}

func init() { listEndings() }

// listEndings gives the kinds of outputs the endings of the table.
func listEndings() {
	SeriesOutput.Endings = fileEndings()
	for _, f := range formats { // a file of voxels is refused by checkOptions
		if f.Voxels != "" {
			SeriesOutput.Endings = append(SeriesOutput.Endings, f.Voxels)
		}
	}
	MapOutput.Endings = endingsOf(func(f *Format) bool { return f.Frames })
}

// FormatOf returns the format of an output by the ending of its name: DICOM, a folder, for one
// that no other format has.
func FormatOf(out string) *Format {
	for _, f := range formats {
		if f.Ending(out) != "" {
			return f
		}
	}
	return formats[0]
}

// FormatNamed returns the format of a series by series.Meta.Format. A series that was not read
// from a file has one that can do nothing.
func FormatNamed(name string) *Format {
	for _, f := range formats {
		if strings.HasPrefix(name, f.Name) {
			return f
		}
	}
	return &Format{Format: format.Format{Endings: []string{}}}
}

// endingsOf returns the endings of the formats that can, in the order of the table.
func endingsOf(can func(f *Format) bool) []string {
	var all []string
	for _, f := range formats {
		if can(f) {
			all = append(all, f.Endings...)
		}
	}
	return all
}

// fileEndings returns the endings of all outputs that are files, in lower case.
func fileEndings() []string { return endingsOf(func(*Format) bool { return true }) }

// orList joins words: "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// headerOf returns the format whose files of voxels have the ending of a name; nil for another name.
func headerOf(out string) *Format {
	for _, f := range formats {
		if f.Voxels != "" && strings.HasSuffix(strings.ToLower(out), f.Voxels) {
			return f
		}
	}
	return nil
}

// FileFormats returns the formats of one file that the workbench offers.
func FileFormats() []*Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f *Format) bool { return f.Proposed == "" })
}

// FileFormat returns the format of one file to propose in place of f: f itself if it is offered, else the first.
func FileFormat(f *Format) *Format {
	if f.Proposed != "" {
		return f
	}
	return FileFormats()[0]
}

// SplitEnding divides the name of an output before the ending that says its format.
func SplitEnding(out string) (base, ending string) {
	for _, f := range formats {
		if e := f.Ending(out); e != "" {
			return out[:len(out)-len(e)], out[len(out)-len(e):]
		}
	}
	return out, ""
}

// formatBy returns the format that reads a file by its beginning and its name; nil for none.
func formatBy(head []byte, name string) *Format {
	for _, f := range formats {
		if f.open != nil && f.Sniff(head, name) {
			return f
		}
	}
	return nil
}

// SplitInput divides the name of a file of one image before its ending, and returns the ending of an
// output in the same format; "" for another file, and for the file of voxels beside a header.
func SplitInput(name string) (base, output string) {
	for _, f := range formats {
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

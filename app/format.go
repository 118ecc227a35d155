package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quell/io/dicom"
	"quell/io/format"
	"quell/io/metaimage"
	"quell/io/nifti"
	"quell/io/nrrd"
	"quell/io/raster"
	"quell/io/spool"
)

// Format is a file format. Everything that differs between formats is asked here, by what a
// format can do; no other code asks which one a file is of.
type Format struct {
	Name string // as series.Meta.Format begins: "NIfTI" of "NIfTI-1"
	// Endings are those of the names of outputs, in lower case; nil for a folder of files.
	Endings []string
	// Proposed is the ending of the names that the workbench proposes; "" for a format that it does not offer.
	Proposed string
	// Identity says that its files name patient, study and series: a PACS takes them, and an
	// output is derived from the files of its source, each slice at its own position.
	Identity bool
	// Components says that one component of colours or complex numbers can be read.
	Components bool
	// Frames says that a file or folder holds a 4-D series.
	Frames bool
	// Streams says that an output is written while its voxels are computed.
	Streams bool
	// Datatypes are those that voxels are stored as, the default first; nil keeps the source's.
	Datatypes []string
	// Compressions are those of the pixels; nil for none, or one that the ending asks for.
	Compressions []dicom.Compression

	// inputs are the endings of the names of headers that are read, in lower case and the longer first,
	// each with that of an output in the same format; nil for files that are recognised by content alone.
	inputs [][2]string
	sniff  func(head []byte, name string) bool // a file with such a beginning is read by open
	open   raster.Opener                       // of a file of one image; nil for none

	waits      func(dtype string) int          // bytes of a voxel on the disk that wait for the last slab
	voxelBytes func(dtype string) int          // in a file that is not compressed
	voxels     string                          // ending of the file of the voxels, which belongs to its header; "" for one file
	second     func(path string) string        // that file for an output; nil for one file
	beside     func(path string) []string      // what else may lie beside an output and belong to it; nil for nothing
	foreign    func(path string) string        // which of that was not written with the output; "" for none
	ours       func(path string) (bool, error) // whether Quell wrote an output
	// NewWriter returns a writer of the output at path, which must not exist.
	NewWriter func(path string, o format.Options) format.Writer
}

// formats is the table of all formats. The first one takes what no other one is named for.
var formats []*Format

func init() { // the writers ask the table in turn
	formats = []*Format{
		{
			Name: "DICOM", Identity: true, Frames: true, Compressions: dicom.Compressions(),
			waits: allWait, voxelBytes: func(string) int { return 2 }, ours: writtenFolder,
			NewWriter: func(dir string, o format.Options) format.Writer { return dicom.NewWriter(dir, o) },
		},
		{
			Name: "NIfTI", Endings: []string{".nii", ".nii.gz"}, Proposed: ".nii.gz", Components: true, Frames: true, Streams: true,
			inputs: [][2]string{{".nii.gz", ".nii.gz"}, {".nii", ".nii"}}, sniff: nifti.Sniff, open: nifti.Open,
			Datatypes: raster.Datatypes(), waits: raster.SpoolBytes, voxelBytes: raster.BytesPerVoxel, ours: describedBy(nifti.Description),
			beside: gradientFiles, foreign: foreignGradients,
			NewWriter: newFileWriter(nifti.Make),
		},
		{
			Name: "Analyze", Endings: []string{".hdr"}, Components: true,
			inputs:    [][2]string{{".hdr.gz", ".hdr"}, {".hdr", ".hdr"}}, // opened as NIfTI is
			Datatypes: raster.Datatypes(), waits: allWait, voxelBytes: raster.BytesPerVoxel, ours: describedBy(nifti.Description),
			voxels: ".img", second: nifti.ImagePath,
			NewWriter: newFileWriter(nifti.Make),
		},
		fileFormat("NRRD", nrrd.Open, nrrd.Sniff, nrrd.Make, nrrd.Description, [][2]string{{".nrrd", ".nrrd"}, {".nhdr", ".nrrd"}}),
		fileFormat("MetaImage", metaimage.Open, metaimage.Sniff, metaimage.Make, metaimage.Description, [][2]string{{".mha", ".mha"}, {".mhd", ".mha"}}),
	}
	SeriesOutput.Endings = fileEndings()
	for _, f := range formats { // a file of voxels is refused by checkOptions
		if f.voxels != "" {
			SeriesOutput.Endings = append(SeriesOutput.Endings, f.voxels)
		}
	}
	MapOutput.Endings = endingsOf(func(f *Format) bool { return f.Frames })
}

// FormatOf returns the format of an output by the ending of its name: DICOM, a folder, for one
// that no other format has.
func FormatOf(out string) *Format {
	for _, f := range formats {
		if f.ending(out) != "" {
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
	return &Format{Endings: []string{}}
}

// Folder reports whether an output is a folder of files.
func (f *Format) Folder() bool { return f.Endings == nil }

// ending returns the ending of a name that is one of the format's; "" for none.
func (f *Format) ending(name string) string {
	name = strings.ToLower(name)
	for _, e := range f.Endings {
		if strings.HasSuffix(name, e) {
			return e
		}
	}
	return ""
}

// files returns the files that an output of one file or a pair consists of.
func (f *Format) files(out string) []string {
	if f.second == nil {
		return []string{out}
	}
	return slices.Compact([]string{out, f.second(out)})
}

// companions returns the files beside an output that belong to it, its record not among them.
func (f *Format) companions(out string) []string {
	paths := f.files(out)[1:]
	if f.beside != nil {
		paths = append(paths, f.beside(out)...)
	}
	return paths
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
		if f.voxels != "" && strings.HasSuffix(strings.ToLower(out), f.voxels) {
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
		if e := f.ending(out); e != "" {
			return out[:len(out)-len(e)], out[len(out)-len(e):]
		}
	}
	return out, ""
}

// writtenFolder reports whether every file of a folder is one of Quell's own, whatever file
// managers left there.
func writtenFolder(out string) (bool, error) {
	other, err := dicom.Foreign(out, func(name string) bool { return isRecordInside(out, name) })
	return other == "", err
}

// describedBy returns a function that reports whether the description of a file is Quell's. The
// description, unlike the record beside the file, is written by conversions too and stays with
// a file that is moved.
func describedBy(read func(fsys fs.FS, name string) (string, error)) func(out string) (bool, error) {
	return func(out string) (bool, error) {
		description, err := read(openFolder(filepath.Dir(out), false), filepath.Base(out))
		return err == nil && strings.Contains(description+" ", "Quell "), nil // a long one is cut off after a word
	}
}

// fileFormat is a format of single files that keep geometry, data type and description.
func fileFormat(name string, open raster.Opener, sniff func(head []byte, name string) bool, maker raster.Maker,
	describe func(fsys fs.FS, name string) (string, error), inputs [][2]string) *Format {
	f := &Format{
		Name: name, Proposed: inputs[0][1], Frames: true, Streams: true, inputs: inputs, sniff: sniff, open: open,
		Datatypes: raster.Datatypes(), waits: raster.SpoolBytes, voxelBytes: raster.BytesPerVoxel, ours: describedBy(describe), NewWriter: newFileWriter(maker),
	}
	for _, in := range inputs {
		if !slices.Contains(f.Endings, in[1]) {
			f.Endings = append(f.Endings, in[1])
		}
	}
	return f
}

// allWait is Format.waits of a format of which no slab is written before the last is there.
func allWait(string) int { return spool.VoxelBytes }

// newFileWriter returns Format.NewWriter of files that are made by m.
func newFileWriter(m raster.Maker) func(path string, o format.Options) format.Writer {
	return func(path string, o format.Options) format.Writer { return m.NewWriter(path, o) }
}

// formatBy returns the format that reads a file by its beginning and its name; nil for none.
func formatBy(head []byte, name string) *Format {
	for _, f := range formats {
		if f.sniff != nil && f.sniff(head, name) {
			return f
		}
	}
	return nil
}

// SplitInput divides the name of a file of one image before its ending, and returns the ending of an
// output in the same format; "" for another file, and for the file of voxels beside a header.
func SplitInput(name string) (base, output string) {
	lower := strings.ToLower(name)
	for _, f := range formats {
		for _, in := range f.inputs {
			if strings.HasSuffix(lower, in[0]) {
				return name[:len(name)-len(in[0])], in[1]
			}
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

// gradientFiles returns the diffusion gradients beside a file.
func gradientFiles(out string) []string {
	bval, bvec := nifti.GradientFiles(out)
	return []string{bval, bvec}
}

// foreignGradients returns the diffusion gradients beside a NIfTI file that were not written
// with it.
func foreignGradients(out string) string {
	read := func(path string) []byte {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		return text
	}
	bval, bvec := nifti.GradientFiles(out)
	if !exists(bval) && !exists(bvec) {
		return ""
	}
	mark, err := nifti.Auxiliary(openFolder(filepath.Dir(out), false), filepath.Base(out))
	known := strings.Fields(mark)
	now := strings.Fields(nifti.GradientMark(read(bval), read(bvec)))
	for i, path := range []string{bval, bvec} {
		if exists(path) && (err != nil || len(known) != len(now) || known[2*i+1] != now[2*i+1]) {
			return path
		}
	}
	return ""
}

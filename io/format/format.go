package format

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"quell/series"
)

// Format is a file format: everything that differs between formats, by what a format can do.
type Format struct {
	Name string // as series.Meta.Format begins: "NIfTI" of "NIfTI-1"
	// Inputs are the endings of the names of headers that are read, in lower case and the longer first, each with
	// the ending of an output in the same format; nil for files that are recognised by content alone, of which many
	// form a series.
	Inputs [][2]string
	// Index is the name of a file that stands for its folder and everything below it; "" for none.
	Index string
	// Unpacks says that each file may be compressed by gzip as a whole, and is then named .gz.
	Unpacks bool
	// Endings are the endings of the names of outputs, in lower case; nil for a folder of
	// files.
	Endings []string
	// Proposed is the ending of the names that the workbench proposes; "" for a format that it does not offer.
	Proposed string
	// Identity says that its files name patient, study and series: a PACS takes them, and an
	// output is derived from the files of its source, each slice at its own position.
	Identity bool
	// DerivesFrom reports whether an output can be derived from the files of a series; nil without Identity.
	DerivesFrom func(s *series.Series) bool
	// Components says that one component of colours or complex numbers can be read.
	Components bool
	// Frames says that a file or folder holds a 4-D series.
	Frames bool
	// Streams says that an output is written while its voxels are computed.
	Streams bool
	// Compresses says that the compression of the pixels is chosen, rather than by the ending.
	Compresses bool
	// Datatypes are the types that voxels are stored as, the default first; nil keeps the
	// source's.
	Datatypes []string

	// Sniff reports whether a file with such a beginning, and of that name, is one of the format; nil if the Sniff of
	// another format, which reads the same files, does.
	Sniff func(head []byte, name string) bool
	// Scan finds the volumes in named files of fsys from headers alone: in one file, or if Inputs is nil in any number,
	// nil for every file below the root. ErrNoImages is in the chain of the error if none is of the format. What it
	// found opens itself, as only the format knows the parts of a volume.
	Scan func(ctx context.Context, fsys fs.FS, names []string) (*Found, error)
	// NewWriter returns a writer of the output at path, which must not exist.
	NewWriter func(path string, o Options) Writer
	// Stored is how many bytes a voxel of a data type takes in a file that is not compressed, and Waiting on
	// the disk next to it until the last slab is there.
	Stored, Waiting func(dtype string) int
	// Ours reports whether Quell wrote an output. In a folder, known reports whether it wrote another file there.
	Ours func(path string, known func(name string) bool) (bool, error)
	// Voxels is the ending of a file of the voxels, which belongs to its header, and Second the path of the file
	// of an output; "" and nil for one file.
	Voxels string
	Second func(path string) string
	// Beside returns what else may lie next to an output and belong to it, and Foreign which of that was not
	// written with it, "" for none; both are nil for nothing.
	Beside  func(path string) []string
	Foreign func(path string) string
}

// Folder reports whether an output is a folder of files.
func (f *Format) Folder() bool { return f.Endings == nil }

// Holds reports whether an output holds so many volumes.
func (f *Format) Holds(volumes int) bool { return volumes <= 1 || f.Frames }

// Derives reports whether an output of a series is derived from the files of the series, slice by slice.
func (f *Format) Derives(s *series.Series) bool { return f.DerivesFrom != nil && f.DerivesFrom(s) }

// Ending returns the ending of a name that is one of the format's; "" for none.
func (f *Format) Ending(name string) string {
	name = strings.ToLower(name)
	for _, e := range f.Endings {
		if strings.HasSuffix(name, e) {
			return e
		}
	}
	return ""
}

// Input returns the ending of the name of a header that is read, and the ending of an output; "" for
// none.
func (f *Format) Input(name string) (ending, output string) {
	name = strings.ToLower(name)
	for _, in := range f.Inputs {
		if strings.HasSuffix(name, in[0]) {
			return in[0], in[1]
		}
	}
	return "", ""
}

// Files returns the files that an output of one file or a pair consists of.
func (f *Format) Files(path string) []string {
	if f.Second == nil {
		return []string{path}
	}
	return slices.Compact([]string{path, f.Second(path)})
}

// Companions returns the files next to an output that belong to it.
func (f *Format) Companions(path string) []string {
	paths := f.Files(path)[1:]
	if f.Beside != nil {
		paths = append(paths, f.Beside(path)...)
	}
	return paths
}

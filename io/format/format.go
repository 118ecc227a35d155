package format

import (
	"context"
	"errors"
	"image"
	"io/fs"
	"slices"
	"strings"

	"quell/series"
	"quell/volume"
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

// ErrNoImages is in the chain of Scan's error if no file holds an image of the format.
var ErrNoImages = errors.New("no image of the format")

// ErrNotOpened is in that chain too if a file could not be opened, so that what it holds is not known.
var ErrNotOpened = errors.New("a file cannot be opened")

// ErrOthers is in that chain too if files hold objects of the format that are no images; the error then says which.
var ErrOthers = errors.New("objects that are no images")

// Found is what Scan found in files. It is read-only.
type Found struct {
	Entries  []Entry
	Findings []series.Finding // about files that belong to no entry
	Default  int              // the index of the largest volume
	// WithoutDamaged returns the entries of the same files without the broken ones, nil if none is broken or
	// nothing is left; it is nil of a format of one file.
	WithoutDamaged func() *Found
}

// Entry is one volume: a series, the part of a series that fits one regular grid, one volume of a 4-D file, or one
// component of voxels that are colours or complex numbers.
type Entry struct {
	series.Meta
	Part string // distinguishes the entries of one series: "time 3 of 10"; empty if there is one
	// Group is the 4-D series that the volume belongs to, which its other volumes share;
	// nil if there is none. GroupIndex is the volume's index in it.
	Group      *series.Group
	GroupIndex int
	// LeftOut are volumes and slices of the same series and kind that are in none of its volumes, with the reason.
	LeftOut   []series.LeftOut
	Component string          // "magnitude", "red": see raster.Component; empty if voxels are single numbers
	Geometry  volume.Geometry // zero if Err is set and no grid could be formed
	Slices    int
	Bytes     int64 // of its files
	Datatype  string
	Findings  []series.Finding // about the headers; the loaded series repeats them
	Err       error            // why it cannot be loaded; nil if it can
	Damaged   bool             // Err is about a broken file, not about a kind of image that is not read
	Volume    Volume           // opens it
}

// Volume opens the volume of an entry. Its methods may be called from any goroutine. Their errors name the file, or are
// the context's.
type Volume interface {
	// Files returns the names of its files, each once.
	Files() []string
	// Load reads the volume. The volumes of one file are read fastest in their order and by one Reading.
	Load(ctx context.Context, r *Reading) (*series.Series, error)
	// OpenSlices begins to read the same series some slices at a time. The caller closes the result.
	OpenSlices(ctx context.Context) (series.Slices, error)
	// Thumbnail renders the middle slice, at most side pixels wide and high, from that slice alone; nil if that needs
	// the whole file.
	Thumbnail(ctx context.Context, side int) (*image.Gray, error)
	// Attribute returns the values of a DICOM attribute by its keyword; none if the format has no such attributes.
	Attribute(ctx context.Context, keyword string) ([]string, error)
	// Identity identifies the images whatever their files are called, so that a copy has the same; "" if nothing does.
	Identity() string
}

// Reading is how volumes are read one after another, by one goroutine. The zero value is ready; the caller closes it.
type Reading struct {
	Progress func(done, total int) // counts slices; may be nil
	// Show gets some slices as they are read, with how many were read and are in all, in place of Progress, of a volume
	// that has no Thumbnail; nil gets none. It may keep the slice.
	Show func(done, total int, slice *volume.Volume)
	// Kept is what the volume that was read last keeps open for the next; nil for nothing.
	Kept interface{ Close() }
}

// Close closes the open files.
func (r *Reading) Close() {
	if r.Kept != nil {
		r.Kept.Close()
		r.Kept = nil
	}
}

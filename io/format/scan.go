package format

import (
	"context"
	"errors"
	"image"

	"quell/series"
	"quell/volume"
)

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

package dicom

import (
	"io/fs"

	"quell/series"
	"quell/volume"
)

// Catalog is what Scan found below one root: every series, from headers alone.
// It is read-only after Scan; its methods may be called from any goroutine.
type Catalog struct {
	// Entries holds one entry per volume that can be formed, in the order of
	// series number, then size (largest first). A series that cannot be loaded
	// has an entry too, with Err set.
	Entries []Entry
	// Findings tells of files that belong to no series: indexes, files that are
	// no DICOM images, files that could not be read.
	Findings []series.Finding
	// Default is the index of the largest volume. A series with a damaged file
	// counts, and Load will say so; one of a kind that is not read counts only
	// where there is no other.
	Default int
	// Files is the number of files that were looked at.
	Files int

	fsys fs.FS
}

// Entry is one volume of a catalog: a series, or the part of one that fits one
// regular grid.
type Entry struct {
	series.Meta
	// Geometry is the grid that Load will give. It is zero where Err is set and
	// no grid could be formed.
	Geometry volume.Geometry
	// Part says what tells this volume from the others of its series ("echo 2",
	// "time 3 of 10", "localizer"); empty where the series is one volume.
	Part string
	// Slices is the number of slices, and Bytes the size of their files.
	Slices int
	Bytes  int64
	// Irregular is the largest distance in mm of a slice from its place on the grid,
	// as in series.Series.
	Irregular float64
	// Findings is what was noticed from headers; Load's series repeats them.
	Findings []series.Finding
	// Err says why the entry cannot be loaded: an *Error. Load returns it.
	Err error

	slices  []*header // ordered along the slice normal
	damaged bool      // Err is for a broken file, not for a kind that is not read
}

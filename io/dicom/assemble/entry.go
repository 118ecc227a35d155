package assemble

import (
	"quell/io/dicom/instance"
	"quell/series"
	"quell/volume"
)

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

	Stack   []*instance.Slice // ordered along the slice normal
	Damaged bool              // Err is for a broken file, not for a kind that is not read
}

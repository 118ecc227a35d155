package series

import (
	"context"

	"quell/volume"
)

// Slices reads one volume some slices at a time, in the order of its last axis, with the voxels
// that reading it whole gives. Its memory does not grow with the volume. Its methods are called
// from one goroutine.
type Slices interface {
	// Geometry returns the grid of the whole volume.
	Geometry() volume.Geometry
	// Read reads the next slices into data, whole slices of voxels, and returns how many of these
	// have no value. Such a voxel holds the padding of its file, or NaN or infinity if the file
	// has none: reading the volume whole gives it the smallest of all other values then. mask, of
	// the length of data, becomes false for them and true elsewhere; nil is not wanted.
	Read(ctx context.Context, data []float32, mask []bool) (padding int, err error)
	// Series returns the series that the slices form, without voxels and mask: with the findings
	// about the slices that were read. After the last slice its error is the error of reading
	// the volume whole.
	Series() (*Series, error)
	// Close closes the files.
	Close()
}

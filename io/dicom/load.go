package dicom

import (
	"context"
	"slices"

	"quell/internal/parallel"
	"quell/io/dicom/instance"
	"quell/series"
	"quell/volume"
)

// Load reads the voxels of entry i: real values (stored*slope + intercept, with the
// slope and intercept of each slice), with padding masked. Files are read in parallel,
// and so are the slices of one file. Besides the volume only the files that are being
// read are in memory, and of uncompressed multi-frame files only the frames. progress
// may be nil; it is called from one goroutine at a time with the number of slices done.
// The error is an *Error that names the file, or the context's.
func (c *Catalog) Load(ctx context.Context, i int, progress func(done, total int)) (*series.Series, error) {
	r, err := c.OpenSlices(i)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	r.progress = newCounter(len(r.stack), progress)
	v := volume.New(r.Geometry())
	if slices.ContainsFunc(r.stack, func(h *instance.Slice) bool { return h.Format.Padding }) {
		v.Mask = volume.Make[bool](len(v.Data))
	}
	padding, err := r.Read(ctx, v.Data, v.Mask)
	if err != nil {
		return nil, err
	}
	if padding == 0 {
		v.Mask = nil
	}
	s, err := r.Series()
	if err != nil {
		return nil, err
	}
	v.Unit = s.Volume.Unit
	s.Volume = v
	return s, nil
}

// Sources returns the sources of the slices of entry i, along the slice normal.
func (c *Catalog) Sources(i int) []series.Source {
	sources := make([]series.Source, len(c.Entries[i].Stack))
	for z, h := range c.Entries[i].Stack {
		sources[z] = series.Source{FS: c.fsys, Name: h.Name, Frame: h.Frame, UID: h.SOPUID, Position: h.Position,
			Slope: h.Format.Slope, Inter: h.Format.Intercept}
	}
	return sources
}

// newCounter adapts progress, which may be nil, to a counter of total steps.
func newCounter(total int, progress func(done, total int)) *parallel.Counter {
	if progress == nil {
		return &parallel.Counter{}
	}
	return parallel.NewCounter(int64(total), func(done, total int64) { progress(int(done), int(total)) })
}

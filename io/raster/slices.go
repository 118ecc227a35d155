package raster

import (
	"context"
	"io"
	"io/fs"

	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Slices reads one volume of a file some slices at a time, see [series.Slices]: with the values that
// [Opener.Read] reads.
type Slices struct {
	fsys  fs.FS
	name  string
	t     int
	im    *Image
	plan  plan
	src   io.Reader  // of a file that is read from its beginning
	ahead *readAhead // nil if src does not need it
	buf   []byte
	next  int // slice
	lost  losses

	infinite *series.Infinite // of the slices that were read
}

var _ series.Slices = (*Slices)(nil)

// OpenSlices opens component c of volume t of a file, as for [Opener.Read]. The caller
// closes it.
func (open Opener) OpenSlices(ctx context.Context, fsys fs.FS, name string, t int, c Component) (*Slices, error) {
	im, err := open(fsys, name)
	if err != nil {
		return nil, message.Named(name, err)
	}
	r := &Slices{fsys: fsys, name: name, t: t, im: im}
	if err := r.begin(ctx, c); err != nil {
		r.Close()
		return nil, message.Named(name, err)
	}
	return r, nil
}

// begin goes to the first voxel.
func (r *Slices) begin(ctx context.Context, c Component) (err error) {
	if r.plan, err = r.im.planOf(r.t, c); err != nil {
		return err
	}
	r.infinite = series.NewInfinite(r.plan.geometry)
	if _, direct := r.im.direct(); direct {
		return nil
	}
	if err := r.im.file.skipTo(ctx, r.plan.start(r.t)); err != nil {
		return ReadError(err)
	}
	r.src = r.im.file
	if r.im.file.packed != Plain {
		r.ahead = newReadAhead(r.im.file, r.plan.volumeBytes)
		r.src = r.ahead
	}
	size := r.plan.decoder.stored()
	r.buf = make([]byte, min(r.plan.geometry.Voxels(), max(chunkBytes/size, 1))*size)
	return nil
}

// Close implements series.Slices.
func (r *Slices) Close() {
	if r.ahead != nil {
		r.ahead.Close()
		r.ahead = nil
	}
	r.im.file.Close()
}

// Geometry implements series.Slices.
func (r *Slices) Geometry() volume.Geometry { return r.plan.geometry }

// Series implements series.Slices.
func (r *Slices) Series() (*series.Series, error) {
	s, err := r.im.seriesOf(r.plan, r.t, r.lost)
	if err != nil {
		return nil, message.Named(r.name, err)
	}
	s.Sources[0].FS, s.Sources[0].Name = r.fsys, r.name
	s.Infinite = r.infinite
	return s, nil
}

// Read implements series.Slices: voxels that are NaN, infinite or beyond the range of float32 have no value.
// After the last slice it checks that the file is whole.
func (r *Slices) Read(ctx context.Context, data []float32, mask []bool) (padding int, err error) {
	first := r.next * r.plan.geometry.SliceVoxels()
	lost, err := r.read(ctx, data)
	if err != nil {
		return 0, message.Named(r.name, err)
	}
	if lost.keepsInfinite() {
		r.infinite.Note(first, data)
	}
	r.lost.add(lost)
	for i := range mask {
		mask[i] = data[i]-data[i] == 0
	}
	return lost.nonFinite(), nil
}

func (r *Slices) read(ctx context.Context, data []float32) (lost losses, err error) {
	g := r.plan.geometry
	first := r.next * g.SliceVoxels()
	r.next += len(data) / g.SliceVoxels()
	if file, direct := r.im.direct(); direct {
		return r.plan.readAt(ctx, file, r.t, first, data, func(int) {})
	}
	if lost, err = r.plan.readNext(ctx, r.src, first, data, r.buf, &arrivals{}); err != nil {
		return lost, err
	}
	if r.next == g.Dims[2] && r.plan.isLast(r.t, r.im.layout.Volumes) {
		lost.unused, err = r.im.readToEnd(r.src)
	}
	return lost, err
}

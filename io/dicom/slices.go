package dicom

import (
	"context"
	"fmt"
	"image"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// Slices reads the volume of an entry some slices at a time, see [series.Slices]. In memory are
// the files that are being read, one on each core, and of an uncompressed multi-frame file the
// frames alone. A file that has slices of the next Read stays open until then.
type Slices struct {
	fsys     fs.FS
	stack    []*instance.Slice
	plain    series.Series     // without what reading adds
	progress *parallel.Counter // of slices
	next     int               // slice
	padding  int               // voxels so far
	open     openFile          // that has the next slice too; none at first
}

// openFile is a file with its name.
type openFile struct {
	name string
	*instance.PixelFile
}

var _ series.Slices = (*Slices)(nil)

// OpenSlices begins to read entry i. The caller closes the result. The error is as from Load.
func (c *Catalog) OpenSlices(i int) (*Slices, error) {
	if i < 0 || i >= len(c.Entries) {
		return nil, fmt.Errorf("dicom: entry %d of %d", i, len(c.Entries))
	}
	e := &c.Entries[i]
	if e.Err != nil {
		return nil, e.Err
	}
	v := &volume.Volume{Geometry: e.Geometry, Unit: e.Stack[0].Unit}
	return &Slices{fsys: c.fsys, stack: e.Stack, progress: &parallel.Counter{},
		plain: series.Series{Meta: e.Meta, Volume: v, Sources: c.Sources(i), Findings: e.Findings, Irregular: e.Irregular}}, nil
}

// Geometry implements series.Slices.
func (r *Slices) Geometry() volume.Geometry { return r.plain.Volume.Geometry }

// Series implements series.Slices.
func (r *Slices) Series() (*series.Series, error) {
	s, v := r.plain, *r.plain.Volume
	s.Volume, s.Findings = &v, slices.Clone(s.Findings)
	if r.padding > 0 {
		s.Findings = append(s.Findings, series.Finding{Severity: series.Note, Kind: series.Padding,
			Text: message.Text("%d voxels are padding; they are masked and written back unchanged.", r.padding)})
	}
	return &s, nil
}

// Close implements series.Slices.
func (r *Slices) Close() {
	if r.open.PixelFile != nil {
		r.open.Close()
		r.open = openFile{}
	}
}

// Read implements series.Slices: files are read in parallel, and so are the slices of a file as
// far as there are fewer files than cores. The error is an *Error that names the file, or the
// context's.
func (r *Slices) Read(ctx context.Context, data []float32, mask []bool) (padding int, err error) {
	n := r.Geometry().SliceVoxels()
	if len(data)%n != 0 || len(data)/n > len(r.stack)-r.next {
		return 0, fmt.Errorf("dicom: %d voxels of slices of %d, of which %d are left", len(data), n, len(r.stack)-r.next)
	}
	p := pass{Slices: r, first: r.next, end: r.next + len(data)/n, data: data, mask: mask}
	if err := p.run(ctx); err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, err
	}
	r.next = p.end
	r.padding += int(p.padding.Load())
	return int(p.padding.Load()), nil
}

// pass is the work of one Read.
type pass struct {
	*Slices
	first, end int // slices
	data       []float32
	mask       []bool // nil is not wanted
	padding    atomic.Int64
}

// run reads every file. Each goroutine reuses one buffer.
func (p *pass) run(ctx context.Context) error {
	files, at := slicesByFile(p.stack[p.first:p.end])
	before, keep := p.open, ""
	var after openFile
	if p.end < len(p.stack) {
		keep = p.stack[p.end].Name
	}
	defer func() {
		if before.PixelFile != nil && before != after {
			before.Close()
		}
		p.open = after
	}()
	cores := runtime.GOMAXPROCS(0)
	perFile := max(1, cores/max(1, min(cores, len(files))))
	return parallel.ForWorkers(ctx, len(files), cores, func() func(int) error {
		var buf []byte
		return func(k int) (err error) {
			name, slices := files[k], at[files[k]]
			f := before
			if f.name != name {
				if f.PixelFile, buf, err = p.stack[p.first+slices[0]].OpenPixelFile(ctx, p.fsys, buf); err != nil {
					return err
				}
			}
			switch {
			case name == keep:
				after, buf = openFile{name, f.PixelFile}, nil // its bytes may lie in buf
			case f.name != name:
				defer f.Close()
			}
			if len(slices) == 1 {
				buf, err = p.read(f.PixelFile, slices[0], buf)
				return err
			}
			return parallel.ForWorkers(ctx, len(slices), perFile, func() func(int) error {
				var frame []byte
				return func(i int) (err error) {
					frame, err = p.read(f.PixelFile, slices[i], frame)
					return err
				}
			})
		}
	})
}

// read reads the z-th slice of the pass. It returns buf, or a larger buffer, in which a slice that is
// read by itself is stored in between.
func (p *pass) read(f *instance.PixelFile, z int, buf []byte) ([]byte, error) {
	s := p.stack[p.first+z]
	raw, buf, err := f.Read(s, buf)
	if err != nil {
		return buf, err
	}
	n := p.Geometry().SliceVoxels()
	s.Format.Decode(p.data[z*n:(z+1)*n], raw)
	switch {
	case p.mask != nil:
		p.padding.Add(int64(s.Format.Mask(p.mask[z*n:(z+1)*n], raw, s.Meta.Modality)))
	case s.Format.Padding:
		p.padding.Add(int64(s.Format.Mask(make([]bool, n), raw, s.Meta.Modality)))
	}
	p.progress.Add(1)
	return buf, nil
}

// slicesByFile returns the files of slices, in the order of the slices, and the indices
// of the slices in each.
func slicesByFile(hs []*instance.Slice) (files []string, at map[string][]int) {
	at = map[string][]int{}
	for z, h := range hs {
		if at[h.Name] == nil {
			files = append(files, h.Name)
		}
		at[h.Name] = append(at[h.Name], z)
	}
	return files, at
}

// readAgain opens the files of a loaded series for its slices.
func readAgain(ctx context.Context, s *series.Series) (*Slices, error) {
	r := &Slices{fsys: s.Sources[0].FS, plain: *s, progress: &parallel.Counter{}}
	files := map[string]*instance.Instance{}
	for _, from := range s.Sources {
		in := files[from.Name]
		if in == nil {
			var err error
			if in, err = instance.Read(ctx, from.FS, from.Name); err != nil {
				return nil, err
			}
			files[from.Name] = in
		}
		if !in.Usable() || in.SOPUID != from.UID || from.Frame >= len(in.Slices) {
			return nil, part10.FileError(message.InputChanged, from.Name, message.Text("open the series again"), nil, "the source file is not the one that was loaded")
		}
		r.stack = append(r.stack, in.Slices[from.Frame])
	}
	return r, nil
}

// Thumbnail paints the middle slice of entry i as it is stored, in the series'
// own window or one that fits it, at most side pixels wide and high and with the
// proportions that it has in space. Of a large file only that slice is read. It
// may be called from several goroutines. The error is the entry's Err, an *Error
// naming the file, or the context's.
func (c *Catalog) Thumbnail(ctx context.Context, i, side int) (*image.Gray, error) {
	if i < 0 || i >= len(c.Entries) || side < 1 {
		return nil, fmt.Errorf("dicom: thumbnail of %d pixels of entry %d of %d", side, i, len(c.Entries))
	}
	e := &c.Entries[i]
	if e.Err != nil {
		return nil, e.Err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h := e.Stack[len(e.Stack)/2]
	slice := volume.New(volume.NewGeometry([3]int{h.Format.Cols, h.Format.Rows, 1}, [3]float64{h.Spacing[0], h.Spacing[1], 1}))
	if h.Format.Padding {
		slice.Mask = make([]bool, len(slice.Data))
	}
	one := &Slices{fsys: c.fsys, stack: []*instance.Slice{h}, plain: series.Series{Volume: slice}, progress: newCounter(1, nil)}
	if _, err := one.Read(ctx, slice.Data, slice.Mask); err != nil {
		return nil, err
	}
	window := volume.AutoWindow(slice)
	if len(h.Meta.Windows) > 0 {
		window = h.Meta.Windows[0]
	}
	return slice.Shrink(side).Gray(window, h.Format.Photometric == "MONOCHROME1"), nil
}

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

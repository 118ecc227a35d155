package dicom

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"quell/internal/parallel"
	"quell/io/dicom/instance"
	"quell/series"
	"quell/volume"
)

// Load reads the voxels of entry i: real values (stored * slope + intercept, by
// each slice's own), with padding masked. Files are read in parallel, and so are
// the slices of one file; beside the volume only the files that are being read
// are in memory, and of plain multi-frame files only the frames. progress may be
// nil; it is called from one goroutine at a time with the slices done. The error
// is an *Error naming the file, or the context's.
func (c *Catalog) Load(ctx context.Context, i int, progress func(done, total int)) (*series.Series, error) {
	if i < 0 || i >= len(c.Entries) {
		return nil, fmt.Errorf("dicom: entry %d of %d", i, len(c.Entries))
	}
	e := &c.Entries[i]
	if e.Err != nil {
		return nil, e.Err
	}
	s := &series.Series{Meta: e.Meta, Volume: volume.New(e.Geometry), Findings: slices.Clone(e.Findings), Irregular: e.Irregular}
	s.Volume.Unit = e.Stack[0].Unit
	s.Sources = make([]series.Source, len(e.Stack))
	for z, h := range e.Stack {
		s.Sources[z] = series.Source{FS: c.fsys, Name: h.Name, Frame: h.Frame, UID: h.SOPUID, Position: h.Position,
			Slope: h.Format.Slope, Inter: h.Format.Intercept}
	}
	if slices.ContainsFunc(e.Stack, func(h *instance.Slice) bool { return h.Format.Padding }) {
		s.Volume.Mask = volume.Make[bool](len(s.Volume.Data))
	}

	l := &loader{fsys: c.fsys, slices: e.Stack, volume: s.Volume, progress: newCounter(len(e.Stack), progress)}
	if err := l.run(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	if n := l.padding.Load(); n > 0 {
		s.Findings = append(s.Findings, series.Finding{Severity: series.Note, Kind: series.Padding,
			Text: fmt.Sprintf("%d voxels are padding; they are left out and written back unchanged.", n)})
	} else {
		s.Volume.Mask = nil
	}
	return s, nil
}

// loader is the work of one Load.
type loader struct {
	fsys     fs.FS
	slices   []*instance.Slice
	volume   *volume.Volume    // Mask is set where a slice may have padding
	progress *parallel.Counter // of slices
	padding  atomic.Int64      // voxels
}

// run reads every file. Each of as many goroutines as there are processors has a
// buffer, which it uses again.
func (l *loader) run(ctx context.Context) error {
	files, at := slicesByFile(l.slices)
	g, ctx := errgroup.WithContext(ctx)
	whole, frames := newBuffers(), newBuffers()
	for _, name := range files {
		buf := <-whole
		g.Go(func() (err error) {
			defer func() { whole <- buf }()
			if err := ctx.Err(); err != nil {
				return err
			}
			var f *instance.PixelFile
			if f, buf, err = l.slices[at[name][0]].OpenPixelFile(ctx, l.fsys, buf); err != nil {
				return err
			}
			defer f.Close()
			if len(at[name]) > 1 {
				return l.eachSlice(ctx, f, at[name], frames)
			}
			buf, err = l.loadSlice(f, at[name][0], buf)
			return err
		})
	}
	return g.Wait()
}

// eachSlice loads slices that lie in one file, in parallel. It ends early with
// the context.
func (l *loader) eachSlice(ctx context.Context, f *instance.PixelFile, slices []int, frames buffers) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cap(frames))
	for _, z := range slices {
		g.Go(func() (err error) {
			buf := <-frames
			defer func() { frames <- buf }()
			if err := ctx.Err(); err != nil {
				return err
			}
			buf, err = l.loadSlice(f, z, buf)
			return err
		})
	}
	return g.Wait()
}

// loadSlice reads slice z, by way of buf where it is read by itself, and returns
// buf or what it has grown to.
func (l *loader) loadSlice(f *instance.PixelFile, z int, buf []byte) ([]byte, error) {
	h := l.slices[z]
	raw, buf, err := f.Read(h, buf)
	if err != nil {
		return buf, err
	}
	h.Format.Decode(l.volume.Plane(z), raw)
	if mask := l.volume.PlaneMask(z); mask != nil {
		l.padding.Add(int64(h.Format.Mask(mask, raw, h.Meta.Modality)))
	}
	l.progress.Add(1)
	return buf, nil
}

// buffers are handed from goroutine to goroutine, one for each processor: who
// waits for one waits for its turn.
type buffers chan []byte

func newBuffers() buffers {
	b := make(buffers, runtime.GOMAXPROCS(0))
	for range cap(b) {
		b <- nil
	}
	return b
}

// slicesByFile returns the files that slices lie in, in the order of the slices,
// and which of them each holds.
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

// newCounter adapts progress, which may be nil, to a counter of total steps.
func newCounter(total int, progress func(done, total int)) *parallel.Counter {
	if progress == nil {
		return &parallel.Counter{}
	}
	return parallel.NewCounter(int64(total), func(done, total int64) { progress(int(done), int(total)) })
}

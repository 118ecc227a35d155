package dicom

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

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
	s.Volume.Unit = e.slices[0].unit
	s.Sources = make([]series.Source, len(e.slices))
	for z, h := range e.slices {
		s.Sources[z] = series.Source{FS: c.fsys, Name: h.name, Frame: h.frame, UID: h.sopUID, Position: h.position,
			Slope: h.format.slope, Inter: h.format.inter}
	}
	if slices.ContainsFunc(e.slices, func(h *header) bool { return h.format.padding }) {
		s.Volume.Mask = volume.Make[bool](len(s.Volume.Data))
	}

	l := &loader{fsys: c.fsys, slices: e.slices, volume: s.Volume, report: newProgress(len(e.slices), progress)}
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
	fsys    fs.FS
	slices  []*header
	volume  *volume.Volume // Mask is set where a slice may have padding
	report  func()         // that a slice is done
	padding atomic.Int64   // voxels
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
			var f *pixelFile
			if f, buf, err = l.slices[at[name][0]].openPixelFile(ctx, l.fsys, buf); err != nil {
				return err
			}
			defer f.close()
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
func (l *loader) eachSlice(ctx context.Context, f *pixelFile, slices []int, frames buffers) error {
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
func (l *loader) loadSlice(f *pixelFile, z int, buf []byte) ([]byte, error) {
	h := l.slices[z]
	raw, buf, err := f.read(h, buf)
	if err != nil {
		return buf, err
	}
	h.format.decode(l.volume.Plane(z), raw)
	if mask := l.volume.PlaneMask(z); mask != nil {
		l.padding.Add(int64(h.format.mask(mask, raw, h.meta.Modality)))
	}
	l.report()
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
func slicesByFile(hs []*header) (files []string, at map[string][]int) {
	at = map[string][]int{}
	for z, h := range hs {
		if at[h.name] == nil {
			files = append(files, h.name)
		}
		at[h.name] = append(at[h.name], z)
	}
	return files, at
}

// openFile opens a file of a container.
func openFile(fsys fs.FS, name string) (fs.File, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fileError(name, "check that it exists and may be read", err, "it cannot be opened (%s)", cause(err))
	}
	return f, nil
}

// readFile returns all bytes of a file.
func readFile(fsys fs.FS, name string, size int64, buf []byte) ([]byte, error) {
	f, err := openFile(fsys, name)
	if err != nil {
		return buf, err
	}
	defer f.Close()
	return readAll(context.Background(), f, name, size, buf)
}

// readAll reads a whole file into buf, or into a larger one. It grows as bytes
// arrive, so that a size that lies costs nothing, and looks at the context before
// every few megabytes, for a zip is slow.
func readAll(ctx context.Context, f io.Reader, name string, size int64, buf []byte) ([]byte, error) {
	const step = 4 << 20
	buf = buf[:0]
	for int64(len(buf)) < size {
		if err := ctx.Err(); err != nil {
			return buf, err
		}
		if len(buf) == 0 || len(buf) == cap(buf) {
			buf = slices.Grow(buf, int(min(size, int64(max(step, 2*len(buf)))))-len(buf))
		}
		n, err := io.ReadFull(f, buf[len(buf):min(int(size), cap(buf), len(buf)+step)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return buf, fileError(name, adviseCopy, err, "it is shorter than its %d bytes", size)
		}
		if err != nil {
			return buf, unreadable(name, err)
		}
	}
	return buf, nil
}

// newProgress returns a function that counts one more done and reports it; safe
// for several goroutines.
func newProgress(total int, progress func(done, total int)) func() {
	if progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		progress(done, total)
	}
}

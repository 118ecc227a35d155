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

	"golang.org/x/sync/errgroup"

	"quell/volume"
)

// Load reads the voxels of entry i: real values (stored * slope + intercept, by
// each slice's own), with padding masked. Files are read in parallel. progress
// may be nil; it is called from one goroutine at a time with the slices done.
// The error is an *Error naming the file, or the context's.
func (c *Catalog) Load(ctx context.Context, i int, progress func(done, total int)) (*volume.Series, error) {
	if i < 0 || i >= len(c.Entries) {
		return nil, fmt.Errorf("dicom: entry %d of %d", i, len(c.Entries))
	}
	e := &c.Entries[i]
	if e.Err != nil {
		return nil, e.Err
	}
	s := &volume.Series{Meta: e.Meta, Volume: volume.New(e.Geometry), Findings: slices.Clone(e.Findings)}
	s.Volume.Unit = e.slices[0].unit
	s.Sources = make([]volume.Source, len(e.slices))
	for z, h := range e.slices {
		s.Sources[z] = volume.Source{FS: c.fsys, Name: h.name, Frame: h.frame, UID: h.sopUID, Position: h.position,
			Slope: h.format.slope, Inter: h.format.inter}
	}

	masks := make([][]bool, len(e.slices))
	files, at := e.byFile()
	report := newProgress(len(e.slices), progress)
	buffers := make(chan []byte, runtime.GOMAXPROCS(0))
	g, gctx := errgroup.WithContext(ctx)
	for range cap(buffers) {
		buffers <- nil
	}
	for _, name := range files {
		buf := <-buffers
		g.Go(func() error {
			defer func() { buffers <- buf }()
			if err := gctx.Err(); err != nil {
				return err
			}
			first := e.slices[at[name][0]]
			var err error
			if buf, err = readFile(c.fsys, name, first.size, buf); err != nil {
				return err
			}
			f, err := first.openPixels(buf)
			if err != nil {
				return err
			}
			return eachSlice(gctx, at[name], func(z int) (err error) {
				if masks[z], err = e.slices[z].loadSlice(s.Volume.Plane(z), f); err == nil {
					report()
				}
				return err
			})
		})
	}
	if err := g.Wait(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	s.Volume.Mask = joinMasks(masks, s.Volume.Geometry)
	if n := maskedVoxels(s.Volume.Mask); n > 0 {
		s.Findings = append(s.Findings, volume.Finding{Severity: volume.Note, Kind: "padding",
			Text: fmt.Sprintf("%d voxels are padding; they are left out and written back unchanged.", n)})
	}
	return s, nil
}

// byFile returns the files that an entry's slices lie in, in the order of the
// slices, and which slices each holds.
func (e *Entry) byFile() (files []string, at map[string][]int) {
	at = map[string][]int{}
	for z, h := range e.slices {
		if at[h.name] == nil {
			files = append(files, h.name)
		}
		at[h.name] = append(at[h.name], z)
	}
	return files, at
}

// eachSlice calls f for every slice of one file, in parallel where there are
// several. It ends early with the context.
func eachSlice(ctx context.Context, slices []int, f func(z int) error) error {
	if len(slices) == 1 {
		return f(slices[0])
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, z := range slices {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(z)
		})
	}
	return g.Wait()
}

// loadSlice converts the pixels of a slice into dst and returns the mask where
// there is padding.
func (h *header) loadSlice(dst []float32, f *pixelFile) ([]bool, error) {
	raw, err := f.slice(h)
	if err != nil {
		return nil, err
	}
	h.format.decode(dst, raw)
	if !h.format.padding {
		return nil, nil
	}
	mask := make([]bool, len(dst))
	if !h.format.mask(mask, raw, h.meta.Modality) {
		return nil, nil
	}
	return mask, nil
}

// readFile reads a whole file into buf, or into a larger one. It grows as bytes
// arrive, so that a size that lies costs nothing.
func readFile(fsys fs.FS, name string, size int64, buf []byte) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return buf, fileError(name, "check that it exists and may be read", err, "it cannot be opened (%s)", cause(err))
	}
	defer f.Close()
	const step = 4 << 20
	buf = buf[:0]
	for int64(len(buf)) < size {
		want := min(size, int64(max(step, 2*len(buf))))
		buf = slices.Grow(buf, int(want)-len(buf))
		n, err := io.ReadFull(f, buf[len(buf):want])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return buf, fileError(name, adviseCopy, err, "it is shorter than its %d bytes", size)
		}
		if err != nil {
			return buf, fileError(name, "check the disk, or copy the file again", err, "it cannot be read (%s)", cause(err))
		}
	}
	return buf, nil
}

// joinMasks puts the masks of slices together; nil where none has padding.
func joinMasks(masks [][]bool, g volume.Geometry) []bool {
	if !slices.ContainsFunc(masks, func(m []bool) bool { return m != nil }) {
		return nil
	}
	n := g.SliceVoxels()
	out := make([]bool, g.Voxels())
	for z, m := range masks {
		part := out[z*n : (z+1)*n]
		if m != nil {
			copy(part, m)
			continue
		}
		for i := range part {
			part[i] = true
		}
	}
	return out
}

func maskedVoxels(mask []bool) int {
	n := 0
	for _, valid := range mask {
		if !valid {
			n++
		}
	}
	return n
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

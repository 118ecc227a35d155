package dicom

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"runtime"

	"golang.org/x/sync/errgroup"

	"quell/volume"
)

// batch writes the files of a series and proves that they are there.
type batch struct {
	files [][]int // the slices of each file, in the order of its frames
	place []place // of each slice
	// make returns the bytes of the k-th file and the pixels of its slices, little
	// endian. It is called from several goroutines.
	make     func(k int) (file []byte, pixels [][]byte, err error)
	progress func()
	report   Report
}

// place is where a slice is written to.
type place struct{ file, frame int }

func newBatch(files [][]int, progress func(done, total int)) *batch {
	b := &batch{files: files, progress: newProgress(2*len(files), progress)}
	n := 0
	for _, f := range files {
		n += len(f)
	}
	b.place = make([]place, n)
	for k, f := range files {
		for i, z := range f {
			b.place[z] = place{k, i}
		}
	}
	return b
}

func (b *batch) warn(format string, args ...any) {
	b.report.Warnings = append(b.report.Warnings, fmt.Sprintf(format, args...))
}

// run makes every file in a stage, reads them back and commits. positions are
// where the slices' first voxels must be, along the normal.
func (b *batch) run(ctx context.Context, dir string, positions []volume.Vec) error {
	st, err := newStage(dir)
	if err != nil {
		return err
	}
	defer st.close()
	sums := make([][sha256.Size]byte, len(b.place))
	err = b.each(ctx, func(k int) error {
		file, pixels, err := b.make(k)
		if err != nil {
			return err
		}
		for i, z := range b.files[k] {
			sums[z] = sha256.Sum256(pixels[i])
		}
		return st.write(sliceName(k), file)
	})
	if err != nil {
		return err
	}
	if err := b.verify(ctx, st, positions, sums); err != nil {
		return err
	}
	b.report.Files = len(b.files)
	return st.commit()
}

// each calls f for every file in parallel.
func (b *batch) each(ctx context.Context, f func(k int) error) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for k := range b.files {
		g.Go(func() error {
			if err := gctx.Err(); err != nil {
				return err
			}
			if err := f(k); err != nil {
				return err
			}
			b.progress()
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	return nil
}

// verify reads the stage as any reader would: one series, every slice in its
// place, and pixels that are bit for bit what was meant.
func (b *batch) verify(ctx context.Context, st *stage, positions []volume.Vec, sums [][sha256.Size]byte) error {
	broken := func(format string, args ...any) error {
		return fileError(st.target, "check the disk, or choose another place", nil,
			"what was written there was read back and is not what was meant (%s), so nothing is kept of it", fmt.Sprintf(format, args...))
	}
	fsys := os.DirFS(st.dir)
	c, err := Scan(ctx, fsys, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return broken("%v", err)
	}
	if len(c.Entries) != 1 || c.Entries[0].Err != nil {
		return broken("%d volumes", len(c.Entries))
	}
	e := &c.Entries[0]
	if len(e.slices) != len(b.place) || e.UID != b.report.SeriesUID {
		return broken("%d of %d slices", len(e.slices), len(b.place))
	}
	for z, h := range e.slices {
		if at := b.place[z]; path.Base(h.name) != sliceName(at.file) || h.frame != at.frame {
			return broken("frame %d of %s in place %d", h.frame, h.name, z)
		}
		if h.position.Sub(positions[z]).Norm() > 1e-3 {
			return broken("position of frame %d of %s", h.frame, h.name)
		}
	}
	return b.each(ctx, func(k int) error {
		h := e.slices[b.files[k][0]]
		file, err := readFile(fsys, h.name, h.size, nil)
		if err != nil {
			return broken("%v", err)
		}
		f, err := h.openPixels(file)
		if err != nil {
			return broken("%v", err)
		}
		for _, z := range b.files[k] {
			pixels, err := f.slice(e.slices[z])
			if err != nil {
				return broken("%v", err)
			}
			if sha256.Sum256(pixels) != sums[z] {
				return broken("pixels of %s differ", h.name)
			}
		}
		return nil
	})
}

package dicom

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"quell/volume"
)

// Write writes result, which lies on the grid of src.Volume, as a series
// derived from src's files into the folder dir: one file per slice, IM00001.dcm
// on along the slice normal, in the transfer syntax of the source. src may hold
// a run of the slices it was loaded with; src.Sources must fit src.Volume. The
// source files are read again and never written to.
//
// Values are stored as round((v - intercept) / slope), clipped to the stored
// bits; what src.Volume masks keeps the source's bits. The same source, recipe
// and result give the same UIDs.
//
// The folder appears whole or not at all: files are made beside it, synced,
// read back and compared first. dir must not exist, be empty, or be an earlier
// export, which is replaced. progress may be nil; it counts files written and
// files read back. The error is an *Error or the context's.
func Write(ctx context.Context, dir string, src *volume.Series, result *volume.Volume, d Derived, progress func(done, total int)) (Report, error) {
	if err := checkResult(src, result); err != nil {
		return Report{}, err
	}
	if err := checkApart(dir, src.Sources); err != nil {
		return Report{}, err
	}
	sum, err := hashVoxels(ctx, result)
	if err != nil {
		return Report{}, err
	}
	b := &batch{slices: result.Dims[2], progress: newProgress(2*result.Dims[2], progress)}
	b.report.SeriesUID = deriveUID([]byte("series"), []byte(src.UID), d.Recipe, sum)
	unread := map[tagID]bool{}
	var mu sync.Mutex // guards the report and unread
	b.make = func(z int) ([]byte, []byte, error) {
		from := src.Sources[z]
		file, err := readSource(from)
		if err != nil {
			return nil, nil, err
		}
		s, err := newDerivedSlice(from, file)
		if err != nil {
			return nil, nil, err
		}
		if n := result.SliceVoxels(); s.format.rows*s.format.cols != n {
			return nil, nil, fmt.Errorf("dicom: slice %d has %d voxels, its source %d x %d", z, n, s.format.cols, s.format.rows)
		}
		s.Derived, s.seriesUID = &d, b.report.SeriesUID
		s.sopUID = deriveUID([]byte("instance"), []byte(from.UID), []byte(strconv.Itoa(z)), d.Recipe, sum)
		s.store(result.Plane(z), src.Volume.PlaneMask(z))
		out := s.patch()
		mu.Lock()
		defer mu.Unlock()
		b.report.Clipped += s.clipped
		for _, t := range s.unreadable {
			unread[t] = true
		}
		return out, s.pixels[:s.format.bytes()], nil
	}
	positions := make([]volume.Vec, b.slices)
	for z, from := range src.Sources {
		positions[z] = from.Position
	}
	if err := b.run(ctx, dir, positions); err != nil {
		return Report{}, err
	}
	if n := b.report.Clipped; n > 0 {
		b.warn("%s outside the range that the source's bits can store; clipped to its ends.", count(int(n), "voxel is", "voxels are"))
	}
	for t := range unread {
		b.warn("The sequence %v of the source is of unknown type and was replaced.", t)
	}
	return b.report, nil
}

func checkResult(src *volume.Series, result *volume.Volume) error {
	if err := result.Validate(); err != nil {
		return fmt.Errorf("dicom: the result cannot be written: %w", err)
	}
	if src.Volume.Dims != result.Dims || len(src.Sources) != result.Dims[2] {
		return fmt.Errorf("dicom: a result of %v voxels for a source of %v with %d files", result.Dims, src.Volume.Dims, len(src.Sources))
	}
	for _, s := range src.Sources {
		if s.FS == nil || s.Frame != 0 {
			return errors.New("dicom: the series does not come from single-frame DICOM files")
		}
	}
	return nil
}

// readSource reads a source file whole.
func readSource(s volume.Source) ([]byte, error) {
	f, err := s.FS.Open(s.Name)
	if err != nil {
		return nil, fileError(s.Name, "put the source back where it was opened", err, "the source file cannot be opened (%s)", cause(err))
	}
	info, err := f.Stat()
	f.Close()
	if err != nil {
		return nil, fileError(s.Name, "put the source back where it was opened", err, "the source file cannot be read (%s)", cause(err))
	}
	return readFile(s.FS, s.Name, info.Size(), nil)
}

// batch writes the files of a series and proves that they are there.
type batch struct {
	slices int
	// make returns the bytes of slice z's file and its pixels, little endian. It
	// is called from several goroutines.
	make     func(z int) (file, pixels []byte, err error)
	progress func()
	report   Report
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
	sums := make([][sha256.Size]byte, b.slices)
	err = b.each(ctx, func(z int) error {
		file, pixels, err := b.make(z)
		if err != nil {
			return err
		}
		sums[z] = sha256.Sum256(pixels)
		return st.write(sliceName(z), file)
	})
	if err != nil {
		return err
	}
	if err := b.verify(ctx, st.dir, positions, sums); err != nil {
		return err
	}
	b.report.Files = b.slices
	return st.commit()
}

// each calls f for every slice in parallel.
func (b *batch) each(ctx context.Context, f func(z int) error) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for z := range b.slices {
		g.Go(func() error {
			if err := gctx.Err(); err != nil {
				return err
			}
			if err := f(z); err != nil {
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
func (b *batch) verify(ctx context.Context, dir string, positions []volume.Vec, sums [][sha256.Size]byte) error {
	broken := func(format string, args ...any) error {
		return fmt.Errorf("dicom: the export was read back and is not as it should be (%s); nothing was kept", fmt.Sprintf(format, args...))
	}
	fsys := os.DirFS(dir)
	c, err := Scan(ctx, fsys, nil)
	if err != nil {
		return broken("%v", err)
	}
	if len(c.Entries) != 1 || c.Entries[0].Err != nil {
		return broken("%d volumes", len(c.Entries))
	}
	e := &c.Entries[0]
	if len(e.slices) != b.slices || e.UID != b.report.SeriesUID {
		return broken("%d of %d slices", len(e.slices), b.slices)
	}
	return b.each(ctx, func(z int) error {
		h := e.slices[z]
		if path.Base(h.name) != sliceName(z) {
			return broken("%s in place %d", h.name, z)
		}
		if h.position.Sub(positions[z]).Norm() > 1e-3 {
			return broken("position of %s", h.name)
		}
		file, err := readFile(fsys, h.name, h.size, nil)
		if err != nil {
			return broken("%v", err)
		}
		pixels, err := h.pixelBytes(file)
		if err != nil {
			return broken("%v", err)
		}
		if sha256.Sum256(pixels) != sums[z] {
			return broken("pixels of %s differ", h.name)
		}
		return nil
	})
}

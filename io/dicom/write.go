package dicom

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"quell/volume"
)

// Write writes result, which lies on the grid of src.Volume, as a series
// derived from src's files into the folder dir: one file for each of src's,
// IM00001.dcm on along the slice normal, in the transfer syntax of the source
// (explicit little endian where that is compressed), or compressed where d asks for
// it, and multi-frame or a mosaic where the source is, with the volume's frames
// alone. src may hold a run of the slices it was loaded with (of a mosaic all);
// src.Sources must fit src.Volume. The source files are read again and never
// written to.
//
// Values are stored as round((v - intercept) / slope), clipped to the stored
// bits; what src.Volume masks keeps the source's bits. The same source, recipe
// and result (and secret, where the series is de-identified) give the same UIDs.
//
// The folder appears whole or not at all: files are made beside it, synced,
// read back and compared first. dir must not exist, be empty, or be an earlier
// export, which is replaced. progress may be nil; it counts files written and
// files read back. The error is an *Error or the context's.
func Write(ctx context.Context, dir string, src *volume.Series, result *volume.Volume, d Derived, progress func(done, total int)) (Report, error) {
	if err := checkResult(src, result, d.Compress); err != nil {
		return Report{}, err
	}
	if err := checkApart(dir, src.Sources); err != nil {
		return Report{}, err
	}
	sum, err := hashVoxels(ctx, result)
	if err != nil {
		return Report{}, err
	}
	b := newBatch(sliceFiles(src.Sources), progress)
	b.report.SeriesUID = deriveUID([]byte("series"), []byte(src.UID), sourceKey(src.Sources), d.Recipe, sum)
	studyUID, err := studyOf(ctx, src)
	if err != nil {
		return Report{}, err
	}
	names := pseudonyms{d.Secret}
	if d.Deidentify {
		studyUID = string(names.uid([]byte(studyUID)))
		d.Now = dummyTime
		b.report.SeriesUID = string(names.uid([]byte(b.report.SeriesUID)))
	}
	unread, identity := map[tagID]bool{}, map[string]bool{}
	plain := 0        // files that could not be compressed
	var mu sync.Mutex // guards the report, unread, identity and plain
	b.make = func(k int) ([]byte, [][]byte, error) {
		at := b.files[k]
		sources := make([]volume.Source, len(at))
		for i, z := range at {
			sources[i] = src.Sources[z]
		}
		file, err := readSource(sources[0])
		if err != nil {
			return nil, nil, err
		}
		s, err := newDerivedImage(sources, file)
		if err != nil {
			return nil, nil, err
		}
		if n := result.SliceVoxels(); s.format.rows*s.format.cols != n {
			return nil, nil, fmt.Errorf("dicom: a slice has %d voxels, its source %d x %d", n, s.format.cols, s.format.rows)
		}
		s.Derived, s.studyUID, s.seriesUID = &d, studyUID, b.report.SeriesUID
		s.sopUID = deriveUID([]byte("instance"), sourceKey(sources), []byte(strconv.Itoa(k)), d.Recipe, sum)
		if err := s.makeExplicit(); err != nil {
			return nil, nil, err
		}
		if d.Deidentify {
			if err := s.deidentify(names); err != nil {
				return nil, nil, err
			}
			s.sopUID = string(names.uid([]byte(s.sopUID)))
		}
		s.store(func(i int) []float32 { return result.Plane(at[i]) }, func(i int) []bool { return src.Volume.PlaneMask(at[i]) })
		out, err := s.patch()
		if err != nil {
			return nil, nil, err
		}
		pixels := make([][]byte, len(at))
		for i := range at {
			pixels[i] = s.slicePixels(i)
		}
		mu.Lock()
		defer mu.Unlock()
		if d.Compress.syntaxUID() != "" && !s.compressible() {
			plain++
		}
		b.report.Clipped += s.clipped
		for _, t := range s.unreadable {
			unread[t] = true
		}
		if s.identity != nil {
			for _, w := range s.identity.warnings {
				identity[w] = true
			}
		}
		return out, pixels, nil
	}
	positions := make([]volume.Vec, len(src.Sources))
	for z, from := range src.Sources {
		positions[z] = from.Position
	}
	if err := b.run(ctx, dir, positions); err != nil {
		return Report{}, err
	}
	if n := b.report.Clipped; n > 0 {
		b.warn("%s outside the range that the source's bits can store; clipped to its ends.", count(int(n), "voxel is", "voxels are"))
	}
	if plain > 0 {
		b.warn("%s not compressed: big endian files and pixels of 32 bits are written plainly.", count(plain, "file is", "files are"))
	}
	for t := range unread {
		b.warn("The sequence %v of the source is of unknown type and was replaced.", t)
	}
	b.report.Warnings = append(b.report.Warnings, slices.Sorted(maps.Keys(identity))...)
	return b.report, nil
}

func checkResult(src *volume.Series, result *volume.Volume, c Compression) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := result.Validate(); err != nil {
		return fmt.Errorf("dicom: the result cannot be written: %w", err)
	}
	if src.Volume.Dims != result.Dims || len(src.Sources) != result.Dims[2] {
		return fmt.Errorf("dicom: a result of %v voxels for a source of %v with %d files", result.Dims, src.Volume.Dims, len(src.Sources))
	}
	if slices.ContainsFunc(src.Sources, func(s volume.Source) bool { return s.FS == nil }) {
		return errors.New("dicom: the series does not come from DICOM files")
	}
	return nil
}

// sliceFiles returns which slices lie in the same file, each file's in the
// order of its frames and the files in that of their first slices.
func sliceFiles(sources []volume.Source) [][]int {
	var files [][]int
	at := map[string]int{}
	for z, s := range sources {
		k, ok := at[s.Name]
		if !ok {
			k = len(files)
			at[s.Name] = k
			files = append(files, nil)
		}
		files[k] = append(files[k], z)
	}
	for _, f := range files {
		slices.SortFunc(f, func(a, b int) int { return cmp.Compare(sources[a].Frame, sources[b].Frame) })
	}
	return files
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
	if err := b.verify(ctx, st.dir, positions, sums); err != nil {
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

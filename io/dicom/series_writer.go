package dicom

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/io/dicom/derive"
	"quell/io/dicom/part10"
	"quell/volume"
)

// seriesWriter writes the files of a series into a new folder and proves that
// they are there.
type seriesWriter struct {
	files [][]int // the slices of each file, in the order of its frames
	place []place // of each slice
	// start is called on every goroutine that makes files.
	start    func() fileMaker
	progress *parallel.Counter
	report   derive.Report
}

// fileMaker returns the bytes of the k-th file and the pixels of its slices, little endian,
// which are used until its next call.
type fileMaker func(k int) (file []byte, pixels [][]byte, err error)

// checkSeed is the seed of all hashes: what is written is read back by the same process.
var checkSeed = maphash.MakeSeed()

// place is the file and the frame of a slice.
type place struct{ file, frame int }

func newSeriesWriter(files [][]int, progress func(done, total int)) *seriesWriter {
	w := &seriesWriter{files: files, progress: newCounter(2*len(files), progress)}
	n := 0
	for _, f := range files {
		n += len(f)
	}
	w.place = make([]place, n)
	for k, f := range files {
		for i, z := range f {
			w.place[z] = place{k, i}
		}
	}
	return w
}

func (w *seriesWriter) warn(format string, args ...any) {
	w.report.Warnings = append(w.report.Warnings, fmt.Sprintf(format, args...))
}

// run makes the folder dir with every file in it and reads them back. After an
// error dir is gone. positions are where the slices' first voxels must be, along
// the normal.
func (w *seriesWriter) run(ctx context.Context, dir string, positions []volume.Vec) (err error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	sums := make([]uint64, len(w.place))
	err = parallel.ForWorkers(ctx, len(w.files), runtime.GOMAXPROCS(0), func() func(k int) error {
		makeFile := w.start()
		return func(k int) error {
			file, pixels, err := makeFile(k)
			if err != nil {
				return err
			}
			for i, z := range w.files[k] {
				sums[z] = maphash.Bytes(checkSeed, pixels[i])
			}
			if err := writeFile(filepath.Join(dir, sliceName(k)), file); err != nil {
				return err
			}
			w.progress.Add(1)
			return nil
		}
	})
	if err != nil {
		return err
	}
	w.report.Files = len(w.files)
	return w.verify(ctx, dir, positions, sums)
}

// writeFile makes the file at path, which begins to go to the disk.
func writeFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	atomic.StartWriteback(f, 0, 0)
	return errors.Join(err, f.Close())
}

// verify reads the folder as any reader would: one series, every slice in its
// place, and pixels that are bit for bit those that were to be written.
func (w *seriesWriter) verify(ctx context.Context, dir string, positions []volume.Vec, sums []uint64) error {
	broken := func(format string, args ...any) error {
		return part10.FileError("", "check the disk, or choose another place", nil,
			"the files written were read back and differ from what was to be written (%s), so they were removed", fmt.Sprintf(format, args...))
	}
	fsys := os.DirFS(dir)
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
	if len(e.Stack) != len(w.place) || e.UID != w.report.SeriesUID {
		return broken("%d of %d slices", len(e.Stack), len(w.place))
	}
	for z, h := range e.Stack {
		if at := w.place[z]; path.Base(h.Name) != sliceName(at.file) || h.Frame != at.frame {
			return broken("frame %d of %s in place %d", h.Frame, h.Name, z)
		}
		if h.Position.Sub(positions[z]).Norm() > 1e-3 {
			return broken("position of frame %d of %s", h.Frame, h.Name)
		}
	}
	return parallel.ForWorkers(ctx, len(w.files), runtime.GOMAXPROCS(0), func() func(k int) error {
		var file []byte
		return func(k int) (err error) {
			h := e.Stack[w.files[k][0]]
			if file, err = part10.ReadFile(fsys, h.Name, h.Size, file); err != nil {
				return broken("%v", err)
			}
			f, err := h.OpenPixels(file)
			if err != nil {
				return broken("%v", err)
			}
			for _, z := range w.files[k] {
				pixels, err := f.Slice(e.Stack[z])
				if err != nil {
					return broken("%v", err)
				}
				if maphash.Bytes(checkSeed, pixels) != sums[z] {
					return broken("pixels of %s differ", h.Name)
				}
			}
			w.progress.Add(1)
			return nil
		}
	})
}

package dicom

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/io/dicom/derive"
	"quell/series"
	"quell/volume"
)

// SeriesWriter writes the volumes of a series, one after another and each whole or some slices at a
// time, as one series into a new folder. Files are named IM00001.dcm and so on, and their Instance Numbers rise likewise: volume after
// volume, and along the slice normal in each. A multi-frame image stays one: frames of a file
// that belong to several volumes are in one file again. No voxels of an earlier volume are in
// memory; slices wait on the disk for the last of their volume, since the UIDs follow from all,
// and frames for those of other volumes in their file. Its methods are called from one goroutine.
type SeriesWriter struct {
	dir      string
	volumes  int
	progress func(done, total int)
	counter  *parallel.Counter
	report   derive.Report
	rounding float64 // of the values of volumes without a DICOM source, at most

	derived *derive.Series            // nil before the first volume, and for new ones
	fresh   *derive.SecondaryCaptures // likewise, and for derived ones

	src    *series.Series // of the volume that was begun; nil between volumes
	how    derive.Derived // of it
	isNew  bool           // it has no DICOM source
	voxels *derive.Voxels // of it

	slices []written      // of all volumes, in their order
	ends   []int          // of each volume among slices
	number map[string]int // of the file of each source file
	files  []writtenFile
}

// written is a slice in the folder.
type written struct {
	file     int // its number
	frame    int // of the source file; when all are written, that of the file
	position volume.Vec
	sum      uint64 // of its pixels
}

// writtenFile is a file in the folder.
type writtenFile struct {
	states stated
	spool  *os.File // of the pixels of frames whose file waits for others; nil for none
}

// checkSeed is the seed of all hashes: what is written is read back by the same process.
var checkSeed = maphash.MakeSeed()

// NewSeriesWriter makes the folder dir, which must not exist, for the given number of volumes.
// progress, which may be nil, is called for a single volume alone, from one goroutine at a time:
// it counts files written and files read back. The caller calls Close, or Discard.
func NewSeriesWriter(dir string, volumes int, progress func(done, total int)) (*SeriesWriter, error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	return &SeriesWriter{dir: dir, volumes: volumes, progress: progress, counter: &parallel.Counter{}, number: map[string]int{}}, nil
}

// Clipped returns how many voxels of the volumes so far were outside what their files can store.
func (w *SeriesWriter) Clipped() int64 {
	if w.derived == nil {
		return 0
	}
	return w.derived.Clipped
}

// Begin begins the next volume, on the grid of src.Volume: derived from the files of src as [Write] does if all
// of its slices have one, else new as [WriteNew] does. src.Volume may have no voxels. After an error of this or
// another method only Discard is left.
func (w *SeriesWriter) Begin(ctx context.Context, src *series.Series, d derive.Derived) error {
	return w.begin(ctx, src, d, !Derivable(src))
}

// Derivable reports whether every slice of a series has a DICOM file from which that of an output can be
// derived.
func Derivable(s *series.Series) bool {
	return len(s.Sources) == s.Volume.Dims[2] && !slices.ContainsFunc(s.Sources, func(src series.Source) bool { return src.UID == "" || src.FS == nil })
}

func (w *SeriesWriter) begin(ctx context.Context, src *series.Series, d derive.Derived, fresh bool) (err error) {
	switch {
	case len(w.ends) == w.volumes:
		return fmt.Errorf("dicom: the series has its %d volumes", w.volumes)
	case w.src != nil:
		return errors.New("dicom: slices of the volume before are missing")
	case fresh:
		err = derive.CheckNew(w.dir, src.Volume.Geometry, d.Compress)
	default:
		err = derive.CheckSource(src, d.Compress)
	}
	if err != nil {
		return err
	}
	d.Volumes = w.volumes
	switch {
	case fresh && w.fresh == nil:
		w.fresh = new(derive.SecondaryCaptures)
	case !fresh && w.derived == nil:
		if w.derived, err = derive.New(ctx, src, d, func() (series.Slices, error) { return readAgain(ctx, src) }); err != nil {
			return err
		}
	}
	w.src, w.how, w.isNew, w.voxels = src, d, fresh, derive.NewVoxels(w.dir, src.Volume.Geometry, fresh)
	return nil
}

// AddSlices writes the next slices of the volume. Masked voxels are padding; of a volume that is derived from
// files this is those of src.Volume if it has voxels.
func (w *SeriesWriter) AddSlices(ctx context.Context, part *volume.Volume) error {
	if w.src == nil {
		return errors.New("dicom: no volume was begun")
	}
	if err := w.voxels.Add(ctx, part); err != nil || !w.voxels.Complete() {
		return err
	}
	write := w.derive
	if w.isNew {
		write = w.capture
	}
	err := write(ctx)
	w.src = nil
	return errors.Join(err, w.voxels.Close())
}

// Add writes the next volume: result, which lies on the grid of src.Volume, derived from the
// files of src as [Write] does. After an error only Discard is left.
func (w *SeriesWriter) Add(ctx context.Context, src *series.Series, result *volume.Volume, d derive.Derived) (err error) {
	return w.addWhole(ctx, src, result, d, false)
}

// AddNew writes the next volume, that of a series without a DICOM source, as [WriteNew] does.
// After an error only Discard is left.
func (w *SeriesWriter) AddNew(ctx context.Context, s *series.Series, d derive.Derived) (err error) {
	return w.addWhole(ctx, s, s.Volume, d, true)
}

func (w *SeriesWriter) addWhole(ctx context.Context, src *series.Series, v *volume.Volume, d derive.Derived, fresh bool) error {
	if err := w.begin(ctx, src, d, fresh); err != nil {
		return err
	}
	if src.Volume.Dims != v.Dims {
		return fmt.Errorf("dicom: a result of %v voxels for a source of %v", v.Dims, src.Volume.Dims)
	}
	return w.AddSlices(ctx, v)
}

// derive writes the files of a volume that has a DICOM source.
func (w *SeriesWriter) derive(ctx context.Context) error {
	src := w.src
	w.derived.Next(src, w.voxels, w.how)
	defer w.derived.Release()
	w.report.SeriesUID = w.derived.UID
	var parts []part
	first := len(w.slices)
	for _, at := range derive.SliceFiles(src.Sources) {
		name := src.Sources[at[0]].Name
		k, ok := w.number[name]
		if !ok {
			k = len(w.files)
			w.number[name] = k
			w.files = append(w.files, writtenFile{})
		}
		parts = append(parts, part{k, at})
	}
	w.slices = append(w.slices, make([]written, len(src.Sources))...)
	for _, p := range parts {
		for _, z := range p.at {
			w.slices[first+z] = written{file: p.file, frame: src.Sources[z].Frame, position: src.Sources[z].Position}
		}
	}
	return w.write(ctx, first, parts, func() fileMaker {
		var b derive.Buffers
		return func(p part) ([]byte, [][]byte, error) { return w.derived.File(p.file, p.at, &b) }
	})
}

// capture writes those of a volume that has none.
func (w *SeriesWriter) capture(ctx context.Context) error {
	n, v := w.fresh, w.src.Volume.Geometry
	n.Next(w.src.Meta, w.voxels, w.how)
	w.report.SeriesUID = n.UID
	// Files are numbered along row x column, which a left-handed grid runs against.
	backwards := v.Affine.Det() < 0
	along := func(k int) int {
		if backwards {
			return v.Dims[2] - 1 - k
		}
		return k
	}
	first := len(w.slices)
	parts := make([]part, v.Dims[2])
	for k := range parts {
		parts[k] = part{len(w.files), []int{k}}
		w.slices = append(w.slices, written{file: len(w.files), position: v.Affine.Apply(0, 0, float64(along(k)))})
		w.files = append(w.files, writtenFile{})
	}
	err := w.write(ctx, first, parts, func() fileMaker {
		return func(p part) ([]byte, [][]byte, error) {
			k := p.at[0]
			pixels, err := n.Pixels(along(k))
			if err != nil {
				return nil, nil, err
			}
			return n.File(p.file, w.slices[first+k].position, pixels), [][]byte{pixels}, nil
		}
	})
	if n.Format.Slope != 1 || n.Format.Intercept != math.Trunc(n.Format.Intercept) {
		w.rounding = max(w.rounding, n.Format.Slope/2)
	}
	return err
}

// part is what a volume has of a file: the slices at, in the order of their frames.
type part struct {
	file int
	at   []int
}

// fileMaker returns the bytes of a file, nil for one that waits, and the pixels of the slices of
// a part, little endian, which are used until its next call.
type fileMaker func(p part) (file []byte, pixels [][]byte, err error)

// write writes the parts of the next volume, whose slices begin at first. start is called on
// every goroutine that makes files.
func (w *SeriesWriter) write(ctx context.Context, first int, parts []part, start func() fileMaker) error {
	w.ends = append(w.ends, len(w.slices))
	if w.volumes == 1 {
		w.counter = newCounter(2*len(parts), w.progress)
	}
	return parallel.ForWorkers(ctx, len(parts), runtime.GOMAXPROCS(0), func() func(i int) error {
		makeFile := start()
		return func(i int) error {
			p := parts[i]
			file, pixels, err := makeFile(p)
			if err != nil {
				return err
			}
			for i, z := range p.at {
				w.slices[first+z].sum = maphash.Bytes(checkSeed, pixels[i])
			}
			if file == nil {
				return w.spool(p.file, pixels)
			}
			w.counter.Add(1)
			return w.writeFile(p.file, file)
		}
	})
}

// writeFile makes the k-th file, which begins to go to the disk.
func (w *SeriesWriter) writeFile(k int, data []byte) error {
	if w.volumes > 1 {
		w.files[k].states = findUIDs(data, w.report.SeriesUID, k)
	}
	return makeFile(w.path(k), func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// makeFile makes the file at path.
func makeFile(path string, write func(f *os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = write(f)
	atomic.StartWriteback(f, 0, 0)
	return errors.Join(err, f.Close())
}

func (w *SeriesWriter) path(k int) string { return filepath.Join(w.dir, sliceName(k)) }

// Close completes the files, and reads the folder back as any reader would. After an error the
// folder is gone. The error is the context's, an *Error that names a source file, an *Error
// without a name if what was read back differs, or the file system's.
func (w *SeriesWriter) Close(ctx context.Context) (derive.Report, error) {
	defer w.Discard()
	if w.src != nil || len(w.ends) != w.volumes {
		return derive.Report{}, fmt.Errorf("dicom: %d of %d volumes were written", len(w.ends), w.volumes)
	}
	w.rankFrames()
	for _, step := range []func(context.Context) error{w.finishWaiting, w.restate, w.verify} {
		if err := step(ctx); err != nil {
			return derive.Report{}, err
		}
	}
	w.report.Files = len(w.files)
	w.report.Clipped = w.Clipped()
	if w.derived != nil {
		w.report.Warnings = append(w.report.Warnings, w.derived.Warnings()...)
	}
	if w.rounding > 0 {
		w.report.Warnings = append(w.report.Warnings, fmt.Sprintf("Values are scaled into 16 bits; each is within %.3g of what it was.", w.rounding))
	}
	w.dir = "" // stays
	return w.report, nil
}

// Discard removes the folder, unless Close returned without an error.
func (w *SeriesWriter) Discard() {
	for _, f := range w.files {
		if f.spool != nil {
			f.spool.Close()
		}
	}
	if w.src != nil {
		_ = w.voxels.Close() // its folder goes
		w.src = nil
	}
	if w.dir != "" {
		os.RemoveAll(w.dir)
	}
}

// rankFrames numbers the frames of each file, which are those of the source file that were written.
func (w *SeriesWriter) rankFrames() {
	of := make([][]*written, len(w.files))
	for i := range w.slices {
		s := &w.slices[i]
		of[s.file] = append(of[s.file], s)
	}
	for _, frames := range of {
		slices.SortFunc(frames, func(a, b *written) int { return a.frame - b.frame })
		for i, s := range frames {
			s.frame = i
		}
	}
}

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

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/io/dicom/derive"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// Writer writes the volumes of a series as one series into a new folder, see [format.Writer]. Files are
// named IM00001.dcm and so on, and their Instance Numbers rise likewise: volume after
// volume, and along the slice normal in each.
//
// A volume in which all slices have a DICOM file is derived from these: one file for each, with the frames of the
// volume alone. Multi-frame images and mosaics stay what they are: frames of a file that belong to several volumes
// are in one file again. The transfer syntax is the one of the source, explicit little endian if the source is
// compressed, or the compression that is asked for. The series may hold a run of the slices that were loaded (of a
// mosaic all). The source files are read again and never written to. Values are stored as round((v - intercept) /
// slope), clipped to the stored bits; masked voxels keep the bits of the source.
//
// Any other volume becomes one Secondary Capture file for each slice with position,
// orientation and spacing. Whole values that fit 16 bits are stored as they are;
// others are scaled into 16 bits with rescale slope and intercept, and the
// report says by how much that rounds. Masked voxels are stored as padding.
//
// The same source, recipe, result and encoding, and secret if the series is de-identified, give the same UIDs; another
// encoding is another series of other instances. Since the UIDs follow from all voxels, slices wait on the disk for the
// last of their volume, and frames for frames of other volumes in their file. No voxels of an earlier volume are in
// memory.
//
// An error is the context's, an *Error that names a source file, an *Error
// without a name if what was read back differs, or the file system's.
type Writer struct {
	dir      string
	made     bool // dir
	options  format.Options
	volumes  int
	counter  *parallel.Counter // of the files of a single volume that were written and read back
	report   format.Report
	rounding float64 // of the values of volumes without a DICOM source, at most

	unrelated message.Message // why volumes of DICOM are new; empty for others

	derived *derive.Series            // nil before the first volume, and for new ones
	fresh   *derive.SecondaryCaptures // likewise, and for derived ones

	src    *series.Series // of the volume that was begun; nil between volumes
	how    derive.Derived // of it
	voxels *derive.Voxels // of it
	isNew  bool           // it has no DICOM source

	about  []about        // of the volumes
	slices []written      // of all volumes, in their order
	ends   []int          // of each volume among slices
	number map[string]int // of the file of each source file
	files  []writtenFile
}

var _ format.Writer = (*Writer)(nil)

// written is a slice in the folder.
type written struct {
	file     int // its number
	frame    int // of the source file; when all are written, the size of the file
	position volume.Vec
	sum      uint64 // of its pixels
}

// writtenFile is a file in the folder.
type writtenFile struct {
	states stated
	spool  *os.File // of the pixels of frames of a file that waits for others; nil for none
}

// checkSeed is the seed of all hashes: the same process writes and reads back.
var checkSeed = maphash.MakeSeed()

// NewWriter returns a writer of the folder dir, which must not exist. Progress is called for a single volume
// alone. The caller calls Close, or Discard.
func NewWriter(dir string, o format.Options) *Writer {
	return &Writer{dir: dir, options: o, volumes: o.Volumes(), counter: &parallel.Counter{}, number: map[string]int{}}
}

// Clipped implements format.Writer.
func (w *Writer) Clipped() int64 {
	if w.derived == nil {
		return 0
	}
	return w.derived.Clipped
}

// Derivable reports whether every slice of a series has a DICOM file from which the file of an output
// can be derived.
func Derivable(s *series.Series) bool {
	return len(s.Sources) == s.Volume.Dims[2] && !slices.ContainsFunc(s.Sources, func(src series.Source) bool { return src.UID == "" || src.FS == nil })
}

// Begin implements format.Writer.
func (w *Writer) Begin(ctx context.Context, src *series.Series, d format.Derived) (err error) {
	switch {
	case len(w.ends) == w.volumes:
		return fmt.Errorf("dicom: the series has its %d volumes", w.volumes)
	case w.src != nil:
		return errors.New("dicom: slices of the volume before are missing")
	}
	if !w.made {
		if err := os.Mkdir(w.dir, 0o777); err != nil {
			return err
		}
		w.made = true
	}
	how, fresh := w.describe(d), !Derivable(src)
	if err = how.Compress.Check(); err == nil && fresh {
		err = derive.CheckNew(src.Volume.Geometry)
	}
	switch {
	case err != nil:
		return err
	case fresh && w.fresh == nil:
		w.fresh = new(derive.SecondaryCaptures)
		if src.Format == Name {
			w.unrelated = message.Text("The source's files have no instance UIDs")
			if src.Resampled != nil {
				w.unrelated = message.Text("The slices are interpolated")
			}
		}
	case !fresh && w.derived == nil:
		if w.derived, err = derive.New(ctx, src, how, func() (series.Slices, error) { return readAgain(ctx, src) }); err != nil {
			return err
		}
	}
	w.src, w.how, w.isNew, w.voxels = src, how, fresh, derive.NewVoxels(w.dir, src.Volume.Geometry, fresh)
	return nil
}

// describe returns how the next volume was made.
func (w *Writer) describe(d format.Derived) derive.Derived {
	o := w.options
	out := derive.Derived{Recipe: d.Recipe, Description: d.Description, Suffix: d.Suffix, Code: part10.Code(d.Code), Volumes: w.volumes, Step: o.Step(),
		Version: o.Version, Now: o.Now, Compress: pixel.Compression(o.Compress), Deidentify: o.Deidentify, Secret: o.Secret}
	if o.Group != nil {
		out.Place = o.Group.Places[len(w.ends)]
	}
	if g := o.Gradients(); g != nil {
		out.Gradient = &g.Volumes[len(w.ends)]
	}
	return out
}

// Add implements format.Writer. Of a volume that is derived from files, the padding is the padding of the series if
// it has voxels.
func (w *Writer) Add(ctx context.Context, part *volume.Volume, a *volume.Arrival) error {
	if w.src == nil {
		return errors.New("dicom: no volume was begun")
	}
	if err := a.Read(ctx, 0, len(part.Data), func() error { return nil }); err != nil {
		return err
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

// derive writes the files of a volume that has a DICOM source.
func (w *Writer) derive(ctx context.Context) error {
	src := w.src
	w.about = append(w.about, about{grid: src.Volume.Geometry, series: src.UID, sources: src.Sources})
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

// capture writes the files of a volume that has none.
func (w *Writer) capture(ctx context.Context) error {
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
	w.about = append(w.about, about{grid: v, backwards: backwards})
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

// part is a volume's share of a file: the slices at, in the order of their frames.
type part struct {
	file int
	at   []int
}

// fileMaker returns the bytes of a file, nil for one that waits, and the pixels of the slices of
// a part, little endian, which are used until its next call.
type fileMaker func(p part) (file []byte, pixels [][]byte, err error)

// write writes the parts of the next volume, with slices that begin at first. start is
// called on every goroutine that makes files.
func (w *Writer) write(ctx context.Context, first int, parts []part, start func() fileMaker) error {
	w.ends = append(w.ends, len(w.slices))
	if w.volumes == 1 {
		w.counter = newCounter(2*len(parts), w.options.Progress)
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
func (w *Writer) writeFile(k int, data []byte) error {
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

func (w *Writer) path(k int) string { return filepath.Join(w.dir, sliceName(k)) }

// Close implements format.Writer: it reads the folder back as any reader would.
func (w *Writer) Close(ctx context.Context) (format.Report, error) {
	defer w.Discard()
	if w.src != nil || len(w.ends) != w.volumes {
		return format.Report{}, fmt.Errorf("dicom: %d of %d volumes were written", len(w.ends), w.volumes)
	}
	w.rankFrames()
	for _, step := range []func(context.Context) error{w.finishWaiting, w.restate, w.verify} {
		if err := step(ctx); err != nil {
			return format.Report{}, err
		}
	}
	w.report.Files = len(w.files)
	w.report.Clipped = w.Clipped()
	if w.derived != nil {
		w.report.Warnings = append(w.report.Warnings, w.derived.Warnings()...)
	}
	if w.rounding > 0 {
		w.report.Warnings = append(w.report.Warnings, message.New(message.OutputRounded, "Values are scaled into 16 bits; each is within %.3g of what it was.", w.rounding))
	}
	if !w.unrelated.IsZero() {
		w.report.Warnings = append(w.report.Warnings, message.New(message.OutputReduced, "%s: the export is a new series without patient data.", w.unrelated))
	}
	w.made = false // it stays
	return w.report, nil
}

// Discard implements format.Writer.
func (w *Writer) Discard() {
	for _, f := range w.files {
		if f.spool != nil {
			f.spool.Close()
		}
	}
	if w.src != nil {
		_ = w.voxels.Close() // its folder goes
		w.src = nil
	}
	if w.made {
		os.RemoveAll(w.dir)
	}
}

// rankFrames numbers the frames of each file, which are the frames of the source file that were
// written.
func (w *Writer) rankFrames() {
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

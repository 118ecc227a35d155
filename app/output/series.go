package output

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/format"
	"quell/volume"
)

// seriesSink writes voxels to one output in the format that its name asks for: one volume, or the
// volumes of a 4-D series to one file or one DICOM series. The output and its record are made in a
// stage, read back, and committed together; no slab is kept in memory.
type seriesSink struct {
	out      string
	options  job.Options
	src      *executor.Source
	progress func(done, total int) // of the files of one volume; nil for none
	// of returns the export of a slab, and record the record of a volume; record may be nil.
	of     func(s *executor.Slab) (export, error)
	record func(m *executor.Made, o job.Options) *Record
	check  func(first *executor.Made) error         // before anything is done; may be nil
	report func(r *executor.Outcome, w job.Written) // adds to the report what was written
	early  *earlyVolume                             // that is written while it is computed; nil for none
	// attached are the objects about the series in its folder; nil for none.
	attached *attached

	stage   *atomic.Stage // nil before the first slab
	started time.Time
	writer  format.Writer
	records []*Record // of the volumes
	written job.Written
}

// Begin checks the options, and the space for all volumes.
func (w *seriesSink) Begin(_ context.Context, first *executor.Made) error {
	if err := CheckOptions(first.Source, w.out, w.options); err != nil {
		return err
	}
	if err := w.attached.check(w.out); err != nil {
		return err
	}
	if w.check != nil {
		if err := w.check(first); err != nil {
			return err
		}
	}
	if err := files.CheckVolumes(w.out, w.src.Len()); err != nil {
		return err
	}
	return atomic.CheckSpace(w.out, w.size(first)+w.attached.size(first.Region)*int64(w.src.Len()))
}

// size is how many bytes all volumes take at least. A DICOM file with frames of several volumes counts
// once, and its frames once more: they wait on the disk for the last.
func (w *seriesSink) size(first *executor.Made) int64 {
	n := int64(w.src.Len())
	size := outputSize(first.Source, first.Region, w.out, w.options)
	if first.Source.Volume.Data == nil { // slabs wait on the disk for the last
		size += int64(first.Region.Voxels()) * files.WaitingBytes(w.out, w.options.Dtype)
	}
	if n == 1 || !files.Derives(w.out, first.Source) {
		return n * size
	}
	names, own := map[string]bool{}, int64(0) // and how many of them the first volume has
	for k := range w.src.Len() {
		for _, name := range w.src.Files(k) {
			names[name] = true
		}
		if k == 0 {
			own = int64(len(names))
		}
	}
	if all := int64(len(names)); all != n*own {
		return size*all/own + n*2*int64(first.Region.Voxels())
	}
	return n * size
}

// path returns the name of the output in the stage.
func (w *seriesSink) path() string { return w.stage.Path(filepath.Base(w.out)) }

// open makes the stage with the first voxels.
func (w *seriesSink) open() (err error) {
	if w.stage != nil {
		return nil
	}
	w.started = time.Now()
	w.out, w.options.Now = filepath.Clean(w.out), cmp.Or(w.options.Now, w.started)
	w.written = job.Written{Output: w.out}
	if w.stage, err = atomic.Begin(w.out); err != nil {
		return err
	}
	o := w.options
	options := format.Options{Group: w.src.Group, Datatype: o.Dtype, Progress: w.progress, Compress: string(o.Compress), Version: job.Version(), Now: o.Now, Deidentify: o.Deidentify}
	if o.Deidentify {
		if options.Secret, err = open.PseudonymKey(); err != nil {
			w.written.Warnings = []message.Message{message.New(message.OutputIdentity, "The key of the pseudonyms cannot be stored (%v): another export of this patient gets other pseudonyms.", err)}
		}
	}
	w.writer = files.NewWriter(w.out, w.path(), options)
	return nil
}

// add writes the export of a slab.
func (w *seriesSink) add(ctx context.Context, e export) (clipped int64, err error) {
	before := w.writer.Clipped()
	if e.first {
		if err := w.writer.Begin(ctx, e.series, e.derived); err != nil {
			return 0, err
		}
	}
	err = w.writer.Add(ctx, e.result, e.arrival)
	return w.writer.Clipped() - before, err
}

// Slab writes the next slices.
func (w *seriesSink) Slab(ctx context.Context, s *executor.Slab) (err error) {
	early := w.early != nil
	if early {
		if s.Outcome.Clipped, err = w.early.wait(s.Part.Result); err != nil {
			w.Abort() // it is written again, complete
			early = false
		}
	}
	if err := w.open(); err != nil {
		return err
	}
	wait := w.identify(s)
	if !early {
		var e export
		if e, err = w.of(s); err == nil {
			var clipped int64
			clipped, err = w.add(ctx, e)
			s.Outcome.Clipped += clipped
		}
	}
	if err == nil {
		err = w.attached.slab(ctx, s, w.stage.Dir())
	}
	wait()
	if err != nil {
		return writeError(w.out, err)
	}
	return nil
}

// identify begins the record of the volume with its last slab. It is complete when wait returns.
func (w *seriesSink) identify(s *executor.Slab) (wait func()) {
	if w.record == nil || !s.Last {
		return func() {}
	}
	r := w.record(s.Whole, w.options)
	if r == nil {
		return func() {}
	}
	w.records = append(w.records, r)
	r.Outcome = s.Outcome.Outcome
	if s.Read != nil {
		r.Source.SHA256, r.NoiseMap, r.Mask, r.of = s.Read.Source, s.Read.NoiseMap, s.Read.Mask, nil
	}
	r.found = s.Whole.Found
	hashed := r.identify()
	return func() { hashed(); r.of = nil } // the volume makes room for the next one
}

// Finish gives the output its name, and its record.
func (w *seriesSink) Finish(ctx context.Context, r *executor.Outcome) error {
	err := w.finish(ctx)
	w.written.Write = time.Since(w.started)
	job.Log("export", job.Outcome(err), slog.Int("files", w.written.Files), slog.Int64("clipped", w.written.Clipped), slog.Duration("took", w.written.Write))
	if err != nil {
		return err
	}
	for _, text := range w.written.Warnings {
		if !slices.ContainsFunc(r.Warnings, text.Same) {
			r.Warnings = append(r.Warnings, text)
		}
	}
	w.report(r, w.written)
	return nil
}

func (w *seriesSink) finish(ctx context.Context) error {
	if err := w.open(); err != nil { // there were no slabs
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	done, err := w.writer.Close(ctx)
	if err != nil {
		return writeError(w.out, err)
	}
	w.written.Files, w.written.Clipped, w.written.Warnings = done.Files, done.Clipped, append(done.Warnings, w.written.Warnings...)
	if err := w.attach(ctx); err != nil {
		return writeError(w.out, err)
	}
	recorded, err := commit(ctx, w.stage, w.out, w.options, w.whole())
	w.written.Recipe = recorded
	return err
}

// attach writes the objects about the series, which is complete.
func (w *seriesSink) attach(ctx context.Context) error {
	series, ok := w.writer.(*dicom.Writer)
	if w.attached == nil || !ok {
		return nil
	}
	about, err := series.Written(ctx)
	if err != nil {
		return err
	}
	n, warnings, err := w.attached.write(ctx, about, w.path(), w.options.Now)
	w.written.Files += n
	w.written.Warnings = append(w.written.Warnings, warnings...)
	return err
}

// whole returns the record of the output: the record of its one volume, or one that holds the
// records of all.
func (w *seriesSink) whole() *Record {
	if len(w.records) == 0 {
		return nil
	}
	first := w.records[0]
	if w.src.Group == nil {
		return first
	}
	all := &Record{Quell: job.Version(), Recipe: first.Asked, Asked: first.Asked, Time: w.options.Now.Truncate(time.Second)}
	all.Source = SourceRecord{Format: first.Source.Format, Modality: first.Source.Modality, Dims: first.Source.Dims}
	all.Noise, all.Engine, all.Region = first.Noise, first.Engine, first.Region
	for k, r := range w.records {
		r.Quell, r.Time, r.Place = "", time.Time{}, w.src.Group.Places[k]
	}
	all.Volumes = w.records
	return all
}

// Abort removes what was not committed.
func (w *seriesSink) Abort() {
	w.early.discard()
	w.early = nil
	w.attached.discard()
	if w.stage != nil {
		w.writer.Discard()
		w.stage.Close()
	}
	w.stage, w.writer, w.records = nil, nil, nil
}

// earlyVolume is a volume that is written while the engine computes it: a GPU filters a volume
// in less time than it takes to write it. If that fails, or the engine does, the complete result is
// written instead.
type earlyVolume struct {
	result  *volume.Volume
	cancel  context.CancelFunc
	done    chan struct{} // closed when the others are set
	clipped int64
	err     error
}

// Follow begins to write the result of the only volume while it is computed, if its format allows
// that: the UIDs of DICOM files follow from all voxels.
func (w *seriesSink) Follow(ctx context.Context, made *executor.Made, a *volume.Arrival) {
	if !files.Streams(w.out) || w.src.Group != nil || w.open() != nil {
		return
	}
	e, err := w.of(&executor.Slab{Whole: made, Part: made, First: true, Last: true})
	if err != nil {
		return
	}
	e.arrival = a
	early := &earlyVolume{result: made.Result, done: make(chan struct{})}
	ctx, early.cancel = context.WithCancel(ctx)
	w.early = early
	go func() {
		defer close(early.done)
		early.clipped, early.err = w.add(ctx, e)
	}()
}

var errNotEarly = errors.New("another result is being written")

// wait returns when the volume is written; an error if that is not the result.
func (e *earlyVolume) wait(result *volume.Volume) (clipped int64, err error) {
	if e.result != result {
		e.cancel()
		<-e.done
		return 0, errNotEarly
	}
	<-e.done
	return e.clipped, e.err
}

// discard ends the writing.
func (e *earlyVolume) discard() {
	if e != nil {
		e.cancel()
		<-e.done
	}
}

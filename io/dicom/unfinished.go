package dicom

import (
	"bytes"
	"context"
	"errors"
	"os"

	"quell/io/dicom/derive"
)

// spool keeps the pixels of frames of the k-th file, which waits for others, on the disk.
func (w *Writer) spool(k int, pixels [][]byte) error {
	f := &w.files[k]
	if f.spool == nil {
		var err error
		if f.spool, err = os.CreateTemp(w.dir, "frames-"); err != nil {
			return err
		}
	}
	for _, p := range pixels {
		if _, err := f.spool.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// finishWaiting makes the files that waited, from the pixels on the disk.
func (w *Writer) finishWaiting(ctx context.Context) error {
	if w.derived == nil {
		return nil
	}
	var b derive.Buffers
	for _, k := range w.derived.Waiting() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.finish(k, &b); err != nil {
			return err
		}
		w.counter.Add(1)
	}
	return nil
}

func (w *Writer) finish(k int, b *derive.Buffers) error {
	spool := w.files[k].spool
	info, err := spool.Stat()
	if err != nil {
		return err
	}
	n := 0 // frames
	for _, s := range w.slices {
		if s.file == k {
			n++
		}
	}
	pixels := make([]byte, info.Size()/int64(n))
	frame := func(i int) ([]byte, error) {
		_, err := spool.ReadAt(pixels, int64(i)*int64(len(pixels)))
		return pixels, err
	}
	err = makeFile(w.path(k), func(f *os.File) error { return w.derived.Finish(k, frame, b, f) })
	w.files[k].spool = nil
	return errors.Join(err, spool.Close(), os.Remove(spool.Name()))
}

// stated holds the places at which a file states its UIDs.
type stated struct {
	series   string // the UID of the series that it states
	at       int64
	instance [2]int64 // in the header of the file, and in the data set
}

// findUIDs finds the UIDs in the k-th file of a series of several volumes.
func findUIDs(data []byte, series string, k int) (out stated) {
	from := 0
	next := func(uid string) int64 {
		at := bytes.Index(data[from:], []byte(uid))
		if at < 0 {
			return -1 // cannot be written to
		}
		from += at + len(uid)
		return int64(from - len(uid))
	}
	instance := derive.InstanceUID(series, k)
	out.series = series
	out.instance[0], out.instance[1], out.at = next(instance), next(instance), next(series)
	return out
}

// restate replaces the UIDs in the files that were made before they were known: they follow from
// the voxels of all volumes.
func (w *Writer) restate(ctx context.Context) error {
	final := w.report.SeriesUID
	for k, f := range w.files {
		if f.states.series == "" || f.states.series == final {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		file, err := os.OpenFile(w.path(k), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = file.WriteAt([]byte(final), f.states.at)
		for _, at := range f.states.instance {
			_, more := file.WriteAt([]byte(derive.InstanceUID(final, k)), at)
			err = errors.Join(err, more)
		}
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

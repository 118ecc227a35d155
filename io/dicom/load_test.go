package dicom_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// countingFS counts the bytes that are read from its files; their memory can be
// read at any place or, if stream is set, only from front to back.
type countingFS struct {
	fs.FS
	stream bool
	read   *atomic.Int64
}

func (c countingFS) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if _, isDir := f.(fs.ReadDirFile); err != nil || isDir {
		return f, err
	}
	counting := countingFile{f, c.read}
	if c.stream {
		return struct{ fs.File }{counting}, nil
	}
	return counting, nil
}

type countingFile struct {
	fs.File
	read *atomic.Int64
}

func (c countingFile) Read(b []byte) (int, error) {
	n, err := c.File.Read(b)
	c.read.Add(int64(n))
	return n, err
}

func (c countingFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.File.(io.ReaderAt).ReadAt(b, off)
	c.read.Add(int64(n))
	return n, err
}

// TestLoadReadsOnlyItsFrames loads one of ten volumes of a multi-frame file: it
// reads a header's worth more than the volume's pixels, and from a stream, which
// has to be read from its beginning, gets the same voxels.
func TestLoadReadsOnlyItsFrames(t *testing.T) {
	const times, depth, side = 10, 4, 256
	var frames []dicomtest.FakeFrame
	for i := range times {
		for z := range depth {
			frames = append(frames, dicomtest.FakeFrame{Z: float64(z), Time: i + 1, BValue: -1})
		}
	}
	f := dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...).With(part10.TagRows, side).With(part10.TagColumns, side)
	f.Pixels = make([]byte, 2*side*side*len(frames))
	for i := range f.Pixels {
		f.Pixels[i] = byte(i * i >> 7)
	}
	files := countingFS{FS: fstest.MapFS{"enhanced.dcm": {Data: f.File()}}, read: new(atomic.Int64)}
	c := dicomtest.Scan(t, files)
	if len(c.Entries) != times {
		t.Fatalf("%d volumes, want %d", len(c.Entries), times)
	}
	files.read.Store(0)
	s, err := c.Load(t.Context(), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	const pixels = 2 * side * side * depth
	if n := files.read.Load(); n < pixels || n > pixels+64<<10 {
		t.Errorf("%d bytes read for %d of pixels", n, pixels)
	}
	files.stream = true
	if streamed := dicomtest.Load(t, dicomtest.Scan(t, files), 3); !slices.Equal(streamed.Volume.Data, s.Volume.Data) {
		t.Error("a stream gives other voxels")
	}
}

// TestLoadMultiFrameThatChanged truncates a multi-frame file, or moves its pixels, between Scan and Load.
func TestLoadMultiFrameThatChanged(t *testing.T) {
	enhanced := func() *dicomtest.Fake {
		return dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.FakeFrame{Z: 1, BValue: -1}, dicomtest.FakeFrame{Z: 2, BValue: -1})
	}
	// The padding behind the pixels makes room for a longer description before them.
	const trailingPadding part10.Tag = 0xFFFCFFFC
	file := enhanced().With(trailingPadding, make([]byte, 8)).File()
	longer := enhanced().With(part10.TagSeriesDescription, "Head 2").With(trailingPadding, make([]byte, 6)).File()
	if len(longer) != len(file) {
		t.Fatalf("the changed file has %d bytes, want %d", len(longer), len(file))
	}
	for name, changed := range map[string][]byte{
		"moved by two bytes, as long as before": longer,
		"cut":                                   file[:len(file)-25],
		"moved":                                 dicomtest.NewEnhanced(part10.ExplicitLE, true, dicomtest.FakeFrame{Z: 1, BValue: -1}, dicomtest.FakeFrame{Z: 2, BValue: -1}).File(),
		"other":                                 []byte("something else"),
	} {
		files := fstest.MapFS{"m.dcm": {Data: file}}
		c := dicomtest.Scan(t, files)
		files["m.dcm"] = &fstest.MapFile{Data: changed}
		_, err := c.Load(context.Background(), 0, nil)
		t.Log(name)
		dicomtest.WantError(t, err, "m.dcm: the file changed since it was scanned", "scan the folder again")
	}
}

// TestLoadCancelledInTheMiddle cancels at the tenth of many slices: no goroutine
// goes on, and no more slices are done than were under way.
func TestLoadCancelledInTheMiddle(t *testing.T) {
	single := fstest.MapFS{}
	var frames []dicomtest.FakeFrame
	for z := range 400 {
		single[fmt.Sprintf("%03d.dcm", z)] = &fstest.MapFile{Data: dicomtest.NewFake(fmt.Sprint(z), float64(z), z).File()}
		frames = append(frames, dicomtest.FakeFrame{Z: float64(z), BValue: -1})
	}
	for name, files := range map[string]fstest.MapFS{
		"files": single, "frames": {"m.dcm": {Data: dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...).File()}},
	} {
		c := dicomtest.Scan(t, files)
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(context.Background())
		last := 0
		_, err := c.Load(ctx, 0, func(done, total int) {
			if done != last+1 || total != 400 {
				t.Errorf("%s: %d of %d after %d", name, done, total, last)
			}
			if last = done; done == 10 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if most := 10 + 2*runtime.GOMAXPROCS(0); last > most {
			t.Errorf("%s: %d slices were done, want at most %d", name, last, most)
		}
		// Goroutines that never end are found by the time limit of the test binary.
		for runtime.NumGoroutine() > before {
			runtime.Gosched()
		}
	}
}

// TestMaskOfSeries masks slices if only some have padding, or name a value for it.
func TestMaskOfSeries(t *testing.T) {
	fakes := dicomtest.Stack(3) // a.dcm lies last; its values are -800 on, stored 100 z + n
	fakes["b.dcm"].With(part10.TagPixelPaddingValue, []byte{102, 0})
	c := dicomtest.Scan(t, dicomtest.FilesOf(fakes))
	s := dicomtest.Load(t, c, 0)
	want := make([]bool, 36)
	for i := range want {
		want[i] = i != 12+2
	}
	if !slices.Equal(s.Volume.Mask, want) {
		t.Errorf("mask %v", s.Volume.Mask)
	}
	dicomtest.Finding(t, s.Findings, "padding")
	fakes["b.dcm"].With(part10.TagPixelPaddingValue, []byte{99, 0})
	if s = dicomtest.Load(t, dicomtest.Scan(t, dicomtest.FilesOf(fakes)), 0); s.Volume.Mask != nil {
		t.Errorf("mask %v where nothing is padding", s.Volume.Mask)
	}
}

// TestReadAllCancelled cancels in the middle of a long file.
func TestReadAllCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	read := 0
	endless := readerFunc(func(b []byte) (int, error) {
		if read += len(b); read > 20<<20 {
			cancel()
		}
		return len(b), nil
	})
	b, err := part10.ReadAll(ctx, endless, "x", 1<<30, nil)
	if !errors.Is(err, context.Canceled) || len(b) > 25<<20 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// TestPaddingBeyondStoredBits masks padding that twelve bits cannot hold, but not data with the same twelve bits.
func TestPaddingBeyondStoredBits(t *testing.T) {
	f := dicomtest.NewFake("1", 0, 0).With(part10.TagBitsStored, 12).With(part10.TagHighBit, 11).With(part10.TagPixelRepresentation, 0).With(part10.TagPixelPaddingValue, 0xF830)
	for i, v := range []uint16{0xF830, 0x0830} {
		binary.LittleEndian.PutUint16(f.Pixels[10*i:], v)
	}
	v := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.FilesOf(map[string]*dicomtest.Fake{"x": f})), 0).Volume
	if v.Mask == nil || v.Mask[0] || slices.Contains(v.Mask[1:], false) {
		t.Errorf("mask %v", v.Mask)
	}
	if v.Data[5] != 2*0x830-1000 {
		t.Errorf("a value beside: %g", v.Data[5])
	}
}

// countingFiles counts the files that are open.
type countingFiles struct {
	fs.FS
	open *atomic.Int64
}

func (c countingFiles) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	c.open.Add(1)
	return &countedFile{f, c.open}, nil
}

// ReadDir lists a folder without keeping it open.
func (c countingFiles) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(c.FS, name) }

// Stat describes a file without opening it.
func (c countingFiles) Stat(name string) (fs.FileInfo, error) { return fs.Stat(c.FS, name) }

type countedFile struct {
	fs.File
	open *atomic.Int64
}

// ReadAt implements io.ReaderAt.
func (f *countedFile) ReadAt(b []byte, off int64) (int, error) {
	return f.File.(io.ReaderAt).ReadAt(b, off)
}

// Close implements fs.File.
func (f *countedFile) Close() error {
	f.open.Add(-1)
	return f.File.Close()
}

// TestEveryFileIsClosed scans and loads plain, deflated, multi-frame and damaged files.
func TestEveryFileIsClosed(t *testing.T) {
	plain := dicomtest.NewFake("1", 0, 0).File()
	deflated := dicomtest.Deflate(t, plain)
	for name, file := range map[string][]byte{
		"plain": plain, "cut": plain[:len(plain)-5],
		"deflated": deflated, "deflated and cut": deflated[:len(deflated)-5],
		"frames":  dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...).File(),
		"foreign": []byte("no DICOM"),
	} {
		files := countingFiles{fstest.MapFS{"x": {Data: file}}, &atomic.Int64{}}
		if c, err := dicom.Scan(t.Context(), files, nil); err == nil {
			_, _ = c.Load(t.Context(), 0, nil) // the slice of a damaged file fails
			_, _ = c.Thumbnail(t.Context(), 0, 16)
		}
		if n := files.open.Load(); n != 0 {
			t.Errorf("%s: %d files are left open", name, n)
		}
	}
}

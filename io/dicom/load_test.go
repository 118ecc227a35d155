package dicom

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"
)

// countingFS counts the bytes that are read from its files, whose memory can be
// read at any place or, where stream is set, only from front to back.
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
	var frames []fakeFrame
	for i := range times {
		for z := range depth {
			frames = append(frames, fakeFrame{z: float64(z), time: i + 1, bValue: -1})
		}
	}
	f := newEnhanced(explicitLE, false, frames...).with(tagRows, side).with(tagColumns, side)
	f.pixels = make([]byte, 2*side*side*len(frames))
	for i := range f.pixels {
		f.pixels[i] = byte(i * i >> 7)
	}
	files := countingFS{FS: fstest.MapFS{"enhanced.dcm": {Data: f.file()}}, read: new(atomic.Int64)}
	c := scan(t, files)
	if len(c.Entries) != times {
		t.Fatalf("%d volumes, want %d", len(c.Entries), times)
	}
	files.read.Store(0)
	s := load(t, c, 3)
	const pixels = 2 * side * side * depth
	if n := files.read.Load(); n < pixels || n > pixels+64<<10 {
		t.Errorf("%d bytes read for %d of pixels", n, pixels)
	}
	files.stream = true
	if streamed := load(t, scan(t, files), 3); !slices.Equal(streamed.Volume.Data, s.Volume.Data) {
		t.Error("a stream gives other voxels")
	}
}

// TestLoadMultiFrameThatChanged cuts a multi-frame file, or moves its pixels,
// between scan and load.
func TestLoadMultiFrameThatChanged(t *testing.T) {
	file := newEnhanced(explicitLE, false, fakeFrame{z: 1, bValue: -1}, fakeFrame{z: 2, bValue: -1}).file()
	for name, changed := range map[string][]byte{
		"cut":   file[:len(file)-5],
		"moved": newEnhanced(explicitLE, true, fakeFrame{z: 1, bValue: -1}, fakeFrame{z: 2, bValue: -1}).file(),
		"other": []byte("something else"),
	} {
		files := fstest.MapFS{"m.dcm": {Data: file}}
		c := scan(t, files)
		files["m.dcm"] = &fstest.MapFile{Data: changed}
		_, err := c.Load(context.Background(), 0, nil)
		t.Log(name)
		wantError(t, err, "m.dcm: the file changed since it was scanned", "scan the folder again")
	}
}

// TestLoadCancelledInTheMiddle cancels at the tenth of many slices: no goroutine
// goes on, and no more slices are done than were under way.
func TestLoadCancelledInTheMiddle(t *testing.T) {
	single := fstest.MapFS{}
	var frames []fakeFrame
	for z := range 400 {
		single[fmt.Sprintf("%03d.dcm", z)] = &fstest.MapFile{Data: newFake(fmt.Sprint(z), float64(z), z).file()}
		frames = append(frames, fakeFrame{z: float64(z), bValue: -1})
	}
	for name, files := range map[string]fstest.MapFS{
		"files": single, "frames": {"m.dcm": {Data: newEnhanced(explicitLE, false, frames...).file()}},
	} {
		c := scan(t, files)
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
		for wait := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Since(wait) > 5*time.Second {
				t.Fatalf("%s: %d goroutines, %d before", name, runtime.NumGoroutine(), before)
			}
		}
	}
}

// TestMaskOfSeries masks slices of which only some have padding, or name a value
// for it.
func TestMaskOfSeries(t *testing.T) {
	fakes := stack(3) // a.dcm lies last; its values are -800 on, stored 100 z + n
	fakes["b.dcm"].with(tagPixelPaddingValue, []byte{102, 0})
	c := scan(t, filesOf(fakes))
	s := load(t, c, 0)
	want := make([]bool, 36)
	for i := range want {
		want[i] = i != 12+2
	}
	if !slices.Equal(s.Volume.Mask, want) {
		t.Errorf("mask %v", s.Volume.Mask)
	}
	finding(t, s.Findings, "padding")
	fakes["b.dcm"].with(tagPixelPaddingValue, []byte{99, 0})
	if s = load(t, scan(t, filesOf(fakes)), 0); s.Volume.Mask != nil {
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
	b, err := readAll(ctx, endless, "x", 1<<30, nil)
	if !errors.Is(err, context.Canceled) || len(b) > 25<<20 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

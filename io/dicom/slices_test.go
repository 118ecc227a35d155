package dicom_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// TestSlicesOfEveryKind reads every kind of generated series, and public ones, some slices at a time:
// dicomtest.Load compares each with the volume that is read whole.
func TestSlicesOfEveryKind(t *testing.T) {
	var frames []dicomtest.FakeFrame
	for z := range 7 {
		frames = append(frames, dicomtest.FakeFrame{Z: float64(z), BValue: -1})
	}
	big, implicit, padded, deflated := dicomtest.Stack(5), dicomtest.Stack(5), dicomtest.Stack(5), dicomtest.FilesOf(dicomtest.Stack(3))
	for name := range big {
		big[name].Enc, implicit[name].Enc = part10.ExplicitBE, part10.ImplicitLE
		padded[name].With(part10.TagPixelPaddingValue, []byte{202, 0}) // the third slice has it
	}
	for _, f := range deflated {
		f.Data = dicomtest.Deflate(t, f.Data)
	}
	packed := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...)
	rle := func() (fragments [][]byte) {
		for frame := range slices.Chunk(packed.Pixels, len(packed.Pixels)/3) {
			fragments = append(fragments, dicomtest.RleStream(frame))
		}
		return fragments
	}()
	for name, files := range map[string]fstest.MapFS{
		"files": dicomtest.FilesOf(dicomtest.Stack(7)), "one": dicomtest.FilesOf(dicomtest.Stack(1)),
		"big endian": dicomtest.FilesOf(big), "implicit": dicomtest.FilesOf(implicit), "padding": dicomtest.FilesOf(padded), "deflated": deflated,
		"frames":            dicomtest.OneFile(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...)),
		"big endian frames": dicomtest.OneFile(dicomtest.NewEnhanced(part10.ExplicitBE, true, frames...)),
		"compressed frames": {"m.dcm": {Data: dicomtest.Encapsulate(packed, "1.2.840.10008.1.2.5", nil, rle...)}},
		"secondary":         dicomtest.OneFile(dicomtest.SecondaryFrames()),
		"mosaic":            dicomtest.OneFile(dicomtest.NewMosaic(2, `0\0\1`)),
		"tiles":             dicomtest.OneFile(dicomtest.NewUIHTiles(part10.ExplicitLE, 3)),
	} {
		c := dicomtest.Scan(t, files)
		if c.Entries[0].Err != nil {
			t.Fatal(name, c.Entries[0].Err)
		}
		for i := range c.Entries {
			s := dicomtest.Load(t, c, i)
			if (s.Volume.Mask != nil) != (name == "padding") {
				t.Errorf("%s: mask %v", name, s.Volume.Mask)
			}
		}
	}
	for name := range readVolumeFacts(t) {
		if strings.Contains(name, "zip") {
			continue
		}
		c := dicomtest.Scan(t, dicomtest.PublicSeries(t, name))
		dicomtest.Load(t, c, len(c.Entries)-1)
	}
}

// TestSlicesOfManyFiles keeps no more than one file open between two reads, opens none twice that goes
// on, and closes all: of files, and of multi-frame files with slices that follow each other or
// alternate.
func TestSlicesOfManyFiles(t *testing.T) {
	alternate := fstest.MapFS{}
	for k := range 2 {
		var frames []dicomtest.FakeFrame
		for z := range 6 {
			frames = append(frames, dicomtest.FakeFrame{Z: float64(2*z + k), BValue: -1})
		}
		f := dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...).With(part10.TagSOPInstanceUID, fmt.Sprint("1.2.3.70", k))
		alternate[fmt.Sprint(k)] = &fstest.MapFile{Data: f.File()}
	}
	var frames []dicomtest.FakeFrame
	for z := range 12 {
		frames = append(frames, dicomtest.FakeFrame{Z: float64(z), BValue: -1})
	}
	for name, files := range map[string]fstest.MapFS{
		"files": dicomtest.FilesOf(dicomtest.Stack(12)), "frames": dicomtest.OneFile(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...)), "alternate": alternate,
	} {
		counting := countingFiles{files, &atomic.Int64{}}
		c := dicomtest.Scan(t, counting)
		dicomtest.Load(t, c, 0)
		r, err := c.OpenSlices(0)
		if err != nil {
			t.Fatal(err)
		}
		if r.Geometry().Dims[2] != 12 {
			t.Fatalf("%s: %v", name, r.Geometry())
		}
		slice := make([]float32, r.Geometry().SliceVoxels())
		for z := range 12 {
			if _, err := r.Read(t.Context(), slice, nil); err != nil {
				t.Fatal(name, z, err)
			}
			if n := counting.open.Load(); n > 1 || name == "frames" && n != min(1, int64(11-z)) {
				t.Errorf("%s: %d files are open after slice %d", name, n, z)
			}
		}
		if _, err := r.Read(t.Context(), slice, nil); err == nil {
			t.Errorf("%s: a slice after the last", name)
		}
		r.Close()
		if n := counting.open.Load(); n != 0 {
			t.Errorf("%s: %d files are left open", name, n)
		}
	}
}

// TestSlicesThatCannotBeRead names the fault in the sentence of Load, and leaves no file open.
func TestSlicesThatCannotBeRead(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(dicomtest.Stack(1)))
	for _, i := range []int{-1, 1} {
		if _, err := c.OpenSlices(i); err == nil {
			t.Errorf("entry %d", i)
		}
	}
	for _, changed := range []string{"a.dcm", "c.dcm", "e.dcm"} {
		files := dicomtest.FilesOf(dicomtest.Stack(5))
		counting := countingFiles{files, &atomic.Int64{}}
		c := dicomtest.Scan(t, counting)
		files[changed].Data = files[changed].Data[:400]
		_, want := c.Load(t.Context(), 0, nil)
		var e *dicom.Error
		if !errors.As(want, &e) || e.Name != changed {
			t.Fatal(want)
		}
		r, err := c.OpenSlices(0)
		if err != nil {
			t.Fatal(err)
		}
		slice := make([]float32, r.Geometry().SliceVoxels())
		for range 5 {
			if _, err = r.Read(t.Context(), slice, nil); err != nil {
				break
			}
		}
		if err == nil || err.Error() != want.Error() {
			t.Errorf("%v; want %v", err, want)
		}
		r.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r, err = c.OpenSlices(0); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(ctx, slice, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		r.Close()
		if n := counting.open.Load(); n != 0 {
			t.Errorf("%d files are left open", n)
		}
	}
	damaged := dicomtest.FilesOf(dicomtest.Stack(3))
	damaged["b.dcm"].Data = damaged["b.dcm"].Data[:len(damaged["b.dcm"].Data)-3]
	c = dicomtest.Scan(t, damaged)
	_, want := c.Load(t.Context(), 0, nil)
	if _, err := c.OpenSlices(0); err == nil || err.Error() != want.Error() {
		t.Errorf("%v; want %v", err, want)
	}
}

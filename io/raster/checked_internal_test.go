package raster

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/fstest"

	"quell/volume"
)

// What was written is read back block by block, and any other byte or length is found.
func TestCheckedWriter(t *testing.T) {
	for _, n := range []int{0, 1, checkBlock - 1, checkBlock, checkBlock + 1, 2*checkBlock + 5} {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(i * 7)
		}
		w := newCheckedWriter(io.Discard)
		for at := 0; at < n; at += 100_003 {
			if _, err := w.Write(data[at:min(n, at+100_003)]); err != nil {
				t.Fatal(err)
			}
		}
		verify := func(data []byte) error {
			return w.verify(t.Context(), fstest.MapFS{"f": {Data: data}}, "f")
		}
		if err := verify(data); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
		if err := verify(append(bytes.Clone(data), 0)); !errors.Is(err, errDiffers) {
			t.Errorf("%d bytes and one more: %v", n, err)
		}
		for _, at := range []int{0, n / 2, n - 1} {
			if n == 0 {
				continue
			}
			other := bytes.Clone(data)
			other[at] ^= 1
			if err := verify(other); !errors.Is(err, errDiffers) {
				t.Errorf("byte %d of %d: %v", at, n, err)
			}
		}
		if n > 0 {
			if err := verify(data[:n-1]); !errors.Is(err, errDiffers) {
				t.Errorf("%d bytes less one: %v", n, err)
			}
		}
	}
	w := newCheckedWriter(io.Discard)
	if err := w.verify(t.Context(), fstest.MapFS{}, "f"); err == nil {
		t.Error("a file that is not there is verified")
	}
}

// memory is a file in memory.
type memory []byte

func (m memory) WriteAt(p []byte, at int64) (int, error) { return copy(m[at:], p), nil }

func (m memory) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Blocks that are written in parallel, of voxels that come at once or in parts, are as in a file that is
// written in one go, and any other byte or length is found when they are read back.
func TestBlocks(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{300, 300, 7}, [3]float64{1, 1, 1})) // 630 000 voxels
	for i := range v.Data {
		v.Data[i] = float32(i%1000) / 4
	}
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = i%3 > 0
	}
	for _, name := range []string{"float32", "int16"} {
		d, err := DatatypeByName(name)
		if err != nil {
			t.Fatal(err)
		}
		e := encoderFor(d, limitsOf(v.Data))
		header := bytes.Repeat([]byte("header. "), 44)
		whole := bytes.NewBuffer(bytes.Clone(header))
		if err := WriteVoxels(t.Context(), whole, true, e, v, nil); err != nil {
			t.Fatal(err)
		}
		var w output
		var file memory
		for _, n := range []int{3, 7} { // slices at a time
			file = make(memory, whole.Len())
			if w, err = newOutput(file, header, e, Spec{MaskedAsNaN: true}); err != nil {
				t.Fatal(err)
			}
			for z := 0; z < 7; z += n {
				if err := w.add(t.Context(), v.Crop(volume.Slices(v.Geometry, z, min(z+n, 7))), nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.finish(); err != nil || !bytes.Equal(file, whole.Bytes()) {
				t.Errorf("%s: the files differ, %v", name, err)
			}
			if err := w.verify(t.Context(), fstest.MapFS{"f": {Data: file}}, "f"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		verify := func(b []byte) error { return w.verify(t.Context(), fstest.MapFS{"f": {Data: b}}, "f") }
		if err := verify(file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, at := range []int{0, 351, 352, 352 + checkBlock - 1, 352 + checkBlock, len(file) - 1} {
			other := bytes.Clone(file)
			other[at] ^= 1
			if err := verify(other); !errors.Is(err, errDiffers) {
				t.Errorf("%s: byte %d: %v", name, at, err)
			}
		}
		for _, b := range [][]byte{file[:len(file)-1], append(bytes.Clone(file), 0), nil} {
			if err := verify(b); !errors.Is(err, errDiffers) {
				t.Errorf("%s: %d bytes: %v", name, len(b), err)
			}
		}
		if err := w.verify(t.Context(), fstest.MapFS{}, "f"); err == nil {
			t.Error("a file that is not there is verified")
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.add(ended, v, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := w.verify(ended, fstest.MapFS{"f": {Data: file}}, "f"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

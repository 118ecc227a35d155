package nifti

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/fstest"
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

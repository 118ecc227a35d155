package raster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"

	"quell/volume"
)

// countdown is a context that ends after so many questions.
type countdown struct {
	context.Context
	left atomic.Int64
}

func after(ctx context.Context, n int64) *countdown {
	c := &countdown{Context: ctx}
	c.left.Store(n)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func packed(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestSkip: a cancel ends a skip, and the end of the file too.
func TestSkip(t *testing.T) {
	s, err := OpenFile(fstest.MapFS{"f": {Data: make([]byte, 100)}}, "f")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.skipTo(after(t.Context(), 0), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := s.skipTo(after(t.Context(), 1), 20); err != nil || s.At() != 20 {
		t.Errorf("at %d, %v", s.At(), err)
	}
	if err := s.skipTo(after(t.Context(), 0), 20); err != nil {
		t.Errorf("nothing to skip: %v", err)
	}
	if err := s.skipTo(t.Context(), 1<<20); !errors.Is(err, io.EOF) {
		t.Errorf("beyond the end: %v", err)
	}
}

// rawOpener opens a file of int16 voxels behind 352 bytes.
func rawOpener(dims [3]int) Opener {
	return func(fsys fs.FS, name string) (*Image, error) {
		f, err := OpenFile(fsys, name)
		if err != nil {
			return nil, err
		}
		d, _ := DatatypeByCode(Int16)
		return NewImage(Layout{Geometry: volume.NewGeometry(dims, [3]float64{1, 1, 1}), Volumes: 1, Datatype: d, Order: binary.LittleEndian, Slope: 1, Offset: 352}, name, []string{name}, f), nil
	}
}

// TestSizeConfirmed: all voxels are allocated at once if the gzip trailer gives the
// length of the image.
func TestSizeConfirmed(t *testing.T) {
	plain := make([]byte, 352+2*128*128*16)
	air := packed(t, plain)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := 352; i < len(plain); i += 2 {
		plain[i] = byte(rng.IntN(200))
	}
	whole := packed(t, plain)
	for what, c := range map[string]struct {
		b    []byte
		want bool
	}{
		"intact":         {whole, true},
		"truncated":      {whole[:len(whole)*9/10], false},
		"two members":    {append(packed(t, plain[:5000]), packed(t, plain[5000:])...), false},
		"air":            {air, false},
		"not compressed": {plain, false},
	} {
		im, err := rawOpener([3]int{128, 128, 16})(fstest.MapFS{"a": {Data: c.b}}, "a")
		if err != nil {
			t.Fatal(err)
		}
		p, err := im.plan()
		if err != nil {
			t.Fatal(err)
		}
		if got := im.sizeConfirmed(p); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
		im.file.Close()
	}
}

package raster

import (
	"context"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/klauspost/pgzip"

	"quell/io/atomic"
	"quell/volume"
)

// gzipLevel is the level beyond which pgzip takes more time without saving space.
const gzipLevel = 6

// WriteNew creates a file and calls write to fill it. After an error it removes the
// file.
func WriteNew(path string, write func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return WithoutPath(err)
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = WithoutPath(e)
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// Spec says how a file is written: what the format decides that makes its header.
type Spec struct {
	Datatype    Datatype
	Compress    bool // the whole file, by gzip
	MaskedAsNaN bool // masked voxels are NaN in a floating-point type; else their values
	Unscaled    bool // the header holds neither slope nor intercept
	// Header returns the bytes before the voxels, which lie on a grid and are stored by e.
	Header func(grid volume.Geometry, e Encoder) []byte
}

// encoder returns how values of such limits are stored, and what is lost.
func (s Spec) encoder(values valueLimits) (e Encoder, lost string) {
	if s.Unscaled {
		return unscaledEncoder(s.Datatype, values)
	}
	return encoderFor(s.Datatype, values), ""
}

// WriteFile writes header and voxels to a new file and reads it back: every byte must be as it was
// written. Each voxel is written when a, which may be nil, says that it is final; an integer type
// waits for all of them, since the scale of the values is in the header. After an error the file is
// gone. lost is a sentence about values that the file does not keep; "" for none.
func WriteFile(ctx context.Context, path string, s Spec, v *volume.Volume, a *volume.Arrival) (lost string, err error) {
	if err := v.ValidateLayout(); err != nil {
		return "", err
	}
	var verify func(ctx context.Context, fsys fs.FS, name string) error
	err = WriteNew(path, func(f *os.File) error {
		var values valueLimits
		if s.Datatype.Integer() {
			if !s.Compress { // while the voxels are computed; the header is a page at most
				atomic.Reserve(f, int64(len(v.Data))*int64(s.Datatype.Bytes))
			}
			if err := a.Read(ctx, 0, len(v.Data), func() error { return nil }); err != nil {
				return err
			}
			values = limitsOf(v.Data)
		}
		var e Encoder
		e, lost = s.encoder(values)
		verify, err = writeSingle(ctx, f, s.Header(v.Geometry, e), s, e, v, a)
		return err
	})
	if err != nil {
		return "", err
	}
	if err = verify(ctx, HostFolder(filepath.Dir(path)), filepath.Base(path)); err != nil {
		os.Remove(path)
		return "", err
	}
	return lost, nil
}

// HostFolder is a folder of the machine. Unlike os.DirFS it opens names that are not UTF-8.
type HostFolder string

// Open implements fs.FS.
func (dir HostFolder) Open(name string) (fs.File, error) {
	return os.Open(filepath.Join(string(dir), name))
}

// output is a file that is written.
type output interface {
	io.Writer
	io.WriterAt
}

// writeSingle writes header and voxels to one file, and returns what reads it back.
func writeSingle(ctx context.Context, f output, header []byte, s Spec, e Encoder, v *volume.Volume, a *volume.Arrival) (verify func(ctx context.Context, fsys fs.FS, name string) error, err error) {
	if !s.Compress {
		w := &blockWriter{to: f, header: header, encoder: e, volume: v, arrival: a, maskedAsNaN: masksAsNaN(s.MaskedAsNaN, e, v)}
		return w.verify, w.run(ctx)
	}
	z, err := pgzip.NewWriterLevel(f, gzipLevel)
	if err != nil {
		return nil, err
	}
	c := newCheckedWriter(z)
	if _, err = c.Write(header); err == nil {
		err = WriteVoxels(ctx, c, s.MaskedAsNaN, e, v, a)
	}
	if err != nil {
		_ = z.Close() // ends its goroutines; the file is discarded
		return nil, WithoutPath(err)
	}
	return c.verify, z.Close()
}

// masksAsNaN reports whether the masked voxels of v are stored as NaN, if they are to be.
func masksAsNaN(wanted bool, e Encoder, v *volume.Volume) bool {
	return wanted && v.Mask != nil && !e.Integer()
}

// WriteVoxels writes the voxels alone.
func WriteVoxels(ctx context.Context, w io.Writer, nan bool, e Encoder, v *volume.Volume, a *volume.Arrival) error {
	nan = masksAsNaN(nan, e, v)
	step := chunkBytes / e.Bytes
	buf := make([]byte, min(step, len(v.Data))*e.Bytes)
	var masked []float32
	for at := 0; at < len(v.Data); at += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		src := v.Data[at:min(at+step, len(v.Data))]
		out := buf[:len(src)*e.Bytes]
		err := a.Read(ctx, at, at+len(src), func() error {
			if nan {
				masked = withNaN(masked, src, v.Mask[at:])
				src = masked
			}
			e.encode(out, src)
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := w.Write(out); err != nil {
			return WithoutPath(err)
		}
	}
	return nil
}

// withNaN returns values in buf, NaN where mask is false.
func withNaN(buf, values []float32, mask []bool) []float32 {
	buf = append(buf[:0], values...)
	for i := range buf {
		if !mask[i] {
			buf[i] = float32(math.NaN())
		}
	}
	return buf
}

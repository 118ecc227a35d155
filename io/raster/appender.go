package raster

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/pgzip"

	"quell/volume"
)

// appender writes a single file; its voxels come one part after another, and keeps none of
// them in memory.
//
// Integer types store values unscaled if all are whole and fit. Since that is known only
// after the last part, the voxels wait in a file of float32 next to the output until then.
type appender struct {
	path     string
	spec     Spec
	grid     volume.Geometry // of the header
	file     *os.File
	complete bool
	out      *checkedWriter // of header and voxels, before compression; nil before the header
	zip      *pgzip.Writer  // nil without compression
	lost     string         // see WriteFile

	spool  *os.File // float32 voxels of integer types
	voxels int      // in it
	values valueLimits
}

// newAppender begins a file at path, which must not exist.
func newAppender(path string, spec Spec) (*appender, error) {
	a := &appender{path: path, spec: spec}
	var err error
	if a.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, WithoutPath(err)
	}
	if spec.Datatype.Integer() {
		if a.spool, err = os.CreateTemp(filepath.Dir(path), ".voxels-*"); err != nil {
			a.Discard()
			return nil, WithoutPath(err)
		}
	}
	return a, nil
}

// add writes the next voxels.
func (a *appender) add(ctx context.Context, v *volume.Volume) error {
	if a.spool != nil {
		a.values.add(v.Data)
		a.voxels += len(v.Data)
		return WriteVoxels(ctx, a.spool, false, Encoder{Datatype: spooled(), Slope: 1}, v, nil)
	}
	e := Encoder{Datatype: a.spec.Datatype, Slope: 1}
	if a.out == nil {
		if err := a.begin(e); err != nil {
			return err
		}
	}
	return WriteVoxels(ctx, a.out, a.spec.MaskedAsNaN, e, v, nil)
}

// begin writes the header.
func (a *appender) begin(e Encoder) error {
	a.out = newCheckedWriter(a.file)
	if a.spec.Compress {
		z, err := pgzip.NewWriterLevel(a.file, gzipLevel)
		if err != nil {
			return err
		}
		a.zip, a.out.w = z, z
	}
	_, err := a.out.Write(a.spec.Header(a.grid, e))
	return WithoutPath(err)
}

// close completes the file and reads it back: every byte must be as it was written. After
// an error the file is gone.
func (a *appender) close(ctx context.Context) error {
	err := a.finish(ctx)
	a.complete = err == nil
	a.Discard()
	return err
}

func (a *appender) finish(ctx context.Context) error {
	if a.spool != nil {
		if err := a.encodeSpool(ctx); err != nil {
			return err
		}
	}
	if a.zip != nil {
		z := a.zip
		a.zip = nil
		if err := z.Close(); err != nil {
			return WithoutPath(err)
		}
	}
	file := a.file
	a.file = nil
	if err := file.Close(); err != nil {
		return WithoutPath(err)
	}
	return a.out.verify(ctx, HostFolder(filepath.Dir(a.path)), filepath.Base(a.path))
}

// encodeSpool writes the voxels that wait in the spool, now that the range of their values
// is known.
func (a *appender) encodeSpool(ctx context.Context) error {
	if _, err := a.spool.Seek(0, io.SeekStart); err != nil {
		return WithoutPath(err)
	}
	e, lost := a.spec.encoder(a.values)
	a.lost = lost
	if err := a.begin(e); err != nil {
		return err
	}
	in := bufio.NewReaderSize(a.spool, chunkBytes)
	from := decoder{Datatype: spooled(), slope: 1}
	step := chunkBytes / 4
	raw, values, out := make([]byte, chunkBytes), make([]float32, step), make([]byte, step*a.spec.Datatype.Bytes)
	for left := a.voxels; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(left, step)
		if _, err := io.ReadFull(in, raw[:4*n]); err != nil {
			return WithoutPath(err)
		}
		from.decodeUnscaled(values[:n], raw)
		e.encode(out, values[:n])
		if _, err := a.out.Write(out[:n*a.spec.Datatype.Bytes]); err != nil {
			return WithoutPath(err)
		}
		left -= n
	}
	return a.dropSpool()
}

// spooled is the datatype of the spool.
func spooled() Datatype {
	d, _ := DatatypeByCode(Float32)
	return d
}

func (a *appender) dropSpool() error {
	spool := a.spool
	a.spool = nil
	return WithoutPath(errors.Join(spool.Close(), os.Remove(spool.Name())))
}

// Discard removes what was written. After Close it does nothing.
func (a *appender) Discard() {
	if a.spool != nil {
		_ = a.dropSpool()
	}
	if a.zip != nil {
		_ = a.zip.Close() // ends its goroutines
		a.zip = nil
	}
	if a.file != nil {
		_ = a.file.Close()
		a.file = nil
	}
	if !a.complete {
		_ = os.Remove(a.path)
	}
}

package nifti

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/pgzip"

	"quell/series"
	"quell/volume"
)

// appender writes a single file of which the voxels come one part after another, and keeps
// none of them in memory.
//
// Integer types store values unscaled where all are whole and fit. Since that is known only
// after the last part, the voxels wait in a file of float32 beside the output until then.
type appender struct {
	path     string
	datatype datatype
	source   *header                 // of the source, nil for none
	layout   func(e encoder) *header // makes the header

	file     *os.File
	complete bool
	compress bool
	out      *checkedWriter // of header and voxels, before compression; nil before the header
	zip      *pgzip.Writer  // nil without compression

	spool  *os.File // float32 voxels of integer types
	voxels int      // in it
	values valueLimits
}

// newAppender begins a file at path, a .nii or .nii.gz that must not exist; from and dtype
// are as for [Write].
func newAppender(path string, from *series.Series, dtype string) (*appender, error) {
	d, err := datatypeByName(dtype)
	if err != nil {
		return nil, err
	}
	_, ext, gz := splitExt(path)
	if !strings.EqualFold(ext, ".nii") {
		return nil, errors.New("the name must end in .nii or .nii.gz: only NIfTI is written in parts")
	}
	source, err := sourceHeader(from)
	if err != nil {
		return nil, err
	}
	if source != nil {
		source.maskedAsNaN = true // whichever of the parts has a mask
	}
	a := &appender{path: path, datatype: d, source: source, compress: gz != ""}
	if a.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, withoutPath(err)
	}
	if d.integer() {
		if a.spool, err = os.CreateTemp(filepath.Dir(path), ".voxels-*"); err != nil {
			a.Discard()
			return nil, withoutPath(err)
		}
	}
	return a, nil
}

// add writes the next voxels.
func (a *appender) add(ctx context.Context, v *volume.Volume) error {
	if a.spool != nil {
		a.values.add(v.Data)
		a.voxels += len(v.Data)
		return writeVoxels(ctx, a.spool, &header{}, encoder{datatype: spooled(), slope: 1}, v, nil)
	}
	e := encoder{datatype: a.datatype, slope: 1}
	if a.out == nil {
		if err := a.begin(e); err != nil {
			return err
		}
	}
	return writeVoxels(ctx, a.out, &header{maskedAsNaN: a.source != nil}, e, v, nil)
}

// begin writes the header.
func (a *appender) begin(e encoder) error {
	a.out = newCheckedWriter(a.file)
	if a.compress {
		z, err := pgzip.NewWriterLevel(a.file, gzipLevel)
		if err != nil {
			return err
		}
		a.zip, a.out.w = z, z
	}
	_, err := a.out.Write(a.layout(e).marshal())
	return withoutPath(err)
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
			return withoutPath(err)
		}
	}
	file := a.file
	a.file = nil
	if err := file.Close(); err != nil {
		return withoutPath(err)
	}
	return a.out.verify(ctx, hostFolder(filepath.Dir(a.path)), filepath.Base(a.path))
}

// encodeSpool writes the voxels that wait in the spool, now that the range of their values
// is known.
func (a *appender) encodeSpool(ctx context.Context) error {
	if _, err := a.spool.Seek(0, io.SeekStart); err != nil {
		return withoutPath(err)
	}
	e := encoderFor(a.datatype, a.values)
	if err := a.begin(e); err != nil {
		return err
	}
	in := bufio.NewReaderSize(a.spool, chunkBytes)
	from := decoder{datatype: spooled(), slope: 1}
	step := chunkBytes / 4
	raw, values, out := make([]byte, chunkBytes), make([]float32, step), make([]byte, step*a.datatype.bytes)
	for left := a.voxels; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(left, step)
		if _, err := io.ReadFull(in, raw[:4*n]); err != nil {
			return withoutPath(err)
		}
		from.decodeUnscaled(values[:n], raw)
		e.encode(out, values[:n])
		if _, err := a.out.Write(out[:n*a.datatype.bytes]); err != nil {
			return withoutPath(err)
		}
		left -= n
	}
	return a.dropSpool()
}

// spooled is the datatype of the spool.
func spooled() datatype {
	d, _ := datatypeByCode(dtFloat32)
	return d
}

func (a *appender) dropSpool() error {
	spool := a.spool
	a.spool = nil
	return withoutPath(errors.Join(spool.Close(), os.Remove(spool.Name())))
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

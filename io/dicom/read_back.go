package dicom

import (
	"context"
	"hash/maphash"
	"os"
	"path"
	"runtime"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/io/dicom/assemble"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
)

// broken is the error for a folder that was read back and differs.
func broken(format string, args ...any) error {
	return part10.FileError(message.OutputDiffers, "", message.Text("check the disk, or choose another place"), nil,
		"the files written were read back and differ from what was to be written (%s), so they were removed", message.Text(format, args...))
}

// place is the name of a file and the frame of a slice.
type place struct {
	name  string
	frame int
}

// verify reads the folder as any reader would: one series, every slice in its
// place, and pixels that are bit for bit the pixels that were to be written.
func (w *Writer) verify(ctx context.Context) error {
	fsys := os.DirFS(w.dir)
	c, err := Scan(ctx, fsys, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return broken("%v", err)
	}
	if w.volumes == 1 && len(c.Entries) != 1 {
		return broken("%d volumes", len(c.Entries))
	}
	found := map[place]*instance.Slice{}
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Err != nil {
			return broken("%d volumes", len(c.Entries))
		}
		if e.UID != w.report.SeriesUID {
			return broken("%d of %d slices", len(e.Stack), len(w.slices))
		}
		for _, h := range e.Stack {
			found[place{path.Base(h.Name), h.Frame}] = h
		}
	}
	if len(found) != len(w.slices) {
		return broken("%d of %d slices", len(found), len(w.slices))
	}
	if err := w.verifyOrder(c.Entries); err != nil {
		return err
	}
	files := make([][]int, len(w.files)) // the slices of each
	at := make([]*instance.Slice, len(w.slices))
	for i, s := range w.slices {
		files[s.file] = append(files[s.file], i)
		h := found[place{sliceName(s.file), s.frame}]
		if h == nil {
			return broken("frame %d of %s is missing", s.frame, sliceName(s.file))
		}
		if h.Position.Sub(s.position).Norm() > 1e-3 {
			return broken("position of frame %d of %s", h.Frame, h.Name)
		}
		at[i] = h
	}
	return parallel.ForWorkers(ctx, len(files), runtime.GOMAXPROCS(0), func() func(k int) error {
		var file []byte
		return func(k int) (err error) {
			h := at[files[k][0]]
			if file, err = part10.ReadFile(fsys, h.Name, h.Size, file); err != nil {
				return broken("%v", err)
			}
			f, err := h.OpenPixels(file)
			if err != nil {
				return broken("%v", err)
			}
			for _, i := range files[k] {
				pixels, err := f.Slice(at[i])
				if err != nil {
					return broken("%v", err)
				}
				if maphash.Bytes(checkSeed, pixels) != w.slices[i].sum {
					return broken("pixels of %s differ", h.Name)
				}
			}
			w.counter.Add(1)
			return nil
		}
	})
}

// verifyOrder compares the volumes of the folder with the volumes that were written, slice by
// slice. A single volume must be the same; of several the report says if they are not, for
// they were told apart by what the files of their source state.
func (w *Writer) verifyOrder(entries []assemble.Entry) error {
	different := func() error {
		if w.volumes != len(entries) || w.volumes > 1 && (entries[0].Group == nil || entries[0].Group.Len() != w.volumes) {
			return broken("%d volumes, not %d", len(entries), w.volumes)
		}
		for i := range entries {
			e := &entries[i]
			v := e.GroupIndex
			first := 0
			if v > 0 {
				first = w.ends[v-1]
			}
			if len(e.Stack) != w.ends[v]-first {
				return broken("%d slices in volume %d", len(e.Stack), v)
			}
			for z, h := range e.Stack {
				if s := w.slices[first+z]; path.Base(h.Name) != sliceName(s.file) || h.Frame != s.frame {
					return broken("frame %d of %s in place %d", h.Frame, h.Name, z)
				}
			}
		}
		return nil
	}()
	if different == nil || w.volumes == 1 {
		return different
	}
	w.report.Warnings = append(w.report.Warnings, message.New(message.OutputReduced, "The files do not state what tells their volumes apart: other programs may divide the series in another way. Write NIfTI to keep the volumes."))
	return nil
}

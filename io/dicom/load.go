package dicom

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync/atomic"

	"quell/internal/parallel"
	"quell/io/dicom/instance"
	"quell/series"
	"quell/volume"
)

// Load reads the voxels of entry i: real values (stored*slope + intercept, with the
// slope and intercept of each slice), with padding masked. Files are read in parallel,
// and so are the slices of one file. Besides the volume only the files that are being
// read are in memory, and of uncompressed multi-frame files only the frames. progress
// may be nil; it is called from one goroutine at a time with the number of slices done.
// The error is an *Error that names the file, or the context's.
func (c *Catalog) Load(ctx context.Context, i int, progress func(done, total int)) (*series.Series, error) {
	if i < 0 || i >= len(c.Entries) {
		return nil, fmt.Errorf("dicom: entry %d of %d", i, len(c.Entries))
	}
	e := &c.Entries[i]
	if e.Err != nil {
		return nil, e.Err
	}
	s := &series.Series{Meta: e.Meta, Volume: volume.New(e.Geometry), Findings: slices.Clone(e.Findings), Irregular: e.Irregular}
	s.Volume.Unit = e.Stack[0].Unit
	s.Sources = c.Sources(i)
	if slices.ContainsFunc(e.Stack, func(h *instance.Slice) bool { return h.Format.Padding }) {
		s.Volume.Mask = volume.Make[bool](len(s.Volume.Data))
	}

	l := &loader{fsys: c.fsys, slices: e.Stack, volume: s.Volume, progress: newCounter(len(e.Stack), progress)}
	if err := l.run(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	if n := l.padding.Load(); n > 0 {
		s.Findings = append(s.Findings, series.Finding{Severity: series.Note, Kind: series.Padding,
			Text: fmt.Sprintf("%d voxels are padding; they are masked and written back unchanged.", n)})
	} else {
		s.Volume.Mask = nil
	}
	return s, nil
}

// Sources returns where the slices of entry i come from, along the slice normal.
func (c *Catalog) Sources(i int) []series.Source {
	sources := make([]series.Source, len(c.Entries[i].Stack))
	for z, h := range c.Entries[i].Stack {
		sources[z] = series.Source{FS: c.fsys, Name: h.Name, Frame: h.Frame, UID: h.SOPUID, Position: h.Position,
			Slope: h.Format.Slope, Inter: h.Format.Intercept}
	}
	return sources
}

// loader is the work of one Load.
type loader struct {
	fsys     fs.FS
	slices   []*instance.Slice
	volume   *volume.Volume    // Mask is set if a slice may have padding
	progress *parallel.Counter // of slices
	padding  atomic.Int64      // voxels
}

// run reads every file. Each goroutine reuses one buffer. Slices of one file are read
// in parallel as far as there are fewer files than cores.
func (l *loader) run(ctx context.Context) error {
	files, at := slicesByFile(l.slices)
	cores := runtime.GOMAXPROCS(0)
	perFile := max(1, cores/max(1, min(cores, len(files))))
	return parallel.ForWorkers(ctx, len(files), cores, func() func(int) error {
		var buf []byte
		return func(k int) (err error) {
			slices := at[files[k]]
			var f *instance.PixelFile
			if f, buf, err = l.slices[slices[0]].OpenPixelFile(ctx, l.fsys, buf); err != nil {
				return err
			}
			defer f.Close()
			if len(slices) == 1 {
				buf, err = l.loadSlice(f, slices[0], buf)
				return err
			}
			return parallel.ForWorkers(ctx, len(slices), perFile, func() func(int) error {
				var frame []byte
				return func(i int) (err error) {
					frame, err = l.loadSlice(f, slices[i], frame)
					return err
				}
			})
		}
	})
}

// loadSlice reads slice z. It returns buf, or a larger buffer, in which a slice that is
// read by itself is stored in between.
func (l *loader) loadSlice(f *instance.PixelFile, z int, buf []byte) ([]byte, error) {
	s := l.slices[z]
	raw, buf, err := f.Read(s, buf)
	if err != nil {
		return buf, err
	}
	s.Format.Decode(l.volume.Plane(z), raw)
	if mask := l.volume.PlaneMask(z); mask != nil {
		l.padding.Add(int64(s.Format.Mask(mask, raw, s.Meta.Modality)))
	}
	l.progress.Add(1)
	return buf, nil
}

// slicesByFile returns the files of slices, in the order of the slices, and the indices
// of the slices in each.
func slicesByFile(hs []*instance.Slice) (files []string, at map[string][]int) {
	at = map[string][]int{}
	for z, h := range hs {
		if at[h.Name] == nil {
			files = append(files, h.Name)
		}
		at[h.Name] = append(at[h.Name], z)
	}
	return files, at
}

// newCounter adapts progress, which may be nil, to a counter of total steps.
func newCounter(total int, progress func(done, total int)) *parallel.Counter {
	if progress == nil {
		return &parallel.Counter{}
	}
	return parallel.NewCounter(int64(total), func(done, total int64) { progress(int(done), int(total)) })
}

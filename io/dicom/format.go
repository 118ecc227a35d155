package dicom

import (
	"context"
	"image"
	"io/fs"

	"quell/io/format"
	"quell/io/spool"
	"quell/series"
)

// Format is DICOM as a folder of files, one series in each output.
var Format = format.Format{
	Name: Name, Index: "DICOMDIR", Unpacks: true, Identity: true, Frames: true, Compresses: true,
	Sniff: func(head []byte, _ string) bool { return Sniff(head) },
	Scan: func(ctx context.Context, fsys fs.FS, names []string) (*format.Found, error) {
		c, err := Scan(ctx, fsys, names)
		if err != nil {
			return nil, err
		}
		return c.found(), nil
	},
	DerivesFrom: Derivable,
	NewWriter:   func(dir string, o format.Options) format.Writer { return NewWriter(dir, o) },
	Stored:      func(string) int { return 2 },
	Waiting:     func(string) int { return spool.VoxelBytes },
	// Every file is one of Quell's own, whatever file managers left there.
	Ours: func(dir string, known func(name string) bool) (bool, error) {
		other, err := Foreign(dir, known)
		return other == "", err
	},
}

// found returns the catalog in the terms of all formats.
func (c *Catalog) found() *format.Found {
	f := &format.Found{Findings: c.Findings, Default: c.Default, WithoutDamaged: func() *format.Found {
		if rest := c.WithoutDamaged(); rest != nil {
			return rest.found()
		}
		return nil
	}}
	for i, e := range c.Entries {
		e.Volume = entry{c, i}
		f.Entries = append(f.Entries, e.Entry)
	}
	return f
}

// entry is an entry of a catalog as a [format.Volume].
type entry struct {
	c *Catalog
	i int
}

func (e entry) Files() []string  { return e.c.FilesOf(e.i) }
func (e entry) Identity() string { return e.c.Identity(e.i) }

func (e entry) Load(ctx context.Context, r *format.Reading) (*series.Series, error) {
	return e.c.Load(ctx, e.i, r.Progress)
}

func (e entry) OpenSlices(context.Context) (series.Slices, error) {
	r, err := e.c.OpenSlices(e.i)
	if err != nil {
		return nil, err // no *Slices that is nil
	}
	return r, nil
}

func (e entry) Thumbnail(ctx context.Context, side int) (*image.Gray, error) {
	return e.c.Thumbnail(ctx, e.i, side)
}

func (e entry) Attribute(ctx context.Context, keyword string) ([]string, error) {
	return e.c.Attribute(ctx, e.i, keyword)
}

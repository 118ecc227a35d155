package open

import (
	"context"
	"image"

	"quell/app/job"
	"quell/io/format"
	"quell/series"
)

// worded is a volume with errors that are *job.InputError, and with files that are paths of the machine.
type worded struct {
	format.Volume
	path   string // of its file, or of the folder or archive that was scanned
	locate func(name string) string
}

func (w worded) word(err error) error { return job.Unreadable(err, w.path, w.locate) }

func (w worded) Files() []string { return located(w.Volume.Files(), w.locate) }

func (w worded) Load(ctx context.Context, r *format.Reading) (*series.Series, error) {
	s, err := w.Volume.Load(ctx, r)
	return s, w.word(err)
}

func (w worded) OpenSlices(ctx context.Context) (series.Slices, error) {
	r, err := w.Volume.OpenSlices(ctx)
	return &wordedSlices{r, w}, w.word(err)
}

func (w worded) Thumbnail(ctx context.Context, side int) (*image.Gray, error) {
	m, err := w.Volume.Thumbnail(ctx, side)
	return m, w.word(err)
}

func (w worded) Attribute(ctx context.Context, keyword string) ([]string, error) {
	values, err := w.Volume.Attribute(ctx, keyword)
	return values, w.word(err)
}

// wordedSlices reads such a volume some slices at a time.
type wordedSlices struct {
	series.Slices
	of worded
}

func (r *wordedSlices) Read(ctx context.Context, data []float32, mask []bool) (int, error) {
	n, err := r.Slices.Read(ctx, data, mask)
	return n, r.of.word(err)
}

func (r *wordedSlices) Series() (*series.Series, error) {
	s, err := r.Slices.Series()
	return s, r.of.word(err)
}

// completed adds to a series what its catalog knows.
type completed struct {
	series.Slices
	c *Catalog
}

func (r *completed) Series() (*series.Series, error) {
	s, err := r.Slices.Series()
	if err == nil {
		r.c.complete(s)
	}
	return s, err
}

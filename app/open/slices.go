package open

import (
	"context"

	"quell/series"
)

// sliceReader reads a volume some slices at a time; its errors are *job.InputError.
type sliceReader struct {
	series.Slices
	worded   func(error) error
	complete func(*series.Series)
}

func (r *sliceReader) Read(ctx context.Context, data []float32, mask []bool) (int, error) {
	n, err := r.Slices.Read(ctx, data, mask)
	return n, r.worded(err)
}

func (r *sliceReader) Series() (*series.Series, error) {
	s, err := r.Slices.Series()
	if err == nil {
		r.complete(s)
	}
	return s, r.worded(err)
}

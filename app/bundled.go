package app

import (
	"context"
	"errors"

	"quell/assets"
	"quell/io/dicom"
	"quell/series"
)

// OpenBundled loads the series that comes with Quell: a few slices of a real,
// anonymised head CT. It needs no file of the machine.
func OpenBundled(ctx context.Context) (*series.Series, error) {
	c, err := dicom.Scan(ctx, assets.Series, nil)
	if err != nil {
		return nil, err
	}
	s, err := c.Load(ctx, c.Default, nil)
	if err != nil {
		return nil, errors.Join(errors.New("the bundled series cannot be read"), err)
	}
	return s, nil
}

package app

import (
	"context"
	"errors"

	"quell/assets"
	"quell/io/dicom"
	"quell/series"
)

// Open is Scan and Load in one; pick < 0 loads the entry that Pick("") gives.
// The caller closes the catalog when it has done with the series.
func Open(ctx context.Context, path string, pick int, progress func(done, total int)) (*series.Series, *Catalog, error) {
	c, err := Scan(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if pick < 0 {
		pick, err = c.Pick("")
	}
	var s *series.Series
	if err == nil {
		s, err = c.Load(ctx, pick, progress)
	}
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	return s, c, nil
}

// OpenBundled loads the series that is built into the program: a few slices of a
// real, anonymised head CT.
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

package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"quell/assets"
	"quell/io/dicom"
	"quell/series"
)

// Opened is a series that was read, and the catalog that it came from.
type Opened struct {
	*series.Series
	Catalog *Catalog
	Took    time.Duration
}

// Close closes the catalog, which an export of the series needs.
func (o *Opened) Close() error { return o.Catalog.Close() }

// Open scans a path and loads the series that in selects. Messages name the
// series that was taken where there are several, and the findings that are more
// than notes. The caller closes the result.
func Open(ctx context.Context, in Input, events Events) (*Opened, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	started := time.Now()
	c, err := Scan(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	s, err := c.loadSelected(ctx, in, events)
	if err != nil {
		c.Close()
		return nil, err
	}
	for _, f := range s.Findings {
		if f.Severity > series.Note {
			events.message(f.Severity, f.Text)
		}
	}
	return &Opened{Series: s, Catalog: c, Took: time.Since(started)}, nil
}

func (c *Catalog) loadSelected(ctx context.Context, in Input, events Events) (*series.Series, error) {
	if in.Series != nil {
		return c.Load(ctx, *in.Series, events.files(Reading))
	}
	pick, err := c.Pick(in.Component)
	if err != nil {
		return nil, err
	}
	candidates := 0
	for _, e := range c.Entries {
		if in.Component == "" || e.Component == in.Component {
			candidates++
		}
	}
	if candidates > 1 {
		events.message(series.Note, fmt.Sprintf("%s holds %d series; taking number %d, the largest (%s); --series takes another",
			c.Path, candidates, pick, c.Entries[pick].label()))
	}
	return c.Load(ctx, pick, events.files(Reading))
}

// label describes an entry in a few words: "STD BRAIN 5MM, 28 slices, time 1 of 2".
func (e Entry) label() string {
	s := fmt.Sprintf("%d slices", e.Slices)
	if e.Description != "" {
		s = e.Description + ", " + s
	}
	if e.Part != "" {
		s += ", " + e.Part
	}
	return s
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

package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"quell/assets"
	"quell/internal/message"
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

// Open scans a path and loads the one volume that in selects; of a 4-D series that is the
// first, unless in names another. Messages name the series that was taken where there are
// several, and the findings that are more than notes. The caller closes the result.
func Open(ctx context.Context, in Input, events Events) (*Opened, error) {
	if in.All {
		return nil, Usagef("one volume is needed here, not all of a 4-D series; choose it with --series N")
	}
	started := time.Now()
	if err := in.validate(); err != nil {
		return nil, err
	}
	c, err := in.scan(ctx)
	if err != nil {
		return nil, err
	}
	first, err := c.first(in)
	if err == nil {
		err = c.broken(first)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	selected := Selection{Entries: []int{first}}
	if text := c.coverage(in, selected).Text; text != "" && in.Series == nil {
		events.message(series.Note, text)
	}
	s, err := (&OpenedVolumes{Selection: selected, volumes: c.Volumes(selected.Entries), events: events}).Load(ctx, 0)
	if err != nil {
		c.Close()
		return nil, err
	}
	return &Opened{Series: s, Catalog: c, Took: time.Since(started)}, nil
}

// scan scans the path of an input, and leaves broken files out if that is asked for.
func (in Input) scan(ctx context.Context) (*Catalog, error) {
	c, err := Scan(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	if in.SkipDamaged {
		if rest := c.WithoutDamaged(); rest != nil {
			c = rest
		}
	}
	return c, nil
}

// broken returns the error of an entry that can be loaded without its broken files, which says how;
// nil for any other.
func (c *Catalog) broken(i int) error {
	var input *InputError
	if rest, _ := c.Rest(i); rest == nil || !errors.As(c.Entries[i].Err, &input) {
		return nil
	}
	told := *input
	told.Advice = message.Text("copy it again from where it came, or leave it out with --skip-damaged")
	return &told
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
		return nil, message.Errorf(message.InputUnreadable, "the bundled series cannot be read: %w", err)
	}
	return s, nil
}

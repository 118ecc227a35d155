// Package open finds series and reads them: a path is scanned to a catalog, one or more of its
// entries are selected, and their volumes are loaded. Archives, compressed files and names that
// must not be shown are its matter.
package open

import (
	"context"
	"time"

	"quell/app/job"
	"quell/assets"
	"quell/internal/message"
	"quell/io/format"
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
// first, unless in names another. Messages name the series that was taken if there are
// several, and the findings that are more than notes. The caller closes the result.
func Open(ctx context.Context, in job.Input, events job.Events) (*Opened, error) {
	if in.All {
		return nil, job.Usagef("one volume is needed here, not all of a 4-D series; choose it with --series N")
	}
	started := time.Now()
	if err := in.Validate(); err != nil {
		return nil, err
	}
	c, err := scanInput(ctx, in)
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
		events.Say(series.Note, text)
	}
	s, err := (&Selected{Selection: selected, Volumes: c.Volumes(selected.Entries), events: events}).Load(ctx, 0)
	if err != nil {
		c.Close()
		return nil, err
	}
	return &Opened{Series: s, Catalog: c, Took: time.Since(started)}, nil
}

// Bundled loads the series that is built into the program: a few slices of a
// real, anonymised head CT.
func Bundled(ctx context.Context) (*series.Series, error) {
	c, err := scanFolders(ctx, assets.Series, nil, job.TheSeries, func(name string) string { return name })
	if err != nil {
		return nil, err
	}
	var r format.Reading
	defer r.Close()
	s, err := c.Entries[c.Default].Volume.Load(ctx, &r)
	if err != nil {
		return nil, message.Errorf(message.InputUnreadable, "the bundled series cannot be read: %w", err)
	}
	return s, nil
}

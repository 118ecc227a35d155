package app

import (
	"context"

	"quell/series"
	"quell/volume"
)

// Source is what a job works on: a volume, or the volumes of a 4-D series one after another.
type Source struct {
	Path     string          // as a person knows it
	Group    *series.Group   // of the volumes; nil for one that is in none
	Entries  []int           // numbers of the volumes in their catalog; nil for one that is in none
	Geometry volume.Geometry // of each volume
	Covered  Coverage
	Known    bool // the person knows the findings about it
	// Load reads volume k as a whole. Events receive the progress of reading its files.
	Load func(ctx context.Context, k int, events Events) (*series.Series, error)
	// Slices reads volume k some slices at a time; nil if it cannot be read so.
	Slices func(ctx context.Context, k int) (series.Slices, error)
	// Files are those that volume k is read from; nil if it is in none.
	Files func(k int) []string
}

// Len returns the number of volumes.
func (s *Source) Len() int { return max(len(s.Entries), 1) }

// InMemory returns the source of a series that is open.
func InMemory(s *series.Series) Source {
	return Source{
		Path: s.Description, Geometry: s.Volume.Geometry, Known: true,
		Load: func(context.Context, int, Events) (*series.Series, error) { return s, nil },
	}
}

// Source returns the volumes that an input selects as the source of a job. It is valid until they are closed.
func (o *OpenedVolumes) Source() Source {
	entry := func(k int) *Entry { return &o.Catalog.Entries[o.Entries[k]] }
	s := Source{
		Path: o.Catalog.Path, Group: o.Group, Entries: o.Entries, Geometry: o.geometry(), Covered: o.Covered,
		Load: func(ctx context.Context, k int, events Events) (*series.Series, error) {
			if o.Group != nil {
				events = Events{} // the volumes are counted
			}
			return o.volumes.Load(ctx, k, events.files(Reading))
		},
		Files: func(k int) []string { return entry(k).files() },
	}
	s.Slices = func(ctx context.Context, k int) (series.Slices, error) {
		return o.Catalog.OpenSlices(ctx, o.Entries[k])
	}
	return s
}

// Source returns volumes of the catalog as the source of a job: one entry, or those of a 4-D
// series in order. done closes the files that it reads.
func (c *Catalog) Source(entries []int) (s Source, done func()) {
	o := &OpenedVolumes{Selection: Selection{Entries: entries}, Catalog: c, volumes: c.Volumes(entries)}
	if len(entries) > 1 {
		o.Group = c.Entries[entries[0]].Group
	}
	return o.Source(), o.volumes.Close
}

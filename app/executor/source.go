package executor

import (
	"context"

	"quell/app/job"
	"quell/app/open"
	"quell/series"
	"quell/volume"
)

// Source is the input of a job: a volume, or the volumes of a 4-D series one after another.
type Source struct {
	Path     string          // as a person knows it
	Group    *series.Group   // of the volumes; nil for one that is in none
	Entries  []int           // numbers of the volumes in their catalog; nil for one that is in none
	Geometry volume.Geometry // of each volume
	Covered  open.Coverage
	LeftOut  []series.LeftOut // volumes and slices of the series that are in none of its volumes
	Known    bool             // the person knows the findings about it
	// Load reads volume k as a whole. Events receive the progress of reading its files. One goroutine at a time calls it.
	Load func(ctx context.Context, k int, events job.Events) (*series.Series, error)
	// Again reads volumes once more, in any order and beside Load, from files that done closes; nil for one volume.
	Again func() (load func(ctx context.Context, k int) (*series.Series, error), done func())
	// Slices reads volume k some slices at a time; nil if it cannot be read so.
	Slices func(ctx context.Context, k int) (series.Slices, error)
	// Files are the files from which volume k is read; nil if it is in none.
	Files func(k int) []string
}

// Len returns the number of volumes.
func (s *Source) Len() int { return max(len(s.Entries), 1) }

// InMemory returns the source of a series that is open.
func InMemory(s *series.Series) Source {
	return Source{
		Path: s.Description, Geometry: s.Volume.Geometry, Known: true,
		Load: func(context.Context, int, job.Events) (*series.Series, error) { return s, nil },
	}
}

// SourceOf returns the volumes that an input selects as the source of a job. It is valid until they are closed.
func SourceOf(o *open.Selected) Source {
	entry := func(k int) *open.Entry { return &o.Catalog.Entries[o.Entries[k]] }
	s := Source{
		Path: o.Catalog.Path, Group: o.Group, Entries: o.Entries, Geometry: o.Geometry(), Covered: o.Covered, LeftOut: o.Catalog.LeftOut(o.Entries),
		Load: func(ctx context.Context, k int, events job.Events) (*series.Series, error) {
			if o.Group != nil {
				events = job.Events{} // the volumes are counted
			}
			return o.Volumes.Load(ctx, k, events.Count(job.Reading))
		},
		Files: func(k int) []string { return entry(k).Files() },
	}
	s.Again = func() (func(context.Context, int) (*series.Series, error), func()) {
		volumes := o.Catalog.Volumes(o.Entries)
		return func(ctx context.Context, k int) (*series.Series, error) { return volumes.Load(ctx, k, nil) }, volumes.Close
	}
	if o.Catalog.IsComplex() {
		return s
	}
	s.Slices = func(ctx context.Context, k int) (series.Slices, error) {
		return o.Catalog.OpenSlices(ctx, o.Entries[k])
	}
	return s
}

// SourceIn returns volumes of the catalog as the source of a job: one entry, or those of a 4-D
// series in order. done closes the files that it reads.
func SourceIn(c *open.Catalog, entries []int) (s Source, done func()) {
	o := &open.Selected{Selection: open.Selection{Entries: entries}, Catalog: c, Volumes: c.Volumes(entries)}
	if len(entries) > 1 {
		o.Group = c.Entries[entries[0]].Group
	}
	return SourceOf(o), o.Volumes.Close
}

package open

import (
	"quell/internal/message"
	"quell/series"
)

// Recommended returns the entry that is likely wanted, and why: the largest of the
// entries that nothing speaks against, or else the largest that can be loaded.
func (c *Catalog) Recommended() (i int, why message.Message) {
	loadable, sound := 0, -1
	for i, e := range c.Entries {
		if e.Err != nil {
			continue
		}
		loadable++
		if e.Warning() == nil && (sound < 0 || e.Geometry.Voxels() > c.Entries[sound].Geometry.Voxels()) {
			sound = i
		}
	}
	switch {
	case loadable == 0:
		return c.Default, message.Message{}
	case loadable == 1:
		return c.Default, message.Text("the only one that can be opened")
	case sound < 0:
		return c.Default, message.Text("the most voxels; all series have findings")
	case c.Entries[sound].Geometry.Voxels() < c.Entries[c.Default].Geometry.Voxels():
		return sound, message.Text("the most voxels of those without findings")
	}
	return sound, message.Text("the most voxels")
}

// Warning returns the first finding that matters for the choice of an entry, or nil: no
// note, and not that the series has other parts, which are entries of the same catalog.
func (e Entry) Warning() *series.Finding {
	for i, f := range e.Findings {
		switch f.Kind {
		case series.Volumes, series.Localizer, series.Size:
			continue
		case series.Orientation, series.Position:
			if f.Severity == series.Refused {
				continue
			}
		}
		if f.Severity > series.Note {
			return &e.Findings[i]
		}
	}
	return nil
}

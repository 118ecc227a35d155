package open

import (
	"context"
	"fmt"
	"image"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// Entry is one volume that a format found under a path; its errors are *job.InputError.
type Entry format.Entry

// Files returns the paths of its files, of an archive with its path before the name; nil if it is in none.
func (e Entry) Files() []string {
	if e.Volume == nil {
		return nil
	}
	return e.Volume.Files()
}

// Attribute returns the values of a DICOM attribute by its keyword; none if the format
// has no such attributes, or the file not this one.
func (e Entry) Attribute(ctx context.Context, keyword string) ([]string, error) {
	if e.Volume == nil {
		return nil, nil
	}
	return e.Volume.Attribute(ctx, keyword)
}

// Identity identifies the images of a DICOM entry by their instance UIDs, so that a copy of
// them has the same one; "" for other formats and for entries that cannot be loaded.
func (e Entry) Identity() string {
	if e.Volume == nil || e.Err != nil {
		return ""
	}
	return e.Volume.Identity()
}

// Name returns the name by which a person knows entry i: the description of a DICOM series, or the name
// of its file, as the description of other formats often is the name of a program.
func (c *Catalog) Name(i int) string {
	e := c.Entries[i]
	switch {
	case files.FormatNamed(e.Format).Identity && e.Description != "":
		return e.Description
	case !files.FormatNamed(e.Format).Identity && e.Volume != nil:
		return filepath.Base(e.Files()[0])
	}
	return filepath.Base(c.Path)
}

// Catalog is what Scan found under one path. Its methods may be called from any
// goroutine. It stays open while its series are in use: an export reads the
// source's files again.
type Catalog struct {
	Path     string // as given to Scan
	Entries  []Entry
	Findings []series.Finding // about files that belong to no entry
	Default  int              // the largest volume that can be loaded
	Modality string           // of all entries, as a person states it; "" leaves it to the files
	closer   io.Closer
	hide     *Pseudonyms // of loaded series; see Conceal
	phase    *phases     // by which Volumes are made real; nil for none

	withoutDamaged func() *Catalog // nil if no format names the fault
}

// WithoutDamaged returns the catalog of the same files without the broken ones; nil if none is
// broken or nothing is left. It takes the place of the catalog: one of the two is to be closed.
func (c *Catalog) WithoutDamaged() *Catalog {
	if c.withoutDamaged == nil {
		return nil
	}
	rest := c.withoutDamaged()
	if rest != nil {
		rest.closer, rest.hide, rest.Modality = c.closer, c.hide, c.Modality
	}
	return rest
}

// Rest returns what can be opened of entry i, which a broken file keeps from being loaded: the
// catalog without the broken files and the number of the entry there, the largest of the series.
// rest is nil if there is no such entry.
func (c *Catalog) Rest(i int) (rest *Catalog, entry int) {
	if !c.Entries[i].Damaged {
		return nil, 0
	}
	if rest = c.WithoutDamaged(); rest == nil {
		return nil, 0
	}
	entry = -1
	for k, e := range rest.Entries {
		if e.Err == nil && e.UID == c.Entries[i].UID && (entry < 0 || e.Slices > rest.Entries[entry].Slices) {
			entry = k
		}
	}
	if entry < 0 {
		return nil, 0
	}
	return rest, entry
}

// Pick returns the largest entry with the given component, "" for voxels that
// are single numbers. Where the largest entry's voxels are colours or complex
// numbers, the error is an *job.InputError that names the components. A component
// that no entry has gives a *job.UsageError.
func (c *Catalog) Pick(component string) (int, error) {
	if component == "" {
		e := c.Entries[c.Default]
		if e.Component == "" {
			return c.Default, nil
		}
		return 0, &job.InputError{
			Path:    c.Path,
			Problem: message.New(message.InputChoice, "the voxels of its largest series are not single numbers (%s)", e.Datatype),
			Advice:  message.Text("choose %s with --component, or make a file of one with quell convert", c.components(e.Datatype)),
		}
	}
	if i := largest(c.Entries, component); c.Entries[i].Component == component && c.Entries[i].Err == nil {
		return i, nil
	}
	if known := c.components(""); known != "" {
		return 0, job.Usagef("%s has no component %q; there are %s", c.Path, component, known)
	}
	if f := files.FormatNamed(c.Entries[c.Default].Format); !f.Components {
		readers := files.Names(func(f *files.Format) bool { return f.Components })
		return 0, job.Usagef("%s is %s, of which grey-scale images alone are read; components are chosen in files of %s only: convert a colour series to grey scale first", c.Path, f.Name, readers)
	}
	return 0, job.Usagef("the voxels of %s are single numbers; leave --component out", c.Path)
}

// components lists the components of the entries stored as datatype, or of all
// entries if it is "".
func (c *Catalog) components(datatype string) string {
	var names []string
	for _, e := range c.Entries {
		if e.Component != "" && (datatype == "" || e.Datatype == datatype) && !slices.Contains(names, e.Component) {
			names = append(names, e.Component)
		}
	}
	return strings.Join(names, ", ")
}

// largest returns the entry with the most voxels among the entries that can be
// loaded and, if component is not "", have it; the first of equals, and 0 if there
// is none.
func largest(entries []Entry, component string) int {
	best, most := 0, -1
	for i, e := range entries {
		if n := e.Geometry.Voxels(); e.Err == nil && n > most && (component == "" || e.Component == component) {
			best, most = i, n
		}
	}
	return best
}

// Load reads the voxels of entry i. progress, which may be nil, counts files. A
// DICOM series also gets the catalog's findings, notes excepted.
func (c *Catalog) Load(ctx context.Context, i int, progress func(done, total int)) (*series.Series, error) {
	if err := c.loadable(i); err != nil {
		return nil, err
	}
	r := format.Reading{Progress: progress}
	defer r.Close()
	return c.loadBy(ctx, i, &r)
}

// LoadShowing is Load, and if Thumbnail has no picture it shows some slices as they are
// read, at most side pixels wide and high, with how many were read before and are in all.
func (c *Catalog) LoadShowing(ctx context.Context, i int, progress func(done, total int), side int, show func(done, total int, m *image.Gray)) (*series.Series, error) {
	if err := c.loadable(i); err != nil {
		return nil, err
	}
	r := format.Reading{Progress: progress, Show: func(done, total int, slice *volume.Volume) {
		show(done, total, (&series.Series{Meta: c.Entries[i].Meta, Volume: slice}).Thumbnail(side))
	}}
	defer r.Close()
	return c.loadBy(ctx, i, &r)
}

// loadable returns why entry i cannot be loaded, nil if it can.
func (c *Catalog) loadable(i int) error {
	if i < 0 || i >= len(c.Entries) {
		return job.Usagef("%s contains %d series, counted from 1; there is no series %d", c.Path, len(c.Entries), i+1)
	}
	return c.Entries[i].Err
}

// loadBy is Load of an entry that can be loaded.
func (c *Catalog) loadBy(ctx context.Context, i int, r *format.Reading) (*series.Series, error) {
	started := time.Now()
	s, err := c.Entries[i].Volume.Load(ctx, r)
	attrs := []any{job.Outcome(err), slog.Duration("took", time.Since(started))}
	if err == nil {
		c.complete(s)
		attrs = append(attrs, slog.String("format", s.Format), slog.Any("dims", s.Volume.Dims))
	}
	job.Log("load", attrs...)
	return s, err
}

// complete adds to a series what the catalog knows.
func (c *Catalog) complete(s *series.Series) {
	s.Volume.Modality, s.Volume.Encoding = c.Modality, s.Encoding
	if c.Modality == "" && s.Modality != "CT" && s.Modality != "OT" { // a localizer is CT and holds no HU
		s.Volume.Modality = s.Modality
	}
	if s.Modality == "" {
		s.Modality = c.Modality
	}
	s.Meta, s.Findings = c.hide.meta(s.Meta), c.hide.findings(s.Findings)
	f := files.FormatNamed(s.Format)
	if f.Folder() {
		// Unreadable files in the folder may be missing slices of this series.
		for _, f := range c.Findings {
			if f.Severity > series.Note {
				s.Findings = append(s.Findings, f)
			}
		}
	}
	if !f.Identity {
		// DICOM's default window function assumes whole numbers.
		for w := range s.Windows {
			s.Windows[w].Exact = true
		}
	}
}

// OpenSlices begins to read entry i, which Load can load, some slices at a time: the same series.
// The caller closes the result. Errors are *job.InputError or the context's.
func (c *Catalog) OpenSlices(ctx context.Context, i int) (series.Slices, error) {
	if err := c.loadable(i); err != nil {
		return nil, err
	}
	r, err := c.Entries[i].Volume.OpenSlices(ctx)
	if err != nil {
		return nil, err
	}
	return &completed{r, c}, nil
}

// Thumbnail renders the middle slice of entry i, at most side pixels wide and high,
// from that slice alone. It is nil if there is no such picture, as for compressed
// NIfTI, which cannot be read in part, and after an error, which Load reports.
func (c *Catalog) Thumbnail(ctx context.Context, i, side int) *image.Gray {
	if i < 0 || i >= len(c.Entries) || c.Entries[i].Volume == nil {
		return nil
	}
	picture, _ := c.Entries[i].Volume.Thumbnail(ctx, side)
	return picture
}

// Close closes the files. Series that were loaded keep their voxels but can no
// longer be exported as DICOM from a zip.
func (c *Catalog) Close() error {
	if c == nil {
		return nil
	}
	if c.phase != nil {
		_ = c.phase.catalog.Close() // which was read
	}
	if c.closer == nil {
		return nil
	}
	return c.closer.Close()
}

// IsComplex reports whether volumes are made real by a phase, so that they are read as a whole.
func (c *Catalog) IsComplex() bool { return c.phase != nil }

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

// Conceal replaces the texts of the source in what the catalog says, now and when a series is
// loaded. The files that a DICOM export is derived from stay known.
func (c *Catalog) Conceal(p *Pseudonyms) {
	if p == nil || c == nil || c.hide != nil {
		return
	}
	c.hide = p
	root := c.Path
	c.Path = p.Text("path", c.Path)
	c.Findings = p.findings(c.Findings)
	groups := map[*series.Group]*series.Group{}
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Group != nil && groups[e.Group] == nil {
			groups[e.Group] = p.group(e.Group)
		}
		e.Meta, e.Findings, e.Err, e.Group = p.meta(e.Meta), p.findings(e.Findings), p.Error(e.Err, root), groups[e.Group]
		e.LeftOut = p.leftOut(e.LeftOut)
		if e.Part != "" {
			e.Part = "part " + p.Text("part", e.Part)[:8]
		}
	}
}

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

// Thumbnails renders the middle slices of entries in an order, and calls show with each.
// The volumes of a compressed 4-D file, which cannot be read in part, are read one after
// the other in one pass. Entries that cannot be loaded have no picture.
func (c *Catalog) Thumbnails(ctx context.Context, order []int, side int, show func(i int, m *image.Gray)) {
	volumes := c.Volumes(order)
	defer volumes.Close()
	for k, i := range order {
		if ctx.Err() != nil {
			return
		}
		if c.Entries[i].Err != nil {
			continue
		}
		picture, err := c.Entries[i].Volume.Thumbnail(ctx, side)
		if picture == nil && err == nil {
			if s, err := volumes.Load(ctx, k, nil); err == nil {
				picture = s.Thumbnail(side)
			}
		}
		if picture != nil && ctx.Err() == nil {
			show(i, picture)
		}
	}
}

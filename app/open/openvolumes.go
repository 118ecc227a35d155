package open

import (
	"context"
	"errors"
	"fmt"

	"quell/app/job"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// HasFinding reports whether a finding of the same kind and words is known.
func HasFinding(known []series.Finding, f series.Finding) bool {
	for _, o := range known {
		if o.Kind == f.Kind && o.Text.Same(f.Text) {
			return true
		}
	}
	return false
}

// Selected are the volumes that an input selects: one, or the volumes of a 4-D series. They
// are loaded one at a time.
type Selected struct {
	Selection
	Catalog *Catalog
	Volumes *Volumes
	events  job.Events
	known   []series.Finding // that messages were sent about
}

// Select scans a path and selects volumes, see Catalog.Select. A message says what is
// left out, unless the input names a volume. The caller closes the result.
func Select(ctx context.Context, in job.Input, events job.Events) (*Selected, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	c, err := scanInput(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Conceal {
		hide, _ := NewPseudonyms() // an export warns of a key that cannot be stored
		c.Conceal(hide)
	}
	selected, err := c.Select(in)
	if err == nil {
		err = c.broken(selected.Entries[0])
	}
	if err == nil && in.Phase != "" {
		err = c.addPhase(ctx, in.Phase, selected.Entries[0])
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	if text := selected.Covered.Text; text != "" && in.Series == nil {
		events.Say(series.Note, text)
	}
	return &Selected{Selection: selected, Catalog: c, Volumes: c.Volumes(selected.Entries), events: events}, nil
}

// Load reads the k-th volume. Messages name the findings about it that are more than notes,
// except the ones that were named before.
func (o *Selected) Load(ctx context.Context, k int) (*series.Series, error) {
	s, err := o.Volumes.Load(ctx, k, o.events.Count(job.Reading))
	if err != nil {
		return nil, err
	}
	o.announce(s.Findings)
	return s, nil
}

// announce sends messages about findings that are more than notes, each once.
func (o *Selected) announce(findings []series.Finding) {
	for _, f := range findings {
		if f.Severity > series.Note && !HasFinding(o.known, f) {
			o.known = append(o.known, f)
			o.events.Say(f.Severity, f.Text.String())
		}
	}
}

// Geometry returns the geometry of each of the volumes.
func (o *Selected) Geometry() volume.Geometry { return o.Catalog.Entries[o.Entries[0]].Geometry }

// Name returns the place of the k-th volume in its 4-D series in words; "" if it is
// alone.
func (o *Selected) Name(k int) string {
	if o.Group == nil {
		return ""
	}
	return o.Group.Places[k].String()
}

// Close closes the files.
func (o *Selected) Close() {
	o.Volumes.Close()
	_ = o.Catalog.Close() // it was only read
}

// Results opens what was made of volumes: the volumes of a path in the order of the
// 4-D series that those belong to, be they a 4-D series themselves or a folder with a
// series for each; of a single volume the volume that a path holds.
func Results(ctx context.Context, path string, of *Selected, events job.Events) (*Selected, error) {
	all := of.Catalog.Members(of.Entries[0])
	c, err := Scan(ctx, path)
	if err != nil {
		return nil, err
	}
	var entries []int
	for i, e := range c.Entries {
		if e.Err == nil {
			entries = append(entries, i)
		}
	}
	if first, err := c.first(job.Input{}); err == nil && len(entries) != len(all) {
		entries = c.Members(first)
	}
	switch {
	case len(all) == len(entries) && len(of.Entries) == 1: // the one that corresponds
		k := of.Catalog.Entries[of.Entries[0]].GroupIndex
		entries = entries[k : k+1]
	case len(of.Entries) == 1:
		entries = entries[:1]
	case len(of.Entries) != len(entries):
		c.Close()
		return nil, &job.InputError{Path: path, Problem: message.New(message.GridDiffers, "its volumes are %d, and those of the 4-D series %d", len(entries), len(of.Entries)),
			Advice: message.Text("choose the volume that it was made of with --series N")}
	}
	return &Selected{Selection: Selection{Entries: entries, Group: of.Group}, Catalog: c, Volumes: c.Volumes(entries), events: events}, nil
}

// broken returns the error of an entry that can be loaded without its broken files, which says how;
// nil for any other.
func (c *Catalog) broken(i int) error {
	var input *job.InputError
	if rest, _ := c.Rest(i); rest == nil || !errors.As(c.Entries[i].Err, &input) {
		return nil
	}
	told := *input
	told.Advice = message.Text("copy it again from where it came, or leave it out with --skip-damaged")
	return &told
}

// scanInput scans the path of an input, and leaves broken files out if that is asked for.
func scanInput(ctx context.Context, in job.Input) (*Catalog, error) {
	c, err := Scan(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	c.Modality = in.Modality
	if in.SkipDamaged {
		if rest := c.WithoutDamaged(); rest != nil {
			c = rest
		}
	}
	return c, nil
}

// CountSlices adds to the text where not all slices of the volumes are worked on.
func (v *Coverage) CountSlices(in *Selected, r job.SliceRange) {
	n := in.Catalog.Entries[in.Entries[0]].Geometry.Dims[2]
	if r.From == 0 && (r.To == 0 || r.To == n) {
		return
	}
	if v.Text == "" {
		v.Text = fmt.Sprintf("%s: only slices %s of %d", in.Catalog.Path, r, n)
	} else {
		v.Text += fmt.Sprintf("; only slices %s of %d", r, n)
	}
}

package open

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"quell/app/job"
	"quell/io/format"
	"quell/series"
)

// Members returns the numbers of the entries that form one 4-D series with entry i, in the
// order of the group; i alone if there is none.
func (c *Catalog) Members(i int) []int {
	e := c.Entries[i]
	if e.Group == nil {
		return []int{i}
	}
	var members []int
	for k, other := range c.Entries {
		if other.Group == e.Group {
			members = append(members, k)
		}
	}
	slices.SortFunc(members, func(a, b int) int { return c.Entries[a].GroupIndex - c.Entries[b].GroupIndex })
	return members
}

// Items divides the entries that can be loaded into units of work: a 4-D series, or a
// volume that is in none. Each is the list of Members; the first of them with job.Input.All
// names it to Do.
func (c *Catalog) Items() [][]int {
	var items [][]int
	for i, e := range c.Entries {
		if e.Err == nil && (e.Group == nil || e.GroupIndex == 0) {
			items = append(items, c.Members(i))
		}
	}
	return items
}

// Only returns the entry to open if the catalog leaves no choice, of a 4-D series its first volume;
// else -1. A series that a broken file keeps from being loaded is a choice as well, if the rest
// of it can be.
func (c *Catalog) Only() int {
	items := c.Items()
	for i := range c.Entries {
		if rest, _ := c.Rest(i); rest != nil {
			items = append(items, []int{i})
		}
	}
	switch len(items) {
	case 0:
		return c.Default
	case 1:
		return items[0][0]
	}
	return -1
}

// Selection is the input of a job: the volumes of a catalog that its input selects.
type Selection struct {
	Entries []int         // numbers in the catalog, in the order of the group
	Group   *series.Group // of several volumes; nil for one
	Covered Coverage
}

// Coverage says how much of what was given a command worked on.
type Coverage struct {
	Volumes int `json:"volumes"` // that it worked on
	Of      int `json:"of"`      // that the input holds and that can be loaded
	// Text is a sentence if that is not all, or not all slices; else "".
	Text string `json:"text,omitempty"`
}

// Select returns what an input selects: a volume by its number, or with All the 4-D series
// that it belongs to; else the 4-D series of the largest volume, or that volume. The error
// is a *job.UsageError if All is asked for and there are several series.
func (c *Catalog) Select(in job.Input) (Selection, error) {
	first, err := c.first(in)
	if err != nil {
		return Selection{}, err
	}
	s := Selection{Entries: []int{first}}
	if whole := in.Series == nil || in.All; whole {
		s.Entries = c.Members(first)
	}
	if len(s.Entries) > 1 {
		s.Group = c.Entries[first].Group
	}
	if in.All && in.Series == nil && s.Group == nil && len(c.Items()) > 1 {
		return Selection{}, job.Usagef("%s contains %d series that form no 4-D series; choose one with --series N, or filter all of them with quell batch", c.Path, len(c.Items()))
	}
	s.Covered = c.coverage(in, s)
	return s, nil
}

// first returns the entry that an input names.
func (c *Catalog) first(in job.Input) (int, error) {
	if in.Series == nil {
		return c.Pick(in.Component)
	}
	i := *in.Series
	if i < 0 || i >= len(c.Entries) {
		return 0, job.Usagef("%s contains %d series, counted from 1; there is no series %d", c.Path, len(c.Entries), i+1)
	}
	return i, nil
}

// coverage compares a selection with what the catalog holds, of a component that was asked
// for with the volumes that have it.
func (c *Catalog) coverage(in job.Input, s Selection) Coverage {
	first := c.Entries[s.Entries[0]]
	out := Coverage{Volumes: len(s.Entries)}
	for _, e := range c.Entries {
		if e.Err == nil && (in.Component == "" || e.Component == in.Component) {
			out.Of++
		}
	}
	how := ""
	switch {
	case out.Of <= out.Volumes:
		return out
	case s.Group != nil:
		out.Text = fmt.Sprintf("%s contains %d volumes; using the 4-D series of %d along %s; choose another volume with --series N", c.Path, out.Of, out.Volumes, s.Group.Axis())
		return out
	case in.Series == nil:
		how = ", the largest"
	}
	another := "choose another with --series"
	if first.Group != nil && in.Series != nil {
		another = fmt.Sprintf("--series all:%d takes the 4-D series that it belongs to", *in.Series+1)
	}
	out.Text = fmt.Sprintf("%s contains %d series; using series %d%s (%s); %s", c.Path, out.Of, s.Entries[0]+1, how, first.label(), another)
	return out
}

// LeftOut returns the volumes and slices of the series of entries that are in none of them,
// each once. Of one volume of a 4-D series the others are not left out, but not asked for.
func (c *Catalog) LeftOut(entries []int) []series.LeftOut {
	var out []series.LeftOut
	seen := map[string]bool{}
	for _, i := range entries {
		for _, l := range c.Entries[i].LeftOut {
			if l.Volume && len(entries) == 1 && c.Entries[i].Group != nil {
				continue
			}
			if key := l.Text.String() + "\n" + strings.Join(l.Files, "\n"); !seen[key] {
				seen[key] = true
				out = append(out, l)
			}
		}
	}
	return out
}

// Volumes reads the volumes of a selection. It is used by one goroutine at a time.
type Volumes struct {
	c       *Catalog
	entries []int
	reading format.Reading
	phases  *Volumes // nil for none
}

// Volumes returns a reader of entries of the catalog, which the caller closes. Volumes of
// one file are read fastest in their order.
func (c *Catalog) Volumes(entries []int) *Volumes {
	return &Volumes{c: c, entries: entries, phases: c.phase.of(c, entries)}
}

// Close closes the file that is read.
func (v *Volumes) Close() {
	if v.reading.Close(); v.phases != nil {
		v.phases.Close()
	}
}

// Load reads the k-th of the volumes. In a series of several the findings do not say that
// there are others.
func (v *Volumes) Load(ctx context.Context, k int, progress func(done, total int)) (*series.Series, error) {
	i := v.entries[k]
	if err := v.c.loadable(i); err != nil {
		return nil, err
	}
	v.reading.Progress = progress
	s, err := v.c.loadBy(ctx, i, &v.reading)
	if err == nil && v.phases != nil {
		var angles *series.Series
		if angles, err = v.phases.Load(ctx, k, nil); err == nil {
			s, err = v.c.phase.real(ctx, s, angles)
		}
	}
	if len(v.entries) == 1 {
		v.Close()
	}
	return WithoutRelated(s, len(v.entries)), err
}

// WithoutRelated removes the findings about the other volumes, where so many are taken.
func WithoutRelated(s *series.Series, volumes int) *series.Series {
	if s != nil && volumes > 1 {
		s.Findings = slices.DeleteFunc(s.Findings, func(f series.Finding) bool { return f.Kind == series.Volumes })
	}
	return s
}

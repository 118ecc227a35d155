package app

import (
	"slices"
	"strings"
)

// Pick returns the largest entry with the given component, "" for voxels that
// are single numbers. Where the largest entry's voxels are colours or complex
// numbers nothing is guessed: the error is an *InputError that names the
// components. A component that no entry has gives a *UsageError.
func (c *Catalog) Pick(component string) (int, error) {
	if component == "" {
		e := c.Entries[c.Default]
		if e.Component == "" {
			return c.Default, nil
		}
		return 0, &InputError{
			Path:    c.Path,
			Problem: "the voxels of its largest series are not single numbers (" + e.Datatype + ")",
			Advice:  "choose " + c.components(e.Datatype) + " with --component, or make a file of one with quell convert",
		}
	}
	best, most := -1, 0
	for i, e := range c.Entries {
		if n := e.Geometry.Voxels(); e.Component == component && e.Err == nil && n > most {
			best, most = i, n
		}
	}
	if best >= 0 {
		return best, nil
	}
	if known := c.components(""); known != "" {
		return 0, Usagef("%s has no component %q; there are %s", c.Path, component, known)
	}
	return 0, Usagef("the voxels of %s are single numbers; leave --component out", c.Path)
}

// components lists what entries stored as datatype, or all where it is "", have
// to choose from.
func (c *Catalog) components(datatype string) string {
	var names []string
	for _, e := range c.Entries {
		if e.Component != "" && (datatype == "" || e.Datatype == datatype) && !slices.Contains(names, e.Component) {
			names = append(names, e.Component)
		}
	}
	return strings.Join(names, ", ")
}

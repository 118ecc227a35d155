package assemble

import (
	"math"
	"slices"
	"strconv"

	"quell/io/dicom/instance"
)

// Volumes that positions tell apart: beside each other, behind each other, or
// shifted into each other.

// stationsApart is from how many mm sideways on slices of one height are images of
// another place and no repetition.
const stationsApart = 10

// maxStations is more than a body has of them.
const maxStations = 64

// stations groups slices by where they lie in their plane, as the images of a body
// longer than the field of view do; a number is each one's name. It returns nil where
// there are more than most: the slices of a sheared grid each lie elsewhere.
func stations(hs []*instance.Slice, most int) map[string][]*instance.Slice {
	var groups [][]*instance.Slice
	for _, h := range hs {
		i := slices.IndexFunc(groups, func(g []*instance.Slice) bool {
			d := h.Position.Sub(g[0].Position)
			return math.Hypot(d.Dot(h.Row), d.Dot(h.Column)) < stationsApart
		})
		if i < 0 {
			if i = len(groups); i == min(most, maxStations) {
				return nil
			}
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], h)
	}
	named := map[string][]*instance.Slice{}
	for i, g := range groups {
		named[strconv.Itoa(i+1)] = g
	}
	return named
}

// areStacks says whether groups are stacks of slices and no single ones.
func areStacks(groups map[string][]*instance.Slice) bool {
	for stack, g := range groups {
		if stack == "" || len(g) < 2 {
			return false
		}
	}
	return true
}

// interleaved says whether groups without a double are regular grids, each of three
// slices or more, that reach over each other: volumes whose slices do not meet.
func interleaved(groups map[string][]*instance.Slice) bool {
	type span struct{ from, to float64 }
	var spans []span
	for _, g := range groups {
		if len(g) < 3 || !isRegular(g) {
			return false
		}
		normal := g[0].Normal()
		s := span{math.Inf(1), math.Inf(-1)}
		for _, h := range g {
			z := h.Position.Dot(normal)
			s.from, s.to = min(s.from, z), max(s.to, z)
		}
		spans = append(spans, s)
	}
	for i, a := range spans {
		for _, b := range spans[:i] {
			over := min(a.to, b.to) - max(a.from, b.from)
			if 2*over < min(a.to-a.from, b.to-b.from) {
				return false
			}
		}
	}
	return true
}

// isRegular says whether slices without a double lie evenly.
func isRegular(hs []*instance.Slice) bool {
	var ordered []*instance.Slice
	for _, s := range positionsOf(hs) {
		ordered = append(ordered, s...)
	}
	steps := stepsOf(ordered)
	return len(steps) < 2 || even(steps) || unevenness(steps) <= roundedPosition
}

package assemble

import (
	"math"
	"slices"
	"strconv"

	"quell/io/dicom/instance"
)

// stationsApart is the sideways distance in mm from which slices of one height are images
// of another station and not repetitions.
const stationsApart = 10

// maxStations is more stations than a body has.
const maxStations = 64

// stations groups slices by their place within the plane: a body that is longer than
// the field of view is imaged in several stations. Groups are named by number. It
// returns nil for more than most groups: in a sheared grid every slice has another
// place.
func stations(images []*instance.Slice, most int) map[string][]*instance.Slice {
	var groups [][]*instance.Slice
	for _, image := range images {
		i := slices.IndexFunc(groups, func(g []*instance.Slice) bool {
			d := image.Position.Sub(g[0].Position)
			return math.Hypot(d.Dot(image.Row), d.Dot(image.Column)) < stationsApart
		})
		if i < 0 {
			if i = len(groups); i == min(most, maxStations) {
				return nil
			}
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], image)
	}
	named := map[string][]*instance.Slice{}
	for i, g := range groups {
		named[strconv.Itoa(i+1)] = g
	}
	return named
}

// areStacks reports whether every group is named and has at least two slices.
func areStacks(groups map[string][]*instance.Slice) bool {
	for stack, g := range groups {
		if stack == "" || len(g) < 2 {
			return false
		}
	}
	return true
}

// interleaved reports whether groups without duplicates are regular grids, each of at
// least three slices, that overlap: volumes with slices that lie between each other.
func interleaved(groups map[string][]*instance.Slice) bool {
	type extent struct{ from, to float64 }
	var extents []extent
	for _, g := range groups {
		if len(g) < 3 || !isRegular(g) {
			return false
		}
		normal := g[0].Normal()
		s := extent{math.Inf(1), math.Inf(-1)}
		for _, image := range g {
			z := image.Position.Dot(normal)
			s.from, s.to = min(s.from, z), max(s.to, z)
		}
		extents = append(extents, s)
	}
	for i, a := range extents {
		for _, b := range extents[:i] {
			over := min(a.to, b.to) - max(a.from, b.from)
			if 2*over < min(a.to-a.from, b.to-b.from) {
				return false
			}
		}
	}
	return true
}

// isRegular reports whether slices without duplicates are evenly spaced.
func isRegular(images []*instance.Slice) bool {
	var ordered []*instance.Slice
	for _, s := range positionsOf(images) {
		ordered = append(ordered, s...)
	}
	steps := stepsOf(ordered)
	return len(steps) < 2 || even(steps) || unevenness(steps) <= roundedPosition
}

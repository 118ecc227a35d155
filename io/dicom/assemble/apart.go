package assemble

import (
	"maps"
	"math"
	"slices"

	"quell/io/dicom/instance"
)

// span is the extent of slices along their normal in mm.
type span struct{ from, to float64 }

func spanOf(images []*instance.Slice, along func(*instance.Slice) float64) span {
	s := span{math.Inf(1), math.Inf(-1)}
	for _, image := range images {
		z := along(image)
		s.from, s.to = min(s.from, z), max(s.to, z)
	}
	return s
}

// shared returns the length in mm that two spans have in common; negative for a gap.
func (a span) shared(b span) float64 { return min(a.to, b.to) - max(a.from, b.from) }

// alongNormal returns the function that measures slices along the normal of the first.
func alongNormal(first *instance.Slice) func(*instance.Slice) float64 {
	normal := first.Normal()
	return func(s *instance.Slice) float64 { return s.Position.Dot(normal) }
}

// spans returns the extents of the groups that have at least so many slices.
func spans(groups map[string][]*instance.Slice, least int) []span {
	var out []span
	var along func(*instance.Slice) float64
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := groups[key]
		if along == nil {
			along = alongNormal(g[0])
		}
		if len(g) >= least {
			out = append(out, spanOf(g, along))
		}
	}
	return out
}

// overlap reports whether two groups of at least two slices lie between each other in
// space, so that neither follows the other.
func overlap(groups map[string][]*instance.Slice) bool {
	all := spans(groups, 2)
	for i, a := range all {
		for _, b := range all[:i] {
			if a.shared(b) > 0 && a.to > a.from && b.to > b.from {
				return true
			}
		}
	}
	return false
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

// timesApart reports whether groups without duplicates, each of its own time, are volumes:
// most of them regular grids of at least three slices, which reach into each other. Together they are no
// regular grid, or their slices are thicker than the steps of that grid; otherwise they are
// packages of one volume.
func timesApart(groups map[string][]*instance.Slice, all []*instance.Slice) bool {
	regular := isRegular(all)
	if regular && (thin(all) || thickness(all[0]) == 0) {
		return false
	}
	extents, odd := spans(groups, 3), 0
	for _, g := range groups {
		if len(g) < 3 || !isRegular(g) && !hasGaps(g) {
			odd++
		}
	}
	if 2*odd > len(groups) {
		return false
	}
	for i, a := range extents {
		for _, b := range extents[:i] {
			// Consecutive parts of one scan follow each other, and a regular union needs more than a touch.
			if over := a.shared(b); over <= 0 || regular && 2*over < min(a.to-a.from, b.to-b.from) {
				return false
			}
		}
	}
	return true
}

// hasGaps reports whether the steps between slices are the usual one or several of it.
func hasGaps(images []*instance.Slice) bool {
	steps := stepsOf(slices.Concat(positionsOf(images)...))
	usual := median(steps)
	return !slices.ContainsFunc(steps, func(s float64) bool {
		return math.Abs(s-math.Round(s/usual)*usual) > spacingTolerance(usual)
	})
}

// isRegular reports whether the positions of slices are evenly spaced.
func isRegular(images []*instance.Slice) bool {
	var ordered []*instance.Slice
	for _, s := range positionsOf(images) {
		ordered = append(ordered, s[0])
	}
	steps := stepsOf(ordered)
	return len(steps) < 2 || even(steps) || unevenness(steps) <= roundedPosition
}

// thickerThanSteps is how many times the usual step between slices their thickness is if
// they belong to several volumes: two volumes half a slice apart have 2, and slices that
// overlap by a quarter 1.33.
const thickerThanSteps = 1.5

// thickest is the largest slice thickness in mm that is believed.
const thickest = 40

// thickness returns the thickness of a slice in mm; 0 if it is not known.
func thickness(s *instance.Slice) float64 {
	if s.SliceThickness > thickest {
		return 0
	}
	return s.SliceThickness
}

// thin reports whether slices at different positions are known to be no thicker than the
// steps between them, so that they are of one volume.
func thin(images []*instance.Slice) bool {
	if len(images) < 2 || thickness(images[0]) == 0 {
		return false
	}
	return thickness(images[0]) < thickerThanSteps*median(stepsOf(slices.Concat(positionsOf(images)...)))
}

// arePackages reports whether groups that share no position are packages of one volume: of
// several slices, between each other, and not known to be too thick for that.
func arePackages(groups map[string][]*instance.Slice, all []*instance.Slice) bool {
	thick := thickness(all[0]) > 0 && !thin(all)
	return !thick && largest(groups) > 1 && overlap(groups)
}

// packages joins the groups of one volume that was acquired in packages, such as the even
// and the odd slices: groups that take turns at positions of their own. The keys of the
// result are the first of each volume. It returns nil if groups are no packages.
func packages(groups map[string][]*instance.Slice, all []*instance.Slice) map[string][]*instance.Slice {
	n := int(math.Round(float64(len(positionsOf(all))) / float64(largest(groups))))
	if n < 2 || len(groups) < 2*n {
		return nil
	}
	keys := slices.Collect(maps.Keys(groups))
	slices.SortFunc(keys, func(a, b string) int { return byNumber(a, b, groups) })
	index := counted(keys)
	// A package has the positions of the package of the same turn, and no other.
	turn := map[int]int{} // of a position
	at := indexOfPosition(all)
	for i, key := range keys {
		for _, image := range groups[key] {
			if t, known := turn[at[image]]; known && t != index[i]%n {
				return nil
			}
			turn[at[image]] = index[i] % n
		}
	}
	byTurn, joined := map[string][]*instance.Slice{}, map[string][]*instance.Slice{}
	first := map[int]string{}
	for i, key := range keys {
		if _, ok := first[index[i]/n]; !ok {
			first[index[i]/n] = key
		}
		volume := first[index[i]/n]
		joined[volume] = append(joined[volume], groups[key]...)
		byTurn[string(rune('a'+index[i]%n))] = append(byTurn[string(rune('a'+index[i]%n))], groups[key]...)
	}
	if !overlap(byTurn) {
		return nil // parts of a body that follow each other
	}
	return joined
}

// counted returns the place of each of the sorted values in a count from the first: their
// differences if they are whole numbers, else their order.
func counted(values []string) []int {
	out := make([]int, len(values))
	for i := range values {
		out[i] = i
	}
	numbers, ok := wholeNumbers(values)
	if !ok || numbers[len(numbers)-1]-numbers[0] >= 2*len(numbers) {
		return out
	}
	for i, v := range numbers {
		out[i] = v - numbers[0]
	}
	return out
}

// indexOfPosition returns the place of each slice among the positions along the normal.
func indexOfPosition(images []*instance.Slice) map[*instance.Slice]int {
	out := make(map[*instance.Slice]int, len(images))
	for i, at := range positionsOf(images) {
		for _, image := range at {
			out[image] = i
		}
	}
	return out
}

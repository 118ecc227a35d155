package assemble

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"quell/io/dicom/instance"
	"quell/series"
)

// candidate is a group of slices that may become a volume.
type candidate struct {
	label    string       // distinguishes it from the others; "" if it is alone
	kind     string       // the part of label that distinguishes images of different kinds
	place    series.Place // its place on the axes along which the series was divided
	slices   []*instance.Slice
	excluded []*instance.Slice // duplicates of its positions
}

// by groups the slices by their value of distinction i.
func (p *candidate) by(i int) map[string][]*instance.Slice {
	groups := map[string][]*instance.Slice{}
	for _, image := range p.slices {
		groups[image.Distinctions[i]] = append(groups[image.Distinctions[i]], image)
	}
	return groups
}

// samePosition returns the distance in mm along the normal below which two slices are
// at one position: 0.01, or less if pixels are that small, as in microscopy.
func samePosition(image *instance.Slice) float64 {
	return min(0.01, 0.1*min(image.Spacing[0], image.Spacing[1]))
}

// splitVolumes divides slices of one orientation and size into candidates that hold
// every position once.
//
//   - Slices side by side in one plane are stations of a longer body, and stacks that
//     the file names are volumes of their own.
//   - A distinction divides slices if every group then has fewer duplicates than the
//     whole, or if the groups are regular grids that lie between each other.
//   - Remaining duplicates are split by order of acquisition if most positions are
//     duplicated (an unlabelled time series), otherwise excluded.
func splitVolumes(p candidate) []candidate {
	if !p.slices[0].Placed {
		return []candidate{p}
	}
	multiple := multiplicity(p.slices)
	if groups := stations(p.slices, multiple); len(groups) > 1 && divides(groups, multiple, len(p.slices)) {
		return divide(p, instance.Distinction{Name: "station"}, groups)
	}
	regular := multiple == 1 && isRegular(p.slices)
	for i, s := range instance.Distinctions {
		isStack := s.Name == instance.StackDistinction
		if regular && !isStack && !slices.Contains(lookDifferent, s.Name) {
			continue
		}
		groups := p.by(i)
		switch {
		case len(groups) < 2:
		case isStack && areStacks(groups),
			multiple > 1 && divides(groups, multiple, len(p.slices)),
			multiple == 1 && interleaved(groups):
			return divide(p, s, groups)
		}
	}
	if multiple == 1 {
		return []candidate{p}
	}
	return splitByOrder(p)
}

// divide splits a candidate into the groups of a distinction and labels each with the
// part of its value that the groups do not share.
func divide(p candidate, by instance.Distinction, groups map[string][]*instance.Slice) []candidate {
	keys := slices.Collect(maps.Keys(groups))
	slices.SortFunc(keys, func(a, b string) int {
		if by.Axis {
			return byAcquisition(a, b, groups)
		}
		return cmp.Or(cmp.Compare(complexRank(a), complexRank(b)), byNumber(a, b, groups))
	})
	var out []candidate
	for i, own := range distinct(keys) {
		part := p.with(series.Coordinate{Axis: by.Name, Value: own, Unit: by.Unit}, by.Axis)
		part.slices = groups[keys[i]]
		out = append(out, splitVolumes(part)...)
	}
	return out
}

// with returns a candidate without slices that differs from others of p by c, which lies
// on an axis of a 4-D series or distinguishes images of different kinds.
func (p candidate) with(c series.Coordinate, axis bool) candidate {
	join := func(words ...string) string { return strings.TrimPrefix(strings.Join(words, ", "), ", ") }
	name := strings.TrimSpace(c.Axis + " " + c.Value)
	if axis {
		name = strings.ReplaceAll(name, `\`, " ") // the components of a direction
	}
	out := candidate{label: join(p.label, name), kind: p.kind, place: p.place}
	if axis {
		out.place = append(slices.Clone(p.place), c)
	} else {
		out.kind = join(p.kind, name)
	}
	return out
}

// distinct returns backslash-separated texts without the values that all of them begin
// or end with.
func distinct(texts []string) []string {
	values := make([][]string, len(texts))
	shortest := math.MaxInt
	for i, s := range texts {
		values[i] = strings.Split(s, `\`)
		shortest = min(shortest, len(values[i]))
	}
	same := func(at func(v []string) string) bool {
		return !slices.ContainsFunc(values, func(v []string) bool { return at(v) != at(values[0]) })
	}
	head, tail := 0, 0
	for head < shortest && same(func(v []string) string { return v[head] }) {
		head++
	}
	for tail < shortest-head && same(func(v []string) string { return v[len(v)-1-tail] }) {
		tail++
	}
	out := make([]string, len(texts))
	for i, v := range values {
		out[i] = strings.Join(v[head:len(v)-tail], `\`)
		if out[i] == "" {
			out[i] = cmp.Or(texts[i], "not given")
		}
	}
	return out
}

// complexRank sorts the parts of a complex number behind the magnitude, which is the
// default.
func complexRank(value string) int {
	for _, v := range strings.Split(value, `\`) {
		switch v {
		case "P", "R", "I", "PHASE", "REAL", "IMAGINARY", "PHASE MAP":
			return 1
		}
	}
	return 0
}

// divides reports whether the groups of one distinction are volumes: each has fewer
// duplicates than the slices together, and at most half of the groups are fragments of
// a volume. An aborted scan leaves a fragment; if every slice has an acquisition time
// of its own, all groups are fragments.
func divides(groups map[string][]*instance.Slice, multiple, total int) bool {
	positions := (total + multiple - 1) / multiple
	fragments := 0
	for _, g := range groups {
		if multiplicity(g) >= multiple {
			return false
		}
		if 2*len(g) < positions {
			fragments++
		}
	}
	return 2*fragments <= len(groups)
}

// byNumber orders numeric values by size and others by the instance numbers of their
// groups.
func byNumber(a, b string, groups map[string][]*instance.Slice) int {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err1 == nil && err2 == nil {
		return cmp.Compare(x, y)
	}
	return acquiredFirst(slices.MinFunc(groups[a], acquiredFirst), slices.MinFunc(groups[b], acquiredFirst))
}

// positionsOf groups slices by position, in order along the normal; slices at one
// position are in the order of acquisition.
func positionsOf(images []*instance.Slice) [][]*instance.Slice {
	if len(images) == 0 {
		return nil
	}
	sorted := slices.Clone(images)
	normal := images[0].Normal()
	along := make(map[*instance.Slice]float64, len(images))
	for _, image := range images {
		along[image] = image.Position.Dot(normal)
	}
	slices.SortFunc(sorted, func(a, b *instance.Slice) int { return cmp.Compare(along[a], along[b]) })
	var out [][]*instance.Slice
	near := samePosition(images[0])
	for _, image := range sorted {
		if n := len(out); n > 0 && along[image]-along[out[n-1][0]] < near {
			out[n-1] = append(out[n-1], image)
		} else {
			out = append(out, []*instance.Slice{image})
		}
	}
	for _, s := range out {
		slices.SortFunc(s, acquiredFirst)
	}
	return out
}

// byInstance orders slices by instance number, then file.
func byInstance(a, b *instance.Slice) int {
	return cmp.Or(cmp.Compare(a.Number, b.Number), ByFile(a, b))
}

// multiplicity returns the largest number of slices at one position.
func multiplicity(images []*instance.Slice) int {
	most := 0
	for _, s := range positionsOf(images) {
		most = max(most, len(s))
	}
	return most
}

// splitByOrder splits slices that differ in nothing but their order of acquisition.
func splitByOrder(p candidate) []candidate {
	st := positionsOf(p.slices)
	most, duplicated := 0, 0
	for _, s := range st {
		most = max(most, len(s))
		if len(s) > 1 {
			duplicated++
		}
	}
	if 2*duplicated <= len(st) {
		most = 1
	}
	out := make([]candidate, most)
	for i := range out {
		out[i] = candidate{label: p.label, kind: p.kind, place: p.place}
		if most > 1 {
			out[i] = p.with(series.Coordinate{Axis: "repeat", Value: fmt.Sprintf("%d of %d", i+1, most)}, true)
		}
	}
	for _, s := range st {
		for i, image := range s {
			if i < most {
				out[i].slices = append(out[i].slices, image)
			} else {
				out[0].excluded = append(out[0].excluded, image)
			}
		}
	}
	return out
}

// lookDifferent names the distinctions that change how an image looks: slices that
// differ in one of them belong to different volumes even if no position is duplicated.
var lookDifferent = []string{"component", "kernel", "tube voltage"}

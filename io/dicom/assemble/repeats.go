package assemble

import (
	"fmt"
	"maps"
	"slices"

	"quell/io/dicom/instance"
	"quell/series"
)

// splitByCount divides slices that labels do not tell apart by the count of their volumes.
// A slice that the count gives to no volume, or that is the only one of its volume beside
// larger ones, is excluded.
func splitByCount(p candidate, multiple int) []candidate {
	var c count
	switch {
	case multiple > 1 && p.count != nil && fits(p.count(), p.slices):
		c = p.count()
	case multiple > 1:
		c = countVolumes(p.slices)
	}
	if c == nil {
		c = p.countMoved()
	}
	if c == nil {
		return splitUncounted(p, multiple)
	}
	volumes := map[int][]*instance.Slice{}
	for _, s := range p.slices {
		if v, ok := c[s]; ok {
			volumes[v] = append(volumes[v], s)
		} else {
			p.excluded = append(p.excluded, s)
		}
	}
	most := 0
	for _, g := range volumes {
		most = max(most, len(g))
	}
	for v, g := range volumes {
		if len(g) == 1 && most > 2 {
			p.excluded = append(p.excluded, g...)
			delete(volumes, v)
		}
	}
	return p.repeats(slices.Collect(func(yield func([]*instance.Slice) bool) {
		for _, v := range slices.Sorted(maps.Keys(volumes)) {
			if !yield(volumes[v]) {
				return
			}
		}
	}))
}

// fits reports whether a count gives most slices a volume, and divides them.
func fits(c count, images []*instance.Slice) bool {
	missing, volumes := 0, map[int]bool{}
	for _, s := range images {
		if v, ok := c[s]; ok {
			volumes[v] = true
		} else {
			missing++
		}
	}
	return len(volumes) > 1 && missing <= max(1, len(images)/20)
}

// repeats returns a candidate for each volume, in their order. Excluded slices are of the
// first.
func (p *candidate) repeats(volumes [][]*instance.Slice) []candidate {
	out := make([]candidate, len(volumes))
	for i, g := range volumes {
		out[i] = candidate{label: p.label, plane: p.plane, kind: p.kind, place: p.place}
		if len(volumes) > 1 {
			out[i] = p.with(series.Coordinate{Axis: "repeat", Value: fmt.Sprintf("%d of %d", i+1, len(volumes))}, true)
		}
		out[i].slices = g
	}
	out[0].excluded = p.excluded
	return out
}

// splitUncounted divides slices that neither labels nor counts assign to volumes. If few
// positions have more than one slice, the first is used and the others are excluded.
// Otherwise the volumes cannot be told apart.
func splitUncounted(p candidate, multiple int) []candidate {
	positions := positionsOf(p.slices)
	duplicated := 0
	var first []*instance.Slice
	for _, at := range positions {
		if len(at) > 1 {
			duplicated++
		}
		first = append(first, at[0])
	}
	if multiple == 1 || 2*duplicated >= len(positions) {
		return []candidate{p}
	}
	for _, at := range positions {
		p.excluded = append(p.excluded, at[1:]...)
	}
	return p.repeats([][]*instance.Slice{first})
}

package assemble

import (
	"cmp"
	"math"
	"slices"

	"quell/io/dicom/instance"
)

// countByOrder reads the order of acquisition if no slice is missing: every volume has all
// positions before the next begins, or every position all volumes. Other series may have
// been counted in between.
func countByOrder(positions [][]*instance.Slice) count {
	most, at := len(positions[0]), map[*instance.Slice]int{}
	var order []*instance.Slice
	for i, all := range positions {
		if len(all) != most {
			return nil
		}
		for _, s := range all {
			at[s] = i
		}
		order = append(order, all...)
	}
	slices.SortStableFunc(order, instance.CompareAcquired)
	for i := 1; i < len(order); i++ {
		if instance.CompareAcquired(order[i-1], order[i]) == 0 {
			return nil
		}
	}
	byVolume, byPosition := count{}, count{}
	turn := make([]int, len(positions)) // of the next slice at a position
	for i, s := range order {
		// Every volume repeats the order of the first.
		if byVolume != nil && at[s] == at[order[i%len(positions)]] {
			byVolume[s] = i / len(positions)
		} else {
			byVolume = nil
		}
		if byPosition != nil && at[s] == at[order[i-i%most]] {
			byPosition[s] = turn[at[s]]
		} else {
			byPosition = nil
		}
		turn[at[s]]++
	}
	if byVolume != nil {
		return byVolume
	}
	return byPosition
}

// countMoved counts volumes that share few positions, each moved a little against the one
// before: in the order of acquisition their slices go from one end to the other, again and
// again. Slices that are known to be thin, or that labels call packages, are one volume.
func (p *candidate) countMoved() count {
	if len(p.slices) < 4 || thin(p.slices) {
		return nil
	}
	orders := []func(a, b *instance.Slice) int{instance.CompareAcquired}
	regular := isRegular(p.slices)
	if !regular || thickness(p.slices[0]) > 0 {
		orders = append(orders, func(a, b *instance.Slice) int {
			return cmp.Or(cmp.Compare(acquiredAt(a), acquiredAt(b)), instance.CompareAcquired(a, b))
		})
	}
	if regular && p.packaged {
		return nil
	}
	for _, order := range orders {
		if c := countRuns(p.slices, order); c != nil {
			return c
		}
	}
	return nil
}

// offSteps reports whether a step is not the usual one, or several of it for slices that are missing.
func offSteps(step, usual float64) bool {
	n := math.Round(step / usual)
	return n < 1 || math.Abs(step-n*usual) > 0.2*usual
}

// nearEnd is how far from the first slice a run may begin, as a part of the extent: one of
// three slices that lacks its first begins in the middle.
const nearEnd = 0.7

// countRuns counts the runs of slices from one end to the other in an order, which all
// begin near the same end. It returns nil if there is one run, or if the order does not tell
// slices or directions apart.
func countRuns(images []*instance.Slice, compare func(a, b *instance.Slice) int) count {
	order := slices.SortedFunc(slices.Values(images), compare)
	along := alongNormal(order[0])
	extent, onward := spanOf(order, along), 0
	for i := 1; i < len(order); i++ {
		if compare(order[i-1], order[i]) == 0 {
			return nil
		}
		onward += cmp.Compare(along(order[i]), along(order[i-1]))
	}
	if onward == 0 {
		return nil
	}
	steps := make([]float64, len(order)-1)
	for i := range steps {
		steps[i] = math.Abs(along(order[i+1]) - along(order[i]))
	}
	usual, strays := median(steps), 0
	var runs [][]*instance.Slice
	last := order[0]
	for i, s := range order {
		switch step := along(s) - along(last); {
		case i > 0 && cmp.Compare(step, 0)*onward >= 0 && offSteps(math.Abs(step), usual): // sent again
			strays++
			continue
		case i == 0, cmp.Compare(step, 0)*onward < 0:
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], s)
		last = s
	}
	// A run elsewhere is of one position, not of one volume; a slice alone was sent again.
	c, run, sizes := count{}, -1, []int(nil)
	for _, r := range runs {
		if len(r) == 1 && len(runs[0]) > 2 {
			strays++
			continue
		}
		if math.Abs(along(r[0])-along(order[0])) > nearEnd*(extent.to-extent.from) {
			return nil
		}
		run++
		for _, s := range r {
			c[s] = run
		}
		sizes = append(sizes, len(r))
	}
	if run < 1 || slices.Max(sizes) < 2 || mostlySmall(sizes) || strays > max(1, len(images)/20) {
		return nil
	}
	return c
}

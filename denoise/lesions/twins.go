package lesions

import (
	"cmp"
	"context"

	"quell/denoise"
	"quell/volume"
)

// Twin is one place, a square of one slice with the place in its middle, without and with a lesion.
type Twin struct {
	At     [3]int            // the voxel of the middle
	Before [2]*volume.Volume // without and with, before the filter
	After  [2]*volume.Volume // what the recipe makes of them
}

// twinSides are the sides of the squares in pixels, odd: readers see tissue about the lesion, and neither bone nor edges, by
// which they would know a place again.
var twinSides = []int{41, 31, 21}

// leastTwins is the least number of squares for a study: fewer than for figures, as its result states an interval by their number.
const leastTwins = 12

// Twins puts the first of the lesions at every place, as [Measure] does, and returns what a reader would see. The noise at
// a place is the same in all four squares. The error is that of Measure.
func Twins(ctx context.Context, e denoise.Engine, q Request) ([]Twin, Lesion, error) {
	q.Lesions = q.Lesions[:min(len(q.Lesions), 1)]
	q.Least = cmp.Or(q.Least, leastTwins)
	m, err := begin(ctx, e, &q, twinSides...)
	if err != nil {
		return nil, Lesion{}, err
	}
	l := q.Lesions[0]
	crops := m.with(l.added(q.Input.Volume.Geometry, m.side), l.Slices)
	with, err := runAll(ctx, e, q.Recipe, m.program.Lattice, crops)
	if err != nil {
		return nil, Lesion{}, err
	}
	all := make([]Twin, len(m.at))
	for i, c := range crops {
		all[i] = Twin{
			At:     m.at[i],
			Before: [2]*volume.Volume{middleSlice(m.source[i]), middleSlice(c.source())},
			After:  [2]*volume.Volume{middleSlice(m.plain[i]), middleSlice(with[i])},
		}
	}
	return all, l, nil
}

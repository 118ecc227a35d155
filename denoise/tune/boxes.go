package tune

import (
	"context"
	"math/rand/v2"
	"slices"

	"quell/internal/parallel"
	"quell/volume"
)

// The boxes that a search looks at: many, as what a filter loses lies at few places, and
// with enough voxels for a risk within about 1 % of sigma squared.
const (
	boxSide  = 24
	boxDepth = 3
	// boxVoxels is how many voxels that count they hold together.
	boxVoxels = 40_000
	// spareVoxels is how many more are looked at if the first disagree.
	spareVoxels = 2 * boxVoxels
)

// candidate is a box and how many of its voxels count.
type candidate struct {
	box  volume.Region
	used int
}

// boxSize returns the size of the boxes of a region: the boxes of a region that is
// one voxel thick are squares.
func boxSize(within volume.Region) [3]int {
	for c, d := range within.Dims() {
		if d == 1 {
			size := [3]int{boxSide, boxSide, boxSide}
			size[c] = 1
			return size
		}
	}
	return [3]int{boxSide, boxSide, boxDepth}
}

// boxes returns boxes of a region in which about boxVoxels voxels count, and others in
// which about spareVoxels do, both drawn over the whole of it. There is at least one if
// any voxel counts.
func boxes(ctx context.Context, v *volume.Volume, within volume.Region, reach [3]int, counts func(i int) bool) (first, spare []volume.Region, err error) {
	all, err := candidates(ctx, v, within, reach, 0, counts)
	if err != nil {
		return nil, nil, err
	}
	draw := rand.New(rand.NewPCG(1, 0))
	first, rest := spread(all, boxVoxels, draw)
	spare, _ = spread(rest, spareVoxels, draw)
	return first, spare, nil
}

// isInner reports whether the surroundings of a box lie in the volume.
func isInner(box volume.Region, reach [3]int, g volume.Geometry) bool {
	outer, inner := box.Grow(reach, g).Dims(), box.Dims()
	for c := range 3 {
		if outer[c] < inner[c]+2*reach[c] {
			return false
		}
	}
	return true
}

// spread takes as many candidates as hold about that many voxels that count, and returns
// the rest: one of every group of successive ones, which is drawn, so that no row of boxes
// falls into step with the groups. Every candidate is as likely as any other, however many of
// its voxels count, as all voxels are to be: what a filter loses often lies at the rim.
func spread(all []candidate, voxels int, draw *rand.Rand) (chosen []volume.Region, rest []candidate) {
	total := 0
	for _, c := range all {
		total += c.used
	}
	n := len(all)
	if total > voxels {
		n = (voxels*n + total - 1) / total
	}
	for k := range n {
		from, to := k*len(all)/n, (k+1)*len(all)/n
		take := from + draw.IntN(to-from)
		chosen = append(chosen, all[take].box)
		rest = append(append(rest, all[from:take]...), all[take+1:to]...)
	}
	return chosen, rest
}

// candidates returns the boxes of a region in which voxels count: at least a 64th
// of the count in the fullest box. They cover the region and are of one size. If layers is
// above 0 they lie in at most so many layers of the region, from its first slices to its last.
func candidates(ctx context.Context, v *volume.Volume, within volume.Region, reach [3]int, layers int, counts func(i int) bool) ([]candidate, error) {
	var starts [3][]int
	side, size := boxSize(within), [3]int{}
	for c := range 3 {
		away := 0
		if c == 2 && layers == 0 {
			// What a filter does at the edge takes longer, and slices resemble each
			// other. Within a slice the rim of an object has no likeness.
			away = reach[c]
		}
		starts[c], size[c] = cover(within.Min[c], within.Max[c], v.Dims[c], away, side[c])
	}
	if n := len(starts[2]); layers > 0 && n > layers {
		for k := range layers {
			starts[2][k] = starts[2][(2*k+1)*n/(2*layers)]
		}
		starts[2] = starts[2][:layers]
	}
	return counted(ctx, v, starts, size, counts)
}

// counted returns the boxes of a size that begin there, of which enough voxels count.
func counted(ctx context.Context, v *volume.Volume, starts [3][]int, size [3]int, counts func(i int) bool) ([]candidate, error) {
	byLayer := make([][]candidate, len(starts[2]))
	err := parallel.For(ctx, len(byLayer), func(k int) error {
		z := starts[2][k]
		for _, y := range starts[1] {
			for _, x := range starts[0] {
				c := candidate{box: volume.Region{Min: [3]int{x, y, z}, Max: [3]int{x + size[0], y + size[1], z + size[2]}}}
				each(v.Geometry, c.box, func(i int) {
					if counts(i) {
						c.used++
					}
				})
				byLayer[k] = append(byLayer[k], c)
			}
		}
		return nil
	})
	all := slices.Concat(byLayer...)
	most := 1
	for _, c := range all {
		most = max(most, c.used)
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return 64*c.used < most }), err
}

// cover returns the starts of boxes of one size, at most side, that cover the voxels
// from..to of an axis of n voxels evenly. If there is room they keep that far away
// from its ends.
func cover(from, to, n, away, side int) (starts []int, size int) {
	if lo, hi := max(from, away), min(to, n-away); hi-lo >= min(side, to-from) {
		from, to = lo, hi
	}
	size = min(side, to-from)
	count := (to - from + size - 1) / size
	for k := range count {
		starts = append(starts, from+k*(to-from-size)/max(count-1, 1))
	}
	return starts, size
}

// each calls f with the index in Data of every voxel of a box.
func each(g volume.Geometry, box volume.Region, f func(i int)) {
	for z := box.Min[2]; z < box.Max[2]; z++ {
		for y := box.Min[1]; y < box.Max[1]; y++ {
			first := g.Index(box.Min[0], y, z)
			for x := range box.Max[0] - box.Min[0] {
				f(first + x)
			}
		}
	}
}

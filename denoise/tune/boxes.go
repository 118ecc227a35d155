package tune

import (
	"context"
	"slices"

	"quell/internal/parallel"
	"quell/volume"
)

// The boxes that a search looks at: enough voxels for a risk within about 1 % of
// sigma squared, few enough for an answer in a second.
const (
	boxSide  = 40
	boxDepth = 3
	boxCount = 12
	// spareCount is how many more are looked at where the first disagree.
	spareCount = 24
)

// candidate is a box and how many of its voxels count.
type candidate struct {
	box  volume.Region
	used int
}

// boxSize returns the size of the boxes of a region: those of a region that is one
// voxel thick are squares.
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

// boxes returns up to boxCount boxes of a region and up to spareCount others, those
// with the most voxels that count, spread over it. There is at least one where any
// voxel counts. Boxes whose surroundings, as far as reach, lie in the volume come
// first: what a filter does at the edge is the exception.
func boxes(ctx context.Context, v *volume.Volume, within volume.Region, reach [3]int, counts func(i int) bool) (first, spare []volume.Region, err error) {
	all, err := candidates(ctx, v, within, counts)
	if err != nil {
		return nil, nil, err
	}
	inner := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return !isInner(c.box, reach, v.Geometry) })
	if inner = fullest(inner); len(inner) >= boxCount {
		all = inner
	}
	first, rest := spread(fullest(all), boxCount)
	spare, _ = spread(rest, spareCount)
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

// spread takes up to n candidates, evenly from first to last, and returns the rest.
func spread(all []candidate, n int) (chosen []volume.Region, rest []candidate) {
	n = min(n, len(all))
	taken := 0
	for i, c := range all {
		if taken < n && i == (2*taken+1)*len(all)/(2*n) {
			chosen, taken = append(chosen, c.box), taken+1
		} else {
			rest = append(rest, c)
		}
	}
	return chosen, rest
}

// candidates returns the boxes of a region that hold voxels that count.
func candidates(ctx context.Context, v *volume.Volume, within volume.Region, counts func(i int) bool) ([]candidate, error) {
	size, from, to := boxSize(within), within.Min, within.Max
	layers := make([][]candidate, (within.Dims()[2]+size[2]-1)/size[2])
	err := parallel.For(ctx, len(layers), func(k int) error {
		z := from[2] + k*size[2]
		for y := from[1]; y < to[1]; y += size[1] {
			for x := from[0]; x < to[0]; x += size[0] {
				c := candidate{box: volume.Region{Min: [3]int{x, y, z},
					Max: [3]int{min(x+size[0], to[0]), min(y+size[1], to[1]), min(z+size[2], to[2])}}}
				each(v.Geometry, c.box, func(i int) {
					if counts(i) {
						c.used++
					}
				})
				if c.used > 0 {
					layers[k] = append(layers[k], c)
				}
			}
		}
		return nil
	})
	return slices.Concat(layers...), err
}

// fullest returns the candidates with at least half as many voxels as the fullest.
func fullest(all []candidate) []candidate {
	most := 0
	for _, c := range all {
		most = max(most, c.used)
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return 2*c.used < most })
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

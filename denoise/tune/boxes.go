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
)

// candidate is a box and how many of its voxels count.
type candidate struct {
	box  volume.Region
	used int
}

// boxes returns up to boxCount boxes of the volume, those with the most voxels that
// count, spread over it. There is at least one where any voxel counts. Boxes whose
// surroundings, as far as reach, lie in the volume come first: what a filter does
// at the edge is the exception.
func boxes(ctx context.Context, v *volume.Volume, reach [3]int, counts func(i int) bool) ([]volume.Region, error) {
	all, err := candidates(ctx, v, counts)
	if err != nil {
		return nil, err
	}
	inner := slices.DeleteFunc(slices.Clone(all), func(c candidate) bool {
		outer := c.box.Grow(reach, v.Geometry)
		for k, d := range outer.Dims() {
			if d < c.box.Dims()[k]+2*reach[k] {
				return true
			}
		}
		return false
	})
	if inner = fullest(inner); len(inner) >= boxCount {
		all = inner
	}
	all = fullest(all)
	var chosen []volume.Region
	n := min(len(all), boxCount)
	for k := range n {
		chosen = append(chosen, all[(2*k+1)*len(all)/(2*n)].box)
	}
	return chosen, nil
}

// candidates returns the boxes that hold voxels that count.
func candidates(ctx context.Context, v *volume.Volume, counts func(i int) bool) ([]candidate, error) {
	layers := make([][]candidate, (v.Dims[2]+boxDepth-1)/boxDepth)
	err := parallel.For(ctx, len(layers), func(k int) error {
		z := k * boxDepth
		for y := 0; y < v.Dims[1]; y += boxSide {
			for x := 0; x < v.Dims[0]; x += boxSide {
				c := candidate{box: volume.Region{Min: [3]int{x, y, z},
					Max: [3]int{min(x+boxSide, v.Dims[0]), min(y+boxSide, v.Dims[1]), min(z+boxDepth, v.Dims[2])}}}
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

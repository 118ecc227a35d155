package tune

import (
	"slices"

	"quell/denoise"
	"quell/volume"
)

// The boxes that a search looks at: enough voxels for a risk within about 1 % of
// sigma squared, few enough for an answer in a second.
const (
	boxSide  = 40
	boxDepth = 3
	boxCount = 12
)

// boxes returns up to boxCount boxes of the volume, those with the most voxels in
// use, spread over it. There is at least one where any voxel is in use.
func boxes(v *volume.Volume, use func(i int) bool) []volume.Region {
	type candidate struct {
		box  volume.Region
		used int
	}
	var all []candidate
	for z := 0; z < v.Dims[2]; z += boxDepth {
		for y := 0; y < v.Dims[1]; y += boxSide {
			for x := 0; x < v.Dims[0]; x += boxSide {
				c := candidate{box: volume.Region{Min: [3]int{x, y, z},
					Max: [3]int{min(x+boxSide, v.Dims[0]), min(y+boxSide, v.Dims[1]), min(z+boxDepth, v.Dims[2])}}}
				each(v.Geometry, c.box, func(i int) {
					if use(i) {
						c.used++
					}
				})
				if c.used > 0 {
					all = append(all, c)
				}
			}
		}
	}
	most := 0
	for _, c := range all {
		most = max(most, c.used)
	}
	all = slices.DeleteFunc(all, func(c candidate) bool { return 2*c.used < most })
	var chosen []volume.Region
	n := min(len(all), boxCount)
	for k := range n {
		chosen = append(chosen, all[(2*k+1)*len(all)/(2*n)].box)
	}
	return chosen
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

// crop returns the part of an input that a recipe reads for a box, and the box in
// the part's own indices.
func crop(in denoise.Input, box volume.Region, reach [3]int) (denoise.Input, volume.Region) {
	outer := box.Grow(reach, in.Volume.Geometry)
	part := denoise.Input{Volume: in.Volume.Crop(outer)}
	if in.Noise != nil {
		part.Noise = in.Noise.Crop(outer)
	}
	if in.Guide != nil {
		part.Guide = in.Guide.Crop(outer)
	}
	if in.Mask != nil {
		each(in.Volume.Geometry, outer, func(i int) { part.Mask = append(part.Mask, in.Mask[i]) })
	}
	for c := range 3 {
		box.Min[c] -= outer.Min[c]
		box.Max[c] -= outer.Min[c]
	}
	return part, box
}

package tune

import (
	"sync"

	"quell/denoise"
	"quell/volume"
)

// part is one box with what recipes read around it, as a volume of its own.
type part struct {
	in     denoise.Input
	box    volume.Region // in the indices of in.Volume
	use    []bool        // voxels of box that count
	voxels int           // how many these are
	inner  bool          // nothing that recipes read lies outside the volume
	half   int           // 0 or 1: every other box, to see whether they agree
	seed   uint64        // of the perturbation
	power  float64       // variance of the noise, relative to the variance in the volume

	lock  sync.Mutex
	moved *moved // nil until it is needed
}

// newPart cuts out a box with its surroundings as far as reach.
func newPart(in denoise.Input, box volume.Region, reach [3]int, counts func(i int) bool) *part {
	g := in.Volume.Geometry
	outer := box.Grow(reach, g)
	a := &part{in: denoise.Input{Volume: in.Volume.Crop(outer)}, inner: isInner(box, reach, g)}
	each(g, box, func(i int) {
		a.use = append(a.use, counts(i))
		if counts(i) {
			a.voxels++
		}
	})
	if in.Noise != nil {
		a.in.Noise = in.Noise.Crop(outer)
	}
	if in.Guide != nil {
		a.in.Guide = in.Guide.Crop(outer)
	}
	if in.Mask != nil {
		each(g, outer, func(i int) { a.in.Mask = append(a.in.Mask, in.Mask[i]) })
	}
	for c := range 3 {
		a.box.Min[c], a.box.Max[c] = box.Min[c]-outer.Min[c], box.Max[c]-outer.Min[c]
	}
	return a
}

// merged stacks parts of one size and half along z, so that one run does them all: no voxel
// that counts reads beyond its own part. Parts at the edge of the volume stay as
// they are, as filters treat the edge as one.
func merged(parts []*part) []*part {
	var out []*part
	for len(parts) > 0 {
		first := parts[0]
		same := func(a *part) bool {
			return a.inner && first.inner && a.half == first.half && a.in.Volume.Dims == first.in.Volume.Dims
		}
		group := []*part{first}
		var rest []*part
		for _, a := range parts[1:] {
			if same(a) {
				group = append(group, a)
			} else {
				rest = append(rest, a)
			}
		}
		out, parts = append(out, stack(group)), rest
	}
	return out
}

// stack returns parts of one size as one. Its box is as narrow as theirs within the slice and
// holds all slices, so that filters compute little that is not looked at.
func stack(parts []*part) *part {
	if len(parts) == 1 {
		return parts[0]
	}
	g := parts[0].in.Volume.Geometry
	g.Dims[2] *= len(parts)
	s := &part{box: parts[0].box, seed: parts[0].seed, half: parts[0].half}
	s.box.Min[2], s.box.Max[2] = 0, g.Dims[2]
	pile := func(get func(a *part) *volume.Volume) *volume.Volume {
		if get(parts[0]) == nil {
			return nil
		}
		v := &volume.Volume{Geometry: g, Unit: get(parts[0]).Unit}
		for _, a := range parts {
			v.Data, v.Mask = append(v.Data, get(a).Data...), append(v.Mask, get(a).Mask...)
		}
		return v
	}
	s.in.Volume = pile(func(a *part) *volume.Volume { return a.in.Volume })
	s.in.Noise = pile(func(a *part) *volume.Volume { return a.in.Noise })
	s.in.Guide = pile(func(a *part) *volume.Volume { return a.in.Guide })
	for _, a := range parts {
		s.in.Mask = append(s.in.Mask, a.in.Mask...)
		slice, depth := len(a.use)/(a.box.Max[2]-a.box.Min[2]), a.in.Volume.Dims[2]
		s.use = append(s.use, make([]bool, slice*a.box.Min[2])...)
		s.use = append(s.use, a.use...)
		s.use = append(s.use, make([]bool, slice*(depth-a.box.Max[2]))...)
		s.voxels += a.voxels
		s.power += a.power * float64(a.voxels)
	}
	s.power /= float64(s.voxels)
	return s
}

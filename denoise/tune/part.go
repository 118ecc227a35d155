package tune

import (
	"context"
	"sync"

	"quell/denoise"
	"quell/volume"
)

// scope is what one run of a filter reads and computes, as a volume of its own.
type scope struct {
	in    denoise.Input
	run   volume.Region // in the indices of in.Volume
	inner bool          // nothing that recipes read lies outside the volume it is cut from
	seed  uint64        // of the perturbation

	lock  sync.Mutex
	moved *perturbedVolume // nil until it is needed
}

// newScope cuts out a region with its surroundings as far as reach.
func newScope(in denoise.Input, run volume.Region, reach [3]int, seed uint64) *scope {
	g := in.Volume.Geometry
	s := cut(in, run, run.Grow(reach, g))
	s.inner, s.seed = isInner(run, reach, g), seed
	return s
}

// cut is newScope with outer as what is cut out, without a perturbation.
func cut(in denoise.Input, run, outer volume.Region) *scope {
	g := in.Volume.Geometry
	s := &scope{in: denoise.Input{Volume: in.Volume.Crop(outer)}, run: run.Offset(outer.Min)}
	if in.Noise != nil {
		s.in.Noise = in.Noise.Crop(outer)
	}
	if in.Guide != nil {
		s.in.Guide = in.Guide.Crop(outer)
	}
	if in.Mask != nil {
		each(g, outer, func(i int) { s.in.Mask = append(s.in.Mask, in.Mask[i]) })
	}
	return s
}

// shared returns the region that holds all boxes, if one run on it reads no more voxels than a
// run on each of them: in a small volume their surroundings overlap.
func shared(boxes []volume.Region, reach [3]int, g volume.Geometry) (around volume.Region, ok bool) {
	alone := 0
	for k, box := range boxes {
		alone += box.Grow(reach, g).Voxels()
		if k == 0 {
			around = box
		}
		around = enclosing(around, box)
	}
	return around, len(boxes) > 1 && around.Grow(reach, g).Voxels() <= alone
}

// enclosing returns the smallest region that holds two.
func enclosing(a, b volume.Region) volume.Region {
	for c := range 3 {
		a.Min[c], a.Max[c] = min(a.Min[c], b.Min[c]), max(a.Max[c], b.Max[c])
	}
	return a
}

// part is one box that is looked at in a scope.
type part struct {
	*scope
	box    volume.Region // in the indices of in.Volume
	use    []bool        // voxels of box that count
	voxels int           // how many these are
	half   int           // 0 or 1: every other box, to see whether they agree
	power  float64       // variance of the noise, relative to the variance in the volume
}

// newPart returns a box with a scope of its own.
func newPart(in denoise.Input, box volume.Region, reach [3]int, counts func(i int) bool, seed uint64) *part {
	s := newScope(in, box, reach, seed)
	return s.part(in.Volume.Geometry, box, s.run, counts)
}

// part returns a box in a scope; from is the box in the volume g that counts refers to.
func (s *scope) part(g volume.Geometry, from, box volume.Region, counts func(i int) bool) *part {
	a := &part{scope: s, box: box}
	each(g, from, func(i int) {
		a.use = append(a.use, counts(i))
		if counts(i) {
			a.voxels++
		}
	})
	return a
}

// merged gives parts of one size a scope in common, stacked along z, so that one run does them
// all: no voxel that counts reads beyond its own part. Parts at the edge of the volume stay as
// they are, as filters treat the edge as one.
func merged(parts []*part) {
	groups := map[[3]int][]*part{}
	for _, a := range parts {
		if a.inner {
			d := a.in.Volume.Dims
			groups[d] = append(groups[d], a)
		}
	}
	for _, group := range groups {
		if len(group) > 1 {
			stack(group)
		}
	}
}

// stack puts parts of one size, each in a scope of its own, into one scope. The run is as narrow
// as theirs within the slice and has all slices, so that filters compute little that is not
// looked at.
func stack(parts []*part) {
	first := parts[0]
	g := first.in.Volume.Geometry
	depth := g.Dims[2]
	g.Dims[2] *= len(parts)
	s := &scope{run: first.run, seed: first.seed, inner: true}
	s.run.Min[2], s.run.Max[2] = 0, g.Dims[2]
	pile := func(get func(in denoise.Input) *volume.Volume) *volume.Volume {
		if get(first.in) == nil {
			return nil
		}
		v := &volume.Volume{Geometry: g, Unit: get(first.in).Unit}
		for _, a := range parts {
			v.Data, v.Mask = append(v.Data, get(a.in).Data...), append(v.Mask, get(a.in).Mask...)
		}
		return v
	}
	s.in.Volume = pile(func(in denoise.Input) *volume.Volume { return in.Volume })
	s.in.Noise = pile(func(in denoise.Input) *volume.Volume { return in.Noise })
	s.in.Guide = pile(func(in denoise.Input) *volume.Volume { return in.Guide })
	for k, a := range parts {
		s.in.Mask = append(s.in.Mask, a.in.Mask...)
		a.scope, a.box = s, a.box.Offset([3]int{0, 0, -k * depth})
	}
}

// ownNumbers keeps the perturbation from the numbers that [noise.AddNoise] draws for the same seed:
// a phantom perturbed along its own noise shows another divergence.
const ownNumbers = 0x517cc1b727220a95

// perturbedVolume is the volume of a scope plus perturbation * sigma * b.
type perturbedVolume struct {
	volume *volume.Volume
	b      []float32
}

// perturbed returns the perturbed volume, the same at every call.
func (s *scope) perturbed(ctx context.Context, m noiseModel) (*perturbedVolume, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.moved != nil {
		return s.moved, nil
	}
	b, err := coloured(ctx, s.in.Volume.Geometry, m.correlation, s.seed^ownNumbers)
	if err != nil {
		return nil, err
	}
	out, masked := s.in.Volume.Clone(), s.in.Masked()
	for i := range b {
		if !masked.Valid(i) {
			b[i] = 0
		}
		out.Data[i] += float32(perturbation*m.sigma) * b[i]
	}
	s.moved = &perturbedVolume{out, b}
	return s.moved, nil
}

package denoise

import (
	"slices"

	"quell/volume"
)

// Slab is a run of slices of a volume, From <= z < To, and the slices that a program reads to
// compute it, First <= z < End: cut out as a volume of its own, they give the same result, on
// the CPU to the bit.
type Slab struct {
	From, To   int
	First, End int
}

// Slab returns the slab of the slices from <= z < to of a volume of geometry g.
func (p Program) Slab(g volume.Geometry, from, to int) Slab {
	reach := p.Reach()[2]
	first := max(from-reach, 0)
	first -= first % max(p.Lattice[2], 1) // at which the passes compute the same voxels as in the whole
	return Slab{From: from, To: to, First: first, End: min(to+reach, g.Dims[2])}
}

// Around returns the region that a program reads to compute a box of a volume of geometry g: cut out as a volume of its own,
// it gives the same result, on the CPU to the bit.
func (p Program) Around(box volume.Region, g volume.Geometry) volume.Region {
	outer := box.Grow(p.Reach(), g)
	for axis := range outer.Min {
		outer.Min[axis] -= outer.Min[axis] % max(p.Lattice[axis], 1) // at which the passes compute the same voxels as in the whole
	}
	return outer
}

// Intermediates returns how many outputs that later passes read a run holds at once, at most.
func (p Program) Intermediates() int {
	most := 0
	for i := range p.Passes {
		alive := map[string]bool{}
		for k, pass := range p.Passes[:i+1] {
			if pass.Output != Result && (k == i || p.readFrom(i, pass.Output)) {
				alive[pass.Output] = true
			}
		}
		most = max(most, len(alive))
	}
	return most
}

// readFrom reports whether pass i or a later one reads the output of that name.
func (p Program) readFrom(i int, name string) bool {
	return slices.ContainsFunc(p.Passes[i:], func(pass Pass) bool { return slices.Contains(pass.Inputs, name) })
}

// Region returns the slices to compute in the volume of the slices that are read, which
// has geometry part.
func (s Slab) Region(part volume.Geometry) volume.Region {
	return volume.Slices(part, s.From-s.First, s.To-s.First)
}

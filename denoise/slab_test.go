package denoise_test

import (
	"testing"

	"quell/denoise"
	"quell/volume"
)

// A slab reads as far as the program reaches, within the volume, from a slice on at which the
// passes compute the same voxels.
func TestSlab(t *testing.T) {
	g := volume.NewGeometry([3]int{4, 4, 20}, [3]float64{1, 1, 1})
	for _, c := range []struct {
		reach, lattice, from, to int
		want                     denoise.Slab
	}{
		{0, 0, 5, 7, denoise.Slab{From: 5, To: 7, First: 5, End: 7}},
		{3, 0, 5, 7, denoise.Slab{From: 5, To: 7, First: 2, End: 10}},
		{3, 1, 0, 7, denoise.Slab{From: 0, To: 7, First: 0, End: 10}},
		{3, 2, 2, 4, denoise.Slab{From: 2, To: 4, First: 0, End: 7}},
		{3, 2, 8, 10, denoise.Slab{From: 8, To: 10, First: 4, End: 13}},
		{3, 2, 9, 18, denoise.Slab{From: 9, To: 18, First: 6, End: 20}},
	} {
		p := denoise.Program{Lattice: [3]int{2, 2, c.lattice}, Passes: []denoise.Pass{
			{Inputs: []string{denoise.Voxels}, Output: denoise.Result, Reach: [3]int{9, 8, c.reach}},
		}}
		got := p.Slab(g, c.from, c.to)
		if got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
		part := g.Crop(volume.Slices(g, got.First, got.End))
		if r := got.Region(part); r != volume.Slices(part, c.from-got.First, c.to-got.First) {
			t.Errorf("%+v: region %v", c, r)
		}
	}
}

// Outputs count from the pass that computes them to the last one that reads them.
func TestIntermediates(t *testing.T) {
	pass := func(output string, inputs ...string) denoise.Pass {
		return denoise.Pass{Output: output, Inputs: inputs}
	}
	v, r := denoise.Voxels, denoise.Result
	for _, c := range []struct {
		want   int
		passes []denoise.Pass
	}{
		{0, []denoise.Pass{pass(r, v)}},
		{1, []denoise.Pass{pass("a", v), pass(r, "a")}},
		{2, []denoise.Pass{pass("a", v), pass("b", "a"), pass(r, v, "b")}},
		{2, []denoise.Pass{pass("a", v), pass("b", "a"), pass("c", "b"), pass("d", "c"), pass(r, "d")}},
		{3, []denoise.Pass{pass("a", v), pass("b", "a"), pass("c", "b"), pass(r, "a", "c")}},
		{1, []denoise.Pass{pass("a", v), pass("b", v), pass(r, "b")}},
	} {
		if got := (denoise.Program{Passes: c.passes}).Intermediates(); got != c.want {
			t.Errorf("%+v: %d; want %d", c.passes, got, c.want)
		}
	}
}

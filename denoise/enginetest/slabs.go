package enginetest

import (
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// testSlabs: slices that are cut out with the slices that the filter reads around them are
// as in the result of the whole volume: on the CPU to the bit, on a GPU, which chooses
// kernels by the size of a volume, as engines agree.
func (s suite) testSlabs(t *testing.T) {
	_, exact := s.engine.(*cpu.Engine)
	s.eachCase(t, small, func(t *testing.T, _ denoise.Case, r denoise.Recipe) {
		dims := [3]int{12, 11, 8}
		reach := program(t, r, scene(dims)).Reach()
		dims[2] = 2*reach[2] + 8
		v := scene(dims)
		r, err := r.Resolve(v.Geometry, factsOf(t, v))
		if err != nil {
			t.Fatal(err)
		}
		p := program(t, r, v)
		whole := run(t, s.engine, r, v, v.Bounds())
		middle := reach[2] + 3
		for _, cut := range [][2]int{{0, 1}, {middle, middle + 1}, {middle + 1, middle + 3}, {dims[2] - 2, dims[2]}} {
			slab := p.Slab(v.Geometry, cut[0], cut[1])
			in := Input(t, r, v.Crop(volume.Slices(v.Geometry, slab.First, slab.End)))
			part, err := s.engine.Run(t.Context(), r, in, slab.Region(in.Volume.Geometry), nil)
			if err != nil {
				t.Fatal(err)
			}
			want := whole.Crop(volume.Slices(v.Geometry, cut[0], cut[1]))
			if _, err := Agree(part, want, rangeOf(v)); err != nil || exact && !slices.Equal(part.Data, want.Data) {
				t.Errorf("%s: slices %v of %d cut out at %d:%d differ: %v", r, cut, dims[2], slab.First, slab.End, err)
			}
		}
	})
}

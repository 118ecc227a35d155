package kernels

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/filter/bnlm"
	"quell/denoise/tile"
	"quell/volume"
)

// bnlmRecipe returns the program of a recipe of bnlm on a volume of these dims.
func bnlmProgram(t *testing.T, dims int, size [3]int, set map[string]float64) denoise.Program {
	t.Helper()
	values := map[string]denoise.Value{"h": denoise.Number(10)}
	for name, x := range set {
		values[name] = denoise.Number(x)
	}
	p, err := recipe(t, "bnlm", dims, values).Bind(volume.NewGeometry(size, [3]float64{1, 1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Blocks of radius 1 at every second voxel have kernels of their own; blocks of other sizes
// are computed by warps with lanes that hold as many samples as the block needs.
func TestBnlmKernels(t *testing.T) {
	for _, c := range []struct {
		dims, radius, step int
		kernel             string
	}{
		{3, 1, 2, "bnlm_3d"}, {2, 1, 2, "bnlm_2d"}, {3, 0, 1, "bnlm_blocks_1"}, {3, 1, 1, "bnlm_blocks_1"}, {2, 2, 3, "bnlm_blocks_1"},
		{2, 3, 2, "bnlm_blocks_4"}, {2, 4, 5, "bnlm_blocks_4"}, {3, 2, 1, "bnlm_blocks_4"}, {3, 3, 1, "bnlm_blocks_11"}, {3, 4, 5, "bnlm_blocks_23"},
	} {
		size := [3]int{20, 10, 6}
		p := bnlmProgram(t, c.dims, size, map[string]float64{"block-radius": float64(c.radius), "block-step": float64(c.step)})
		ls := launchesOf(t, p, volume.NewGeometry(size, [3]float64{1, 1, 1}))
		if ls[0].Kernel != c.kernel {
			t.Errorf("%d-D, radius %d, step %d: %s; want %s", c.dims, c.radius, c.step, ls[0].Kernel, c.kernel)
		}
		params := p.Params.(bnlm.Params)
		if bnlmCommon(params) {
			if len(ls) != 1 || Scratch(p, size, size) != 0 {
				t.Errorf("%s: %d launches, %d bytes of scratch", ls[0].Kernel, len(ls), Scratch(p, size, size))
			}
			continue
		}
		blocks := 1
		for a, n := range size {
			blocks *= (n-1)/params.Step[a] + 1
		}
		got := decoded[bnlmParams](t, ls[0])
		if len(ls) != 2 || ls[1].Kernel != "bnlm_mean" || ls[0].Grid[0] != (blocks+7)/8 || ls[1].Grid[0] != (1200+127)/128 || string(ls[0].Args) != string(ls[1].Args) {
			t.Errorf("%+v; want %d blocks, 8 a thread block", ls, blocks)
		}
		if got.First != [3]int32{} || int(got.Count[0]*got.Count[1]*got.Count[2]) != blocks {
			t.Errorf("blocks from %v, %v of them; want all %d", got.First, got.Count, blocks)
		}
		if want := 4 * int64(blocks) * int64(tile.Count(params.Radius)); Scratch(p, size, size) != want {
			t.Errorf("%d bytes of scratch; want %d", Scratch(p, size, size), want)
		}
	}
}

// The bands of a region write each of its voxels once, in its order, and name the blocks that reach
// them, which fit into the scratch memory.
func TestBnlmBands(t *testing.T) {
	defer func(n int64) { bnlmMemory = n }(bnlmMemory)
	dims := [3]int{24, 19, 11}
	region := volume.Region{Min: [3]int{3, 5, 2}, Max: [3]int{21, 18, 9}}
	p := bnlmProgram(t, 3, dims, map[string]float64{"block-radius": 2, "block-step": 3})
	params := p.Params.(bnlm.Params)
	for memory, want := range map[int64]int{96_000: 1, 95_999: 2, 72_000: 2, 71_999: 4, 48_000: 4, 47_999: 14, 16_000: 49, 15_999: 91, 1: 91} {
		bnlmMemory = memory
		part := Part{Dims: dims, Region: region, Voxels: Buffer{Address: 1, Box: region}, Out: 1000, Scratch: 7, Inputs: []Buffer{{Address: 2, Box: volume.Region{Max: dims}}}}
		ls, err := Launches(p, p.Passes[0], part)
		if err != nil {
			t.Fatal(err)
		}
		scratch, at := Scratch(p, dims, region.Dims()), uint64(1000)
		if scratch > max(memory, 16_000) { // a row of voxels is reached by 8 x 2 x 2 blocks
			t.Errorf("memory %d: %d bytes of scratch", memory, scratch)
		}
		for i := 0; i < len(ls); i += 2 {
			got := decoded[bnlmParams](t, ls[i])
			bytes, voxels := int64(4*125), uint64(1)
			for c := range 3 {
				first, last := params.Blocks(c, int(got.Out.Min[c]), int(got.Out.Max[c]), dims[c])
				if int(got.First[c]) != first || int(got.First[c]+got.Count[c]-1) != last {
					t.Errorf("band %v: blocks from %v, %v of them", got.Out, got.First, got.Count)
				}
				bytes *= int64(last - first + 1)
				voxels *= uint64(got.Out.Max[c] - got.Out.Min[c])
			}
			if got.Out.Address != at || bytes > scratch || got.Changes != 7 {
				t.Errorf("memory %d, band %v at %d: %d bytes of %d at %d; want %d", memory, got.Out, got.Out.Address, bytes, scratch, got.Changes, at)
			}
			at += 4 * voxels
		}
		if len(ls)/2 != want || at != 1000+4*uint64(region.Voxels()) {
			t.Errorf("memory %d: %d bands, which end at %d; want %d", memory, len(ls)/2, at, want)
		}
	}
}

// A block of other sizes is computed by a warp: the rate falls with the lanes that have no sample.
func TestBnlmRate(t *testing.T) {
	rate := func(radius, step float64) float64 {
		p := bnlmProgram(t, 3, [3]int{30, 30, 30}, map[string]float64{"block-radius": radius, "block-step": step})
		r, err := Rate(p, p.Passes[0])
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	common := rate(1, 2)
	for _, c := range []struct{ radius, step, lanes float64 }{{1, 1, 27.0 / 32}, {0, 1, 1.0 / 32}, {2, 1, 125.0 / 128}, {4, 5, 729.0 / 736}} {
		if got := rate(c.radius, c.step) / common; math.Abs(got/(bnlmAnyRate*c.lanes)-1) > 1e-9 {
			t.Errorf("radius %g, step %g: %g of the common rate; want %g", c.radius, c.step, got, bnlmAnyRate*c.lanes)
		}
	}
}

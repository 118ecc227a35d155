package enginetest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// Random compares engine with the CPU engine in n runs, numbered from first on: every filter in
// turn, with random values of all its parameters in their whole domains, on volumes of random dims
// with and without padding, masks, noise maps and stabilised noise, as a whole and in regions. The
// work of a run on the CPU is bounded by nanoseconds of one core. A failure names the run, which
// Random(t, engine, run, 1, nanoseconds) repeats.
func Random(t *testing.T, engine denoise.Engine, first, n int, nanoseconds float64) {
	filters := denoise.Filters()
	for i := first; i < first+n; i++ {
		c := randomCase{Rand: rand.New(rand.NewPCG(uint64(i), 7)), filter: filters[i%len(filters)]}
		t.Run(fmt.Sprintf("%d %s", i, c.filter.Name), func(t *testing.T) { c.compare(t, engine, nanoseconds) })
	}
}

// randomCase draws one run.
type randomCase struct {
	*rand.Rand
	filter denoise.Filter
}

func (c randomCase) compare(t *testing.T, engine denoise.Engine, nanoseconds float64) {
	var r denoise.Recipe
	var in denoise.Input
	var region volume.Region
	for try := 0; ; try++ { // values that do not go together, or take too long, are drawn again
		if try == 1000 {
			t.Fatal("no recipe in 1000 tries")
		}
		r = c.recipe(t)
		in = c.input(r)
		p, err := c.bind(t, r, in)
		if err != nil {
			continue
		}
		if p.Reads(denoise.NoiseMap) && in.Noise == nil {
			in.Noise = rampOf(in.Volume)
		}
		if p.Reads(denoise.GuideVolume) {
			in.Guide = derived(in.Volume, func(x float32) float32 { return x / 2 })
		}
		region = c.region(in.Volume.Bounds())
		if cost(p, region) <= nanoseconds {
			break
		}
	}
	t.Logf("%s on %v, region %v, padding %t, mask %t, noise map %t", r, in.Volume.Dims, region, in.Volume.Mask != nil, in.Mask != nil, in.Noise != nil)
	want, err := cpu.New().Run(t.Context(), r, in, region, nil)
	got, other := engine.Run(t.Context(), r, in, region, nil)
	if errors.Is(other, denoise.ErrUnsupported) {
		t.Skipf("the engine does not do this: %v", other) // and says so
	}
	if err != nil || other != nil {
		t.Fatalf("the CPU engine: %v, the engine: %v", err, other)
	}
	if _, err := Agree(got, want, rangeOf(in.Volume)); err != nil {
		t.Error(err)
	}
}

// bind returns the program of a recipe with the automatic values of the input.
func (c randomCase) bind(t *testing.T, r denoise.Recipe, in denoise.Input) (denoise.Program, error) {
	resolved, err := r.ResolveFor(t.Context(), in)
	if err != nil {
		return denoise.Program{}, err
	}
	return resolved.Bind(in.Volume.Geometry)
}

// cost returns the nanoseconds of one core that the passes of p take for a region.
func cost(p denoise.Program, region volume.Region) float64 {
	sum := 0.0
	for _, pass := range p.Passes {
		sum += pass.CPU.Nanoseconds
	}
	return sum * float64(region.Voxels())
}

// recipe draws a valid recipe of the filter.
func (c randomCase) recipe(t *testing.T) denoise.Recipe {
	for range 1000 {
		r, err := denoise.NewRecipe(c.filter.Name, c.filter.Dims[c.IntN(len(c.filter.Dims))])
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.filter.Params {
			if c.IntN(3) > 0 {
				r = r.With(p.Name, c.value(p))
			}
		}
		if r.Validate() == nil {
			return r
		}
	}
	t.Fatal("no valid recipe in 1000 tries")
	return denoise.Recipe{}
}

// value draws a value of a parameter: mostly one that its slider reaches, else one of its domain.
func (c randomCase) value(p denoise.Param) denoise.Value {
	lo, hi := p.Lo, p.Hi
	if c.IntN(4) == 0 {
		lo, hi = p.Min, p.Max
	}
	whole := func() int { return int(lo) + c.IntN(int(hi-lo)+1) }
	switch p.Kind {
	case denoise.Choice:
		return denoise.Word(p.Choices[c.IntN(len(p.Choices))])
	case denoise.Switch:
		return denoise.Bool(c.IntN(2) == 0)
	case denoise.Int:
		return denoise.Number(float64(whole()))
	case denoise.Ints:
		n := 1 + c.IntN(4)
		if p.PerAxis {
			n = 1 + 2*c.IntN(2)
		}
		list := make([]int, n)
		for i := range list {
			list[i] = whole()
			if p.Rising && i > 0 {
				list[i] = list[i-1] + 1 + c.IntN(3)
			}
		}
		return denoise.List(list...)
	}
	if p.Unit == "value" {
		if p.Level {
			return denoise.Number(-50 + 300*c.Float64())
		}
		// In the unit of the scenes, from far below the noise to far above it.
		if lo = 0; p.Min > 0 || c.IntN(8) > 0 {
			return denoise.Number(sceneNoise * math.Exp(math.Log(0.05)+math.Log(400)*c.Float64()))
		}
		return denoise.Number(lo)
	}
	return denoise.Number(lo + (min(hi, 100)-lo)*c.Float64())
}

// input draws a volume with what may exclude voxels of it, and a noise map if the recipe takes one.
func (c randomCase) input(r denoise.Recipe) denoise.Input {
	dims := [3]int{}
	for a := range dims {
		dims[a] = 1 + c.IntN([]int{9, 40, 150}[c.IntN(3)])
	}
	dims[2] = min(dims[2], 40)
	v := scene(dims)
	if r.Stabilisation() > 0 || c.IntN(4) == 0 {
		v = magnitudes(dims)
	}
	in := denoise.Input{Volume: v}
	if c.IntN(3) == 0 {
		in.Volume = masked(v)
	}
	if c.IntN(3) == 0 {
		in.Mask = make([]bool, v.Voxels())
		share := c.Float64()
		for i := range in.Mask {
			// A ball and scattered voxels.
			x, y, z := i%dims[0]-dims[0]/2, i/dims[0]%dims[1]-dims[1]/2, i/v.SliceVoxels()-dims[2]/2
			in.Mask[i] = x*x+y*y+4*z*z < dims[0]*dims[1]/5 || c.Float64() < share
		}
	}
	if c.IntN(4) == 0 {
		in.Noise = rampOf(v)
	}
	return in
}

// region draws the whole volume, one slice, or a box.
func (c randomCase) region(whole volume.Region) volume.Region {
	r := whole
	switch c.IntN(3) {
	case 1:
		r.Min[2] = c.IntN(whole.Max[2])
		r.Max[2] = r.Min[2] + 1
	case 2:
		for a := range 3 {
			r.Min[a] = c.IntN(whole.Max[a])
			r.Max[a] = r.Min[a] + 1 + c.IntN(whole.Max[a]-r.Min[a])
		}
	}
	return r
}

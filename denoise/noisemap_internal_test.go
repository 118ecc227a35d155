package denoise

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// row returns a volume of n voxels along x.
func row(values ...float32) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{len(values), 1, 1}, [3]float64{1, 1, 1}))
	v.Data = values
	return v
}

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// The usual sigma is the median of the positive numbers if there are data.
func TestUsualSigma(t *testing.T) {
	v := row(0, 0, 0, 0, 0, 0)
	padded := row(0, 0, 0, 0, 0, 0)
	padded.Mask = []bool{false, true, true, false, false, false}
	paddedMap := row(9, 8, 7, 6, 5, 4)
	paddedMap.Mask = []bool{false, false, false, true, true, true}
	for name, c := range map[string]struct {
		in   Input
		want float32
	}{
		"median":               {Input{Volume: v, Noise: row(9, 1, 4, 2, 8, 3)}, 4},
		"numbers only":         {Input{Volume: v, Noise: row(nan, inf, -7, 0, 3, -inf)}, 3},
		"largest":              {Input{Volume: v, Noise: row(math.MaxFloat32, 0, 0, 0, 0, 0)}, math.MaxFloat32},
		"smallest":             {Input{Volume: v, Noise: row(math.SmallestNonzeroFloat32, 0, 0, 0, 0, 0)}, math.SmallestNonzeroFloat32},
		"padding of volume":    {Input{Volume: padded, Noise: row(9, 1, 4, 2, 8, 3)}, 4},
		"mask":                 {Input{Volume: v, Noise: row(9, 1, 4, 2, 8, 3), Mask: []bool{true, false, false, false, false, false}}, 9},
		"padding and mask":     {Input{Volume: padded, Noise: row(9, 1, 4, 2, 8, 3), Mask: []bool{true, true, false, false, false, false}}, 1},
		"padding of map":       {Input{Volume: v, Noise: paddedMap}, 5},
		"none":                 {Input{Volume: v, Noise: row(0, 0, nan, -1, 0, inf)}, 0},
		"none where data lies": {Input{Volume: padded, Noise: row(5, 0, 0, 5, 5, 5)}, 0},
		"no data":              {Input{Volume: v, Noise: row(5, 5, 5, 5, 5, 5), Mask: make([]bool, 6)}, 1},
	} {
		if got := c.in.usualSigma(); got != c.want {
			t.Errorf("%s: %v; want %v", name, got, c.want)
		}
	}
}

// Of a large map a sample counts, and every voxel if the sample meets no figure.
func TestUsualSigmaOfLargeMaps(t *testing.T) {
	g := volume.NewGeometry([3]int{64, 64, 32}, [3]float64{1, 1, 1})
	in := Input{Volume: volume.New(g), Noise: volume.New(g)}
	step := len(in.Noise.Data)/sigmaSamples | 1
	if step < 3 {
		t.Fatalf("every %d-th voxel: the map is too small for this test", step)
	}
	in.Noise.Data[1] = 7
	if got := in.usualSigma(); got != 7 {
		t.Errorf("one figure beside the sample: %v; want 7", got)
	}
	in.Noise.Data[step] = 5
	if got := in.usualSigma(); got != 5 {
		t.Errorf("a figure in the sample: %v; want 5", got)
	}
}

// A sigma counts from a hundredth of the usual one on.
func TestFigures(t *testing.T) {
	in := Input{Volume: row(1, 2, 3, 4, 5, 6, 7), Noise: row(100, 100, 100, 1.0001, 0.9999, 0, 100)}
	in.Volume.Mask = []bool{true, true, true, true, true, true, false}
	got := in.Masked()
	if want := []bool{true, true, true, true, false, false, false}; !slices.Equal(got.Mask, want) {
		t.Errorf("mask %v; want %v", got.Mask, want)
	}
	if &got.Data[0] != &in.Volume.Data[0] || in.Volume.Mask[4] != true {
		t.Error("the voxels are not shared, or the volume's mask was changed")
	}
	in.Mask = []bool{false, true, true, true, true, true, true}
	if got, want := in.Masked().Mask, []bool{false, true, true, true, false, false, false}; !slices.Equal(got, want) {
		t.Errorf("with a mask %v; want %v", got, want)
	}
	if in.Mask[4] != true {
		t.Error("the mask of the input was changed")
	}
	in.Mask, in.Noise.Mask = nil, []bool{true, false, true, true, true, true, true}
	if got, want := in.Masked().Mask, []bool{true, false, true, true, false, false, false}; !slices.Equal(got, want) {
		t.Errorf("with padding of the map %v; want %v", got, want)
	}
	in.Noise = row(3, 2, 3, 4, 5, 6, 7)
	if got := in.Masked(); got != in.Volume {
		t.Error("a map in which every voxel has a figure made another volume")
	}
}

// The passes of the filter see the transformed voxels and nothing else is renamed.
func TestBetween(t *testing.T) {
	p := chain("voxels,guide volume>a", "a,voxels>result")
	before := slices.Clone(p.Passes[0].Inputs)
	got := p.Normalised(3)
	var text []string
	for _, pass := range got.Passes {
		text = append(text, strings.Join(pass.Inputs, ",")+">"+pass.Output)
	}
	want := []string{
		"voxels,noise map>voxels in sigmas", "voxels in sigmas,guide volume>a", "a,voxels in sigmas>filtered voxels in sigmas",
		"filtered voxels in sigmas,noise map>result",
	}
	if !slices.Equal(text, want) {
		t.Errorf("%q; want %q", text, want)
	}
	if got.UsualSigma != 3 || p.UsualSigma != 0 || len(p.Passes) != 2 || !slices.Equal(p.Passes[0].Inputs, before) || p.Passes[1].Output != Result {
		t.Error("the program itself was changed, or the usual sigma is lost")
	}
	if err := got.check(); err != nil {
		t.Error(err)
	}
	if !got.Passes[0].Everywhere || got.Passes[3].Everywhere {
		t.Error("the voxels are divided everywhere, and multiplied where they are filtered")
	}
}

// The facts of a run with a noise map are the facts of the volume divided by it.
func TestFactsInSigmas(t *testing.T) {
	in := Input{Volume: row(10, -40, 90, 1000, 5000), Noise: row(2, 4, 3, 0, 1)}
	in.Mask = []bool{true, true, true, true, false}
	for _, e := range []*noise.Estimate{nil, {}} {
		f, err := FactsInSigmas(t.Context(), in, e)
		if err != nil {
			t.Fatal(err)
		}
		if f.Lo != -10 || f.Hi != 30 || f.Noise.Sigma != 1 || f.Usual != 3 {
			t.Errorf("%+v; want -10 to 30 with sigma 1, usually 3", f)
		}
	}
	if f, err := FactsFor(t.Context(), in); err != nil || f.Hi != 30 || f.Usual != 3 {
		t.Errorf("%+v, %v; want the facts in sigmas", f, err)
	}
	in.Noise = row(0, 0, 0, 0, 1)
	if _, err := FactsFor(t.Context(), in); err == nil || !strings.Contains(err.Error(), "no positive number") {
		t.Errorf("a map without figures: %v", err)
	}
	in.Noise = nil
	if f, err := FactsFor(t.Context(), in); err != nil || f.Lo != -40 || f.Hi != 1000 || f.Usual != 0 {
		t.Errorf("%+v, %v; want the facts of the masked volume", f, err)
	}
	lo, hi, err := Input{Volume: row(1, 2), Mask: []bool{false, false}}.Masked().RangeOver(t.Context(), row(1, 1))
	if lo != 0 || hi != 0 || err != nil {
		t.Errorf("no valid voxel: %v to %v, %v", lo, hi, err)
	}
}

// Numbers in the volume's unit become multiples of the usual sigma, once; a recipe
// that holds multiples runs with a noise map alone.
func TestRecipesInSigmas(t *testing.T) {
	r := withProbe(t, func(Recipe, volume.Geometry) (Program, error) { return chain("voxels>result"), nil })
	f := &registered[len(registered)-1]
	f.Params[0].Unit = "value"
	in := Input{Volume: row(10, 20, 30), Noise: row(4, 4, 2)}
	resolve := func(r Recipe, in Input) Recipe {
		t.Helper()
		out, err := r.ResolveFor(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	got := resolve(r.With("amount", Number(10)), in)
	if got.Get("amount").Float() != 2.5 || !got.InSigmas || !got.Get("radius").Equal(List(1, 1, 1)) {
		t.Errorf("%s, in sigmas: %t; want 10 as 2.5 sigmas", got, got.InSigmas)
	}
	if again := resolve(got, in); !again.Equal(got) {
		t.Errorf("%s became %s", got, again)
	}
	if low := resolve(r.With("amount", Number(2)), in); low.Get("amount").Float() != 1 {
		t.Errorf("%s; want the end of the domain", low)
	}
	// 50 % of 2.5 to 15; the noise itself if it is automatic.
	if p := resolve(r.With("amount", Percent(50)), in); p.Get("amount").Float() != 6.25 {
		t.Errorf("%s; want half the range in sigmas", p)
	}
	for _, v := range []Value{Auto, Sigmas(1)} {
		if a := resolve(r.With("amount", v), in); a.Get("amount").Float() != 1 {
			t.Errorf("%s of %s; want the noise, which is 1", a, v)
		}
	}
	if !strings.HasSuffix(got.String(), " in sigmas of the noise map") || got.Equal(Recipe{Version: 1, Filter: "probe", Dims: 3, Params: got.Params}) {
		t.Errorf("%s does not say that it counts in sigmas", got)
	}
	if p, err := got.ProgramFor(t.Context(), in, in.Volume.Bounds()); err != nil || len(p.Passes) != 3 || p.UsualSigma != 4 {
		t.Errorf("%d passes, %v", len(p.Passes), err)
	}
	if _, err := got.ProgramFor(t.Context(), Input{Volume: in.Volume}, in.Volume.Bounds()); err == nil || !strings.Contains(err.Error(), "give the noise map") {
		t.Errorf("without the map: %v", err)
	}
	if plain := resolve(r.With("amount", Number(10)), Input{Volume: in.Volume}); plain.InSigmas || plain.Get("amount").Float() != 10 {
		t.Errorf("without a map %s", plain)
	}
	// A filter that reads the map keeps the volume's unit.
	f.ReadsNoise = true
	if native := resolve(r.With("amount", Number(10)), in); native.InSigmas || native.Get("amount").Float() != 10 {
		t.Errorf("a filter that reads the map: %s", native)
	}
	if _, err := r.With("radius", List(1, 1, 1)).Bind(unitGrid); err == nil || !strings.Contains(err.Error(), "disagree") {
		t.Errorf("a filter that says it reads the map and does not: %v", err)
	}
}

// The divided input is what a filter's own passes read: v / sigma, the usual sigma
// if there is no figure, and those voxels excluded.
func TestDivided(t *testing.T) {
	in := Input{Volume: row(8, 9, 30, 5, 12), Noise: row(2, 3, 0, 3, 3), Mask: []bool{true, true, true, false, true}, Guide: row(1, 2, 3, 4, 5)}
	got, err := in.Divided(t.Context())
	if err != nil || got.Noise != nil || got.Guide != in.Guide {
		t.Fatalf("%+v, %v", got, err)
	}
	if want := []float32{4, 3, 10, 5. / 3, 4}; !slices.Equal(got.Volume.Data, want) {
		t.Errorf("%v; want %v", got.Volume.Data, want)
	}
	for i, want := range []bool{true, true, false, false, true} {
		if got.Masked().Valid(i) != want {
			t.Errorf("voxel %d counts: %t", i, !want)
		}
	}
	if in.Volume.Data[0] != 8 {
		t.Error("the input was changed")
	}
	part, err := in.DividedResult(t.Context(), row(6, 20, 5), volume.Region{Min: [3]int{1, 0, 0}, Max: [3]int{4, 1, 1}})
	if want := []float32{2, 20. / 3, 5. / 3}; err != nil || !slices.Equal(part.Data, want) {
		t.Errorf("a result: %v, %v; want %v", part.Data, err, want)
	}
	plain := Input{Volume: row(1, 2)}
	if got, err := plain.DividedResult(t.Context(), plain.Volume, plain.Volume.Bounds()); err != nil || got != plain.Volume {
		t.Errorf("a result without a map: %+v, %v", got, err)
	}
	if got, err := plain.Divided(t.Context()); err != nil || got.Volume != plain.Volume {
		t.Errorf("without a map: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := in.Divided(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := in.DividedResult(ctx, in.Volume, in.Volume.Bounds()); !errors.Is(err, context.Canceled) {
		t.Errorf("a result, cancelled: %v", err)
	}
}

// The passes divide every voxel by its sigma, or by the usual one, and multiply the
// ones that are not excluded, tile by tile; a tile that is stopped is left.
func TestPassesOfANoiseMap(t *testing.T) {
	g := volume.NewGeometry([3]int{3, 2, 2}, [3]float64{1, 1, 1})
	v, sigma := volume.New(g), volume.New(g)
	for i := range v.Data {
		v.Data[i], sigma.Data[i] = float32(10+i), float32(2+i)
	}
	sigma.Data[4], sigma.Data[5] = 0, nan
	p := chain("voxels>result").Normalised(4)
	if p.LeastSigma() != 0.04 {
		t.Errorf("%g is the smallest sigma that counts; want a hundredth of 4", p.LeastSigma())
	}
	mask := make([]bool, len(v.Data))
	for i := range mask {
		mask[i] = i != 7
	}
	box := volume.Region{Min: [3]int{1, 0, 0}, Max: [3]int{3, 2, 2}}
	for k, pass := range map[int]Pass{0: p.Passes[0], 2: p.Passes[2]} {
		if pass.Work != 1 || pass.CPU.Nanoseconds <= 0 {
			t.Errorf("%s: work %g, %g ns", pass.Name, pass.Work, pass.CPU.Nanoseconds)
		}
		in := []Field{FieldOf(v), FieldOf(sigma)}
		// The input of the second pass is a box, as intermediates are.
		if k == 2 {
			in[0] = Field{Dims: g.Dims, Box: box, Data: v.Crop(box).Data}
		}
		out := Field{Dims: g.Dims, Box: box, Data: make([]float32, box.Voxels()), Mask: volumeMask(v, mask, box)}
		for i := range out.Data {
			out.Data[i] = -1
		}
		work := pass.CPU.Start(in, out)()
		work(box, func() bool { return true })
		for i, x := range out.Data {
			if x != -1 {
				t.Fatalf("%s: voxel %d was computed after a stop", pass.Name, i)
			}
		}
		// The last slice alone, then the first.
		for _, z := range []int{1, 0} {
			tile := box
			tile.Min[2], tile.Max[2] = z, z+1
			work(tile, func() bool { return false })
			if z == 1 && out.Data[0] != -1 {
				t.Errorf("%s: a voxel of another tile was computed", pass.Name)
			}
		}
		for z := range 2 {
			for y := range 2 {
				for x := 1; x < 3; x++ {
					i := v.Index(x, y, z)
					s := sigma.Data[i]
					if i == 4 || i == 5 {
						s = 4
					}
					want := v.Data[i] / s
					if k == 2 {
						want = v.Data[i] * s
					}
					if got := float32(pass.Reference(in, x, y, z)); got != want {
						t.Errorf("%s: the reference of voxel %d is %g; want %g", pass.Name, i, got, want)
					}
					if k == 2 && i == 7 {
						want = -1 // excluded
					}
					if got := out.At(x, y, z); got != want {
						t.Errorf("%s: voxel %d is %g; want %g", pass.Name, i, got, want)
					}
				}
			}
		}
	}
}

// volumeMask returns the part of a mask of v in a box.
func volumeMask(v *volume.Volume, mask []bool, box volume.Region) []bool {
	whole := *v
	whole.Mask = mask
	return whole.Crop(box).Mask
}

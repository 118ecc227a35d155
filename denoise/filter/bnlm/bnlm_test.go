package bnlm_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	_ "quell/denoise/filter"
	"quell/denoise/noise"
	"quell/volume"
)

// recipe returns a recipe of bnlm with some parameters set.
func recipe(t *testing.T, dims int, set string) denoise.Recipe {
	t.Helper()
	f, err := denoise.FilterByName("bnlm")
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Recipe(denoise.Case{Dims: dims, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func filtered(t *testing.T, r denoise.Recipe, v *volume.Volume, region volume.Region) []float32 {
	t.Helper()
	out, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: v}, region, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Data
}

// A row of voxels by hand. With equal weights a block becomes the mean of the blocks
// that are used and of itself once more, and a voxel the mean of what its blocks
// give it.
func TestByHand(t *testing.T) {
	for _, c := range []struct {
		set      string
		v        []float32
		excluded int
		want     []float64
	}{
		// Voxel 0 is under block 0 alone, which sees block 1: (0+6)/2. Voxel 1: block 0 gives
		// (6+12)/2, block 2, which sees blocks 1 and 3, (6+0+12)/3. And so on.
		{"h=1e6 search-radius=1", []float32{0, 6, 12, 30, 60}, -1, []float64{3, 7.5, 16, 27.5, 45}},
		// Without voxel 1 the blocks 0, 1 and 2 are not used: block 0 stays as it is, block 2 and
		// block 4 see block 3.
		{"h=1e6 search-radius=1", []float32{0, 6, 12, 30, 60}, 1, []float64{0, 6, 21, 33, 45}},
		// Without voxel 2 the blocks 0 and 4 alone are complete. Block 2 still gives to voxels 1 and 3:
		// to 1 (6+0+30)/3, where 0 is voxel -1, and to 3 (30+6+60)/3.
		{"h=1e6 search-radius=2", []float32{0, 6, 12, 30, 60}, 2, []float64{0, (6 + 12) / 2, 12, (32 + 30) / 2, 60}},
		// D of blocks 2 and 1 is 3, of 2 and 0 6: with h^2 = 3 / ln 2 the weights are 1/2 and 1/4, and
		// the weight of block 2 itself 1/2: 3 - (3/2 + 3/4) / (5/4).
		{"search-radius=2 h=2.0804026", []float32{0, 0, 3}, -1, []float64{math.NaN(), math.NaN(), 1.2}},
		// A step of 1: three blocks over voxel 1. Block 1 gives (0+0+6)/3 to voxel 0.
		{"h=1e6 search-radius=1 block-step=1", []float32{0, 6, 12}, -1, []float64{(3 + 2) / 2., (9 + 6 + 3) / 3., (10 + 9) / 2.}},
		{"h=1e6 search-radius=1 block-radius=0 block-step=1", []float32{0, 6, 12}, -1, []float64{3, 6, 9}},
	} {
		v := volume.New(volume.NewGeometry([3]int{len(c.v), 1, 1}, [3]float64{1, 1, 1}))
		copy(v.Data, c.v)
		if c.excluded >= 0 {
			v.Mask = slices.Repeat([]bool{true}, len(c.v))
			v.Mask[c.excluded] = false
		}
		for _, dims := range []int{2, 3} {
			got := filtered(t, recipe(t, dims, c.set), v, v.Bounds())
			for x, want := range c.want {
				if want == want && math.Abs(float64(got[x])-want) > 1e-5 {
					t.Errorf("%d-D, %s, without %d: voxel %d is %v; want %v", dims, c.set, c.excluded, x, got[x], want)
				}
			}
		}
	}
}

// steps is a volume of plates with noise.
func steps(t *testing.T, dims [3]int) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(60 * (i % dims[0] / 20 % 4))
	}
	v, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 10, 3)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A region has the bits of the whole, wherever its tiles begin.
func TestRegionsHaveTheBitsOfTheWhole(t *testing.T) {
	v := steps(t, [3]int{290, 31, 9})
	for _, r := range []denoise.Recipe{
		recipe(t, 3, "h=9 preselect=true zero=-40 search-radius=2"), recipe(t, 3, "h=0.6 search-radius=2"),
		recipe(t, 3, "h=9 block-radius=2 block-step=3 search-radius=1"), recipe(t, 2, "h=9 preselect=true zero=-40"), recipe(t, 3, "h=9 candidates=all search-radius=2"),
	} {
		whole := filtered(t, r, v, v.Bounds())
		for _, box := range []volume.Region{
			{Min: [3]int{1, 0, 0}, Max: [3]int{290, 31, 9}}, {Min: [3]int{101, 7, 3}, Max: [3]int{161, 24, 4}}, {Min: [3]int{288, 30, 8}, Max: [3]int{290, 31, 9}},
		} {
			want := &volume.Volume{Geometry: v.Geometry, Data: whole}
			if got := filtered(t, r, v, box); !slices.Equal(got, want.Crop(box).Data) {
				t.Errorf("%s: region %v has other bits than the whole", r, box)
			}
		}
	}
}

func TestBlocksThatLeaveGapsAreRefused(t *testing.T) {
	v := steps(t, [3]int{8, 8, 4})
	for set, ok := range map[string]bool{"block-step=2": true, "block-step=3": false, "block-radius=2 block-step=3": true, "block-radius=0 block-step=2": false} {
		_, err := recipe(t, 3, "h=9 "+set).Bind(v.Geometry)
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), "block-step is") {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// A run that is cancelled at any poll ends with the error of the context.
func TestCancel(t *testing.T) {
	v := steps(t, [3]int{40, 30, 6})
	for n := range 12 {
		out, err := cpu.New().Run(enginetest.CancelAtPoll(t.Context(), 4*n), recipe(t, 3, "h=9 search-radius=2"), denoise.Input{Volume: v}, v.Bounds(), nil)
		if !errors.Is(err, context.Canceled) || out != nil {
			t.Errorf("poll %d: %v, %v", 4*n, out != nil, err)
		}
	}
}

// Preselection keeps edges that are not smoothed from mixing with anything; it is off by
// default.
func TestPreselect(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{16, 9, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(100 * (i % 16 / 8))
	}
	if got := filtered(t, recipe(t, 2, "h=1e6 preselect=true"), v, v.Bounds()); !slices.Equal(got, v.Data) {
		t.Errorf("the step became %v", got[:16])
	}
	if got := filtered(t, recipe(t, 2, "h=1e6"), v, v.Bounds()); slices.Equal(got, v.Data) {
		t.Error("the step stays without preselection")
	}
}

// With a strength at which all weigh the same, a voxel takes a share of each candidate.
func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		dims  int
		d     [3]int
		count map[string]int // of the candidates
		used  string         // spreads at which d is one
	}{
		{3, [3]int{1, 1, 0}, map[string]int{"all": 342, "half": 184, "quarter": 108}, "all half quarter"},
		{3, [3]int{1, 0, 0}, nil, "all half quarter"},
		{3, [3]int{2, 1, 1}, nil, "all half"},
		{3, [3]int{2, 0, 0}, nil, "all half quarter"},
		{3, [3]int{2, 1, 0}, nil, "all"},
		{3, [3]int{2, 2, 1}, nil, "all"},
		{3, [3]int{3, 1, -1}, nil, "all quarter"},
		{3, [3]int{-1, -1, 2}, nil, "all half"},
		{3, [3]int{1, -2, 1}, nil, "all half"},
		{2, [3]int{1, -1, 0}, map[string]int{"all": 48, "half": 28, "quarter": 28}, "all half quarter"},
		{2, [3]int{2, 1, 0}, nil, "all"},
		{2, [3]int{-3, 1, 0}, nil, "all half quarter"},
	} {
		for _, spread := range []string{"all", "half", "quarter"} {
			v := volume.New(volume.NewGeometry([3]int{15, 15, []int{0, 0, 1, 15}[c.dims]}, [3]float64{1, 1, 1}))
			k := [3]int{8, 8, v.Dims[2] / 2 / 2 * 2}
			other := v.Index(k[0]+c.d[0], k[1]+c.d[1], k[2]+c.d[2])
			v.Data[other] = 1000
			got := filtered(t, recipe(t, c.dims, "h=1e6 block-radius=0 block-step=1 candidates="+spread), v, v.Bounds())
			if got := got[v.Index(k[0], k[1], k[2])] > 0; got != slices.Contains(strings.Fields(c.used), spread) {
				t.Errorf("%d-D, %s: %v is a candidate: %v", c.dims, spread, c.d, got)
			}
			if n, ok := c.count[spread]; ok {
				if want := 1000 / float64(n+1); math.Abs(float64(got[v.Index(k[0], k[1], k[2])])-want) > 1e-3 {
					t.Errorf("%d-D, %s: the voxel gets %v; want %v of %d candidates and itself", c.dims, spread, got[v.Index(k[0], k[1], k[2])], want, n)
				}
			}
		}
	}
}

// In the soft tissue of a CT the automatic h in sigmas follows the candidates, the size of
// a block, the voxels that a sample of the noise covers, the distance of the slices and how
// different neighbours are.
func TestAutomaticStrengthOnCT(t *testing.T) {
	tissue := func(sigma float64) noise.Estimate {
		e := noise.Known(sigma)
		e.Method = "surface fits"
		return e
	}
	base := func(candidates, voxels, factor float64) float64 {
		return (2.9 - 0.2*math.Log(candidates)) * (1 - 0.1*math.Log(voxels/27)) * factor
	}
	correlated := tissue(8) // a sample covers 1 + 4 + 4 (2 - sqrt 2)^2 voxels, which count as 3.5
	correlated.Correlation = &noise.Correlation{Across: [3]float64{1}}
	for d := -1; d <= 1; d++ {
		for k := -1; k <= 1; k++ {
			correlated.Correlation.InPlane[noise.MaxLag+d][noise.MaxLag+k] = 1
		}
	}
	for _, c := range []struct {
		dims int
		set  string
		e    noise.Estimate
		want float64
	}{
		{3, "", tissue(8), base(108, 27, 1.12)}, {3, "candidates=half", tissue(24), base(184, 27, 1.12)}, {3, "", correlated, base(108, 27, 1.12+0.25*2.5)},
		{3, "block-radius=2", tissue(8), base(108, 125, 1.12)}, {2, "", tissue(8), base(28, 9, 1.17)}, {2, "", correlated, base(28, 9, 1.17+0.16*2.5)},
		{2, "block-radius=0 block-step=1", tissue(8), 2.3}, {3, "", noise.Known(8), 2.3 - 0.11*math.Log(108) - 0.18*math.Log(27)},
	} {
		g := volume.NewGeometry([3]int{32, 32, 16}, [3]float64{1, 1, 1})
		r, err := recipe(t, c.dims, c.set).Resolve(g, denoise.Facts{Hi: 255, Noise: c.e})
		if err != nil {
			t.Fatal(err)
		}
		if h := r.Get("h").Float() / c.e.Sigma; math.Abs(h-c.want) > 1e-9 {
			t.Errorf("%d-D %q, sigma %g: h is %.4f sigma; want %.4f", c.dims, c.set, c.e.Sigma, h, c.want)
		}
	}
}

package kernels

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/equalise"
	"quell/denoise/filter/bilateral"
	"quell/denoise/filter/gaussian"
	"quell/denoise/filter/lowrank"
	"quell/denoise/filter/lpa"
	"quell/denoise/filter/median"
	"quell/denoise/filter/nlm"
	"quell/denoise/filter/spatial"
	"quell/denoise/rice"
	"quell/volume"
)

// decoded returns the parameters of a launch.
func decoded[T any](t *testing.T, l Launch) T {
	t.Helper()
	var p T
	if n, err := binary.Decode(l.Args, binary.LittleEndian, &p); err != nil || n != len(l.Args) {
		t.Fatalf("%d of %d bytes decoded, %v", n, len(l.Args), err)
	}
	return p
}

var testField = field{Dims: [3]int32{100, 90, 80}, Max: [3]int32{33, 64, 2}, Slices: 80}

func TestGaussianAndBilateralParams(t *testing.T) {
	w := spatial.Weights{Radius: [3]int{3, 2, 1}, Scale: [3]float64{0.5, 1, 2}}
	decay := [3]float32{float32(math.Log2E / 8), float32(math.Log2E / 2), float32(2 * math.Log2E)}
	l := gaussianLaunch(gaussian.Params{Weights: w}, testField)
	g := decoded[gaussianParams](t, l)
	if g.Field != testField || g.Radius != [3]int32{3, 2, 1} || g.Decay != decay {
		t.Errorf("%+v", g)
	}
	// 8 + 8 + 36 taps with the zeros next to them, 16 sums along z, two bands of 7 voxels
	// a thread and the 36 lines of two slices.
	if l.Kernel != "gaussian" || l.Grid != [3]int{2 * 2 * 1, 1, 1} || l.Block != [3]int{32, 8, 1} || g.Band != 36 || g.Buffers != 2 || l.Shared != 4*(8+8+36+16+2*7*256+2*36*32) {
		t.Errorf("%s, grid %v, block %v, band %d, %d buffers, %d bytes shared", l.Kernel, l.Grid, l.Block, g.Band, g.Buffers, l.Shared)
	}
	l = bilateralLaunch(bilateral.Params{Weights: w, SigmaRange: 4}, testField)
	b := decoded[bilateralParams](t, l)
	scale := math.Sqrt(math.Log2E/2) / 4
	if b.Field != testField || b.Radius != g.Radius || b.Decay != decay || b.Scale != float32(scale) || math.Abs(float64(b.Inverse)*scale-1) > 1e-6 {
		t.Errorf("%+v", b)
	}
	if l.Kernel != "bilateral_r3" || l.Grid != [3]int{2 * 2 * 2, 1, 1} || l.Block != [3]int{32, 8, 1} || l.Shared != 64*(32+4)*4 {
		t.Errorf("%s, grid %v, block %v, %d bytes shared", l.Kernel, l.Grid, l.Block, l.Shared)
	}
}

// TestSmallImagesOfBilateral: small images of one slice have a kernel of their own, on any
// part of them.
func TestSmallImagesOfBilateral(t *testing.T) {
	for _, c := range []struct {
		dims   [3]int32
		kernel string
		grid   int
	}{
		{[3]int32{32 * 12, 32*16 - 1, 1}, "bilateral", 12 * 16},
		{[3]int32{32 * 12, 32 * 15, 1}, "bilateral_small", 12 * 15 * 4},
		{[3]int32{32, 32, 2}, "bilateral", 2},
	} {
		l := bilateralLaunch(bilateral.Params{SigmaRange: 1}, field{Dims: c.dims, Slices: c.dims[2], Max: c.dims})
		part := bilateralLaunch(bilateral.Params{SigmaRange: 1}, field{Dims: c.dims, Slices: 1, Max: [3]int32{3, 3, 1}})
		if l.Kernel != c.kernel || l.Grid[0] != c.grid || part.Kernel != c.kernel || part.Grid[0] != 1 {
			t.Errorf("%v: %s, grid %v, a part: %s, grid %v", c.dims, l.Kernel, l.Grid, part.Kernel, part.Grid)
		}
	}
}

// TestRadiiOfBilateral: common radii have kernels of their own: square neighbourhoods in small images, and all
// radii along x elsewhere.
func TestRadiiOfBilateral(t *testing.T) {
	for _, c := range []struct {
		dims   [3]int32
		radius [3]int
		kernel string
		shared bool
	}{
		{[3]int32{256, 256, 1}, [3]int{0, 0, 0}, "bilateral_small", true},
		{[3]int32{256, 256, 1}, [3]int{1, 1, 0}, "bilateral_small_r1", false},
		{[3]int32{256, 256, 1}, [3]int{1, 2, 0}, "bilateral_small", true},
		{[3]int32{256, 256, 1}, [3]int{6, 6, 2}, "bilateral_small_r6", false},
		{[3]int32{256, 256, 1}, [3]int{7, 7, 0}, "bilateral_small", true},
		{[3]int32{512, 512, 1}, [3]int{1, 3, 0}, "bilateral", true},
		{[3]int32{512, 512, 1}, [3]int{2, 2, 0}, "bilateral_r2", true},
		{[3]int32{512, 512, 1}, [3]int{2, 1, 3}, "bilateral", true},
		{[3]int32{256, 256, 2}, [3]int{12, 2, 0}, "bilateral_r12", true},
		{[3]int32{256, 256, 2}, [3]int{13, 13, 0}, "bilateral", true},
	} {
		p := bilateral.Params{SigmaRange: 1}
		p.Radius = c.radius
		l := bilateralLaunch(p, field{Dims: c.dims, Slices: c.dims[2], Max: c.dims})
		if l.Kernel != c.kernel || (l.Shared > 0) != c.shared {
			t.Errorf("%v of %v: %s, %d bytes shared", c.radius, c.dims, l.Kernel, l.Shared)
		}
		if !c.shared && (l.Grid[0] != 8*32 || l.Block != [3]int{32, 8, 1}) {
			t.Errorf("%s: grid %v, block %v", l.Kernel, l.Grid, l.Block)
		}
	}
}

// The tiles of bilateral agree with the template arguments in bilateral.cu.
func TestBilateralTilesAgreeWithTheKernels(t *testing.T) {
	source, err := os.ReadFile("bilateral.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []bilateralTile{bilateralUsual, bilateralSmall} {
		want := regexp.MustCompile(fmt.Sprintf(`__launch_bounds__\(%d, \d\) %s\([^)]*\) \{ bilateralBlock<%d, %d, \d>`, 32*b.warps, b.kernel, b.each, b.warps))
		if !want.Match(source) {
			t.Errorf("%+v is not in bilateral.cu", b)
		}
	}
	for r := bilateralRows[0]; r <= bilateralRows[1]; r++ {
		want := fmt.Sprintf("__launch_bounds__(256, 4) bilateral_r%d(const __grid_constant__ BilateralParams p) { bilateralBlock<4, 8, 6, %d>(p); }", r, r)
		if !strings.Contains(string(source), want) {
			t.Errorf("bilateral.cu has no %s", want)
		}
	}
	for r := 1; r <= bilateralSquares; r++ {
		want := fmt.Sprintf("__launch_bounds__(256) bilateral_small_r%d(const __grid_constant__ BilateralParams p) { bilateralSquare<%d, 8>(p); }", r, r)
		if !strings.Contains(string(source), want) {
			t.Errorf("bilateral.cu has no %s", want)
		}
	}
}

// TestGaussianBands: with a mask there are two sums, and tiles of half as many slices; a
// slice of a large neighbourhood is read in several bands, and summed along y before the
// next one is summed along x if both do not fit in 48 KB of shared memory.
func TestGaussianBands(t *testing.T) {
	masked := testField
	masked.Mask, masked.Max[2] = 5, 9
	for _, c := range []struct {
		field   field
		radius  [3]int
		grid    int
		kernel  string
		band    int32
		buffers int32
		shared  int // bytes
	}{
		{testField, [3]int{0, 0, 0}, 4, "gaussian", 32, 2, 4 * (4 + 4 + 32 + 16 + 2*1792 + 2*32*32)},
		{testField, [3]int{4, 4, 4}, 4, "gaussian", 40, 2, 4 * (12 + 12 + 40 + 16 + 2*1792 + 2*40*32)},
		{testField, [3]int{6, 6, 6}, 4, "gaussian", 24, 2, 4 * (16 + 16 + 44 + 16 + 2*1792 + 2*44*32)},
		{testField, [3]int{48, 48, 48}, 4, "gaussian", 12, 2, 4 * (100 + 100 + 128 + 16 + 2*1792 + 2*128*32)}, // 48,480 bytes
		{testField, [3]int{49, 49, 49}, 4, "gaussian", 12, 1, 4 * (100 + 104 + 132 + 16 + 2*1792 + 132*32)},
		{testField, [3]int{64, 64, 64}, 4, "gaussian", 8, 1, 4 * (132 + 132 + 160 + 16 + 2*1792 + 160*32)},
		{masked, [3]int{4, 4, 4}, 8, "gaussian_masked", 20, 2, 4 * (12 + 12 + 24 + 8 + 2*2*1024 + 2*2*40*32)},
		{masked, [3]int{64, 64, 64}, 8, "gaussian_masked", 4, 1, 4 * (132 + 132 + 144 + 8 + 2*2*1024 + 2*160*32)},
	} {
		l := gaussianLaunch(gaussian.Params{Weights: spatial.Weights{Radius: c.radius}}, c.field)
		g := decoded[gaussianParams](t, l)
		if l.Kernel != c.kernel || l.Grid != [3]int{c.grid, 1, 1} || g.Band != c.band || g.Buffers != c.buffers || l.Shared != c.shared {
			t.Errorf("radius %v: %s, grid %v, band %d, %d buffers, %d bytes shared; want %+v", c.radius, l.Kernel, l.Grid, g.Band, g.Buffers, l.Shared, c)
		}
	}
}

// TestMedianKernels: the usual neighbourhoods have kernels of their own, which are the faster.
func TestMedianKernels(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1})
	for _, c := range []struct {
		dims   int
		radius denoise.Value
		kernel string
		factor float64
	}{
		{2, denoise.List(1), "median_3x3", 30}, {2, denoise.List(2), "median_5x5", 30}, {3, denoise.List(1), "median_3x3x3", 30},
		{3, denoise.List(2), "median", 1}, {3, denoise.List(1, 1, 0), "median_3x3", 30}, {2, denoise.List(3), "median", 1}, {2, denoise.List(1, 2, 0), "median", 1},
	} {
		p, err := recipe(t, "median", c.dims, map[string]denoise.Value{"radius": c.radius}).Bind(g)
		if err != nil {
			t.Fatal(err)
		}
		rate, err := Rate(p, p.Passes[0])
		if err != nil || rate != c.factor*1e11 {
			t.Errorf("%s: rate %g, %v", p.Recipe, rate, err)
		}
		if l := medianLaunch(p.Params.(median.Params), testField, 0); l.Kernel != c.kernel || l.Grid != [3]int{2 * 8 * 2, 1, 1} {
			t.Errorf("%s: kernel %s, grid %v; want %s", p.Recipe, l.Kernel, l.Grid, c.kernel)
		}
	}
}

// TestLPAParams checks the choice of the kernel and both sides of its limits.
func TestLPAParams(t *testing.T) {
	paper := []int{1, 2, 3, 5, 7, 8}
	many := make([]int, 33)
	for i := range many {
		many[i] = 1
	}
	masked := testField
	masked.Mask = 5
	for _, c := range []struct {
		scales []int
		field  field
		kernel string // "" for an error
	}{
		{paper, testField, "lpa_paper"}, {paper, masked, "lpa_any"}, {[]int{1, 2, 3, 5, 7}, testField, "lpa_any"},
		{[]int{32}, testField, "lpa_any"}, {many[:32], testField, "lpa_any"},
		{many, testField, ""}, {[]int{33}, testField, ""}, {[]int{0, 1}, testField, ""}, {nil, testField, ""},
	} {
		ls, err := lpaLaunches(lpa.Params{Gamma: 3, Sigma: 5, Scales: c.scales}, c.field, 0)
		if (err != nil) != (c.kernel == "") {
			t.Errorf("%v: %v", c.scales, err)
		}
		if err != nil {
			continue
		}
		p := decoded[lpaParams](t, ls[0])
		if len(ls) != 1 || ls[0].Kernel != c.kernel || p.Width != 15 || int(p.Count) != len(c.scales) || p.Field != c.field || p.Map != 0 {
			t.Errorf("%v: %s with %+v; want %s", c.scales, ls[0].Kernel, p, c.kernel)
		}
		for i, h := range c.scales {
			if p.Scales[i] != int32(h) {
				t.Errorf("scale %d is %d; want %d", i, p.Scales[i], h)
			}
		}
		if ls[0].Grid != [3]int{8, 1, 1} || ls[0].Block != [3]int{32, 8, 1} {
			t.Errorf("grid %v, block %v", ls[0].Grid, ls[0].Block)
		}
		rho := [2][lpa.Lags]float64{{0, 0, 0, 0}, {0, 0, -0.1, 0}}
		ls, err = lpaLaunches(lpa.Params{Gamma: 3, Sigma: 5, Scales: c.scales, Rho: &rho}, c.field, 0)
		if err != nil || ls[0].Kernel != c.kernel+"_correlated" || decoded[lpaParams](t, ls[0]).Rho != rho {
			t.Errorf("correlated noise: %+v, %v", ls, err)
		}
	}
}

func TestNLMParams(t *testing.T) {
	taps := []float64{0.25, 0.5, 0.25}
	p := nlm.Params{
		PatchRadius: [3]int{1, 1, 0}, SearchRadius: [3]int{4, 5, 0}, Taps: taps, H: 10, Sigma: 3, Centre: nlm.CentreMax, Rician: true,
	}
	a := newNLMParams(p, testField, 2)
	unit := math.Log2E / 100
	if a.Search != [3]int32{4, 5, 0} || a.Patch != [3]int32{1, 1, 0} || a.Rician != 1 || a.One != 0 || a.LK != 0 {
		t.Errorf("%+v", a)
	}
	if a.Norm != 0.25 || a.Ring[0] != 1 || a.Ring[1] != 0.5 || a.Ring[2] != 0 {
		t.Errorf("norm %g, ring %v; want 0.25 and 1, 1/2", a.Norm, a.Ring)
	}
	if a.Scale != float32(math.Sqrt(unit/4)) || a.Inverse != 1/a.Scale || a.Cut != float32(18*unit) || a.Bias != 18 {
		t.Errorf("scale %g, cut %g, bias %g", a.Scale, a.Cut, a.Bias)
	}
	for z := range a.Cuts {
		for y := range a.Cuts[z] {
			for x, cut := range a.Cuts[z][y] {
				if cut != a.Cut {
					t.Errorf("white noise: %g is cut at (%d, %d, %d); want %g", cut, x, y, z, a.Cut)
				}
			}
		}
	}
	if a := newNLMParams(p, testField, 3); a.Norm != 0.125 {
		t.Errorf("norm %g in 3-D; want 1/8", a.Norm)
	}
	p.LK, p.Centre, p.Rician = 3, nlm.CentreOne, false
	a = newNLMParams(p, testField, 2)
	if a.LK != 3 || a.Scale != 1 || a.Inverse != 1 || a.Cut != 0 || a.Bias != 18 || a.One != 1 || a.Rician != 0 {
		t.Errorf("lk: %+v", a)
	}
}

// TestNLMCorrelation checks the terms that are subtracted at each offset, and that the table
// reaches as far as the noise is correlated.
func TestNLMCorrelation(t *testing.T) {
	l := launch(t, recipe(t, "nlm", 3, map[string]denoise.Value{
		"h": denoise.Number(10), "sigma": denoise.Number(3), "correlation": denoise.List(50, 0, 0, -100, 20, 10),
	}), [3]int{9, 9, 9})
	a := decoded[nlmParams](t, l)
	unit := math.Log2E / 100
	for at, rho := range map[[3]int]float64{
		{1, 0, 0}: 0.5, {0, 1, 0}: 0.5, {2, 0, 0}: 0, {4, 0, 0}: -1, {0, 0, 1}: 0.2, {0, 0, 2}: 0.1, {1, 0, 2}: 0.05, {0, 4, 1}: -0.2, {4, 4, 2}: 0,
	} {
		if got, want := float64(a.Cuts[at[2]][at[1]][at[0]]), 18*(1-rho)*unit; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%g is cut at %v; want %g", got, at, want)
		}
	}
	p, err := recipe(t, "nlm", 3, map[string]denoise.Value{
		"h": denoise.Number(10), "sigma": denoise.Number(3), "correlation": denoise.List(90, 90, 90, 90, 90, 90),
	}).Bind(volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	params := p.Params.(nlm.Params)
	n := len(a.Cuts[0])
	for _, beyond := range [][3]int{{n, 0, 0}, {0, n, 0}, {0, 0, len(a.Cuts)}} {
		if got := params.Cut(beyond); got != 18 {
			t.Errorf("%g is cut at %v, beyond the table; want 18", got, beyond)
		}
	}
}

// TestNoiseMapParams checks the order of the passes and what their kernels get.
func TestNoiseMapParams(t *testing.T) {
	g := volume.NewGeometry([3]int{20, 10, 3}, [3]float64{1, 1, 1})
	ls := normalisedLaunches(t, "median", g)
	if len(ls) != 3 || ls[0].Kernel != "divide_by_sigma" || ls[1].Kernel != "median_3x3x3" || ls[2].Kernel != "multiply_by_sigma" {
		t.Fatalf("%+v", ls)
	}
	box := func(address uint64) Box { return NewBox(Buffer{Address: address, Box: g.Bounds()}) }
	for i, out := range map[int]uint64{0: 100, 2: 102} {
		want := noiseMapParams{In: box(10), Noise: box(11), Voxels: box(1), Mask: box(3), Out: box(out), Dims: [3]int32{20, 10, 3}, Usual: 50, Least: 0.5}
		if got := decoded[noiseMapParams](t, ls[i]); got != want {
			t.Errorf("%s: %+v; want %+v", ls[i].Kernel, got, want)
		}
		if ls[i].Grid != [3]int{3, 1, 1} || ls[i].Block != [3]int{256, 1, 1} { // 600 voxels
			t.Errorf("grid %v, block %v", ls[i].Grid, ls[i].Block)
		}
	}
}

// TestStabiliseParams checks the order of the passes and what their kernels get.
func TestStabiliseParams(t *testing.T) {
	g := volume.NewGeometry([3]int{20, 10, 3}, [3]float64{1, 1, 1})
	p, err := recipe(t, "median", 3, map[string]denoise.Value{"stabilise": denoise.Number(7)}).Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	ls := launchesOf(t, p, g)
	if len(ls) != 3 || ls[0].Kernel != "stabilise_noise" || ls[1].Kernel != "median_3x3x3" || ls[2].Kernel != "restore_signal" || ls[2].Module != "noisemap" {
		t.Fatalf("%+v", ls)
	}
	box := func(address uint64) Box { return NewBox(Buffer{Address: address, Box: g.Bounds()}) }
	for i, out := range map[int]uint64{0: 100, 2: 102} {
		got := decoded[stabiliseParams](t, ls[i])
		if got.In != box(10) || got.Voxels != box(1) || got.Mask != box(3) || got.Out != box(out) || got.Dims != [3]int32{20, 10, 3} {
			t.Errorf("%s: %+v", ls[i].Kernel, got)
		}
		if got.Sigma != 7 || got.Shift != rice.Shift || got.Floor != rice.Floor || got.Slopes != rice.Slopes || got.Values != rice.Values ||
			got.Squares != rice.Squares || got.Rises != rice.Rises {
			t.Errorf("%s: %+v; want the tables of package rice", ls[i].Kernel, got)
		}
		if ls[i].Grid != [3]int{3, 1, 1} || ls[i].Block != [3]int{256, 1, 1} { // 600 voxels
			t.Errorf("grid %v, block %v", ls[i].Grid, ls[i].Block)
		}
	}
}

// TestHalosOfWholeSlices checks that inputs that a kernel reads by whole slices are computed so.
func TestHalosOfWholeSlices(t *testing.T) {
	g := volume.NewGeometry([3]int{20, 10, 30}, [3]float64{1, 1, 1})
	p, err := recipe(t, "median", 3, map[string]denoise.Value{"radius": denoise.List(1, 2, 3)}).Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	p = p.Normalised(1)
	region := volume.Region{Min: [3]int{7, 4, 10}, Max: [3]int{8, 5, 12}}
	halos := Halos(p)
	for i, want := range []volume.Region{{Min: [3]int{0, 0, 7}, Max: [3]int{20, 10, 15}}, region, region} {
		if got := region.Grow(halos[p.Passes[i].Output], g); got != want {
			t.Errorf("pass %d computes %v; want %v", i, got, want)
		}
	}
	if p.Passes[1].Reach != [3]int{1, 2, 3} || p.Reach() != [3]int{1, 2, 3} {
		t.Error("the program was changed")
	}
}

// TestNLMKernels pins which kernel filters which patch, and the memory of a block.
func TestNLMKernels(t *testing.T) {
	for _, c := range []struct {
		dims, patch, lk int
		taps            []float64
		kernel          string
	}{
		{3, 0, 0, []float64{1}, "nlm_any"},
		{3, 1, 0, []float64{1, 1, 1}, "nlm_3d_f1"},
		{2, 1, 0, []float64{1, 2, 1}, "nlm_2d_f1"},
		{3, 2, 0, []float64{1, 1, 1, 1, 1}, "nlm_3d_f2_uniform"},
		{3, 2, 0, []float64{1, 2, 3, 2, 1}, "nlm_3d_f2_gaussian"},
		{2, 3, 0, []float64{1, 1, 1, 1, 1, 1, 1}, "nlm_2d_f3_uniform"},
		{2, 4, 0, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1}, "nlm_any"},
		{3, 1, 1, []float64{1, 1, 1}, "nlm_any"},
	} {
		p := nlm.Params{PatchRadius: [3]int{c.patch, c.patch, c.patch}, Taps: c.taps, H: 1, LK: c.lk, Centre: nlm.CentreOne}
		ls := nlmLaunches(p, testField, c.dims)
		if len(ls) != 1 || ls[0].Kernel != c.kernel {
			t.Errorf("%d-D, patch radius %d, lk %d: %s; want %s", c.dims, c.patch, c.lk, ls[0].Kernel, c.kernel)
		}
		if c.kernel == "nlm_any" && (ls[0].Grid != [3]int{2 * 16 * 2, 1, 1} || ls[0].Block != [3]int{32, 4, 1} || ls[0].Shared != 0) {
			t.Errorf("grid %v, block %v of the general kernel", ls[0].Grid, ls[0].Block)
		}
	}
	// 3-D, radius 1: 72 columns and 3 words of bits, 26 rows, 6 planes.
	if got := nlmTiles[[2]int{3, 1}].shared(1, 3); got != 6*26*75*4 {
		t.Errorf("%d bytes shared in 3-D; want %d", got, 6*26*75*4)
	}
	// 2-D, radius 3: 80 columns and 3 words, 38 rows, one plane.
	if got := nlmTiles[[2]int{2, 3}].shared(3, 2); got != 38*83*4 {
		t.Errorf("%d bytes shared in 2-D; want %d", got, 38*83*4)
	}
	// 2-D, radius 1: three sums of eight voxels of 128 threads, which are more than 34 * 83 words.
	if got := nlmTiles[[2]int{2, 1}].shared(1, 2); got != 3*8*128*4 {
		t.Errorf("%d bytes shared for sums; want %d", got, 3*8*128*4)
	}
	if got := nlmTiles[[2]int{3, 2}].dims(2, 1); got != [3]int{28, 16, 4} {
		t.Errorf("a block filters %v; want 28 x 16 x 4", got)
	}
}

// TestWideningCoversEveryVoxel checks both sides of a block's 2048 voxels.
func TestWideningCoversEveryVoxel(t *testing.T) {
	for count, blocks := range map[int64]int{1: 1, 2048: 1, 2049: 2, 4096: 2} {
		l := Widen(3, 4, count, 0.5)
		p := decoded[widenParams](t, l)
		if l.Grid != [3]int{blocks, 1, 1} || l.Block != [3]int{256, 1, 1} || p.From != 3 || p.To != 4 || p.Count != count || p.Bias != 0.5 {
			t.Errorf("%d voxels: grid %v, %+v", count, l.Grid, p)
		}
	}
}

// TestGridsHaveALimit checks the largest grid and the next one, in tiles and in chunks.
func TestGridsHaveALimit(t *testing.T) {
	one := [3]int{1, 1, 1}
	if got := Grid([3]int{math.MaxInt32, 1, 1}, one); got != [3]int{math.MaxInt32, 1, 1} {
		t.Errorf("grid %v; want the largest", got)
	}
	for _, dims := range [][3]int{{math.MaxInt32 + 1, 1, 1}, {1 << 16, 1 << 15, 1}, {1 << 11, 1 << 10, 1 << 10}} {
		if got := Grid(dims, one); got != [3]int{} {
			t.Errorf("grid %v of %v; want none", got, dims)
		}
	}
	f := field{Max: [3]int32{1 << 16, 1 << 15, 2}}
	if f.chunks(1) != 0 || f.chunks(2) != 0 || f.chunks(3) != (1<<32+2)/3 || f.chunks(4) != 1<<30 {
		t.Errorf("%d, %d, %d and %d blocks", f.chunks(1), f.chunks(2), f.chunks(3), f.chunks(4))
	}
}

// TestPartsAreChecked takes a valid part and spoils it in one way at a time.
func TestPartsAreChecked(t *testing.T) {
	g := volume.NewGeometry([3]int{16, 16, 16}, [3]float64{1, 1, 1})
	p, err := recipe(t, "median", 3, map[string]denoise.Value{"radius": denoise.Number(1)}).Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(*Part)
		want  string // part of the error, "" for none
	}{
		"valid":           {func(*Part) {}, ""},
		"no mask":         {func(p *Part) { p.Mask = Buffer{} }, ""},
		"region outside":  {func(p *Part) { p.Region.Max[2] = 17 }, "region"},
		"no input":        {func(p *Part) { p.Inputs = nil }, "has 1 inputs and 0 are given"},
		"two inputs":      {func(p *Part) { p.Inputs = append(p.Inputs, p.Inputs[0]) }, "has 1 inputs and 2 are given"},
		"one slice less":  {func(p *Part) { p.Inputs[0].Box.Min[2]++ }, "is given"},
		"its last slice":  {func(p *Part) { p.Inputs[0].Box.Max[2]-- }, "is given"},
		"no voxels":       {func(p *Part) { p.Voxels.Box.Max[2] = 8 }, "are not given"},
		"a short mask":    {func(p *Part) { p.Mask.Box.Min[2]++ }, "are not given"},
		"a longer mask":   {func(p *Part) { p.Mask.Box = volume.Slices(g, 2, 12) }, ""},
		"no whole mask":   {func(p *Part) { p.Mask.Box.Min[2], p.Inputs[0].Box = 3, volume.Slices(g, 2, 10) }, "the mask holds"},
		"mask ends early": {func(p *Part) { p.Inputs[0].Box.Max[2]++ }, "the mask holds"},
		"parts of slices": {func(p *Part) { p.Mask, p.Region.Min[0], p.Inputs[0].Box.Min[0] = Buffer{}, 4, 2 }, "is no range of whole slices"},
		"a giant volume":  {func(p *Part) { p.Dims[2] = math.MaxInt32/2 + 1 }, "along an axis are too many"},
	} {
		part := Part{
			Dims: g.Dims, Region: volume.Slices(g, 5, 9), Out: 4,
			Inputs: []Buffer{{Address: 1, Box: volume.Slices(g, 4, 10)}},
			Voxels: Buffer{Address: 2, Box: volume.Slices(g, 5, 9)},
			Mask:   Buffer{Address: 3, Box: volume.Slices(g, 4, 10)},
		}
		c.spoil(&part)
		_, err := Launches(p, p.Passes[0], part)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

// TestFieldOfAPart checks what kernels get of a part.
func TestFieldOfAPart(t *testing.T) {
	g := volume.NewGeometry([3]int{6, 7, 16}, [3]float64{1, 1, 1})
	part := Part{
		Dims: g.Dims, Region: volume.Region{Min: [3]int{1, 2, 5}, Max: [3]int{4, 6, 9}}, Out: 4,
		Inputs: []Buffer{{Address: 1, Box: volume.Slices(g, 4, 10)}}, Mask: Buffer{Address: 3, Box: volume.Slices(g, 4, 10)},
	}
	f, err := newField(part)
	want := field{In: 1, Mask: 3, Out: 4, Dims: [3]int32{6, 7, 16}, First: 4, Slices: 6, Min: [3]int32{1, 2, 5}, Max: [3]int32{4, 6, 9}}
	if err != nil || f != want {
		t.Errorf("%+v, %v; want %+v", f, err, want)
	}
	part.Mask = Buffer{Address: 3, Box: volume.Slices(g, 2, 12)}
	want.Mask = 3 + 2*6*7 // the third slice of the mask
	if f, err = newField(part); err != nil || f != want {
		t.Errorf("with a longer mask %+v, %v; want %+v", f, err, want)
	}
	box := Box{Address: 4, Min: [3]int32{1, 2, 5}, Max: [3]int32{4, 6, 9}}
	if got := part.OutBox(); got != box {
		t.Errorf("%+v; want %+v", got, box)
	}
}

// TestModulesHaveNames checks unknown modules, added ones and the digest.
func TestModulesHaveNames(t *testing.T) {
	if Image("none") != "" || len(Digest()) != 64 {
		t.Errorf("digest %q", Digest())
	}
	RegisterModule("extra", "image")
	defer delete(moreImages, "extra")
	if Image("extra") != "image" || Modules()[0] != "extra" {
		t.Errorf("modules %v", Modules())
	}
	defer func() {
		if got := fmt.Sprint(recover()); got != "kernels: nlm is registered twice" {
			t.Errorf("panic %q", got)
		}
	}()
	Register("nlm", nil)
}

// TestEqualiseParams checks what the kernel of the equaliser gets, after all other passes.
func TestEqualiseParams(t *testing.T) {
	g := volume.NewGeometry([3]int{40, 10, 20}, [3]float64{1, 1, 1})
	full := recipe(t, "median", 3, nil)
	box := func(address uint64) Box { return NewBox(Buffer{Address: address, Box: g.Bounds()}) }
	for _, c := range []struct {
		weights        equalise.Weights
		levels, slices int32
		want           [16]float32
	}{
		{nil, 1, 1, [16]float32{0.25}},
		{equalise.Weights{1, 2, 3, 4}, 4, 1, [16]float32{0: 1, 4: 2, 8: 3, 12: 4}},
		{equalise.Weights{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 4, 4, [16]float32{1, 1, 1.5, 2, 5, 3, 3.5, 4, 9, 5, 5.5, 6, 13, 7, 7.5, 8}},
	} {
		p, err := full.Equalised(25, c.weights).Bind(g)
		if err != nil {
			t.Fatal(err)
		}
		ls := launchesOf(t, p, g)
		if len(ls) != 2 || ls[0].Kernel != "median_3x3x3" || ls[1].Kernel != "equalise" || ls[1].Module != "equalise" {
			t.Fatalf("%+v", ls)
		}
		got := decoded[equaliseParams](t, ls[1])
		if got.In != box(10) || got.Original != box(11) || got.Voxels != box(1) || got.Mask != box(3) || got.Out != box(101) || got.Dims != [3]int32{40, 10, 20} || got.Levels != c.levels || got.Slices != c.slices || got.Weights != c.want {
			t.Errorf("%+v", got)
		}
		if ls[1].Grid != [3]int{4, 1, 1} || ls[1].Block != [3]int{32, 8, 1} {
			t.Errorf("grid %v, block %v", ls[1].Grid, ls[1].Block)
		}
	}
}

// TestLowrankMemory pins the sizes of Gram matrices that fit into shared memory and into the kernel.
func TestLowrankMemory(t *testing.T) {
	for _, c := range []struct {
		volumes, width, shared int
		scratch, fits          bool
	}{
		{79, 5, 0, false, true}, {80, 5, 0, true, true}, {80, 5, 66 << 10, false, true}, {4096, 3, 0, false, true}, {4097, 3, 0, false, false},
		{160, 9, 227 << 10, false, true}, {160, 9, 163 << 10, true, true}, {161, 9, 227 << 10, false, false},
	} {
		p := lowrank.Part{Params: lowrank.Params{Dims: [3]int{20, 20, 20}, Volumes: c.volumes, Width: [3]int{c.width, c.width, c.width}, Step: 3, Limit: 5}}
		program := denoise.Program{Recipe: denoise.Recipe{Filter: "lowrank"}, Params: p}
		box := volume.Region{Max: [3]int{20 * (c.volumes + 1), 20, 20}}
		buffer := Buffer{Address: 1, Box: box}
		part := Part{Dims: box.Max, Region: box, Inputs: []Buffer{buffer}, Voxels: buffer, Out: 1, Scratch: 1 << 20, Shared: c.shared}
		ls, err := Launches(program, denoise.Pass{Name: lowrank.PatchesPass, Inputs: []string{denoise.Voxels}}, part)
		if (err == nil) != c.fits || err != nil && !errors.Is(err, denoise.ErrUnsupported) {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil {
			continue
		}
		args := decoded[lowrankParams](t, ls[1])
		if (args.Scratch > 0) != c.scratch || ls[1].Shared > max(c.shared, 64<<10)-lowrankStatic || c.scratch && args.Scratch != 1<<20+4*8000 {
			t.Errorf("%+v: scratch at %d, %d bytes of shared memory", c, args.Scratch, ls[1].Shared)
		}
	}
}

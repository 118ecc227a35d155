package kernels

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/filter/nlm"
	"quell/denoise/noise"
	"quell/volume"
)

// launch returns the first launch of a recipe on the whole of a volume.
func launch(t *testing.T, r denoise.Recipe, dims [3]int) Launch {
	t.Helper()
	return launches(t, r, dims)[0]
}

// launches returns all launches of a recipe on the whole of a volume.
func launches(t *testing.T, r denoise.Recipe, dims [3]int) []Launch {
	t.Helper()
	g := volume.NewGeometry(dims, [3]float64{1, 1, 1})
	ls, err := launchesOn(r, g, g.Bounds(), g.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	return ls
}

// launchesOn returns the launches of every pass of a recipe on a region. Each input
// consists of the voxels of box.
func launchesOn(r denoise.Recipe, g volume.Geometry, region, box volume.Region) ([]Launch, error) {
	p, err := r.Bind(g)
	if err != nil {
		return nil, err
	}
	var all []Launch
	for _, pass := range p.Passes {
		part := Part{Dims: g.Dims, Region: region, Voxels: Buffer{Address: 1, Box: box}, Out: 2}
		for range pass.Inputs {
			part.Inputs = append(part.Inputs, part.Voxels)
		}
		ls, err := Launches(p, pass, part)
		if err != nil {
			return nil, err
		}
		all = append(all, ls...)
	}
	return all, nil
}

// programOf returns the program of a case for a volume of geometry g, or for a series of 10 joined to one.
func programOf(t *testing.T, f denoise.Filter, c denoise.Case, g volume.Geometry) denoise.Program {
	t.Helper()
	r, err := f.Recipe(c)
	if err != nil {
		t.Fatal(err)
	}
	r = resolve(t, r)
	p, err := r.Bind(g)
	if f.Together != nil {
		p, err = r.JoinedProgram(g.Dims, denoise.SeriesShape{Volumes: 10, Depth: g.Dims[2]})
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// recipe returns a resolved recipe with some parameters changed.
func recipe(t *testing.T, filter string, dims int, set map[string]denoise.Value) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		t.Fatal(err)
	}
	return resolve(t, r.SetAll(set))
}

func resolve(t *testing.T, r denoise.Recipe) denoise.Recipe {
	t.Helper()
	g := volume.NewGeometry([3]int{64, 64, 64}, [3]float64{1, 1, 1})
	r, err := r.Resolve(g, denoise.Facts{Lo: 0, Hi: 100, Noise: noise.Known(5)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Parameter structs must have the same layout in Go and on the device.
func TestParameterStructsHaveTheSizeOfTheDevice(t *testing.T) {
	sizes := map[string]int{}
	files, err := filepath.Glob("*.cu*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`static_assert\(sizeof\((\w+)\) == (\d+)\)`).FindAllSubmatch(text, -1) {
			sizes[string(m[1])], _ = strconv.Atoi(string(m[2]))
		}
	}
	for name, params := range map[string]any{
		"Field": field{}, "NlmParams": nlmParams{}, "BilateralParams": bilateralParams{}, "GaussianParams": gaussianParams{},
		"MedianParams": medianParams{}, "NoiseMapParams": noiseMapParams{}, "StabiliseParams": stabiliseParams{}, "EqualiseParams": equaliseParams{}, "LpaParams": lpaParams{}, "WidenParams": widenParams{},
		"DctParams": dctParams{}, "PrinlmParams": prinlmParams{}, "SlabParams": slabParams{}, "LowrankParams": lowrankParams{}, "LowrankLimitParams": lowrankLimitParams{},
		"SadctScalesParams": sadctScalesParams{}, "SadctStageParams": sadctStageParams{}, "SadctDeviationsParams": sadctDeviationsParams{},
		"Selection": selection{}, "PreselectParams": preselectParams{}, "NlmSelectParams": nlmSelectParams{}, "BnlmParams": bnlmParams{},
	} {
		if got := len(Pack(params)); got != sizes[name] {
			t.Errorf("%s: %d bytes here, %d on the device", name, got, sizes[name])
		}
	}
}

func TestFieldHasTheOrderOfTheDevice(t *testing.T) {
	b := Pack(field{In: 1, Mask: 2, Out: 3, Dims: [3]int32{4, 5, 6}, First: 7, Slices: 8, Min: [3]int32{9, 10, 11}, Max: [3]int32{12, 13, 14}})
	for i, want := range []uint64{1, 2, 3} {
		if got := binary.LittleEndian.Uint64(b[8*i:]); got != want {
			t.Errorf("pointer %d is %d", i, got)
		}
	}
	for i := range 11 {
		if got := binary.LittleEndian.Uint32(b[24+4*i:]); got != uint32(4+i) {
			t.Errorf("integer %d is %d", i, got)
		}
	}
}

// The table of tiles must agree with the template arguments in nlm.cu.
func TestTilesAgreeWithTheKernels(t *testing.T) {
	source, err := os.ReadFile("nlm.cu")
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`__launch_bounds__\((\d+), \d+\) (nlm_\w+)\([^)]*\)\s*\{\s*nlmBlock<([^>]*)>`).FindAllStringSubmatch(string(source), -1)
	if len(calls) != 10 {
		t.Fatalf("%d kernels found in nlm.cu", len(calls))
	}
	for _, c := range calls {
		var dims, patch int
		if _, err := fmt.Sscanf(c[2], "nlm_%dd_f%d", &dims, &patch); err != nil {
			t.Fatal(err)
		}
		tile := nlmTiles[[2]int{dims, patch}]
		gaussian := patch == 1 || strings.HasSuffix(c[2], "gaussian")
		want := fmt.Sprintf("%d, %d, %d, %d, %d, %d, %d, %d, %t", dims, patch, tile.x, tile.y, tile.z, tile.warps, tile.steps, tile.together, gaussian)
		if c[3] != want || c[1] != strconv.Itoa(32*tile.warps) {
			t.Errorf("%s is nlmBlock<%s> with %s threads, the table says <%s>", c[2], c[3], c[1], want)
		}
	}
}

// Every pass of every filter has kernels, with names that are in the source of
// their module.
func TestEveryFilterHasKernels(t *testing.T) {
	used := map[string]bool{}
	check := func(l Launch) {
		t.Helper()
		used[l.Module] = true
		source, err := os.ReadFile(l.Module + ".cu")
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`\b` + l.Kernel + `\(`).Match(source) {
			t.Errorf("there is no kernel %s in %s.cu", l.Kernel, l.Module)
		}
		if Image(l.Module) == "" {
			t.Errorf("there is no module %s", l.Module)
		}
		if l.Shared > 64<<10 {
			t.Errorf("%s has %d bytes of shared memory", l.Kernel, l.Shared)
		}
	}
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1})
	for _, f := range denoise.AllFilters() {
		for _, c := range f.Cases {
			g := g
			if f.Together != nil {
				g.Dims[0] *= 11
			}
			p := programOf(t, f, c, g)
			if err := Check(p); err != nil {
				t.Errorf("%s %s: %v", f.Name, c.Name, err)
			}
			for _, pass := range p.Passes {
				if rate, err := Rate(p, pass); err != nil || rate <= 0 || pass.Work <= 0 {
					t.Errorf("%s %s, pass %s: rate %g, work %g, %v", f.Name, c.Name, pass.Name, rate, pass.Work, err)
				}
			}
			for _, l := range launchesOf(t, p, g) {
				check(l)
			}
		}
	}
	for patch := range 9 {
		for _, dims := range []int{2, 3} {
			for _, weights := range []string{"uniform", "gaussian"} {
				for _, l := range launches(t, recipe(t, "nlm", dims, map[string]denoise.Value{
					"patch-radius": denoise.Number(float64(patch)), "patch-weights": denoise.Word(weights)}), g.Dims) {
					check(l)
				}
			}
		}
	}
	for _, l := range normalisedLaunches(t, "median", g) {
		check(l)
	}
	for _, l := range launchesOfShapes(t) {
		check(l)
	}
	for _, l := range launches(t, recipe(t, "median", 3, map[string]denoise.Value{"strength": denoise.Number(50)}), g.Dims) {
		check(l)
	}
	check(Widen(1, 2, 3, 0))
	for _, m := range Modules() {
		if !used[m] {
			t.Errorf("no filter uses module %s", m)
		}
	}
	for name, passes := range registered {
		if name == anyFilter {
			continue
		}
		if _, err := denoise.FilterByName(name); err != nil {
			t.Errorf("kernels of an unknown filter: %v", err)
		}
		for pass := range passes {
			if !hasPass(t, name, pass) {
				t.Errorf("%s has no pass %q", name, pass)
			}
		}
	}
}

// normalisedLaunches returns the launches of a filter on volumes divided by a noise map.
func normalisedLaunches(t *testing.T, filter string, g volume.Geometry) []Launch {
	t.Helper()
	p, err := recipe(t, filter, 3, nil).Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	return launchesOf(t, p.Normalised(50), g)
}

// launchesOf returns the launches of a program over a whole volume.
func launchesOf(t *testing.T, p denoise.Program, g volume.Geometry) []Launch {
	t.Helper()
	if err := Check(p); err != nil {
		t.Fatal(err)
	}
	var all []Launch
	for i, pass := range p.Passes {
		part := Part{
			Dims: g.Dims, Region: g.Bounds(), Out: uint64(100 + i), Voxels: Buffer{Address: 1, Box: g.Bounds()}, Mask: Buffer{Address: 3, Box: g.Bounds()},
		}
		for k := range pass.Inputs {
			part.Inputs = append(part.Inputs, Buffer{Address: uint64(10 + k), Box: g.Bounds()})
		}
		ls, err := Launches(p, pass, part)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ls...)
	}
	return all
}

// hasPass reports whether a case of the filter has the pass.
func hasPass(t *testing.T, filter, pass string) bool {
	t.Helper()
	f, err := denoise.FilterByName(filter)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Cases {
		p := programOf(t, f, c, volume.NewGeometry([3]int{99, 9, 9}, [3]float64{1, 1, 1}))
		if slices.ContainsFunc(p.Passes, func(q denoise.Pass) bool { return q.Name == pass }) {
			return true
		}
	}
	return false
}

// Every module has its source, and every header is included somewhere.
func TestSourcesAreUsed(t *testing.T) {
	var text []byte
	sources, err := filepath.Glob("*.cu*")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := filepath.Glob("kerneltest/*.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(tests, sources...) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b...)
	}
	for _, file := range sources {
		name, module := strings.CutSuffix(file, ".cu")
		if module && !slices.Contains(Modules(), name) {
			t.Errorf("%s has no module; run make kernels", file)
		}
		if !module && !bytes.Contains(text, []byte(`#include "`+file+`"`)) && !bytes.Contains(text, []byte(`#include "../`+file+`"`)) {
			t.Errorf("%s is not included", file)
		}
	}
}

// Voxels with weights that underflow in float32 are marked by the general kernel and
// filtered by a second one, which examines every voxel of the region. The fast kernels
// filter them.
func TestUnderflowKernelExaminesEveryVoxel(t *testing.T) {
	source, err := os.ReadFile("nlm_underflow.cuh")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`filterMarked\([^{]*\{\s*constexpr int kThreads = (\d+), kEach = (\d+);`).FindSubmatch(source)
	if m == nil {
		t.Fatal("the constants of nlm_underflow were not found")
	}
	threads, _ := strconv.Atoi(string(m[1]))
	each, _ := strconv.Atoi(string(m[2]))
	general := map[string]denoise.Value{"patch-radius": denoise.Number(4)}
	ls := launches(t, recipe(t, "nlm", 3, general), [3]int{64, 64, 3})
	if len(ls) != 2 || ls[1].Kernel != "nlm_underflow" || ls[1].Block[0] != threads || ls[1].Grid[0]*threads*each != 64*64*3 {
		t.Errorf("blocks of %d threads with %d voxels each, and the launches are %+v", threads, each, ls)
	}
	if ls := launches(t, recipe(t, "nlm", 3, nil), [3]int{64, 64, 3}); len(ls) != 1 {
		t.Errorf("%d launches of a fast kernel; want one", len(ls))
	}
	for name, v := range map[string]denoise.Value{"centre": denoise.Word("one"), "weighting": denoise.Word("lk")} {
		general[name] = v
		ls := launches(t, recipe(t, "nlm", 3, general), [3]int{9, 9, 9})
		delete(general, name)
		if len(ls) != 1 {
			t.Errorf("%s %v: %d launches; want one", name, v, len(ls))
		}
	}
}

func TestGridCoversTheRegion(t *testing.T) {
	f := field{Min: [3]int32{5, 0, 2}, Max: [3]int32{38, 32, 3}}
	if got := f.grid([3]int{32, 32, 1}); got != [3]int{2, 1, 1} {
		t.Errorf("33x32x1 voxels in tiles of 32x32x1: grid %v", got)
	}
	if got := f.grid([3]int{30, 16, 4}); got != [3]int{4, 1, 1} {
		t.Errorf("33x32x1 voxels in tiles of 30x16x4: grid %v", got)
	}
}

// A sagittal slice is one voxel thin along x, the axis of the lanes.
func TestRegionsThinAlongXAreSwapped(t *testing.T) {
	dims := [3]int{40, 300, 20}
	g := volume.NewGeometry(dims, [3]float64{1, 1, 1})
	r := recipe(t, "nlm", 3, nil)
	for _, c := range []struct {
		region volume.Region
		want   field
	}{
		{volume.Region{Min: [3]int{7, 0, 0}, Max: [3]int{8, 300, 20}},
			field{In: 1, Out: 2, Dims: [3]int32{300, 40, 20}, Slices: 20, Min: [3]int32{0, 7, 0}, Max: [3]int32{300, 8, 20}, Swapped: 1}},
		{volume.Region{Min: [3]int{0, 7, 0}, Max: [3]int{40, 8, 20}},
			field{In: 1, Out: 2, Dims: [3]int32{40, 300, 20}, Slices: 20, Min: [3]int32{0, 7, 0}, Max: [3]int32{40, 8, 20}}},
	} {
		ls, err := launchesOn(r, g, c.region, g.Bounds())
		if err != nil {
			t.Fatal(err)
		}
		var p nlmParams
		if _, err := binary.Decode(ls[0].Args, binary.LittleEndian, &p); err != nil {
			t.Fatal(err)
		}
		if p.Field != c.want {
			t.Errorf("region %v: field %+v, want %+v", c.region, p.Field, c.want)
		}
		if tile := nlmTiles[[2]int{3, 1}].dims(1, 4); ls[0].Grid != p.Field.grid(tile) || p.Parts != 4 {
			t.Errorf("region %v: grid %v, want %v, %d parts", c.region, ls[0].Grid, p.Field.grid(tile), p.Parts)
		}
	}
}

// The warps of a block share their voxels if one has rows for all of them, and in
// small images, on any part of them.
func TestPartsOfNLM(t *testing.T) {
	for _, c := range []struct {
		dims, min, max [3]int
		patch, parts   int
		blocks         int
	}{
		{[3]int{300, 300, 300}, [3]int{0, 9, 0}, [3]int{300, 13, 300}, 2, 4, 11 * 75},
		{[3]int{300, 300, 300}, [3]int{0, 9, 0}, [3]int{300, 14, 300}, 2, 1, 11 * 75},
		{[3]int{300, 300, 300}, [3]int{9, 0, 0}, [3]int{10, 300, 300}, 2, 4, 11 * 75}, // swapped: 11 x 75 blocks of a quarter of the work of 19 x 75
		{[3]int{58 * 8, 16 * 32, 1}, [3]int{}, [3]int{58 * 8, 16 * 32, 1}, 3, 4, 8 * 32 * 4},
		{[3]int{58 * 8, 16 * 33, 1}, [3]int{}, [3]int{58 * 8, 16 * 33, 1}, 3, 1, 8 * 33},
		{[3]int{58 * 8, 16 * 32, 1}, [3]int{0, 16, 0}, [3]int{58, 48, 1}, 3, 4, 2 * 4},
		{[3]int{58, 32, 2}, [3]int{}, [3]int{58, 32, 2}, 3, 1, 2 * 2},
	} {
		f := field{Slices: int32(c.dims[2])}
		for k := range 3 {
			f.Dims[k], f.Min[k], f.Max[k] = int32(c.dims[k]), int32(c.min[k]), int32(c.max[k])
		}
		dims := 3
		if c.patch == 3 {
			dims = 2
		}
		p := nlm.Params{H: 1, Taps: make([]float64, 2*c.patch+1), Centre: nlm.CentreOne}
		for k := range dims {
			p.PatchRadius[k] = c.patch
		}
		l := nlmLaunches(p, f, dims)[0]
		if got := decoded[nlmParams](t, l).Parts; int(got) != c.parts || l.Grid[0] != c.blocks {
			t.Errorf("%v to %v of %v: %d parts and %d blocks, want %d and %d", c.min, c.max, c.dims, got, l.Grid[0], c.parts, c.blocks)
		}
	}
}

// The warps of the last blocks share their voxels if the blocks of a volume are 1 to 16
// waves of 264 and at most half a wave more, on any part of it.
func TestLastBlocksOfNLM(t *testing.T) {
	const none = math.MaxInt32
	box := func(x, y, z int) [3]int { return [3]int{x, y, z} }
	for _, c := range []struct {
		dims, min, max [3]int
		patch, from    int
		blocks         int
	}{
		{box(181, 217, 51), box(0, 0, 0), box(181, 217, 51), 1, 50, 25*42 + 3*55}, // 1092 blocks: 4 waves and 36
		{box(181, 217, 51), box(0, 0, 49), box(181, 217, 51), 1, 50, 42},          // the tile that begins at 49 is not shared
		{box(181, 217, 51), box(0, 0, 48), box(181, 217, 51), 1, 50, 42 + 3*55},
		{box(181, 217, 51), box(0, 0, 50), box(181, 217, 51), 1, 50, 3 * 55},
		{box(181, 217, 51), box(0, 0, 0), box(181, 217, 50), 1, 50, 25 * 42},
		{box(62, 16, 264*2), box(0, 0, 0), box(62, 16, 264*2), 1, none, 264}, // a wave, and 1, 132 and 133 blocks more
		{box(62, 16, 265*2), box(0, 0, 0), box(62, 16, 265*2), 1, 528, 264 + 4},
		{box(62, 16, 396*2), box(0, 0, 0), box(62, 16, 396*2), 1, 528, 264 + 4*132},
		{box(62, 16, 397*2), box(0, 0, 0), box(62, 16, 397*2), 1, none, 397},
		{box(62, 16, 263*2), box(0, 0, 0), box(62, 16, 263*2), 1, none, 263},
		{box(62, 16, (16*264+1)*2), box(0, 0, 0), box(62, 16, (16*264+1)*2), 1, 16 * 264 * 2, 16*264 + 4},
		{box(62, 16, (17*264+1)*2), box(0, 0, 0), box(62, 16, (17*264+1)*2), 1, none, 17*264 + 1},
		{box(28, 16, 265*4), box(0, 0, 0), box(28, 16, 265*4), 2, none, 265},
		{box(62, 16, 265*2), box(0, 4, 0), box(62, 8, 265*2), 1, 528, 265}, // all share anyway
	} {
		f := field{Slices: int32(c.dims[2])}
		for k := range 3 {
			f.Dims[k], f.Min[k], f.Max[k] = int32(c.dims[k]), int32(c.min[k]), int32(c.max[k])
		}
		p := nlm.Params{H: 1, Taps: make([]float64, 2*c.patch+1), Centre: nlm.CentreOne}
		for k := range 3 {
			p.PatchRadius[k] = c.patch
		}
		l := nlmLaunches(p, f, 3)[0]
		if got := decoded[nlmParams](t, l).SharedFrom; int(got) != c.from || l.Grid[0] != c.blocks {
			t.Errorf("%v to %v of %v: shared from %d, %d blocks; want %d and %d", c.min, c.max, c.dims, got, l.Grid[0], c.from, c.blocks)
		}
	}
	// Images, and one slice in three dimensions, do not share at the end.
	for dims, slices := range map[int]int32{2: 5, 3: 1} {
		f := field{Slices: slices, Dims: [3]int32{62, 16 * 265, slices}, Max: [3]int32{62, 16 * 265, slices}}
		p := nlm.Params{H: 1, Taps: make([]float64, 3), Centre: nlm.CentreOne, PatchRadius: [3]int{1, 1, dims - 2}}
		if l := nlmLaunches(p, f, dims)[0]; decoded[nlmParams](t, l).SharedFrom != none || l.Grid[0] != 265*int(slices) {
			t.Errorf("%d slices: shared from %d, %d blocks", slices, decoded[nlmParams](t, l).SharedFrom, l.Grid[0])
		}
	}
}

func TestNLMScaleTurnsDistancesIntoPowersOfTwo(t *testing.T) {
	l := launch(t, recipe(t, "nlm", 3, map[string]denoise.Value{"h": denoise.Number(10)}), [3]int{9, 9, 9})
	var p nlmParams
	if _, err := binary.Decode(l.Args, binary.LittleEndian, &p); err != nil {
		t.Fatal(err)
	}
	// Patches that differ by 10 everywhere: D = 100, the weight 1/e.
	sum := 0.0
	for kz := -1; kz <= 1; kz++ {
		for ky := -1; ky <= 1; ky++ {
			for kx := -1; kx <= 1; kx++ {
				a := float64(p.Ring[kx&1] * p.Ring[ky&1] * p.Ring[kz&1])
				sum += a * math.Pow(10*float64(p.Scale), 2)
			}
		}
	}
	if w := math.Exp2(-sum); math.Abs(w-1/math.E) > 1e-6 {
		t.Errorf("weight %g, want 1/e", w)
	}
}

func TestLaunchesRefuse(t *testing.T) {
	g := volume.NewGeometry([3]int{16, 16, 16}, [3]float64{1, 1, 1})
	r := recipe(t, "nlm", 3, nil)
	if _, err := launchesOn(r, g, volume.Slices(g, 6, 10), volume.Slices(g, 4, 12)); err == nil {
		t.Error("slices that do not contain what the pass reads were accepted")
	}
	p, err := r.Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	p.Passes[0].Name = "unknown"
	if err := Check(p); !errors.Is(err, denoise.ErrUnsupported) || !strings.Contains(err.Error(), `pass "unknown" of nlm`) {
		t.Errorf("%v; want an ErrUnsupported that names pass and filter", err)
	}
}

// The rate of nlm without a fast kernel is the rate of nlm_any: the time of a pair is the
// time of its samples and of four more.
func TestRateOfPlainNLM(t *testing.T) {
	for _, c := range []struct {
		set        map[string]denoise.Value
		picosecond float64 // for a pair
	}{
		{map[string]denoise.Value{"patch-radius": denoise.Number(1)}, 1.25},
		{map[string]denoise.Value{"patch-radius": denoise.Number(3)}, 1.25},
		{map[string]denoise.Value{"patch-radius": denoise.Number(0)}, 2.45 * (1 + 4)},
		{map[string]denoise.Value{"patch-radius": denoise.Number(4)}, 2.45 * (729 + 4)},
		{map[string]denoise.Value{"patch-radius": denoise.Number(1), "weighting": denoise.Word("lk")}, 2.45 * (27 + 4)},
	} {
		p, err := recipe(t, "nlm", 3, c.set).Bind(volume.NewGeometry([3]int{9, 8, 7}, [3]float64{1, 1, 1}))
		if err != nil {
			t.Fatal(err)
		}
		rate, err := Rate(p, p.Passes[0])
		if got := p.Passes[0].Work / 343 / rate * 1e12; err != nil || math.Abs(got/c.picosecond-1) > 1e-9 {
			t.Errorf("%v: %g ps a pair, want %g; %v", c.set, got, c.picosecond, err)
		}
	}
}

// The columns of a large volume that do not fill a tile have a launch of their own, with x and
// y swapped, if that saves two per cent.
func TestNLMColumnsApart(t *testing.T) {
	box := func(x, y, z int) [3]int { return [3]int{x, y, z} }
	for _, c := range []struct {
		dims, min, max [3]int
		radius, patch  int // dimensions and patch radius
		left, columns  int // blocks and columns of the launches; columns 0: there is one
		right          int
	}{
		{box(512, 512, 548), box(0, 0, 0), box(512, 512, 548), 3, 2, 18 * 32 * 137, 8, 19 * 2 * 137},
		{box(512, 512, 548), box(0, 0, 40), box(512, 512, 44), 3, 2, 18 * 32, 8, 19 * 2}, // a part
		{box(512, 512, 548), box(0, 4, 0), box(512, 512, 548), 3, 2, 19 * 32 * 137, 0, 0},
		{box(512, 512, 548), box(0, 0, 0), box(512, 508, 548), 3, 2, 19 * 32 * 137, 0, 0},
		{box(512, 512, 548), box(28, 0, 0), box(512, 512, 548), 3, 2, 18 * 32 * 137, 0, 0},
		{box(512, 512, 548), box(0, 0, 0), box(508, 512, 548), 3, 2, 19 * 32 * 137, 0, 0},
		{box(504, 512, 548), box(0, 0, 0), box(504, 512, 548), 3, 2, 18 * 32 * 137, 0, 0}, // all tiles are full
		{box(29, 512, 2000), box(0, 0, 0), box(29, 512, 2000), 3, 2, 32 * 500, 1, 19 * 500},
		{box(27, 512, 2000), box(0, 0, 0), box(27, 512, 2000), 3, 2, 32 * 500, 0, 0},
		{box(512, 512, 30), box(0, 0, 0), box(512, 512, 30), 3, 1, 9*32*15 + 0, 0, 0},           // 16 waves
		{box(512, 512, 32), box(0, 0, 0), box(512, 512, 32), 3, 1, 8 * 32 * 16, 16, 9 * 4 * 16}, // 17
		{box(512, 512, 100), box(0, 0, 0), box(512, 512, 100), 2, 3, 9 * 32 * 100, 0, 0},        // 48 columns of 58: nothing to gain
		{box(256, 256, 100), box(0, 0, 0), box(256, 256, 100), 2, 3, 4 * 16 * 100, 24, 5 * 6 * 100},
		{box(62*45+16, 512, 3), box(0, 0, 0), box(62*45+16, 512, 3), 3, 1, 46 * 32 * 2, 0, 0},
		{box(62*5+28, 512, 100), box(0, 0, 0), box(62*5+28, 512, 100), 3, 1, 5 * 32 * 50, 28, 9 * 7 * 50}, // saves 65 of 768 quarters
		{box(62*9+48, 512, 100), box(0, 0, 0), box(62*9+48, 512, 100), 3, 1, 10 * 32 * 50, 0, 0},          // 20 of 1280
	} {
		f := field{Out: 4096, Slices: int32(c.dims[2])}
		for k := range 3 {
			f.Dims[k], f.Min[k], f.Max[k] = int32(c.dims[k]), int32(c.min[k]), int32(c.max[k])
		}
		p := nlm.Params{H: 1, Taps: make([]float64, 2*c.patch+1), Centre: nlm.CentreOne}
		for k := range c.radius {
			p.PatchRadius[k] = c.patch
		}
		ls := nlmLaunches(p, f, c.radius)
		if (len(ls) == 2) != (c.columns > 0) || ls[0].Grid[0] != c.left {
			t.Errorf("%v to %v of %v: %d launches, the first of %d blocks, want %d", c.min, c.max, c.dims, len(ls), ls[0].Grid[0], c.left)
			continue
		}
		if len(ls) == 1 {
			continue
		}
		left, right, split := decoded[nlmParams](t, ls[0]), decoded[nlmParams](t, ls[1]), int32(c.dims[0]-c.columns)
		if left.Field.Max != [3]int32{split, f.Max[1], f.Max[2]} || left.Field.Swapped != 0 || left.Parts != 1 || left.Field.Out != f.Out {
			t.Errorf("%v: the first launch is %+v", c.dims, left)
		}
		if r := right.Field; r.Swapped != 1 || r.Min[1] != split || r.Max[1] != f.Max[0] || r.Min[0] != 0 || r.Max[0] != f.Max[1] ||
			r.Dims != [3]int32{f.Dims[1], f.Dims[0], f.Dims[2]} || right.Parts != 4 || r.Out != f.Out+4*uint64(split) || ls[1].Grid[0] != c.right {
			t.Errorf("%v: the second launch of %d blocks is %+v, want %d", c.dims, ls[1].Grid[0], right, c.right)
		}
		if left.Columns != f.Dims[0] || right.Columns != f.Dims[0] || left.SharedFrom != math.MaxInt32 || right.SharedFrom != math.MaxInt32 {
			t.Errorf("%v: out has %d and %d columns, shared from %d and %d", c.dims, left.Columns, right.Columns, left.SharedFrom, right.SharedFrom)
		}
	}
}

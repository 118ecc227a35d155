package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// launch returns the first launch of a recipe on the whole of a volume.
func launch(t *testing.T, r denoise.Recipe, dims [3]int) Launch {
	t.Helper()
	return launches(t, r, dims)[0]
}

func launches(t *testing.T, r denoise.Recipe, dims [3]int) []Launch {
	t.Helper()
	g := volume.NewGeometry(dims, [3]float64{1, 1, 1})
	ls, err := Launches(r, g, Box{Dims: dims, Slices: dims[2], Region: volume.Slices(g, 0, dims[2])}, Buffers{In: 1, Out: 2})
	if err != nil {
		t.Fatal(err)
	}
	return ls
}

// recipe returns a resolved recipe with some parameters changed.
func recipe(t *testing.T, filter string, dims int, set map[string]denoise.Value) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range set {
		r = r.With(k, v)
	}
	g := volume.NewGeometry([3]int{64, 64, 64}, [3]float64{1, 1, 1})
	if r, err = r.Resolve(g, denoise.Facts{Lo: 0, Hi: 100, Sigma: 5}); err != nil {
		t.Fatal(err)
	}
	return r
}

// A struct that Go lays out otherwise than C would send the kernels nonsense.
func TestParameterStructsAreAsLongAsTheDevices(t *testing.T) {
	sizes := map[string]int{}
	for _, file := range []string{"field.cuh", "params.cuh"} {
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
		"MedianParams": medianParams{}, "LpaParams": lpaParams{}, "WidenParams": widenParams{},
	} {
		if got := len(pack(params)); got != sizes[name] {
			t.Errorf("%s: %d bytes here, %d on the device", name, got, sizes[name])
		}
	}
}

func TestFieldIsPackedInTheDevicesOrder(t *testing.T) {
	b := pack(field{In: 1, Mask: 2, Out: 3, Dims: [3]int32{4, 5, 6}, First: 7, Slices: 8, Min: [3]int32{9, 10, 11}, Max: [3]int32{12, 13, 14}})
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

// The table of tiles stands in nlm.cu too, as template arguments.
func TestTilesAreTheKernels(t *testing.T) {
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

func TestKernelNamesAreInTheSources(t *testing.T) {
	var text strings.Builder
	for _, m := range Modules() {
		b, err := os.ReadFile(m + ".cu")
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	number := denoise.Number
	for _, dims := range []int{2, 3} {
		var all []Launch
		for patch := range 9 {
			for _, weights := range []string{"uniform", "gaussian"} {
				all = append(all, launches(t, recipe(t, "nlm", dims, map[string]denoise.Value{
					"patch-radius": number(float64(patch)), "patch-weights": denoise.Word(weights)}), [3]int{9, 9, 9})...)
			}
		}
		for _, f := range []string{"bilateral", "gaussian", "median"} {
			all = append(all, launch(t, recipe(t, f, dims, nil), [3]int{9, 9, 9}))
		}
		if dims == 2 {
			all = append(all, launch(t, recipe(t, "lpa", 2, nil), [3]int{9, 9, 9}),
				launch(t, recipe(t, "lpa", 2, map[string]denoise.Value{"scales": denoise.List(1, 4)}), [3]int{9, 9, 9}))
		}
		for _, l := range append(all, Widen(1, 2, 3, 0)) {
			if !regexp.MustCompile(`\b` + l.Kernel + `\(`).MatchString(text.String()) {
				t.Errorf("no kernel is called %s", l.Kernel)
			}
			if Image(l.Module) == "" {
				t.Errorf("no module is called %s", l.Module)
			}
			if l.Shared > 64<<10 {
				t.Errorf("%s wants %d bytes of shared memory", l.Kernel, l.Shared)
			}
		}
	}
}

// Voxels whose weights are too small for float32 are marked by the first kernel
// and done by the second, which looks at every voxel of the region.
func TestFaintVoxelsAreDoneAfterwards(t *testing.T) {
	source, err := os.ReadFile("nlm.cu")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`nlm_faint\([^{]*\{\s*constexpr int kThreads = (\d+), kEach = (\d+);`).FindSubmatch(source)
	if m == nil {
		t.Fatal("nlm_faint has other constants")
	}
	threads, _ := strconv.Atoi(string(m[1]))
	each, _ := strconv.Atoi(string(m[2]))
	ls := launches(t, recipe(t, "nlm", 3, nil), [3]int{64, 64, 3})
	if len(ls) != 2 || ls[1].Kernel != "nlm_faint" || ls[1].Block[0] != threads || ls[1].Grid[0]*threads*each != 64*64*3 {
		t.Errorf("blocks of %d threads with %d voxels each, and the launches are %+v", threads, each, ls)
	}
	for name, v := range map[string]denoise.Value{"centre": denoise.Word("one"), "weighting": denoise.Word("lk")} {
		if ls := launches(t, recipe(t, "nlm", 3, map[string]denoise.Value{name: v}), [3]int{9, 9, 9}); len(ls) != 1 {
			t.Errorf("%s %v: %d launches, one is enough", name, v, len(ls))
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

// A sagittal slice is one voxel thin along x, where the lanes lie.
func TestThinRegionsAreTurned(t *testing.T) {
	dims := [3]int{40, 300, 20}
	g := volume.NewGeometry(dims, [3]float64{1, 1, 1})
	r := recipe(t, "nlm", 3, nil)
	for _, c := range []struct {
		region volume.Region
		want   field
	}{
		{volume.Region{Min: [3]int{7, 0, 0}, Max: [3]int{8, 300, 20}},
			field{Dims: [3]int32{300, 40, 20}, Slices: 20, Min: [3]int32{0, 7, 0}, Max: [3]int32{300, 8, 20}, Turned: 1}},
		{volume.Region{Min: [3]int{0, 7, 0}, Max: [3]int{40, 8, 20}},
			field{Dims: [3]int32{40, 300, 20}, Slices: 20, Min: [3]int32{0, 7, 0}, Max: [3]int32{40, 8, 20}}},
	} {
		ls, err := Launches(r, g, Box{Dims: dims, Slices: dims[2], Region: c.region}, Buffers{})
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
		if tile := nlmTiles[[2]int{3, 1}].dims(1); ls[0].Grid != p.Field.grid(tile) {
			t.Errorf("region %v: grid %v, want %v", c.region, ls[0].Grid, p.Field.grid(tile))
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
	box := Box{Dims: g.Dims, First: 4, Slices: 8, Region: volume.Slices(g, 6, 10)}
	if _, err := Launches(r, g, box, Buffers{}); err == nil {
		t.Error("slices that do not reach far enough were taken")
	}
	unresolved, _ := denoise.NewRecipe("nlm", 3)
	box = Box{Dims: g.Dims, Slices: 16, Region: volume.Slices(g, 0, 16)}
	if _, err := Launches(unresolved, g, box, Buffers{}); err == nil {
		t.Error("an unresolved recipe was taken")
	}
}

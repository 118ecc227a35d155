package kernels

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// rungLaunches returns the launches of a rung's pass on the whole of a volume.
func rungLaunches(t *testing.T, r Rung, recipe denoise.Recipe, dims [3]int, mask uint64) ([]Launch, error) {
	t.Helper()
	g := volume.NewGeometry(dims, [3]float64{1, 1, 1})
	p, err := recipe.Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	pass := p.Passes[len(p.Passes)-1]
	part := Part{Dims: dims, Region: g.Bounds(), Voxels: Buffer{Address: 1, Box: g.Bounds()}, Mask: Buffer{Address: mask, Box: g.Bounds()}, Out: 2}
	for i := range pass.Inputs {
		part.Inputs = append(part.Inputs, Buffer{Address: uint64(i + 1), Box: g.Bounds()})
	}
	return r.Launches(p, pass, part)
}

// rungLaunch returns the rung's own launch, the first that is not of nlm_pad.
func rungLaunch(t *testing.T, r Rung, recipe denoise.Recipe, dims [3]int, mask uint64) (Launch, error) {
	t.Helper()
	ls, err := rungLaunches(t, r, recipe, dims, mask)
	if err != nil {
		return Launch{}, err
	}
	if ls[0].Kernel == "nlm_pad" {
		return ls[1], nil
	}
	return ls[0], nil
}

// rungDims returns dims that a rung takes.
func rungDims(name string) [3]int {
	if strings.HasPrefix(name, "nlm_") && strings.HasSuffix(name, "_texture") {
		return [3]int{40, 30, 1}
	}
	return [3]int{40, 30, 20}
}

func rungRecipe(t *testing.T, name string) denoise.Recipe {
	t.Helper()
	filter, _, _ := strings.Cut(name, "_")
	set := map[string]denoise.Value{}
	dims := 3
	switch filter {
	case "nlm":
		set["h"], set["search-radius"] = denoise.Number(9), denoise.Number(2)
		if strings.HasSuffix(name, "_texture") {
			dims, set["patch-radius"] = 2, denoise.Number(3)
		}
		if strings.HasPrefix(name, "nlm_select") {
			set["preselect"] = denoise.Bool(true)
		}
	case "bilateral":
		set["radius"], set["sigma-range"] = denoise.List(2), denoise.Number(20)
		if strings.HasPrefix(name, "bilateral_constant") || strings.HasPrefix(name, "bilateral_shared") || strings.HasSuffix(name, "_texture") {
			dims = 2
		}
	case "lpa":
		dims = 2
	}
	return recipe(t, filter, dims, set)
}

func TestRungsAreInTheirModules(t *testing.T) {
	n := 0
	for _, filter := range []string{"nlm", "bilateral", "lpa"} {
		for _, name := range RungNames(filter) {
			n++
			l, err := rungLaunch(t, Rung{Name: name}, rungRecipe(t, name), rungDims(name), 0)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			source, err := os.ReadFile(l.Module + ".cu")
			if err != nil {
				t.Fatal(err)
			}
			macro := regexp.MustCompile(`^bilateral_(depth|width|height)_(\w+)$`).FindStringSubmatch(l.Kernel)
			found := regexp.MustCompile(`\b` + l.Kernel + `\(`).Match(source)
			if filter == "nlm" { // the macros of rungs/nlm.cu and rungs/nlm_group.cu
				stem := strings.TrimPrefix(strings.TrimPrefix(l.Kernel, "nlm_"), "select_")
				radii := strings.NewReplacer("_p1_s2", ", 1, 2", "_p2_s4", ", 2, 4").Replace(stem)
				found = regexp.MustCompile(`(KERNEL\(\d+, nlm_` + stem + `,|BOTH\(\d+, ` + stem + `,|GROUP\(` + radii + `,)`).Match(source)
			}
			if macro != nil {
				found = strings.Contains(string(source), "ROW("+macro[1]+",") && strings.Contains(string(source), "##_"+macro[2]+"(")
			}
			if !found || !strings.HasPrefix(l.Kernel, name) || Image(l.Module) == "" {
				t.Errorf("%s is kernel %s of %s", name, l.Kernel, l.Module)
			}
			if err := CheckBlock(l.Block); err != nil {
				t.Error(err)
			}
			if s := (Rung{Name: name}).Slower(); s < 2 {
				t.Errorf("%s is %g times slower", name, s)
			}
		}
	}
	if n != 13+18+7 || n != len(rungs) {
		t.Errorf("%d rungs of %d", n, len(rungs))
	}
	for _, m := range Modules() {
		if strings.Contains(m, "rung") {
			t.Errorf("module %s is loaded at the start", m)
		}
	}
}

// The grid covers the volume whatever the block.
func TestRungBlocks(t *testing.T) {
	for _, c := range []struct {
		name  string
		block [3]int
		grid  int
		local int // bytes of shared memory
	}{
		{"nlm_formula", [3]int{4, 24, 3}, 10 * 2 * 7, 0},
		{"nlm_formula", [3]int{32, 8, 1}, 2 * 4 * 20, 0},
		{"nlm_shared", [3]int{16, 4, 2}, 3 * 8 * 10, 4 * 22 * 10 * 8},
		{"nlm_shared_texture", [3]int{16, 4, 1}, 3 * 8, 4 * 26 * 14},
		{"nlm_indexed", [3]int{4, 24, 3}, 10 * 2 * 7, 0},
		{"nlm_group", [3]int{7, 7, 1}, 40 * 30, 0}, // search radius 2 and patch radius 1
		{"nlm_column", [3]int{16, 16, 1}, 3 * 2, 4 * 22 * 22 * 7},
		{"nlm_select_column", [3]int{16, 16, 1}, 3 * 2, 4 * 22 * 22 * 7},
		{"bilateral_formula", [3]int{8, 8, 8}, 5 * 4 * 3, 0},
		{"bilateral_shared", [3]int{32, 32, 1}, 2 * 1 * 20, 4 * 36 * 36},
		{"bilateral_shared_texture", [3]int{32, 32, 1}, 2 * 1 * 20, 4 * 36 * 36},
		{"bilateral_depth_constant_cut", [3]int{16, 8, 1}, 3 * 4, 0},
		{"bilateral_width_global_tests", [3]int{16, 8, 1}, 2 * 3, 0}, // threads along y, then z
		{"bilateral_height_global_cut", [3]int{16, 8, 1}, 2 * 5, 0},  // threads along z, then x
		{"lpa_basic", [3]int{16, 16, 1}, 3 * 2 * 20, 0},
		{"lpa_shared2", [3]int{16, 16, 1}, 3 * 1 * 20, 0},
	} {
		l, err := rungLaunch(t, Rung{c.name, c.block}, rungRecipe(t, c.name), rungDims(c.name), 0)
		if err != nil || l.Grid != [3]int{c.grid, 1, 1} || l.Block != c.block || l.Shared != c.local {
			t.Errorf("%s with %v: grid %v, block %v, %d bytes shared, %v", c.name, c.block, l.Grid, l.Block, l.Shared, err)
		}
	}
}

func TestRungsRefuse(t *testing.T) {
	for _, c := range []struct {
		rung   Rung
		filter string
		dims   int
		set    map[string]denoise.Value
		mask   uint64
		want   string
	}{
		{Rung{Name: "nlm_magic"}, "nlm", 3, nil, 0, `no rung is called "nlm_magic"`},
		{Rung{Name: "nlm_formula"}, "bilateral", 3, nil, 0, "is a rung of pass \"average\" of nlm, which the recipe of bilateral does not have"},
		{Rung{Name: "nlm_column"}, "nlm", 3, map[string]denoise.Value{"preselect": denoise.Bool(true), "h": denoise.Number(9)}, 0, "does not have"},
		{Rung{Name: "nlm_select_column"}, "nlm", 3, nil, 0, "does not have"},
		{Rung{Name: "bilateral_formula_texture"}, "bilateral", 3, nil, 0, "filters slices"},
		{Rung{"nlm_formula", [3]int{32, 33, 1}}, "nlm", 3, nil, 0, "more than 1024"},
		{Rung{"nlm_formula", [3]int{1, 1, 65}}, "nlm", 3, nil, 0, "1 to 64 along axis 2"},
		{Rung{"nlm_formula", [3]int{0, 8, 1}}, "nlm", 3, nil, 0, "along axis 0"},
		{Rung{Name: "nlm_formula"}, "nlm", 3, map[string]denoise.Value{"weighting": denoise.Word("lk")}, 0, "Gaussian weights"},
		{Rung{Name: "nlm_formula"}, "nlm", 3, map[string]denoise.Value{"rician": denoise.Bool(true), "h": denoise.Number(9)}, 0, "Gaussian weights"},
		{Rung{Name: "nlm_shared"}, "nlm", 3, map[string]denoise.Value{"search-radius": denoise.Number(12)}, 0, "KB of shared memory"},
		{Rung{Name: "nlm_formula"}, "nlm", 3, map[string]denoise.Value{"patch-radius": denoise.Number(3)}, 0, "is compiled for"},
		{Rung{Name: "nlm_formula"}, "nlm", 3, nil, 7, "no mask"},
		{Rung{Name: "bilateral_formula"}, "bilateral", 3, nil, 7, "no mask"},
		{Rung{Name: "bilateral_shared"}, "bilateral", 2, nil, 7, "no mask"},
		{Rung{"nlm_group", [3]int{13, 13, 1}}, "nlm", 3, map[string]denoise.Value{"search-radius": denoise.Number(2)}, 0, "7x7 threads, which share a voxel"},
		{Rung{Name: "nlm_group"}, "nlm", 3, map[string]denoise.Value{"search-radius": denoise.Number(3)}, 0, "is compiled for"},
		{Rung{Name: "nlm_group"}, "nlm", 2, nil, 0, "cube of a search region"},
		{Rung{"nlm_column", [3]int{8, 8, 2}}, "nlm", 3, nil, 0, "one thread deep"},
		{Rung{Name: "bilateral_constant"}, "bilateral", 3, nil, 0, "filters slices"},
		{Rung{Name: "bilateral_constant"}, "bilateral", 2, map[string]denoise.Value{"radius": denoise.List(9)}, 0, "windows up to 17x17"},
		{Rung{"bilateral_depth_global_cut", [3]int{8, 8, 2}}, "bilateral", 3, nil, 0, "one thread deep"},
		{Rung{Name: "bilateral_depth_global_cut"}, "bilateral", 3, nil, 7, "no mask"},
		{Rung{Name: "bilateral_depth_global_cut"}, "bilateral", 3, map[string]denoise.Value{"radius": denoise.List(12)}, 0, "12167 weights"},
		{Rung{"lpa_basic", [3]int{32, 8, 1}}, "lpa", 2, nil, 0, "16x16"},
		{Rung{Name: "lpa_shared"}, "lpa", 2, map[string]denoise.Value{"scales": denoise.List(1, 9)}, 0, "up to 8"},
		{Rung{Name: "lpa_shared"}, "lpa", 2, map[string]denoise.Value{"correlation": denoise.List(30)}, 0, "white noise alone"},
	} {
		r := recipe(t, c.filter, c.dims, c.set)
		_, err := rungLaunch(t, c.rung, r, [3]int{40, 30, 20}, c.mask)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, denoise.ErrUnsupported) {
			t.Errorf("%+v with %s: %v; want %q", c.rung, r, err, c.want)
		}
		if p, bound := r.Bind(volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1})); c.mask == 0 && (bound != nil || c.rung.Check(p) == nil) {
			t.Errorf("%+v: Check accepts what Launches refuses", c.rung)
		}
	}
	// The largest that are accepted.
	for name, set := range map[string]denoise.Value{"bilateral_constant": denoise.List(8), "bilateral_depth_global_cut": denoise.List(11)} {
		dims := map[string]int{"bilateral_constant": 2, "bilateral_depth_global_cut": 3}[name]
		if _, err := rungLaunch(t, Rung{Name: name}, recipe(t, "bilateral", dims, map[string]denoise.Value{"radius": set}), [3]int{40, 30, 20}, 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The zero rung is the kernels that ship.
func TestNoRung(t *testing.T) {
	r := rungRecipe(t, "median_x")
	want := launch(t, r, [3]int{9, 9, 9})
	got, err := rungLaunch(t, Rung{}, r, [3]int{9, 9, 9}, 0)
	if s := (Rung{}).Slower(); s != 1 {
		t.Errorf("no rung is %g times slower", s)
	}
	if err != nil || got.Kernel != want.Kernel || string(got.Args) != string(want.Args) {
		t.Errorf("%+v, %v", got, err)
	}
}

// The tables hold the spatial weights, x fastest.
func TestRungWeights(t *testing.T) {
	r := recipe(t, "bilateral", 3, map[string]denoise.Value{"radius": denoise.List(1, 2, 1), "sigma-spatial": denoise.Number(1.5), "sigma-range": denoise.Number(20)})
	l, err := rungLaunch(t, Rung{Name: "bilateral_height_constant_tests"}, r, [3]int{40, 30, 20}, 0)
	if err != nil || l.Symbol != "constantWeights" || len(l.Data) != 4*3*5*3 {
		t.Fatalf("%s of %d bytes, %v", l.Symbol, len(l.Data), err)
	}
	at := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(l.Data[4*i:]))) }
	weight := func(d2 float64) float64 { return math.Exp(-d2 / (2 * 1.5 * 1.5)) }
	for i, want := range map[int]float64{22: 1, 23: weight(1), 25: weight(1), 28: weight(4), 7: weight(1), 0: weight(6)} {
		if math.Abs(at(i)-want) > 1e-6 {
			t.Errorf("weight %d is %g, want %g", i, at(i), want)
		}
	}
	if l, _ = rungLaunch(t, Rung{Name: "bilateral_height_global_tests"}, r, [3]int{40, 30, 20}, 0); l.Symbol != "globalWeights" {
		t.Errorf("global weights go to %s", l.Symbol)
	}
	if n := len(Pack(bilateralTableParams{})); n != 1272 {
		t.Errorf("TableParams: %d bytes", n)
	}
}

// A rung of nlm leaves the voxels with weights that underflow to the kernel that
// filters such voxels of the kernels that ship, which reads the begin of its parameters.
func TestRungUnderflow(t *testing.T) {
	for name, want := range map[string]string{"nlm_formula": "nlm", "nlm_shared_texture": "nlm", "nlm_column": "nlm", "nlm_select_formula": "nlm_select", "nlm_select_column": "nlm_select", "nlm_select_group": "nlm_select"} {
		r := rungRecipe(t, name)
		ls, err := rungLaunches(t, Rung{Name: name}, r, rungDims(name), 0)
		if err != nil || len(ls) < 2 {
			t.Errorf("%s: %+v, %v", name, ls, err)
			continue
		}
		own, last, n := ls[len(ls)-2], ls[len(ls)-1], len(ls)
		if last.Module != want || last.Kernel != want+"_underflow" || rungDims(name)[2] > 1 && last.Grid != [3]int{6, 1, 1} {
			t.Errorf("%s: %+v", name, last)
		}
		if !strings.HasPrefix(string(own.Args), string(last.Args)) {
			t.Errorf("%s: its underflow kernel has other parameters", name)
		}
		r.Params["centre"] = denoise.Word("one")
		if ls, err := rungLaunches(t, Rung{Name: name}, r, rungDims(name), 0); err != nil || len(ls) != n-1 {
			t.Errorf("%s with centre one: %d launches, %v", name, len(ls), err)
		}
	}
}

// A rung that reads a padded copy of its region has the memory for it.
func TestRungPads(t *testing.T) {
	r := rungRecipe(t, "nlm_formula")
	dims := [3]int{40, 30, 20}
	p, err := r.Bind(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	region := [3]int{40, 5, 2} // and 3 around it, search radius 2 and patch radius 1
	if got := (Rung{Name: "nlm_formula"}).Scratch(p, dims, region); got != 4*46*11*8 {
		t.Errorf("%d bytes", got)
	}
	for _, name := range []string{"nlm_shared", ""} {
		if got := (Rung{Name: name}).Scratch(p, dims, region); got != 0 {
			t.Errorf("%q: %d bytes", name, got)
		}
	}
	ls, err := rungLaunches(t, Rung{Name: "nlm_formula"}, r, dims, 0)
	if err != nil || ls[0].Kernel != "nlm_pad" || ls[0].Grid[0] != (46*36*26+255)/256 {
		t.Errorf("%+v, %v", ls, err)
	}
	if n := len(Pack(nlmRungParams{})); n != 584 {
		t.Errorf("RungParams: %d bytes", n)
	}
}

// The passes that a rung does not compute have the kernels that ship.
func TestRungOfOnePass(t *testing.T) {
	r := rungRecipe(t, "nlm_select_formula")
	g := volume.NewGeometry([3]int{9, 8, 7}, [3]float64{1, 1, 1})
	p, err := r.Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	if err := (Rung{Name: "nlm_select_formula"}).Check(p); err != nil {
		t.Error(err)
	}
	part := Part{Dims: g.Dims, Region: g.Bounds(), Voxels: Buffer{Address: 1, Box: g.Bounds()}, Inputs: []Buffer{{Address: 1, Box: g.Bounds()}}, Out: 2}
	for _, pass := range p.Passes[:2] {
		want, err := Launches(p, pass, part)
		if err != nil {
			t.Fatal(err)
		}
		if ls, err := (Rung{Name: "nlm_select_formula"}).Launches(p, pass, part); err != nil || len(ls) != 1 || ls[0].Kernel != want[0].Kernel {
			t.Errorf("pass %s: %+v, %v", pass.Name, ls, err)
		}
	}
}

// A texture holds the slices of a field, one below the other.
func TestRungTextures(t *testing.T) {
	for _, name := range []string{"nlm_formula_texture", "nlm_shared_texture", "bilateral_formula_texture", "bilateral_constant_texture", "bilateral_shared_texture"} {
		r := rungRecipe(t, name)
		dims, mirrored := rungDims(name), strings.HasPrefix(name, "nlm_")
		l, err := rungLaunch(t, Rung{Name: name}, r, dims, 0)
		if err != nil || l.Texture == nil || *l.Texture != (Texture{Address: 1, Width: 40, Height: 30 * dims[2], Mirrored: mirrored}) {
			t.Errorf("%s: %+v, %v", name, l.Texture, err)
		}
		if plain, err := rungLaunch(t, Rung{Name: strings.TrimSuffix(name, "_texture")}, r, dims, 0); err != nil || plain.Texture != nil {
			t.Errorf("%s without texture: %+v, %v", name, plain.Texture, err)
		}
	}
	for c, refused := range map[[3]int]bool{{65536, 1, 1}: false, {65537, 1, 1}: true, {1, 4096, 16}: false, {1, 4096, 17}: true} {
		_, err := rungLaunch(t, Rung{Name: "bilateral_constant_texture"}, rungRecipe(t, "bilateral_constant_texture"), c, 0)
		if errors.Is(err, denoise.ErrUnsupported) != refused {
			t.Errorf("a volume of %v: %v", c, err)
		}
	}
	// The hardware mirrors one slice, not a stack of them.
	for slices, refused := range map[int]bool{1: false, 2: true} {
		_, err := rungLaunch(t, Rung{Name: "nlm_formula_texture"}, rungRecipe(t, "nlm_formula_texture"), [3]int{8, 8, slices}, 0)
		if errors.Is(err, denoise.ErrUnsupported) != refused {
			t.Errorf("%d slices: %v", slices, err)
		}
	}
	if n := len(Pack(nlmSelectParams{})); n != 568 {
		t.Errorf("NlmSelectParams: %d bytes", n)
	}
}

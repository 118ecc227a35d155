package kernels

import (
	"errors"
	"fmt"
	"slices"

	"quell/denoise"
	"quell/denoise/filter/nlm"
)

// nlmRungParams mirrors struct RungParams of rungs/nlm_rung.cuh. It begins with the
// parameters of the kernels that ship.
type nlmRungParams struct {
	Select  nlmSelectParams
	Padded  uint64 // address of the region with an apron of search and patch radius
	Texture uint64
}

// nlmRung is a kernel of rungs/nlm.cu or rungs/nlm_group.cu. Its code is compiled for some
// radii of the patch, so that the loop over it is unrolled.
type nlmRung struct {
	module   string
	selects  bool     // it takes preselected neighbours
	block    [3]int   // threads that it begins with
	variants []string // ends of the kernel's name: "2d_p3", or of a group "p2_s4"
	padded   bool     // it reads a copy of nlm_pad
	texture  bool     // it reads one slice as a texture
	slower   float64
	shape    func(l Launch, f field, reach [3]int32) (Launch, error)
}

// nlmRungs are the rungs of non-local means. Each is followed by the kernel that filters
// the voxels with weights that underflow, as are the kernels that ship.
func nlmRungs() map[string]rung {
	whole := func(l Launch, _ field, _ [3]int32) (Launch, error) { return l, nil }
	tile := func(l Launch, _ field, reach [3]int32) (Launch, error) { return tileLaunch(l, reach, 0) }
	column := func(l Launch, f field, reach [3]int32) (Launch, error) {
		if l.Block[2] != 1 {
			return l, errors.New("a thread filters a column along z: blocks are one thread deep")
		}
		l.Grid = f.grid([3]int{l.Block[0], l.Block[1], int(f.Max[2] - f.Min[2])})
		return tileLaunch(l, reach, 2*int(reach[2])+1)
	}
	plane, square, group := [3]int{32, 8, 1}, [3]int{16, 16, 1}, [3]int{}
	slices2D, volumes := []string{"2d_p3"}, []string{"3d_p1", "3d_p2"}
	both := slices.Concat(slices2D, volumes)
	radii := []string{"p1_s2", "p2_s4"}
	all := map[string]rung{}
	for name, k := range map[string]nlmRung{
		"nlm_formula":          {"rungs/nlm", false, plane, both, true, false, 100, whole},
		"nlm_indexed":          {"rungs/nlm", false, plane, both, false, false, 200, whole},
		"nlm_shared":           {"rungs/nlm", false, plane, []string{"2d_p3", "3d_p1"}, false, false, 100, tile},
		"nlm_column":           {"rungs/nlm", false, square, volumes, false, false, 100, column},
		"nlm_formula_texture":  {"rungs/nlm", false, plane, slices2D, false, true, 100, whole},
		"nlm_shared_texture":   {"rungs/nlm", false, plane, slices2D, false, true, 100, tile},
		"nlm_select_formula":   {"rungs/nlm", true, plane, volumes, true, false, 100, whole},
		"nlm_select_indexed":   {"rungs/nlm", true, plane, volumes, false, false, 200, whole},
		"nlm_select_column":    {"rungs/nlm", true, square, volumes, false, false, 100, column},
		"nlm_group":            {"rungs/nlm_group", false, group, radii, false, false, 200, groupLaunch},
		"nlm_group_all":        {"rungs/nlm_group", false, group, radii, false, false, 200, groupLaunch},
		"nlm_select_group":     {"rungs/nlm_group", true, group, radii, false, false, 200, groupLaunch},
		"nlm_select_group_all": {"rungs/nlm_group", true, group, radii, false, false, 200, groupLaunch},
	} {
		all[name] = k.rung(name)
	}
	return all
}

// rung returns the rung of a kernel.
func (k nlmRung) rung(name string) rung {
	r := rung{filter: nlm.Filter.Name, pass: "average", block: k.block, slower: k.slower}
	if k.selects {
		r.pass = nlm.SelectedAverage
	}
	r.launch = func(p denoise.Program, part Part, f field, block [3]int) ([]Launch, error) {
		return k.launches(name, p, part, f, block)
	}
	if k.padded {
		r.scratch = func(p denoise.Program, region [3]int) int64 { return paddedBytes(p.Params.(nlm.Params), region) }
	}
	return r
}

// paddedBytes is the size of the copy of a region with its apron.
func paddedBytes(p nlm.Params, region [3]int) int64 {
	bytes := int64(4)
	for c := range 3 {
		bytes *= int64(region[c] + 2*(p.SearchRadius[c]+p.PatchRadius[c]))
	}
	return bytes
}

func (k nlmRung) launches(name string, p denoise.Program, part Part, f field, block [3]int) ([]Launch, error) {
	q := p.Params.(nlm.Params)
	if q.LK > 0 || q.Rician {
		return nil, errors.New("the rung has Gaussian weights and averages values")
	}
	if f.Mask != 0 {
		return nil, errMasked
	}
	variant, err := k.variant(q, p.Recipe.Dims)
	if err != nil {
		return nil, err
	}
	args := nlmRungParams{Select: nlmSelectParams{NLM: newNLMParams(q, f, p.Recipe.Dims)}, Padded: part.Scratch}
	var reach [3]int32
	for c := range 3 {
		reach[c] = args.Select.NLM.Search[c] + args.Select.NLM.Patch[c]
	}
	if block == [3]int{} {
		block = groupBlock(q)
	}
	l, err := k.shape(Launch{Module: k.module, Kernel: name + "_" + variant, Grid: f.grid(block), Block: block}, f, reach)
	if err != nil {
		return nil, err
	}
	if k.texture {
		if f.Dims[2] != 1 {
			return nil, errors.New("the rung takes one slice, whose texture the hardware mirrors")
		}
		if l.Texture, err = textureOf(f); err != nil {
			return nil, err
		}
		l.Texture.Mirrored = true
	}
	module, shipped := "nlm", Pack(args.Select.NLM)
	if q.Select != nil {
		args.Select.Select = newSelection(q.Select, part)
		module, shipped = "nlm_select", Pack(args.Select)
	}
	l.Args = Pack(args)
	launches := []Launch{l}
	if k.padded {
		launches = []Launch{padLaunch(q, f, l.Args), l}
	}
	return append(launches, nlmUnderflow(q, f, module, shipped)...), nil
}

// padLaunch copies the region with its apron.
func padLaunch(p nlm.Params, f field, args []byte) Launch {
	const threads = 256
	region := [3]int{int(f.Max[0] - f.Min[0]), int(f.Max[1] - f.Min[1]), int(f.Max[2] - f.Min[2])}
	voxels := int(paddedBytes(p, region) / 4)
	return Launch{Module: "rungs/nlm", Kernel: "nlm_pad", Grid: Grid([3]int{voxels, 1, 1}, [3]int{threads, 1, 1}), Block: [3]int{threads, 1, 1}, Args: args}
}

// variant returns the end of the kernel's name for a recipe.
func (k nlmRung) variant(p nlm.Params, dims int) (string, error) {
	patch, search := p.PatchRadius[0], p.SearchRadius[0]
	variant := fmt.Sprintf("%dd_p%d", dims, patch)
	if k.module == "rungs/nlm_group" {
		variant = fmt.Sprintf("p%d_s%d", patch, search)
		if dims != 3 || p.SearchRadius != [3]int{search, search, search} {
			return "", errors.New("the rung filters volumes with a cube of a search region")
		}
	}
	if !slices.Contains(k.variants, variant) {
		return "", fmt.Errorf("the rung is compiled for %v and the recipe is %s", k.variants, variant)
	}
	return variant, nil
}

// groupBlock returns the threads of a block that shares one voxel: one for each column of
// the voxels that it reaches.
func groupBlock(p nlm.Params) [3]int {
	edge := 2*(p.SearchRadius[0]+p.PatchRadius[0]) + 1
	return [3]int{edge, edge, 1}
}

// groupLaunch: a block computes the voxels of a column along z, one after another.
func groupLaunch(l Launch, f field, reach [3]int32) (Launch, error) {
	edge := 2*int(reach[0]) + 1
	if l.Block != [3]int{edge, edge, 1} {
		return l, fmt.Errorf("the rung has blocks of %dx%d threads, which share a voxel", edge, edge)
	}
	l.Grid = f.grid([3]int{1, 1, int(f.Max[2] - f.Min[2])})
	return l, nil
}

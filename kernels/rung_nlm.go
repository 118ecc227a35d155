package kernels

import (
	"errors"

	"quell/denoise"
	"quell/denoise/filter/nlm"
)

// nlmTextureParams mirrors struct TextureParams of rungs/nlm.cu.
type nlmTextureParams struct {
	NLM     nlmParams
	Texture uint64
}

// nlmRungs are the kernels of rungs/nlm.cu. Each is followed by the kernel that filters
// the voxels with weights that underflow, as are the kernels that ship.
func nlmRungs() map[string]rung {
	at := func(kernel, pass string, block [3]int, shape func(l Launch, f field, reach [3]int32) (Launch, error)) rung {
		return rung{nlm.Filter.Name, pass, block, 100, func(p denoise.Program, part Part, f field, block [3]int) ([]Launch, error) {
			q := p.Params.(nlm.Params)
			if q.LK > 0 || q.Rician {
				return nil, errors.New("the rung has Gaussian weights and averages values")
			}
			params := newNLMParams(q, f, p.Recipe.Dims)
			var reach [3]int32
			for c := range 3 {
				reach[c] = params.Search[c] + params.Patch[c]
			}
			l, err := shape(Launch{Module: "rungs/nlm", Kernel: kernel, Grid: f.grid(block), Block: block}, f, reach)
			if err != nil {
				return nil, err
			}
			module, args := "nlm", Pack(params)
			if q.Select != nil {
				module, args = "nlm_select", Pack(nlmSelectParams{NLM: params, Select: newSelection(q.Select, part)})
			}
			l.Args = args
			if l.Texture != nil {
				l.Args = Pack(nlmTextureParams{NLM: params})
			}
			return append([]Launch{l}, nlmUnderflow(q, f, module, args)...), nil
		}}
	}
	whole := func(l Launch, _ field, _ [3]int32) (Launch, error) { return l, nil }
	tile := func(l Launch, _ field, reach [3]int32) (Launch, error) { return tileLaunch(l, reach, 0) }
	column := func(l Launch, f field, reach [3]int32) (Launch, error) {
		if l.Block[2] != 1 {
			return l, errors.New("a thread filters a column along z: blocks are one thread deep")
		}
		l.Grid = f.grid([3]int{l.Block[0], l.Block[1], int(f.Max[2] - f.Min[2])})
		return tileLaunch(l, reach, 2*int(reach[2])+1)
	}
	// textured adds a texture to a shape.
	textured := func(shape func(Launch, field, [3]int32) (Launch, error)) func(Launch, field, [3]int32) (Launch, error) {
		return func(l Launch, f field, reach [3]int32) (Launch, error) {
			var err error
			if l.Texture, err = textureOf(f); err != nil {
				return l, err
			}
			return shape(l, f, reach)
		}
	}
	plane, square := [3]int{32, 8, 1}, [3]int{16, 16, 1}
	all := map[string]rung{}
	for _, k := range []struct {
		name, pass string
		block      [3]int
		shape      func(l Launch, f field, reach [3]int32) (Launch, error)
	}{
		{"nlm_formula", "average", plane, whole},
		{"nlm_formula_texture", "average", plane, textured(whole)},
		{"nlm_select_formula", nlm.SelectedAverage, plane, whole},
		{"nlm_shared", "average", plane, tile},
		{"nlm_shared_texture", "average", plane, textured(tile)},
		{"nlm_column", "average", square, column},
		{"nlm_select_column", nlm.SelectedAverage, square, column},
	} {
		all[k.name] = at(k.name, k.pass, k.block, k.shape)
	}
	return all
}

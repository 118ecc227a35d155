// Package bnlm is the blockwise non-local means filter: not voxels but blocks become
// the mean of the blocks around them, weighted by how similar they are, and only every
// n-th block is computed. Blocks overlap; a voxel becomes the mean of what they give.
package bnlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/correlation"
	"quell/denoise/filter/nlm"
	"quell/denoise/filter/preselect"
	"quell/denoise/tile"
	"quell/internal/message"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "bnlm", Title: "Blockwise non-local means", Dims: []int{3, 2},
	Source: "Coupe, Yger, Prima, Hellier, Kervrann, Barillot 2008",
	Help:   "Averages blocks that look alike instead of single voxels: about eight times as fast as nlm on a processor, and a little worse.",
	Params: append([]denoise.Param{
		{
			Name: "h", Label: "Strength h", Kind: denoise.Float, Unit: "value", Basic: true,
			Min: denoise.Positive, Max: denoise.Largest, Lo: 0.05, Hi: 5, Step: 0.05,
			Default: denoise.Auto, Auto: &denoise.AutoRule{Amount: autoStrength}, Rules: []denoise.Rule{nlm.Coupe},
			Help: "How different two blocks may be and still be averaged; higher removes more. Auto follows the estimated noise; coupe is the paper's √2σ, σ from pseudo-residuals.",
		},
		{
			Name: "search-radius", Label: "Search radius", Kind: denoise.Int, Unit: "voxels", Basic: true,
			Min: 0, Max: 32, Lo: 1, Hi: 10, Step: 1, Default: denoise.Number(3),
			Help: "How far to look for similar blocks; the time grows with its square (2-D) or cube (3-D).",
		},
		{
			Name: "block-radius", Label: "Block radius", Kind: denoise.Int, Unit: "voxels",
			Min: 0, Max: 4, Lo: 0, Hi: 3, Step: 1, Default: denoise.Number(1),
			Help: "Half width of the blocks; larger blocks are steadier and keep less fine detail.",
		},
		{
			Name: "block-step", Label: "Block step", Kind: denoise.Int, Unit: "voxels",
			Min: 1, Max: 5, Lo: 1, Hi: 4, Step: 1, Default: denoise.Number(2),
			Help: "Distance between the blocks that are computed, at most the block radius and one; larger is faster and coarser.",
		},
		{
			Name: "candidates", Label: "Candidates", Kind: denoise.Choice, Choices: []string{"quarter", "half", "all"}, Default: denoise.Word("quarter"),
			Help: "Blocks that a block is compared with: all within the search radius, or all next to it and of those beyond a half or a quarter, evenly spread. Fewer are faster and remove less noise.",
		},
	}, preselect.Params(false, func(denoise.Recipe) message.Message { return message.Message{} })...),
	Strength:     denoise.Strength{Param: "h", Lo: 0.2, Hi: 6},
	Bind:         bind,
	ReadsPadding: true,
	Chooses:      true,
	Cases:        cases(),
}

// autoStrength is the strength of nlm with uniform patches of the size of a block; in
// the soft tissue of a CT
//
//	h / sigma = (2.9 - 0.2 ln N) (1 - 0.1 ln(P / 27)) t
//
// with N candidates of P voxels and t of tissue. Measured, see docs/benchmarks/quality.md.
func autoStrength(r denoise.Recipe, g volume.Geometry, f denoise.Facts) float64 {
	block := tile.Count(r.Isotropic(r.Get("block-radius").Int()))
	p := newParams(r)
	neighbours := max(float64(len(p.candidates())), 1)
	switch {
	case nlm.Harms(r.Dims, f):
		return 0
	case block == 1:
		return 2.3 * f.AutoSigma()
	case f.Noise.InTissue():
		share := (2.9 - 0.2*math.Log(neighbours)) * (1 - 0.1*math.Log(block/27)) * tissue(r.Dims, g, f)
		return max(share, 0.3) * f.AutoSigma()
	}
	return nlm.Strength(neighbours, block, f)
}

// tissue is the factor t of h in the soft tissue of a CT,
//
//	t = 1.17 + 0.16 e (2-D), 1.12 + 0.25 e (3-D) or 0.46 + 0.1 e (3-D, slices more than 4 mm apart)
//
// with e = min(E - 1, 2.5), if one independent sample of the noise covers E voxels: blocks of
// correlated noise differ more from each other. In 3-D it falls if few neighbours are alike.
func tissue(dims int, g volume.Geometry, f denoise.Facts) float64 {
	wide := min(f.Noise.Correlation.Effective()-1, 2.5)
	t := 1.12 + 0.25*wide
	switch {
	case dims == 2:
		t = 1.17 + 0.16*wide
	case correlation.Thick(g):
		t = 0.46 + 0.1*wide
	}
	if dims == 3 && f.Alike > 0 {
		t *= max(math.Pow(min(f.Alike/3.5, 1), 3), 0.4)
	}
	return t
}

// Params are the parameters of a resolved recipe.
type Params struct {
	Search [3]int  // half widths of the search region in voxels along x, y, z; 0 along z in 2-D
	Radius [3]int  // half widths of a block, likewise
	Step   [3]int  // distance between blocks; 1 along z in 2-D
	H      float64 // in the volume's unit, > 0
	Spread Spread  // of the blocks that one is compared with

	Select *preselect.Rule // which blocks are used, by the voxels around their middles; nil for all
}

func newParams(r denoise.Recipe) Params {
	p := Params{
		Search: r.Isotropic(r.Get("search-radius").Int()), Radius: r.Isotropic(r.Get("block-radius").Int()),
		Step: r.Isotropic(r.Get("block-step").Int()), H: r.Get("h").Float(),
		Spread: spreads[r.Get("candidates").String()],
	}
	p.Step[2] = max(p.Step[2], 1)
	if rule, on := preselect.New(r, p.Radius[0]); on {
		p.Select = &rule
	}
	return p
}

// Average is the name of the pass that averages blocks; Selected if it reads the
// passes of preselection.
const (
	Average  = "average of blocks"
	Selected = "average of selected blocks"
)

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	p := newParams(r)
	if p.Step[0] > p.Radius[0]+1 {
		return denoise.Program{}, message.Errorf(message.RecipeValue, "block-step is %d, more than block-radius + 1 = %d: voxels between the blocks would get no value",
			p.Step[0], p.Radius[0]+1)
	}
	// A block that reaches a voxel stands up to Radius away, its samples Radius further, and
	// the blocks compared with it stand away by the search radius.
	var reach [3]int
	blocks := 1.0
	for c := range reach {
		reach[c] = 2*p.Radius[c] + p.Search[c]
		blocks /= float64(p.Step[c])
	}
	size := tileSize(p)
	pairs := blocks * float64(len(p.candidates())+1)
	perPair := nsSample * tile.Count(p.Radius)
	if p.common() {
		perPair = nsPair
	}
	average := denoise.Pass{
		Name: Average, Inputs: []string{denoise.Voxels}, Output: denoise.Result,
		Reach: reach, Work: max(pairs*tile.Count(p.Radius), 1),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return reference(p, in, [3]int{x, y, z}) },
		CPU: denoise.CPUPass{
			Tile: size, Scratch: scratch(p, g.Dims, size), Nanoseconds: perPair*pairs + nsVoxel,
			Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker {
				return func() denoise.Worker { return newWorker(p, in, out).run }
			},
		},
	}
	if p.Select == nil {
		return denoise.Program{Params: p, Lattice: p.Step, Passes: []denoise.Pass{average}}, nil
	}
	average.Name = Selected
	average.Inputs = append(average.Inputs, preselect.MeanPass, preselect.DeviationPass)
	return denoise.Program{Params: p, Lattice: p.Step, Passes: append(p.Select.Passes(g), average)}, nil
}

// Nanoseconds of one core, measured on a server core of 3 GHz with vector code: for a
// block and one that it is compared with, if it is a common one, else for each of their
// samples; and for a voxel.
const (
	nsPair   = 2.4
	nsSample = 0.3
	nsVoxel  = 10
)

// Spread says which of the blocks within the search radius one is compared with.
type Spread int

// All of them; or the 26 around it (8 in two dimensions) and those beyond at which the sum
// of the distances along the axes is even, or at which all three are even or all are odd
// (in two dimensions both).
const (
	All Spread = iota
	Half
	Quarter
)

var spreads = map[string]Spread{"all": All, "half": Half, "quarter": Quarter}

// candidate reports whether a block is compared with that at distance d.
func (p *Params) candidate(d [3]int) bool {
	far := max(d[0], -d[0], d[1], -d[1], d[2], -d[2])
	switch {
	case far < 2:
		return far == 1
	case p.Spread == Half:
		return (d[0]+d[1]+d[2])%2 == 0
	case p.Spread == Quarter:
		return (d[0]+d[1])%2 == 0 && ((d[1]+d[2])%2 == 0 || p.Search[2] == 0)
	}
	return true
}

// candidates lists the distances of the blocks that one is compared with, x fastest.
func (p *Params) candidates() [][3]int {
	var all [][3]int
	for z := -p.Search[2]; z <= p.Search[2]; z++ {
		for y := -p.Search[1]; y <= p.Search[1]; y++ {
			for x := -p.Search[0]; x <= p.Search[0]; x++ {
				if d := [3]int{x, y, z}; p.candidate(d) {
					all = append(all, d)
				}
			}
		}
	}
	return all
}

// common reports whether blocks have the radius 1 and the step 2.
func (p *Params) common() bool {
	return p.Radius == [3]int{1, 1, p.Radius[2]} && p.Step[0] == 2
}

// Blocks returns the first and the last index of the blocks along axis c that reach
// voxels from <= x < to; block k stands at Step k, in a volume of n voxels.
func (p *Params) Blocks(c, from, to, n int) (first, last int) {
	s, r := p.Step[c], p.Radius[c]
	return max(from-r+s-1, 0) / s, min(to-1+r, n-1) / s
}

// perUnit is the factor of a sum of squares over a block in the exponent of 2:
// w = 2^-(perUnit sum).
func (p *Params) perUnit() float64 { return math.Log2E / (p.H * p.H * tile.Count(p.Radius)) }

// cases are the recipes of the conformance suite: every option in both
// dimensionalities with a small search region, values as large as a CT's, and
// volumes of several tiles.
func cases() []denoise.Case {
	all := denoise.InBothDims("search-radius=2", []denoise.Case{
		{Name: "plain", Set: "h=9"},
		{Name: "half of the candidates", Set: "h=9 candidates=half"},
		{Name: "all candidates", Set: "h=9 candidates=all"},
		{Name: "selected", Set: "h=9 preselect=true"},
		{Name: "ratios", Set: "h=9 preselect=true candidates=all mean-ratio=0.8 variance-ratio=0.2 zero=-20"},
		{Name: "block radius 0", Set: "h=9 block-radius=0 block-step=1"},
		{Name: "block radius 2", Set: "h=9 preselect=true block-radius=2 block-step=3 search-radius=1"},
		{Name: "moments of blocks", Set: "h=9 preselect=true moments=patch block-radius=2 block-step=2 search-radius=1"},
		{Name: "block step 1", Set: "h=9 preselect=true block-step=1 search-radius=1"},
		{Name: "weak", Set: "h=2"},
		{Name: "faint", Set: "h=0.35"},
		{Name: "fainter", Set: "h=0.01"},
		{Name: "strong", Set: "h=1000 preselect=true"},
		{Name: "search 0", Set: "search-radius=0"},
		{Name: "CT", Set: "h=150", CT: true},
		{Name: "CT weak", Set: "h=20 preselect=true", CT: true},
	})
	return append(all,
		denoise.Case{Name: "3-D large", Dims: 3, Set: "h=9 preselect=true search-radius=2", Large: [3]int{150, 21, 20}},
		denoise.Case{Name: "2-D large", Dims: 2, Set: "h=9 search-radius=4", Large: [3]int{270, 75, 2}},
	)
}

package kernels

import (
	"fmt"
	"math"

	"quell/denoise"
	"quell/denoise/filter/nlm"
	"quell/denoise/filter/preselect"
	"quell/denoise/tile"
)

func init() {
	const rate = 8e11 // weights per second
	average := onField(rate, func(p denoise.Program, f field, _ int) ([]Launch, error) {
		return nlmLaunches(p.Params.(nlm.Params), f, p.Recipe.Dims), nil
	})
	average.Speedup = func(p denoise.Program) float64 { return nlmSpeedup(p.Params.(nlm.Params), p.Recipe.Dims, rate) }
	Register(nlm.Filter.Name, withPreselect(
		func(p denoise.Program) *preselect.Rule { return p.Params.(nlm.Params).Select },
		map[string]Pass{
			"average":           average,
			nlm.SelectedAverage: {Rate: rate / 3, WholeSlices: true, Launches: nlmSelectLaunches},
		},
	))
}

// nlmSpeedup is the factor of the rate for a recipe. nlm_any takes 2.45 ps for a sample of
// a patch and as long as four of them for the rest of a pair, on an H200.
func nlmSpeedup(p nlm.Params, dims int, rate float64) float64 {
	if _, fast := nlmTileOf(p, dims); fast {
		return 1
	}
	const rateOfAny, perPair = 1 / 2.45e-12, 4
	taps := tile.Count(p.PatchRadius)
	return rateOfAny / rate * taps / (taps + perPair)
}

// nlmParams mirrors struct NlmParams of nlm_params.cuh.
type nlmParams struct {
	Field      field
	Search     [3]int32         // search radius
	Patch      [3]int32         // patch radius
	Scale      float32          // factor of the values: distances are then in units of h^2 / log2(e)
	Inverse    float32          // 1 / Scale
	Cut        float32          // 2 sigma^2 in those units, of patches with noise that is not correlated
	Bias       float32          // 2 sigma^2 in the volume's units, which rician subtracts
	LK         int32            // 0: Gaussian weights; 1..4: lk weights with that norm
	Rician     int32            // average squares
	One        int32            // the centre has weight 1, not the largest weight
	Norm       float32          // product of the middle taps, which Ring is relative to
	Ring       [9]float32       // taps relative to the middle one, by distance
	Parts      int32            // warps that share their voxels and divide the offsets: 1 or all of a block
	Cuts       [3][5][5]float32 // Cut by the distances of an offset along z, y and x, less if the noise is correlated
	SharedFrom int32            // for 3^3 patches the slice from which on all warps of a block share their voxels
	Columns    int32            // of Out, along x of the volume: the columns of the region, or more if other launches fill the rest
	Steps      [4]float32       // for Gaussian 5^3 patches the factors of the sum along x, see rowSumsInSteps of nlm_sums.cuh
	StepScale  float32          // the root of what they are relative to
}

// nlmTile describes how a fast nlm kernel divides the volume. It mirrors the template
// arguments in nlm.cu and the brick of nlm.cuh.
type nlmTile struct {
	x, y, z  int // voxels per thread: along the lanes, across them, along z
	warps    int // per block, side by side along y
	steps    int // z steps of the search region in shared memory at once
	together int // z steps processed together
	brick    int // steps along x and along y in shared memory at once
}

// nlmTiles holds the tiles by dimensionality and patch radius.
var nlmTiles = map[[2]int]nlmTile{
	{2, 1}: {x: 2, y: 4, z: 1, warps: 4, steps: 1, together: 1, brick: 17},
	{2, 2}: {x: 2, y: 4, z: 1, warps: 4, steps: 1, together: 1, brick: 17},
	{2, 3}: {x: 2, y: 4, z: 1, warps: 4, steps: 1, together: 1, brick: 17},
	{3, 1}: {x: 2, y: 4, z: 2, warps: 4, steps: 3, together: 3, brick: 9},
	{3, 2}: {x: 1, y: 4, z: 4, warps: 4, steps: 6, together: 3, brick: 9},
	{3, 3}: {x: 1, y: 4, z: 3, warps: 4, steps: 1, together: 1, brick: 9},
}

// dims returns the voxels that a block filters if so many of its warps share theirs.
func (t nlmTile) dims(patch, parts int) [3]int {
	return [3]int{32*t.x - 2*patch, t.warps / parts * t.y, t.z}
}

// nlmWave is the number of blocks that a large device runs at once. Below it the warps of a
// block share their voxels in an image of one slice.
const nlmWave = 264

// nlmFewWaves is the number of waves up to which their ends are close enough together for
// blocks to wait for the last ones.
const nlmFewWaves = 16

// parts returns how many warps of a block share their voxels: all if a region has no more
// rows than a warp, or if the image is small, else one. An image has the same value in all
// of its parts, so that they have the same bits.
func (t nlmTile) parts(patch int, f field) int {
	if int(f.Max[1]-f.Min[1]) <= t.y || f.Dims[2] == 1 && Grid([3]int{int(f.Dims[0]), int(f.Dims[1]), 1}, t.dims(patch, 1))[0] < nlmWave {
		return t.warps
	}
	return 1
}

// sharedFrom returns the slice of a volume from which on all warps of a block share their
// voxels. If the blocks of a volume are a few waves and a bit, a device would wait for
// the last few blocks with most of its multiprocessors idle; shared, their work takes a
// fraction of that time. A volume has the same value in all of its parts.
func (t nlmTile) sharedFrom(patch int, f field) int32 {
	dims := [3]int{int(f.Dims[0]), int(f.Dims[1]), t.z}
	layer, layers := Grid(dims, t.dims(patch, 1))[0], (int(f.Dims[2])+t.z-1)/t.z
	waves, rest := layer*layers/nlmWave, layer*layers%nlmWave
	shared := (rest + layer - 1) / max(layer, 1)
	if patch > 1 || t.z == 1 || f.Dims[2] == 1 || waves == 0 || waves > nlmFewWaves || rest == 0 || 2*shared*layer > nlmWave {
		return math.MaxInt32
	}
	return int32((layers - shared) * t.z)
}

// grid returns the number of blocks of a region; the blocks from slice shared on are of
// warps that share their voxels.
func (t nlmTile) grid(patch, parts int, f field, shared int32) [3]int {
	if parts > 1 || shared >= f.Max[2] {
		return f.grid(t.dims(patch, parts))
	}
	depth := int32(t.z)
	from := min(f.Min[2]+(max(shared-f.Min[2], 0)+depth-1)/depth*depth, f.Max[2])
	below, rest := f, f
	below.Max[2], rest.Min[2] = from, from
	return [3]int{below.grid(t.dims(patch, 1))[0] + rest.grid(t.dims(patch, t.warps))[0], 1, 1}
}

// shared returns the bytes of a block's shared memory: the values for a brick of
// offsets, and a bit for each that is set if the value may be used; at the end three sums
// of each voxel of each thread.
func (t nlmTile) shared(patch, dims int) int {
	cols := 32*t.x + t.brick - 1
	rows := t.warps*t.y + 2*patch + t.brick - 1
	planes := 1
	if dims == 3 {
		planes = t.z + 2*patch + t.steps - 1
	}
	words := (cols + 31) / 32
	sums := 3 * 32 * t.warps * t.x * t.y * t.z
	return 4 * max(planes*rows*(cols+words), sums)
}

// nlmLaunches selects a fast kernel for patch radii 1 to 3, otherwise the general one.
// Gaussian weights with centre rule max can underflow in float32. The fast kernels filter
// these voxels; after the general one nlm_underflow does.
func nlmLaunches(p nlm.Params, f field, dims int) []Launch {
	args := newNLMParams(p, f, dims)
	t, fast := nlmTileOf(p, dims)
	if !fast {
		return append([]Launch{nlmAny(f, args)}, nlmUnderflow(p, f, "nlm", Pack(args))...)
	}
	left, right, apart := t.apart(p.PatchRadius[0], f)
	if !apart {
		return []Launch{t.launch(p.PatchRadius[0], dims, args)}
	}
	args.Field = left
	return []Launch{t.launch(p.PatchRadius[0], dims, args), t.rest(p.PatchRadius[0], dims, args, right)}
}

// nlmUnderflow returns the launch that filters the voxels with weights that underflow,
// if there can be any: the module's kernel of that name, with the arguments of the
// kernel that marks them.
func nlmUnderflow(p nlm.Params, f field, module string, args []byte) []Launch {
	if p.LK > 0 || p.Centre != nlm.CentreMax {
		return nil
	}
	return []Launch{{
		Module: module, Kernel: module + "_underflow",
		Grid: [3]int{f.chunks(nlmUnderflowVoxels), 1, 1}, Block: [3]int{256, 1, 1}, Args: args,
	}}
}

// nlmUnderflowVoxels is how many voxels a block of nlm_underflow examines.
const nlmUnderflowVoxels = 16 * 256

// nlmTileOf returns the tile of the fast kernel for a recipe, if there is one.
func nlmTileOf(p nlm.Params, dims int) (t nlmTile, fast bool) {
	t, fast = nlmTiles[[2]int{dims, p.PatchRadius[0]}]
	return t, fast && p.LK == 0
}

// nlmAny returns the launch of the kernel for all patch radii and lk weights.
func nlmAny(f field, args nlmParams) Launch {
	tile := [3]int{32, 4, 1}
	return Launch{Module: "nlm", Kernel: "nlm_any", Grid: f.grid(tile), Block: tile, Args: Pack(args)}
}

// launch returns the launch of a fast kernel.
func (t nlmTile) launch(patch, dims int, args nlmParams) Launch {
	// Lanes are along x, so a sagittal slice leaves most of them idle. With x and y
	// swapped it leaves rows of warps idle instead. Reading along y is slower, so that is
	// done only if it halves the work.
	plan := func(f field) (parts int, grid [3]int) {
		parts = t.parts(patch, f)
		return parts, f.grid(t.dims(patch, parts))
	}
	parts, grid := plan(args.Field)
	swapped := args.Field.swapped()
	if p, g := plan(swapped); 2*g[0]*parts <= grid[0]*p {
		parts = p
		args.Field = swapped // the search and patch radii are the same along x and y
	}
	args.Parts = int32(parts)
	args.SharedFrom = t.sharedFrom(patch, args.Field)
	return t.launchOf(patch, dims, args, t.grid(patch, parts, args.Field, args.SharedFrom))
}

// rest returns the launch for columns at the right edge that fill few of the lanes: with x
// and y swapped, and all warps of a block on each voxel, as there may be only four.
func (t nlmTile) rest(patch, dims int, args nlmParams, columns field) Launch {
	args.Field = columns.swapped()
	args.Field.Out += 4 * uint64(columns.Min[0])
	args.Parts = int32(t.warps)
	return t.launchOf(patch, dims, args, args.Field.grid(t.dims(patch, t.warps)))
}

func (t nlmTile) launchOf(patch, dims int, args nlmParams, grid [3]int) Launch {
	kernel := fmt.Sprintf("nlm_%dd_f%d", dims, patch)
	if patch > 1 {
		if args.Ring[1] == 1 {
			kernel += "_uniform"
		} else {
			kernel += "_gaussian"
		}
	}
	return Launch{Module: "nlm", Kernel: kernel, Grid: grid, Block: [3]int{32, t.warps, 1}, Shared: t.shared(patch, dims), Args: Pack(args)}
}

// apart divides the region at the last column of tiles if that fills so few of its lanes
// that swapped tiles are less work for the columns that are left, by two per cent of the
// region at least. Whole slices of large volumes are divided, if a second launch costs
// little; all parts of a volume at the same column, so that they have the same bits.
func (t nlmTile) apart(patch int, f field) (left, right field, apart bool) {
	tile, width, height := t.dims(patch, 1), int(f.Dims[0]), int(f.Dims[1])
	whole := Grid([3]int{width, height, 1}, tile)[0]
	columns := width % tile[0]
	layers := (int(f.Dims[2]) + tile[2] - 1) / tile[2]
	if f.Min[0] > 0 || f.Min[1] > 0 || f.Max[0] < f.Dims[0] || f.Max[1] < f.Dims[1] ||
		width < tile[0] || columns == 0 || height <= t.y || whole*layers/nlmWave <= nlmFewWaves {
		return f, f, false
	}
	rows := (height + tile[1] - 1) / tile[1]
	swapped := Grid([3]int{height, columns, 1}, t.dims(patch, t.warps))[0]
	if 50*(rows*t.warps-swapped) < whole*t.warps {
		return f, f, false
	}
	left, right = f, f
	left.Max[0] = int32(width - columns)
	right.Min[0] = left.Max[0]
	return left, right, true
}

func newNLMParams(p nlm.Params, f field, dims int) nlmParams {
	args := nlmParams{Field: f, LK: int32(p.LK), Parts: 1, SharedFrom: math.MaxInt32, Columns: f.Max[0] - f.Min[0]}
	for c := range 3 {
		args.Search[c], args.Patch[c] = int32(p.SearchRadius[c]), int32(p.PatchRadius[c])
	}
	radius := p.PatchRadius[0]
	middle := p.Taps[radius]
	for k := 0; k <= radius; k++ {
		args.Ring[k] = float32(p.Taps[radius+k] / middle)
	}
	args.Steps, args.StepScale = stepsOf(p.Taps[radius:])
	norm := math.Pow(middle, float64(dims))
	args.Norm = float32(norm)
	if p.LK == 0 {
		unit := math.Log2E / (p.H * p.H)
		args.Scale = float32(math.Sqrt(unit * norm))
		args.Cut = float32(2 * p.Sigma * p.Sigma * unit)
		for z, plane := range args.Cuts {
			for y, row := range plane {
				for x := range row {
					args.Cuts[z][y][x] = float32(p.Cut([3]int{x, y, z}) * unit)
				}
			}
		}
	} else {
		args.Scale = 1
	}
	args.Inverse = 1 / args.Scale
	args.Bias = float32(2 * p.Sigma * p.Sigma)
	if p.Rician {
		args.Rician = 1
	}
	if p.Centre == nlm.CentreOne {
		args.One = 1
	}
	return args
}

// stepsOf returns the factors with which rowSumsInSteps sums taps of radius 2, given from the
// middle one on; taps of other radii are not used.
func stepsOf(taps []float64) (steps [4]float32, scale float32) {
	if len(taps) != 3 || taps[1] == 0 {
		return steps, 1
	}
	g, h := taps[1]/taps[0], taps[2]/taps[0]
	part := h / g
	m := g - h*part
	rest := 1 - m*part // of the middle tap, above 0.67 for Gaussian weights
	for i, f := range []float64{part, m / rest, h / rest, g / rest} {
		steps[i] = float32(f)
	}
	return steps, float32(math.Sqrt(rest))
}

// Package preselect is the choice of neighbours by mean and variance before their
// patches are compared, which nlm and bnlm share (Coupe et al. 2008, eq. 9): its
// parameters, the passes that compute both numbers, and the comparison.
//
// A neighbour j of i is used only if
//
//	mu1 < mean_i / mean_j < 1 / mu1   and   s1 < var_i / var_j < 1 / s1
//
// over the voxels around each, where 0 and 0 are equal: 3^3 (3^2 in two dimensions), or
// those of the patch, which is the paper's choice.
// A ratio of means depends on the value at which the scale of values begins, so
// means count from the parameter zero.
package preselect

import (
	"math"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/internal/message"
	"quell/volume"
)

// The names of the passes, and of the fields that they compute.
const (
	MeanPass      = "local mean"
	DeviationPass = "local deviation"
)

// Params returns the parameters; on is the default of the switch. ignored returns why
// a recipe cannot select, or "".
func Params(on bool, ignored func(r denoise.Recipe) message.Message) []denoise.Param {
	unused := func(r denoise.Recipe) message.Message {
		if why := ignored(r); !why.IsZero() {
			return why
		}
		if !r.Get("preselect").On() {
			return message.Text("preselect is off")
		}
		return message.Message{}
	}
	return []denoise.Param{
		{
			Name: "preselect", Label: "Preselect", Kind: denoise.Switch, Default: denoise.Bool(on), Ignored: ignored,
			Help: "Use only neighbours whose surroundings have a similar mean and variance: edges stay sharper, and homogeneous regions noisier.",
		},
		{
			Name: "mean-ratio", Label: "Mean ratio", Kind: denoise.Float,
			Min: 0, Max: 0.9999, Lo: 0.5, Hi: 0.99, Step: 0.01, Default: denoise.Number(0.95), Ignored: unused,
			Help: "Smallest ratio of the means of two surroundings that are alike; higher excludes more.",
		},
		{
			Name: "variance-ratio", Label: "Variance ratio", Kind: denoise.Float,
			Min: 0, Max: 0.9999, Lo: 0, Hi: 0.95, Step: 0.05, Default: denoise.Number(0.5), Ignored: unused,
			Help: "Smallest ratio of the variances of two surroundings that are alike; higher excludes more.",
		},
		{
			Name: "moments", Label: "Moments of", Kind: denoise.Choice, Choices: []string{Near, Patch}, Words: []string{"3 voxels", "Patch"},
			Default: denoise.Word(Near), Ignored: unused,
			Help: "Whether mean and variance are those of the 3 voxels along each axis around a voxel, or those of its patch, as in the paper.",
		},
		{
			Name: "zero", Label: "Zero of the means", Kind: denoise.Float, Unit: "value", Level: true,
			Min: -denoise.Largest, Max: denoise.Largest, Lo: -10, Hi: 10, Step: 0.1,
			Default: denoise.Auto, Auto: &denoise.AutoRule{Amount: lowest}, Ignored: unused,
			Help: "Value from which means count in their ratio: 0 for images without negative values, air for CT. Auto is the lowest value.",
		},
	}
}

// The voxels whose mean and variance are compared.
const (
	Near  = "near"  // 3 along each axis
	Patch = "patch" // those of the patch or block
)

// lowest is the automatic zero. It moves with a constant that is added to the voxels,
// and the choice of neighbours then stays as it is.
func lowest(_ denoise.Recipe, _ volume.Geometry, f denoise.Facts) float64 { return float64(f.Lo) }

// Rule is the comparison of two surroundings. It is made in float32, of numbers that
// have the same bits on every engine, so that all engines choose the same neighbours.
type Rule struct {
	Zero      float64 // from which means count
	Apart     float32 // 1 - mu1: how far means may be apart, relative to the larger one
	Deviation float32 // the root of s1: the smallest ratio of standard deviations
	Radius    [3]int  // half widths of a surrounding; along z 0 in two dimensions
}

// New returns the rule of a resolved recipe whose patches have this half width; false if
// it uses all neighbours.
func New(r denoise.Recipe, patch int) (Rule, bool) {
	radius := 1
	if r.Get("moments").String() == Patch {
		radius = patch
	}
	return Rule{
		Zero: r.Get("zero").Float(), Apart: float32(1 - r.Get("mean-ratio").Float()),
		Deviation: float32(math.Sqrt(r.Get("variance-ratio").Float())), Radius: r.Isotropic(radius),
	}, r.Get("preselect").On()
}

// Alike reports whether two voxels with these means and standard deviations around
// them may be averaged:
//
//	|mean_i - mean_j| < (1 - mu1) max(|mean_i|, |mean_j|)
//	min(dev_i, dev_j) > sqrt(s1) max(dev_i, dev_j)
//
// which is the rule for ratios of numbers of any sign.
func (r Rule) Alike(meanI, devI, meanJ, devJ float32) bool {
	return abs(meanI-meanJ) < float32(r.Apart*max(abs(meanI), abs(meanJ))) &&
		min(devI, devJ) > float32(r.Deviation*max(devI, devJ))
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// AlikeAt is Alike for voxels i and j of the fields that the passes compute.
func (r Rule) AlikeAt(mean, deviation *denoise.Field, i, j [3]int) bool {
	return r.Alike(mean.At(i[0], i[1], i[2]), deviation.At(i[0], i[1], i[2]), mean.At(j[0], j[1], j[2]), deviation.At(j[0], j[1], j[2]))
}

// Passes returns the passes that compute the mean and the standard deviation around
// every voxel, excluded ones included: Everywhere, since a block may stand on one.
func (r Rule) Passes(g volume.Geometry) []denoise.Pass {
	taps := float64(2*(r.Radius[0]+r.Radius[1]+r.Radius[2])+3) / 9 // relative to 3^3
	pass := func(name string, nanoseconds float64, squares bool, of func(s sums) float32) denoise.Pass {
		return denoise.Pass{
			Name: name, Inputs: []string{denoise.Voxels}, Output: name, Everywhere: true,
			Reach: r.Radius, Work: tile.Count(r.Radius),
			Reference: func(in []denoise.Field, x, y, z int) float64 {
				return float64(of(r.around(&in[0], x, y, z)))
			},
			CPU: denoise.CPUPass{
				Tile: tileSize, Scratch: tile.Bytes(g.Dims, tileSize, r.Radius, 64), Nanoseconds: nanoseconds * max(taps, 1),
				Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker {
					return func() denoise.Worker { return (&worker{rule: r, in: in[0], out: out, squares: squares, of: of}).run }
				},
			},
		}
	}
	return []denoise.Pass{pass(MeanPass, 8, false, sums.mean), pass(DeviationPass, 15, true, sums.deviation)}
}

package denoise

import "slices"

// A reader wants less than the filter alone at times: its result keeps little of the
// texture of the original, and faint objects lose contrast. A recipe of strength s
// mixes both,
//
//	result = v + s / 100 (F(v) - v)   pass MixWithVoxels
//
// with F the filter and its transforms of the voxels. Noise left, contrast kept and
// what was removed are linear in s, so that one run of the filter gives every strength.

// MixWithVoxels is the name of the pass after all others if the strength is below 100.
const MixWithVoxels = "mix with voxels"

// unmixed is the field that it reads.
const unmixed = "result at full strength"

// MixStrength is a parameter of every filter: the share of what the filter alone
// removes, in percent. Register adds it.
var MixStrength = Param{
	Name: strengthName, Label: "Strength", Kind: Float, Unit: "%", Mixes: true,
	Min: 0, Max: fullStrength, Lo: 0, Hi: fullStrength, Step: 1, Default: Number(fullStrength), Absent: Number(fullStrength),
	Help: "The share of what the filter removes that is removed: 100 is the filter alone, 0 the original. Less keeps more of the texture and of faint contrast; visible stops before either is lost.",
}

const (
	strengthName = "strength"
	fullStrength = 100
)

// Mixed returns which share of what the filter alone removes r removes, 0 to 1; the
// strength must be a number.
func (r Recipe) Mixed() float64 { return r.Get(strengthName).Float() / fullStrength }

// mixed returns the program whose result is v + share (F(v) - v), with F(v) the result of p.
func (p Program) mixed(share float64) Program {
	p.Share = share
	p.Passes = slices.Clone(p.Passes)
	p.Passes[len(p.Passes)-1].Output = unmixed
	p.Passes = append(p.Passes, eachVoxel(2, func(f float32, in []Field, i int) float64 {
		v := float64(in[1].Data[i])
		return v + float64(share*(float64(f)-v))
	}, Pass{Name: MixWithVoxels, Inputs: []string{unmixed, Voxels}, Output: Result}))
	return p
}

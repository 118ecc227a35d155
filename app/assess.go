package app

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/series"
	"quell/volume"
)

// Assessment says how well a result is denoised, without a reference.
type Assessment struct {
	Sigma      float64          `json:"sigma"` // of the input's noise, in its unit
	Confidence noise.Confidence `json:"confidence"`
	ResidualSD float64          `json:"residual_sd"` // of the foreground, in the unit of the input
	// Structure is the mean square of the residual beyond the noise that was
	// removed, in sigmas squared: what was taken from the structure. 0 if unknown.
	Structure float64      `json:"structure"`
	Verdict   tune.Verdict `json:"verdict"`
	Why       string       `json:"why"`
	Slices    []SliceNoise `json:"slices"`
	Curve     *tune.Curve  `json:"curve,omitempty"` // the error over the filter's strength; nil without a recipe
	Unit      string       `json:"unit,omitempty"`
}

// SliceNoise is what is known of one slice.
type SliceNoise struct {
	Sigma      float64          `json:"sigma"`
	Confidence noise.Confidence `json:"confidence"`
	ResidualSD float64          `json:"residual_sd"` // of the foreground; 0 where there is none
}

// AssessInput is what Assess looks at.
type AssessInput struct {
	Before *series.Series
	After  *volume.Volume // on the grid of Before
	Mask   []bool         // voxels that count, nil for all
	// Recipe is how After was made, resolved. Without it the verdict rests on the
	// two volumes alone and is less certain.
	Recipe *denoise.Recipe
	Facts  *denoise.Facts // of Before, or nil to find them
	Engine denoise.Engine // runs the recipe again on parts of the volume
}

// Assess judges a result by the noise of its input. The error is the context's,
// or the engine's.
func Assess(ctx context.Context, in AssessInput) (Assessment, error) {
	before := in.Before.Volume
	facts, err := factsOf(ctx, before, in.Facts)
	if err != nil {
		return Assessment{}, err
	}
	e := facts.Noise
	foreground, err := noise.Foreground(ctx, before)
	if err != nil {
		return Assessment{}, err
	}
	use := func(i int) bool { return (in.Mask == nil || in.Mask[i]) && foreground(i) }
	a := Assessment{Sigma: e.Sigma, Confidence: e.Confidence, Unit: before.Unit}
	a.ResidualSD, a.Slices = residualSDs(before, in.After, use, e)
	var j tune.Judgement
	if in.Recipe != nil {
		j, err = tune.Judge(ctx, in.Engine, denoise.Input{Volume: before, Mask: in.Mask}, *in.Recipe, e)
	} else {
		j, err = tune.JudgeBlind(ctx, before, in.After, use, e)
	}
	if err != nil {
		return Assessment{}, err
	}
	a.Verdict, a.Why, a.Structure, a.Curve = j.Verdict, j.Why, j.Structure, j.Curve
	return a, nil
}

// residualSDs returns the standard deviation of the residual in the foreground, of
// the volume and of each slice.
func residualSDs(before, after *volume.Volume, use func(int) bool, e noise.Estimate) (float64, []SliceNoise) {
	slices := make([]SliceNoise, before.Dims[2])
	var n, sum, squares float64
	per := before.SliceVoxels()
	for z := range slices {
		var zn, zs, zq float64
		for i := z * per; i < (z+1)*per; i++ {
			if use(i) {
				r := float64(before.Data[i]) - float64(after.Data[i])
				zn, zs, zq = zn+1, zs+r, zq+r*r
			}
		}
		if zn > 0 {
			slices[z].ResidualSD = math.Sqrt(max(zq/zn-zs*zs/(zn*zn), 0))
		}
		n, sum, squares = n+zn, sum+zs, squares+zq
		slices[z].Sigma, slices[z].Confidence = e.PerSlice[z].Sigma, e.PerSlice[z].Confidence
	}
	if n == 0 {
		return 0, slices
	}
	return math.Sqrt(max(squares/n-sum*sum/(n*n), 0)), slices
}

// RecipeBeside returns the recipe in the record beside an output if that output
// was made from the voxels of before as a whole; nil without such a record.
func RecipeBeside(out string, before *volume.Volume) (*denoise.Recipe, error) {
	data, err := os.ReadFile(strings.TrimRight(out, "/\\") + recordSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, inputError(err, out+recordSuffix, nil)
	}
	// Anything but the record of a run over the whole of before is no ground: the
	// result is then judged without a recipe.
	var r Record
	matches := json.Unmarshal(data, &r) == nil && r.Recipe != nil && r.Region == nil && r.NoiseMap == nil && r.Mask == nil &&
		r.Source.SHA256 == voxelHash(before) && r.Recipe.Validate() == nil
	if !matches {
		return nil, nil
	}
	return r.Recipe, nil
}

package noise

import (
	"context"
	"math"

	"quell/internal/message"
	"quell/volume"
)

// manyWindows is how many adjacent windows make a figure of sixth differences that scatters
// little: its standard deviation is about 1 %.
const manyWindows = 2000

// refine replaces the figure of fewer windows by the lesser of what fourth and second
// differences read. They reach less far, so that more windows have room, and neighbours among them
// share less noise: they scatter by a third to a half less. Anatomy adds to both, here
// more to the one and there to the other, so that the lesser is nearer. The error is the context's.
func (e *Estimate) refine(ctx context.Context, v *volume.Volume, d measurement) error {
	switch {
	case e.Windows >= manyWindows, d.how.flat, e.Sigma == 0:
		return nil
	case e.Method != methodDifferences, e.Confidence == Low: // texture and what correlated noise shares raise these figures more
		return nil
	}
	least := math.Inf(1)
	for _, of := range []difference{fourth, second} {
		how, _ := windowsBy(of, v.Geometry) // there is room, as there was for how
		ws, err := differences(ctx, v, how, 0, v.Dims[2], maxWindows)
		if err != nil {
			return err
		}
		if f := e.differencesFigure(ws, d.cut, how, d.valueRange); f.Confidence != None {
			least = min(least, f.Sigma)
		}
	}
	if !math.IsInf(least, 1) {
		e.Sigma = least
	}
	return nil
}

// The limits of single differences.
const (
	// singleRise is of second differences over fourth ones, beyond chance: above, texture is part of the figure. Texture
	// that raises them by 8 %, and has at most half of its power in fourth ones, raises the figure by a tenth at most.
	singleRise   = 1.08
	singleChance = 2 // over the root of the number of voxels
)

// judgeSingle looks for texture in the figure of a volume with no room for windows. Noise reads the same by second and by
// fourth differences, or less by second ones if neighbours share it; what is smoother than noise reads more. The noise is
// unknown if they rise, or if the figure is an upper bound. The error is the context's.
func (e *Estimate) judgeSingle(ctx context.Context, v *volume.Volume, d measurement) error {
	if e.Confidence == None || e.Sigma == 0 {
		return nil
	}
	how := sampling{of: second, block: d.how.block, parts: d.how.parts, flat: d.how.flat}
	ws, err := differences(ctx, v, how, 0, v.Dims[2], math.MaxInt)
	if err != nil {
		return err
	}
	all := e.sigmas(foreground(ws, d.cut))
	if len(all) == 0 {
		return nil
	}
	wider := quantile(all, 0.5) / how.pure(0.5)
	if e.Confidence == Low || wider/e.Sigma > singleRise+singleChance/math.Sqrt(float64(len(all))) {
		e.Confidence, e.atMost, e.few = Low, max(wider, e.Sigma), false
		e.Why = message.New(message.NoiseTexture, "the volume is small, and texture or structure may be part of the figure: it is an upper bound")
	}
	return nil
}

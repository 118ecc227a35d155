package noise

import (
	"context"
	"math"

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

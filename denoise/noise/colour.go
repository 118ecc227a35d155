package noise

import (
	"context"
	"math"

	"quell/internal/message"
	"quell/volume"
)

// Noise of an image that was smoothed or interpolated is not white: neighbouring
// voxels share it, and their differences hold too little of it. In the windows that
// sigma was found in, the second difference is compared with the sixth difference.
// White noise reads the same in both.

// The limits, as ratios to what white noise reads.
const (
	colourRise   = 1.015 // of the second difference over the sixth: above, the noise may not be white
	smoothedRise = 1.3   // the same: above, the image was smoothed, or shows texture alone
	doubtfulRise = 1.15  // the same beyond chance: above, the sixth difference may hold half of the noise
	anatomyRise  = 1.25  // of less even windows over the evenest quarter, beyond chance: above, anatomy is part of a low figure
)

var filteredBefore = message.New(message.NoiseCorrelated, "the image seems to have been interpolated or filtered by the scanner, or it has hardly any noise")

// mostColourWindows bounds the windows that are read again.
const mostColourWindows = 1000

// judgeColour looks for correlation in the even windows of those of a measurement, and for anatomy in all of them, see
// judge. The error is the context's.
func (e *Estimate) judgeColour(ctx context.Context, v *volume.Volume, d measurement) error {
	even, how := evenest(d.windows, 0, min(len(d.windows)/2, fewEven)), d.how
	read, err := e.secondDifferences(ctx, v, even, how)
	if err != nil {
		return err
	}
	rise, byChance, _ := e.textureRise(d.windows)
	e.judge(read, how.independent(len(even)), spread(even), rise-byChance)
	return nil
}

// judge looks at sigma by what second differences read in a number of even windows, as of white noise. If they show that noise is correlated, or cannot
// decide, it lowers the confidence. spread is what the voxels of the windows differ by, texture included: the noise is at most
// that. anatomy is the rise of textureRise beyond chance. Noise adds the same to a window whatever the anatomy in it: if
// less even windows read more, and the evenest ones hold more than noise, anatomy is part of their reading too, by a share
// that nothing shows. A figure that is low then is an upper bound.
func (e *Estimate) judge(read float64, even int, spread, anatomy float64) {
	rise := 1.0
	if e.Sigma > 0 {
		rise = read / e.Sigma
	}
	// Of few windows the rise itself scatters.
	byChance := 0.25 / math.Sqrt(float64(max(even, 1)))
	coloured := rise > colourRise+byChance
	e.Negligible = e.Negligible && rise < smoothedRise
	switch {
	case rise > smoothedRise || rise > doubtfulRise+byChance:
		e.Confidence, e.atMost = Low, spread
		e.Why = filteredBefore
	case e.Confidence == Low && !e.Negligible && anatomy > anatomyRise && spread > spreadLoss*tolerableTexture*e.Sigma:
		e.atMost = spread
		e.Why = message.New(message.NoiseTexture, "anatomy is part of the estimate, as less homogeneous parts of the image read more")
	case coloured && e.Confidence == High:
		e.Confidence, e.Why = Fair, message.New(message.NoiseTexture, "texture may be part of the figure, or the noise is slightly correlated")
	}
}

// spread returns what the voxels of the windows differ by, at most: of noise that was smoothed by a Gaussian of up to
// 2 voxels the mean of a window of six takes up to a third of the variance.
func spread(ws []window) float64 {
	all := make([]float64, len(ws))
	for i, w := range ws {
		all[i] = float64(w.spread)
	}
	return spreadLoss * quantile(all, 0.5)
}

// spreadLoss is what makes up for the mean that is taken from a window.
const spreadLoss = 1.25

// secondDifferences reads some of the even windows again by second differences.
func (e *Estimate) secondDifferences(ctx context.Context, v *volume.Volume, even []window, how sampling) (float64, error) {
	again := sampling{of: second, block: how.block, parts: how.parts, flat: how.flat}
	reach, size := again.reach(), again.size()
	var ws []window
	for i := 0; i < len(even); i += 1 + (len(even)-1)/mostColourWindows {
		var around volume.Region
		for c, at := range even[i].at {
			around.Min[c], around.Max[c] = int(at)-reach[c], int(at)+size[c]+reach[c]
		}
		one, err := differences(ctx, v.Crop(around), again, 0, around.Dims()[2], 1)
		if err != nil {
			return 0, err
		}
		ws = append(ws, one...)
	}
	return middle(e.sigmas(ws)) / again.pure(0.5), nil
}

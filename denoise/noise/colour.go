package noise

import (
	"context"
	"math"
	"runtime"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// Noise of an image that was smoothed or interpolated is not white: neighbouring
// voxels share it, and their differences hold too little of it. In the windows that
// sigma was found in, second differences of voxels 1, 2 and 3 apart are compared
// with the sixth difference. White noise reads the same in all of them.

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
func (e *Estimate) judgeColour(ctx context.Context, v *volume.Volume, d measurement) (err error) {
	even, how := evenest(d.windows, 0, min(len(d.windows)/2, fewEven)), d.how
	var r [4]float64
	for step := 1; step <= 3; step++ {
		if r[step], err = e.secondDifferences(ctx, v, even, how, step); err != nil {
			return err
		}
	}
	rise, byChance, _ := e.textureRise(d.windows)
	e.judge(r, how.independent(len(even)), spread(even), rise-byChance)
	return nil
}

// judge looks at sigma by the second differences of steps 1 to 3 in a number of even windows, as of white noise. If they show that noise is correlated, or cannot
// decide, it lowers the confidence. spread is what the voxels of the windows differ by, texture included: the noise is at most
// that. anatomy is the rise of textureRise beyond chance. Noise adds the same to a window whatever the anatomy in it: if
// less even windows read more, and the evenest ones hold more than noise, anatomy is part of their reading too, by a share
// that nothing shows. A figure that is low then is an upper bound.
func (e *Estimate) judge(r [4]float64, even int, spread, anatomy float64) {
	rise := 1.0
	if e.Sigma > 0 {
		rise = r[1] / e.Sigma
	}
	// Of few windows the rise itself scatters.
	byChance := 0.25 / math.Sqrt(float64(max(even, 1)))
	coloured := rise > colourRise+byChance
	e.Negligible = e.Negligible && rise < smoothedRise
	switch {
	case rise > smoothedRise || rise > doubtfulRise+byChance:
		e.Confidence, e.atMost = Low, max(r[2], r[3], spread)
		e.Why = filteredBefore
	case e.Confidence == Low && !e.Negligible && anatomy > anatomyRise && spread > spreadLoss*tolerableTexture*e.Sigma:
		e.atMost = max(r[2], r[3], spread)
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

// secondDifferences reads the even windows again by second differences of voxels
// that lie step apart.
func (e *Estimate) secondDifferences(ctx context.Context, v *volume.Volume, even []window, how sampling, step int) (float64, error) {
	again := sampling{of: difference{second.taps, step}, block: how.block, parts: how.parts, flat: how.flat}
	size := again.size()
	var ws []window
	reach := again.reach()
	for i := 0; i < len(even); i += 1 + (len(even)-1)/mostColourWindows {
		// The differences may reach further than the ones that found the window.
		inside := true
		for c, at := range even[i].at {
			inside = inside && int(at) >= reach[c] && int(at)+size[c]+reach[c] <= v.Dims[c]
		}
		if inside {
			ws = append(ws, even[i])
		}
	}
	if len(ws) == 0 {
		return 0, nil
	}
	err := parallel.ForWorkers(ctx, len(ws), runtime.GOMAXPROCS(0), func() func(int) error {
		d := differencer{of: again.of}
		return func(i int) error {
			ws[i].sd = d.window(v, ws[i].at, again)
			return nil
		}
	})
	if err != nil {
		return 0, err
	}
	return middle(e.sigmas(ws)) / again.pure(0.5), nil
}

// window returns the root mean square of the differences in one window.
func (d *differencer) window(v *volume.Volume, at [3]int32, s sampling) float32 {
	reach, size := s.reach(), s.size()
	n := [3]int{size[0] + 2*reach[0], size[1] + 2*reach[1], size[2] + 2*reach[2]}
	if len(d.a) < n[0]*n[1] {
		d.a, d.b = make([]float32, n[0]*n[1]), make([]float32, n[0]+size[0])
	}
	x0, y0 := int(at[0])-reach[0], int(at[1])-reach[1]
	sum := 0.0
	for z := int(at[2]); z < int(at[2])+size[2]; z++ {
		row := func(y, k int) []float32 { return v.Data[v.Index(x0, y0+y, z+k):][:n[0]] }
		for y := range n[1] {
			to := d.a[y*n[0] : (y+1)*n[0]]
			if reach[2] > 0 {
				s.of.combine(to, func(k int) []float32 { return row(y, k) })
			} else {
				copy(to, row(y, 0))
			}
		}
		for y := reach[1]; y < n[1]-reach[1]; y++ {
			s.of.combine(d.b[:n[0]], func(k int) []float32 { return d.a[(y+k)*n[0] : (y+k+1)*n[0]] })
			along := d.b[n[0]:]
			s.of.along(along, d.b[:n[0]], reach[0])
			for _, a := range along {
				sum += float64(a) * float64(a)
			}
		}
	}
	return float32(math.Sqrt(sum / (float64(size[0]*size[1]*size[2]) * s.of.norm(reach))))
}

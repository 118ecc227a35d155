package noise

import (
	"context"
	"math"
	"runtime"

	"quell/internal/parallel"
	"quell/volume"
)

// Homogeneous windows show the noise with all of its colour. In windows of the foreground a quadratic surface is fitted
// and removed, as in soft tissue (surfacefit.go). The standard deviation of noise is the same in windows of 7 and
// of 9 pixels; what anatomy adds rises with the window. Anatomy that differs little from slice to slice is
// removed by differences of neighbouring slices, which keep noise that the slices do not share.

// The windows.
const (
	evenNarrow   = 7  // pixels of the narrower windows
	evenWide     = 9  // pixels of the wider ones
	mostEven     = 24 // slices that are read, evenly over the volume
	fewInEven    = 20 // windows below which a slice does not count
	evenOfMost   = 4  // and if it has less than this part of the windows of the slice with most
	evenSlices   = 0.15
	evenMargin   = 0.1   // of the figures of places, for what is between them
	evenRiseLow  = 1.08  // of the 0.15-quantile from narrow to wide windows: above, anatomy is part of it
	evenRiseMost = 1.055 // of the median
	leastColour  = 0.1   // more pixels than one that an independent sample covers: below, the noise counts as white
	mostCoverage = 5     // pixels that an independent sample covers at most
	mostEvenGain = 1.15  // of a fit: the correlation of what it leaves shows no more
	evenAgrees   = 0.12  // by which the finest detail and the windows may differ if they show the same noise
)

// The variance that anatomy adds rises with a power of the side of the window, of 1.2 to 3 on heads of three
// modalities. From two sides follows what is left of a window of no size.
const (
	leastPower = 1.2
	mostPower  = 3
)

// evenOrders are the differences across slices: none, first and second ones.
var evenOrders = [][]float64{{1}, {-1, 1}, {1, -2, 1}}

// evenQuantiles are the quantiles of the windows of a slice.
var evenQuantiles = [...]float64{0.05, 0.15, 0.25, 0.5, 0.75}

// The places in evenQuantiles.
const (
	evenLowest = iota
	evenLow
	evenQuarter
	evenMiddle
	evenUpper
)

// evenFigures are the quantiles of the standard deviations in the windows of the evenest slices.
type evenFigures [len(evenQuantiles)]float64

// evenWindows is what the windows show.
type evenWindows struct {
	narrow, wide []evenFigures // by the order of the difference across slices
	count        int           // wide windows
	limits       tissue        // of the means of the foreground
}

// found reports whether there are windows enough.
func (w evenWindows) found() bool { return w.count >= minWindows && w.narrow[0][evenLow] > 0 }

// homogeneous reports whether noise alone made the windows: wider ones read the same, and none is without variation.
func (w evenWindows) homogeneous() bool {
	if !w.found() {
		return false
	}
	n, f := w.narrow[0], w.wide[0]
	return f[evenLowest] > 0 && f[evenLow] <= evenRiseLow*n[evenLow] && f[evenMiddle] <= evenRiseMost*n[evenMiddle]
}

// without returns the standard deviation that is left without anatomy of that power, from the quantile of narrow and wide windows.
func without(narrow, wide, power float64) float64 {
	rise := math.Pow(float64(evenWide)/evenNarrow, power) - 1
	return math.Sqrt(max(narrow*narrow-max(wide*wide-narrow*narrow, 0)/rise, 0))
}

// least returns a lower bound, whatever the colour of the noise; 0 if anatomy fills the windows.
func (w evenWindows) least() (low float64) {
	if !w.found() {
		return 0
	}
	for k := range w.narrow {
		low = max(low, without(w.narrow[k][evenLowest], w.wide[k][evenLowest], leastPower))
	}
	return low
}

// most returns an upper bound: what the evener windows hold, anatomy included.
func (w evenWindows) most() float64 {
	if !w.found() {
		return 0
	}
	return (1 + evenMargin) * w.wide[0][evenQuarter]
}

// usual returns what the evenest windows hold, with the least of anatomy.
func (w evenWindows) usual() float64 {
	least := math.Inf(1)
	for k := range w.narrow {
		if n := w.narrow[k][evenLow]; n > 0 {
			least = min(least, without(n, w.wide[k][evenLow], mostPower))
		}
	}
	return least / rootMeanSquare(evenNarrow*evenNarrow-terms, evenQuantiles[evenLow])
}

// hold reports whether the windows may hold noise of sigma, and no other: a fit takes a part of noise that neighbours share.
func (w evenWindows) hold(sigma float64) bool {
	return w.found() && w.wide[0][evenMiddle] >= weakerObject*sigma && w.least() <= strongObject*sigma
}

// evenWindowsOf measures the windows of the foreground, with means from cut on. The error is the context's.
func (e Estimate) evenWindowsOf(ctx context.Context, v *volume.Volume, cut float64) (w evenWindows, err error) {
	w.limits = tissue{math.Max(cut, -math.MaxFloat32), math.MaxFloat32}
	n := min(v.Dims[2], mostEven)
	if min(v.Dims[0], v.Dims[1]) < evenWide {
		return w, nil
	}
	type sides [2][]float64
	found := make([][]sides, n) // by slice and order
	err = parallel.ForWorkers(ctx, n, runtime.GOMAXPROCS(0), func() func(int) error {
		marker := newTissueMarker(w.limits, v.Dims)
		fitters := []*fitter{newFitter(evenNarrow, v.Dims[0]), newFitter(evenWide, v.Dims[0])}
		return func(i int) error {
			z := (2*i + 1) * v.Dims[2] / (2 * n)
			for _, weights := range evenOrders {
				if z+len(weights) > v.Dims[2] {
					break
				}
				fitSlice(v, z, weights, marker, fitters)
				var s sides
				for j, f := range fitters {
					s[j] = e.evenSDs(f.found, len(weights) == 1)
				}
				found[i] = append(found[i], s)
			}
			return nil
		}
	})
	if err != nil {
		return w, err
	}
	for k := range evenOrders {
		var narrow, wide [][]float64
		for _, of := range found {
			if k < len(of) {
				narrow, wide = append(narrow, of[k][0]), append(wide, of[k][1])
			}
		}
		a, _ := evenestSlices(narrow)
		b, count := evenestSlices(wide)
		if k == 0 {
			w.count = count
		} else if a[evenLow] == 0 || b[evenLow] == 0 {
			break
		}
		w.narrow, w.wide = append(w.narrow, a), append(w.wide, b)
	}
	return w, nil
}

// evenSDs returns the standard deviations of windows, corrected for the model if their means are those of the image.
func (e Estimate) evenSDs(ws []window, image bool) []float64 {
	if image {
		return e.sigmas(ws)
	}
	return sds(ws)
}

// evenestSlices returns the quantiles of the windows in the evenest of the slices that hold many, and how many windows
// these slices have together.
func evenestSlices(bySlice [][]float64) (f evenFigures, windows int) {
	most := 0
	for _, of := range bySlice {
		most = max(most, len(of))
	}
	var each [len(evenQuantiles)][]float64
	for _, of := range bySlice {
		if len(of) < fewInEven || len(of)*evenOfMost < most {
			continue
		}
		windows += len(of)
		for i, q := range evenQuantiles {
			each[i] = append(each[i], quantile(of, q))
		}
	}
	for i := range f {
		f[i] = quantile(each[i], evenSlices)
	}
	return f, windows
}

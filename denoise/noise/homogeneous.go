package noise

import (
	"context"
	"math"
	"runtime"
	"slices"

	"quell/internal/parallel"
	"quell/volume"
)

// Homogeneous windows show the noise with all of its colour, whatever coloured it. In windows of the foreground a quadratic
// surface is fitted and removed, as in soft tissue (surfacefit.go). The correlation of what is left in the evenest ones gives
// the standard deviations that noise alone would have there. Anatomy raises them, by more the larger a window is, and makes
// them scatter: what they scatter beyond noise is the measure of what it adds. Differences across slices remove
// anatomy that differs little from slice to slice, and keep noise that the slices do not share; the one with the least
// anatomy is taken.

// The windows.
const (
	evenNarrow   = 7       // pixels of the narrower windows
	evenWide     = 9       // pixels of the wider ones
	mostEven     = 24      // slices that are read, evenly over the volume
	mostEvenRead = 3 << 19 // pixels that are read, of at least leastEven slices
	leastEven    = 5
	fewInEven    = 20 // windows below which a slice does not count
	evenOfMost   = 4  // and if it has less than this part of the windows of the slice with most
	evenSlices   = 0.15
	evenMargin   = 0.1   // of the figures of places, for what is between them
	evenRiseLow  = 1.08  // of the 0.15-quantile from narrow to wide windows: above, anatomy is part of it
	evenRiseMost = 1.055 // of the median
	leastColour  = 0.1   // more pixels than one that an independent sample covers: below, the noise counts as white
	evenFitTakes = 1.05  // of the standard deviation that a fit takes: above, it takes more than the correlation of the rest shows
	evenAgrees   = 0.12  // by which the finest detail and the windows may differ if they show the same noise
	evenShown    = 0.1   // of the windows, the evenest, that show the correlation
	evenPure     = 0.045 // of anatomy, below which more of them do
	pureShown    = 0.2
)

// What anatomy adds to the standard deviation in the evener windows, in powers of what it makes them scatter by, and of what it adds
// from narrow to wide windows. The powers are fitted to heads and phantoms of three resolutions in noise of
// twelve kinds, which the table does not hold (kspace_test.go).
const (
	scatterPower = 2.5
	risePower    = 1
	byChance     = 0.015 // of the scatter, as the correlation is known to so much

	mostAnatomyFalls = 0.8  // of the highest difference over the first: below, slices share noise
	fallByAnatomy    = 0.93 // the same, that anatomy makes
	fallOfAnatomy    = 1.5  // of its logarithm, by how much less anatomy the highest difference holds
	mostOverlap      = 0.9  // correlation from slice to slice
)

// evenOrders are the differences across slices: none, first, second and fourth ones.
var evenOrders = [][]float64{{1}, {-1, 1}, {1, -2, 1}, {1, -4, 6, -4, 1}}

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

// evenFigures are quantiles of the standard deviations in windows.
type evenFigures [len(evenQuantiles)]float64

// evenWindows is what the windows show.
type evenWindows struct {
	narrow, wide evenFigures // of the evenest slices
	count        int         // wide windows of these
	orders       []evenOrder
	overlap      bool    // slices share noise
	mayShare     float64 // by how much the noise is stronger than differences show if it is noise that makes them fall; 0 if they do not
	limits       tissue  // of the means of the foreground
}

// evenOrder is what the windows of one difference across slices show, each quantile over that of noise of sigma 1.
type evenOrder struct {
	weights      []float64
	narrow, wide evenFigures
	correlation  *Correlation
	count        int // wide windows
}

// found reports whether there are windows enough.
func (w evenWindows) found() bool { return w.count >= minWindows && w.narrow[evenLow] > 0 }

// homogeneous reports whether noise alone made the windows: wider ones read the same, and none is without variation.
func (w evenWindows) homogeneous() bool {
	n, f := w.narrow, w.wide
	return w.found() && len(w.orders) > 0 && f[evenLowest] > 0 && f[evenLow] <= evenRiseLow*n[evenLow] && f[evenMiddle] <= evenRiseMost*n[evenMiddle]
}

// scatter and rise are the logarithms of what anatomy makes narrow windows scatter by, and of what it adds to
// the wide ones.
func (o evenOrder) scatter() float64 { return math.Log(o.narrow[evenQuarter] / o.narrow[evenLowest]) }
func (o evenOrder) rise() float64    { return math.Log(o.wide[evenQuarter] / o.narrow[evenQuarter]) }

// anatomy is how much there is of it.
func (o evenOrder) anatomy() float64 { return math.Abs(o.scatter()) + math.Abs(o.rise()) }

// smooth reports whether a fit takes more of the noise than the correlation of the rest shows.
func (o evenOrder) smooth() bool { return surfaceGain(o.correlation, evenWide) > evenFitTakes }

// sigma is what the windows hold without anatomy.
func (o evenOrder) sigma() float64 {
	return o.narrow[evenLowest] * math.Exp(-scatterPower*max(o.scatter()-byChance, 0)-risePower*max(o.rise(), 0))
}

// correctOverlap adds to the differences the noise that slices share, if the slices were smoothed, interpolated or acquired with
// overlap. Differences of independent noise read the same in all orders, and anatomy makes the highest read a
// little less than the first; if they fall by more, the correlation from slice to slice follows from it, taken as
// a Gaussian's. If anatomy may make them fall so far, the interval reaches to that noise.
func (w *evenWindows) correctOverlap() {
	first := slices.IndexFunc(w.orders, func(o evenOrder) bool { return len(o.weights) > 1 })
	last := len(w.orders) - 1
	if first < 0 || first == last {
		return
	}
	a, b := &w.orders[first], &w.orders[last]
	falls := b.narrow[evenLowest] / a.narrow[evenLowest]
	if falls > mostAnatomyFalls {
		return
	}
	byAnatomy := falls > mostAnatomyFalls*math.Exp(-fallOfAnatomy*max(a.anatomy()-b.anatomy(), 0))
	rho := 0.0
	for falls < fallByAnatomy*math.Sqrt(ofOverlap(b.weights, rho)/ofOverlap(a.weights, rho)) && rho < mostOverlap {
		rho += 0.005
	}
	if byAnatomy { // or by noise that slices share: neither can be told
		w.mayShare = 1 / math.Sqrt(ofOverlap(b.weights, rho))
		return
	}
	w.overlap = true
	for i := range w.orders[first:] {
		o := &w.orders[first+i]
		gain := 1 / math.Sqrt(ofOverlap(o.weights, rho))
		for q := range evenQuantiles {
			o.narrow[q] *= gain
			o.wide[q] *= gain
		}
		if o.correlation == nil { // windows without variation show none
			continue
		}
		o.correlation.Across = [3]float64{1, rho, rho * rho * rho * rho}
	}
}

// ofOverlap is the variance of a difference across slices of noise whose correlation is a Gaussian with rho from slice
// to slice, over that of independent noise.
func ofOverlap(weights []float64, rho float64) float64 {
	sum, squares := 0.0, 0.0
	for i, a := range weights {
		squares += a * a
		for j, b := range weights {
			sum += a * b * math.Pow(rho, float64((i-j)*(i-j)))
		}
	}
	return sum / squares
}

// evidence returns sigma by the order with the least anatomy, and its interval, which is as wide as there is anatomy; ok is
// false without windows.
func (w evenWindows) evidence() (x Evidence, of evenOrder, ok bool) {
	if len(w.orders) == 0 {
		return x, of, false
	}
	of = slices.MinFunc(w.orders, func(a, b evenOrder) int {
		switch d := a.anatomy() - b.anatomy(); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	sigma, half := of.sigma(), evenHalf+of.anatomy()
	high := max(sigma*(1+half), of.narrow[evenMiddle]*(1+leastHalf))
	if of.smooth() {
		high *= math.Pow(surfaceGain(of.correlation, evenWide), 4)
	}
	if len(of.weights) > 1 {
		high *= max(w.mayShare, 1)
	}
	return Evidence{EvenWindows, sigma, sigma * max(1-half, leastOfWindows), high, of.count}, of, true
}

const (
	evenHalf       = 0.15 // half width of the interval of windows without anatomy
	leastOfWindows = 0.3  // of their figure, that is noise at least
)

// hold reports whether the windows may hold noise of sigma, and no other.
func (w evenWindows) hold(sigma float64) bool {
	x, of, ok := w.evidence()
	return ok && of.narrow[evenMiddle] >= weakerObject*sigma && x.Sigma*(1-of.anatomy()) <= strongObject*sigma
}

// evenWindowsOf measures the windows of the foreground, with means from cut on. The error is the context's.
func (e Estimate) evenWindowsOf(ctx context.Context, v *volume.Volume, cut float64) (w evenWindows, err error) {
	w.limits = tissue{math.Max(cut, -math.MaxFloat32), math.MaxFloat32}
	if min(v.Dims[0], v.Dims[1]) < evenWide {
		return w, nil
	}
	n := min(v.Dims[2], mostEven, max(mostEvenRead/v.SliceVoxels(), leastEven))
	for _, weights := range evenOrders {
		first := func(i int) int { return (2*i + 1) * (v.Dims[2] - len(weights) + 1) / (2 * n) }
		if v.Dims[2] < len(weights) {
			break
		}
		found := make([][2][]window, n)
		err = parallel.ForWorkers(ctx, n, runtime.GOMAXPROCS(0), func() func(int) error {
			marker := newTissueMarker(w.limits, v.Dims)
			fitters := []*fitter{newFitter(evenNarrow, v.Dims[0]), newFitter(evenWide, v.Dims[0])}
			return func(i int) error {
				fitSlice(v, first(i), weights, marker, fitters)
				for j, f := range fitters {
					found[i][j] = slices.Clone(f.found)
					if len(weights) == 1 {
						e.correctWindows(found[i][j])
					}
				}
				return nil
			}
		})
		if err != nil {
			return w, err
		}
		if len(weights) == 1 {
			w.narrow, _ = evenestSlices(found, 0)
			w.wide, w.count = evenestSlices(found, 1)
		}
		if o, ok := orderOf(v, weights, found); ok {
			w.orders = append(w.orders, o)
		}
	}
	w.correctOverlap()
	return w, nil
}

// correctWindows corrects the standard deviations of windows of the image for the model.
func (e Estimate) correctWindows(ws []window) {
	for i, s := range e.sigmas(ws) {
		ws[i].sd = float32(s)
	}
}

// orderOf returns what the narrow and wide windows of slices show after a difference with these weights; ok is false if there
// are too few, or some are without variation.
func orderOf(v *volume.Volume, weights []float64, found [][2][]window) (o evenOrder, ok bool) {
	var sides [2][]window
	for _, of := range found {
		for j := range sides {
			sides[j] = append(sides[j], of[j]...)
		}
	}
	narrow := sds(sides[0])
	o.weights = weights
	if o.count = len(sides[1]); o.count < minWindows || quantile(narrow, evenQuantiles[evenLowest]) == 0 {
		return o, false
	}
	o.read(v, weights, narrow, sides[1], evenShown, restorations)
	if o.anatomy() < evenPure { // the evenest windows are those with the least correlation
		o.read(v, weights, narrow, sides[1], pureShown, pureRestorations)
	}
	return o, true
}

// read sets what narrow and wide windows show by the correlation in a share of the wide ones.
func (o *evenOrder) read(v *volume.Volume, weights, narrow []float64, ws []window, share float64, steps int) {
	wide := sds(ws)
	limit := quantile(wide, share)
	o.correlation = correlationIn(v, weights, keep(func(w window) bool { return float64(w.sd) <= limit }, ws), evenWide, surfaces(evenWide, 2), steps)
	for i, q := range evenQuantiles {
		o.narrow[i] = quantile(narrow, q) / o.correlation.reads(evenNarrow, q)
		o.wide[i] = quantile(wide, q) / o.correlation.reads(evenWide, q)
	}
}

// reads returns the quantile of what fits leave of noise of sigma 1 in windows of side n.
func (c *Correlation) reads(n int, q float64) float64 {
	return rootMeanSquare(c.freedom(n), q) / surfaceGain(c, n)
}

// evenestSlices returns the quantiles of the windows of one side in the evenest of the slices that hold many, and how many
// windows these slices have together.
func evenestSlices(bySlice [][2][]window, side int) (f evenFigures, windows int) {
	most := 0
	for _, of := range bySlice {
		most = max(most, len(of[side]))
	}
	var each [len(evenQuantiles)][]float64
	for _, of := range bySlice {
		all := sds(of[side])
		if len(all) < fewInEven || len(all)*evenOfMost < most {
			continue
		}
		windows += len(all)
		for i, q := range evenQuantiles {
			each[i] = append(each[i], quantile(all, q))
		}
	}
	for i := range f {
		f[i] = quantile(each[i], evenSlices)
	}
	return f, windows
}

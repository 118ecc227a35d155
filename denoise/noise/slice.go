package noise

import (
	"math"
	"slices"

	"quell/volume"
)

// Stabilised returns the estimate after the stabilisation of Rician noise of that
// sigma: Gaussian noise in units of it.
func (e Estimate) Stabilised(sigma float64) Estimate {
	e.PerSlice = slices.Clone(e.PerSlice)
	for z := range e.PerSlice {
		e.PerSlice[z].divide(sigma)
	}
	e.Figure.divide(sigma)
	e.Model = Gaussian
	e.lo, e.hi = e.lo/sigma, e.hi/sigma // but for the weakest values
	return e
}

func (f *Figure) divide(by float64) { f.Sigma, f.Low, f.High = f.Sigma/by, f.Low/by, f.High/by }

// Slice returns the figure that slice z is to be judged by: its own if that is at
// least fair, otherwise the volume's.
func (e Estimate) Slice(z int) Figure {
	if z < 0 || z >= len(e.PerSlice) {
		return e.Figure
	}
	own := e.PerSlice[z]
	if own.Sigma > 0 && (own.Confidence == High || own.Confidence == Fair) {
		return own
	}
	return e.Figure
}

const (
	// slicesDiffer is how many times the least sigma of a slice the largest is if slices differ.
	slicesDiffer = 1.25
	// sliceReach is the standard deviation in mm of the Gaussian that the sigmas of the slices are smoothed with: filters
	// that mix thin slices bear no steps between them.
	sliceReach = 3
)

// SlicesDiffer reports whether slices of a CT have noise of their own.
func (e Estimate) SlicesDiffer() bool {
	if !e.InTissue() || e.Sigma == 0 {
		return false
	}
	_, logs := e.knownSlices()
	return len(logs) > 1 && slices.Max(logs)-slices.Min(logs) > math.Log(slicesDiffer)
}

// knownSlices returns the slices with figures of their own, and the logarithm of sigma there, each the median of three
// slices. A figure counts if it is at least fair, or as good as that of the volume: what is wrong with all is no difference.
func (e Estimate) knownSlices() (at []int, logs []float64) {
	for z, f := range e.PerSlice {
		own := f.Confidence == High || f.Confidence == Fair || f.Confidence == Low && f.Why.Kind() == e.Why.Kind()
		if f.Sigma > 0 && own {
			at, logs = append(at, z), append(logs, math.Log(f.Sigma))
		}
	}
	medians := slices.Clone(logs)
	n := len(logs)
	for k := 1; k < n-1; k++ {
		medians[k] = middleOf(logs[k-1], logs[k], logs[k+1])
	}
	if n > 2 { // Tukey's rule for the ends
		medians[0] = middleOf(logs[0], medians[1], 3*medians[1]-2*medians[min(2, n-2)])
		medians[n-1] = middleOf(logs[n-1], medians[n-2], 3*medians[n-2]-2*medians[max(n-3, 1)])
	}
	return at, medians
}

func middleOf(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

// alongSlices returns sigma of each slice, that lie that far apart. Slices without a figure take what lies between others.
func (e Estimate) alongSlices(spacing float64) []float64 {
	at, known := e.knownSlices()
	logs := make([]float64, len(e.PerSlice))
	for z := range logs {
		k, found := slices.BinarySearch(at, z)
		switch {
		case found || k == 0:
			logs[z] = known[k]
		case k == len(at):
			logs[z] = known[k-1]
		default:
			t := float64(z-at[k-1]) / float64(at[k]-at[k-1])
			logs[z] = (1-t)*known[k-1] + t*known[k]
		}
	}
	sigmas := make([]float64, len(logs))
	reach := int(3 * sliceReach / spacing)
	for z := range sigmas {
		var w, d, dd, l, dl float64 // sums of weights and of their products with distances and logarithms, for a line
		for k := max(z-reach, 0); k <= min(z+reach, len(logs)-1); k++ {
			x := float64(k-z) * spacing / sliceReach
			own := math.Exp(-x * x / 2)
			w, d, dd, l, dl = w+own, d+own*x, dd+own*x*x, l+own*logs[k], dl+own*x*logs[k]
		}
		sigmas[z] = math.Exp(logs[z])
		if spread := w*dd - d*d; spread > 0 {
			sigmas[z] = math.Exp((dd*l - d*dl) / spread)
		}
	}
	return sigmas
}

// Slices that lie near each other have nearly the same noise. Of a volume with many, groups of neighbours are measured, evenly
// over it and at either end, and the figures of the others lie between theirs.

const (
	mostMeasured  = 48 << 18 // pixels that are measured one by one
	leastMeasured = 8        // groups
	measuredGroup = 3        // slices, as neighbours and slices two apart show what they share
)

// measuredSlices returns the slices that are measured, in order.
func measuredSlices(g volume.Geometry) []int {
	n := g.Dims[2]
	groups := max(mostMeasured/g.SliceVoxels()/measuredGroup, leastMeasured)
	if n <= measuredGroup*groups {
		return allSlices(n)
	}
	var at []int
	for i := range groups {
		for k := range measuredGroup {
			at = append(at, i*(n-measuredGroup)/(groups-1)+k)
		}
	}
	return at
}

// allSlices returns 0 to n-1.
func allSlices(n int) []int {
	at := make([]int, n)
	for z := range at {
		at[z] = z
	}
	return at
}

// between sets the figures of slices that lie between measured ones.
func between(figures []Figure, at []int) {
	for i, to := range at[1:] {
		from := at[i]
		for z := from + 1; z < to; z++ {
			figures[z] = figures[from].towards(figures[to], float64(z-from)/float64(to-from))
		}
	}
}

// towards returns what lies a share t of the way to the other figure, with the lesser confidence; the nearer of the two if there is
// no noise in one.
func (f Figure) towards(other Figure, t float64) Figure {
	near := f
	if t > 0.5 {
		near = other
	}
	if f.Sigma == 0 || other.Sigma == 0 {
		return near
	}
	between := near
	between.limit(f)
	between.limit(other)
	between.Sigma = math.Exp((1-t)*math.Log(f.Sigma) + t*math.Log(other.Sigma))
	between.Windows = int((1-t)*float64(f.Windows) + t*float64(other.Windows))
	return between
}

package noise

import (
	"math"

	"quell/volume"
)

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

// between sets the figures of slices between those that were measured.
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

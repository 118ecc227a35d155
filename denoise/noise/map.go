package noise

import (
	"context"
	"math"

	"quell/internal/parallel"
	"quell/volume"
)

// A noise map is estimated on a coarse grid of nodes: the sigma of a node is a
// robust value of the windows around it. Nodes without windows take the mean of
// their neighbours, the map is smoothed over the nodes and interpolated linearly
// in between.

// mapLeast is the fewest windows that a node needs.
const mapLeast = 12

// mapReach returns how far from a node its windows lie, in voxels along an axis
// of n: an eighth of the axis, so that noise which changes across the volume is
// followed, and 12 at most, so that large volumes get a finer map.
func mapReach(n int) int { return min(max(n/8, 1), 12) }

// Map estimates sigma for every voxel of a volume with noise that differs from
// place to place, in the volume's unit, on the grid of v. Figures outside the
// foreground continue those inside. The figure is the estimate of the whole volume,
// by the same windows; if its confidence is None there is no map and the volume is
// nil. A CT whose slices differ has sigma of each slice. The error is the context's.
func Map(ctx context.Context, v *volume.Volume) (*volume.Volume, Estimate, error) {
	e, err := Of(ctx, v)
	if err != nil || e.Confidence == None {
		return nil, e, err
	}
	out := &volume.Volume{Geometry: v.Geometry, Unit: v.Unit, Modality: v.Modality, Data: make([]float32, len(v.Data)), Mask: v.Mask}
	if e.SlicesDiffer() {
		for z, sigma := range e.alongSlices(v.Spacing[2]) {
			plane := out.Plane(z)
			for i := range plane {
				plane[i] = float32(sigma)
			}
		}
		return out, e, nil
	}
	ws, size, err := mapWindows(ctx, v, e)
	if err != nil {
		return nil, Estimate{}, err
	}
	n := newNodes(v.Geometry)
	if err := n.fit(ctx, ws, size, e); err != nil {
		return nil, Estimate{}, err
	}
	if !n.extend() {
		for i := range n.sigma {
			n.sigma[i] = e.Sigma
		}
	}
	n.smooth()
	err = parallel.For(ctx, v.Dims[2], func(z int) error {
		n.interpolate(out.Plane(z), z)
		return nil
	})
	if err != nil {
		return nil, Estimate{}, err
	}
	return out, e, nil
}

// mapWindows returns small windows of the foreground, their sd corrected to
// sigma, and their size in voxels.
func mapWindows(ctx context.Context, v *volume.Volume, e Estimate) (ws []window, size [3]int, err error) {
	if e.Method == methodBackground { // which is even, and so is the noise
		return nil, [3]int{1, 1, 1}, nil
	}
	if e.Method == methodSurfaceFits {
		ws, err = surfaceFits(ctx, v, e.tissue, e.side)
		return ws, [3]int{e.side, e.side, 1}, err
	}
	v, _, _, err = withoutExtremes(ctx, v)
	if err != nil {
		return nil, size, err
	}
	if e.Method == methodAcquired {
		return e.acquiredWindows(ctx, v)
	}
	how := mapSampling(v.Geometry)
	ws, err = differences(ctx, v, how, 0, v.Dims[2], math.MaxInt)
	if err != nil {
		return nil, size, err
	}
	if e.Method == methodWindows {
		ws, err = surfaceFits(ctx, v, tissue{math.Max(threshold(ws), -math.MaxFloat32), math.MaxFloat32}, evenWide)
		return ws, [3]int{evenWide, evenWide, 1}, err
	}
	return e.mapForeground(ws), how.size(), nil
}

// mapForeground returns the windows of the foreground, their sd corrected for the model.
func (e Estimate) mapForeground(ws []window) []window {
	ws = foreground(ws, threshold(ws))
	e.correctWindows(ws)
	return ws
}

// mapSampling has small windows, as many are needed near every node.
func mapSampling(g volume.Geometry) sampling {
	size := [3]int{4, 4, 4}
	flat := g.Dims[2] < size[2]+2*fourth.reach()
	if flat {
		size = [3]int{7, 7, 1}
	}
	return sampling{of: fourth, block: size, parts: [3]int{1, 1, 1}, flat: flat}
}

// nodes is the coarse grid.
type nodes struct {
	dims  [3]int // nodes
	of    volume.Geometry
	step  [3]float64 // voxels between nodes
	sigma []float64  // 0: not known
}

func newNodes(g volume.Geometry) *nodes {
	n := &nodes{of: g}
	total := 1
	for c := range 3 {
		step := max(2*mapReach(g.Dims[c])/3, 1)
		n.dims[c] = (g.Dims[c]-1)/step + 2
		n.step[c] = math.Max(float64(g.Dims[c]-1), 1) / float64(n.dims[c]-1)
		total *= n.dims[c]
	}
	n.sigma = make([]float64, total)
	return n
}

// fit finds the sigma of every node that has windows, of that size, enough.
func (n *nodes) fit(ctx context.Context, ws []window, size [3]int, e Estimate) error {
	cells := map[[3]int][]int32{}
	for i, w := range ws {
		cells[n.cellOf(w)] = append(cells[n.cellOf(w)], int32(i))
	}
	q, pure := mapQuantile, mapSampling(n.of).pure(mapQuantile)
	switch e.Method {
	case methodWindows, methodAcquired: // the differences hold a share of the noise, everywhere the same
		pure = quantile(sds(ws), q) / e.Sigma
	case methodSurfaceFits:
		q = mapFitQuantile
		pure = rootMeanSquare(e.Correlation.freedom(size[0]), q) / e.fitGain(size[0])
	}
	return parallel.For(ctx, n.dims[2], func(k int) error {
		var near []float64
		for j := range n.dims[1] {
			for i := range n.dims[0] {
				at := [3]float64{float64(i) * n.step[0], float64(j) * n.step[1], float64(k) * n.step[2]}
				near = near[:0]
				n.around(at, cells, func(i int32) {
					if n.near(at, ws[i], size) {
						near = append(near, float64(ws[i].sd))
					}
				})
				if len(near) < mapLeast {
					continue
				}
				n.sigma[(k*n.dims[1]+j)*n.dims[0]+i] = quantile(near, q) / pure
			}
		}
		return nil
	})
}

// The quantiles of the windows around a node.
const (
	mapQuantile    = 0.4
	mapFitQuantile = 0.3 // of surface fits, which let anatomy pass
)

// cellOf is the box of mapReach voxels that a window lies in.
func (n *nodes) cellOf(w window) (cell [3]int) {
	for c := range 3 {
		cell[c] = int(w.at[c]) / mapReach(n.of.Dims[c])
	}
	return cell
}

// around calls f with the windows of the cells that lie within mapReach of a
// point.
func (n *nodes) around(at [3]float64, cells map[[3]int][]int32, f func(w int32)) {
	var lo, hi [3]int
	for c := range 3 {
		reach := mapReach(n.of.Dims[c])
		lo[c] = max(int(at[c])-reach, 0) / reach
		hi[c] = (int(at[c]) + reach) / reach
	}
	for z := lo[2]; z <= hi[2]; z++ {
		for y := lo[1]; y <= hi[1]; y++ {
			for x := lo[0]; x <= hi[0]; x++ {
				for _, w := range cells[[3]int{x, y, z}] {
					f(w)
				}
			}
		}
	}
}

// near says whether the middle of a window lies within mapReach of a point.
func (n *nodes) near(at [3]float64, w window, size [3]int) bool {
	for c := range 3 {
		middle := float64(w.at[c]) + float64(size[c]-1)/2
		if math.Abs(middle-at[c]) > float64(mapReach(n.of.Dims[c])) {
			return false
		}
	}
	return true
}

// extend gives the nodes without a sigma the mean of their known neighbours, again
// and again from the known ones outwards. It returns false if none is known.
func (n *nodes) extend() bool {
	for {
		next := append([]float64(nil), n.sigma...)
		known, changed := false, false
		n.each(func(i int, neighbours []int) {
			if n.sigma[i] > 0 {
				known = true
				return
			}
			sum, count := 0.0, 0.0
			for _, j := range neighbours {
				if n.sigma[j] > 0 {
					sum, count = sum+n.sigma[j], count+1
				}
			}
			if count > 0 {
				next[i], changed = sum/count, true
			}
		})
		n.sigma = next
		if !changed {
			return known
		}
	}
}

// smooth replaces every node by the mean of itself, twice, and its neighbours.
func (n *nodes) smooth() {
	next := make([]float64, len(n.sigma))
	n.each(func(i int, neighbours []int) {
		sum, count := 2*n.sigma[i], 2.0
		for _, j := range neighbours {
			sum, count = sum+n.sigma[j], count+1
		}
		next[i] = sum / count
	})
	n.sigma = next
}

// each calls f with every node and its neighbours along the axes.
func (n *nodes) each(f func(i int, neighbours []int)) {
	strides := [3]int{1, n.dims[0], n.dims[0] * n.dims[1]}
	var neighbours []int
	i := 0
	for z := range n.dims[2] {
		for y := range n.dims[1] {
			for x := range n.dims[0] {
				neighbours = neighbours[:0]
				for c, at := range [3]int{x, y, z} {
					if at > 0 {
						neighbours = append(neighbours, i-strides[c])
					}
					if at < n.dims[c]-1 {
						neighbours = append(neighbours, i+strides[c])
					}
				}
				f(i, neighbours)
				i++
			}
		}
	}
}

// interpolate fills slice z of the map.
func (n *nodes) interpolate(dst []float32, z int) {
	nx, across := n.dims[0], n.dims[0]*n.dims[1]
	k, t := n.locate(2, z)
	plane := mixed(n.sigma[k*across:][:across], n.sigma[(k+1)*across:], t)
	for y := range n.of.Dims[1] {
		j, t := n.locate(1, y)
		row := mixed(plane[j*nx:][:nx], plane[(j+1)*nx:], t)
		for x := range n.of.Dims[0] {
			i, t := n.locate(0, x)
			dst[y*n.of.Dims[0]+x] = float32((1-t)*row[i] + t*row[i+1])
		}
	}
}

// mixed returns what lies a share t of the way from each value of a to the value of b.
func mixed(a, b []float64, t float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = (1-t)*a[i] + t*b[i]
	}
	return out
}

// locate returns the node before voxel i of an axis and the share of the way to
// the next.
func (n *nodes) locate(axis, i int) (node int, t float64) {
	at := float64(i) / n.step[axis]
	node = min(int(at), n.dims[axis]-2)
	return node, at - float64(node)
}

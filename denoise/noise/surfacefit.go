package noise

import (
	"context"
	"math"
	"runtime"
	"slices"

	"quell/internal/convolve"
	"quell/internal/parallel"
	"quell/volume"
)

// The estimator for correlated noise. In windows of a slice that lie in soft tissue
// a quadratic surface is fitted and removed; the standard deviation of what remains
// has a sharp peak over the windows at the one of the noise, since even tissue
// always gives the same value and structure scatters to higher ones. sigma is the
// mode of log sd. A plane would leave so much of the anatomy that 5 HU of noise
// read 5 % too high.

// Soft tissue in HU: neither lung, bone nor air. The means of tissueBox x
// tissueBox pixels must lie between.
const (
	tissueLow  = -30
	tissueHigh = 130
	tissueBox  = 5
)

// tissue is the range of the means of soft tissue.
type tissue struct{ low, high float64 }

// softTissue returns the range in a CT in which water has that value.
func softTissue(water float64) tissue { return tissue{water + tissueLow, water + tissueHigh} }

// wider returns the range in strong noise: of the means of boxes that the noise scatters, those within the range lie about windows of
// little noise. box is what means scatter by, relative to sigma.
func (t tissue) wider(sigma, box float64) tissue {
	margin := max(3*box*sigma+tissueLow, 0)
	if sigma > 4*scatteringNoise {
		margin = max(margin, sigma/2)
	}
	t.low, t.high = t.low-margin, t.high+margin
	return t
}

// scatteringNoise in HU leaves nearly all means of water in the range, whatever its correlation.
const scatteringNoise = 10

// tissueMarker finds pixels of soft tissue. It is used by one goroutine.
type tissueMarker struct {
	least, most          float64   // the sums of soft tissue lie between
	values, columns, sum []float64 // of one slice, and two rows
	differences          []float64 // of slices
}

func newTissueMarker(limits tissue, dims [3]int) *tissueMarker {
	const n = tissueBox * tissueBox
	return &tissueMarker{
		least: quotientEnd(limits.low, n), most: -quotientEnd(-limits.high, n),
		values:  make([]float64, dims[0]*dims[1]+convolve.Lanes),
		columns: make([]float64, convolve.RoundUp(dims[0])+tissueBox), sum: make([]float64, convolve.RoundUp(dims[0])+tissueBox),
	}
}

// quotientEnd returns the largest number whose quotient by n is at most a, so that comparisons need no division.
func quotientEnd(a, n float64) float64 {
	end := a * n
	for end/n <= a {
		end = math.Nextafter(end, math.Inf(1))
	}
	for end/n > a {
		end = math.Nextafter(end, math.Inf(-1))
	}
	return end
}

// slice takes the values of a slice, which are infinite in padding.
func (t *tissueMarker) slice(plane []float32, mask []bool) {
	values := t.values[:len(plane)]
	for i, a := range plane {
		values[i] = float64(a)
	}
	for i, valid := range mask {
		if !valid {
			values[i] = math.Inf(1)
		}
	}
}

// difference returns the sum of slices from z on times their weights, of unit energy. Padding is marked by slice.
func (t *tissueMarker) difference(v *volume.Volume, z int, weights []float64) []float64 {
	energy := 0.0
	for _, w := range weights {
		energy += w * w
	}
	t.differences = append(t.differences[:0], make([]float64, v.SliceVoxels())...)
	for k, w := range weights {
		w /= math.Sqrt(energy)
		mask := v.PlaneMask(z + k)
		for i, a := range v.Plane(z + k) {
			t.differences[i] += w * float64(a)
			if mask != nil && !mask[i] {
				t.values[i] = math.Inf(1)
			}
		}
	}
	return t.differences
}

// row returns the sums of the tissueBox x tissueBox pixels about the pixels of row y, from x = tissueBox/2 to as far from
// the end; nil at the ends of a slice, and in one that is narrower than the box. They hold until the next call.
func (t *tissueMarker) row(y, nx, ny int) []float64 {
	const h = tissueBox / 2
	if y < h || y >= ny-h || nx < tissueBox {
		return nil
	}
	var down, along [tissueBox]int
	var ones [tissueBox]float64
	for k := range tissueBox {
		down[k], along[k], ones[k] = k*nx, k, 1
	}
	wide := convolve.RoundUp(nx)
	convolve.Row(t.columns[:wide], t.values[(y-h)*nx:], down[:], ones[:])
	convolve.Row(t.sum[:wide], t.columns, along[:], ones[:])
	return t.sum[:nx-2*h]
}

// fitWindow returns the side of the windows in pixels: about 4.5 mm, which is
// larger than the correlation of usual kernels and smaller than most organs.
func fitWindow(g volume.Geometry) int {
	n := int(math.Round(4.5 / math.Min(g.Spacing[0], g.Spacing[1])))
	return min(max(n, 9), 11) | 1
}

// minWindows is the fewest windows that an estimate rests on.
const minWindows = 40

// fitStep returns how far apart windows of side n lie.
func fitStep(n int) int { return max(n/3, 1) }

// surfaceFits measures the windows of side n, a third of a window apart, that lie in
// the soft tissue of all slices of a CT. The error is the context's.
func surfaceFits(ctx context.Context, v *volume.Volume, limits tissue, n int) ([]window, error) {
	found, err := fitSlices(ctx, v, limits, allSlices(v.Dims[2]), n)
	if err != nil {
		return nil, err
	}
	return slices.Concat(found[0]...), nil
}

// fitSlices returns the windows of surfaceFits in some slices for each of several sides, by side and slice. One pass serves all
// sides. The error is the context's.
func fitSlices(ctx context.Context, v *volume.Volume, limits tissue, at []int, sides ...int) ([][][]window, error) {
	found := make([][][]window, len(sides))
	for i := range found {
		found[i] = make([][]window, v.Dims[2])
	}
	return found, parallel.ForWorkers(ctx, len(at), runtime.GOMAXPROCS(0), func() func(int) error {
		marker := newTissueMarker(limits, v.Dims)
		fitters := make([]*fitter, len(sides))
		for i, n := range sides {
			fitters[i] = newFitter(n, v.Dims[0])
		}
		return func(k int) error {
			z := at[k]
			fitSlice(v, z, evenOrders[0], marker, fitters)
			for i, f := range fitters {
				found[i][z] = slices.Clone(f.found)
			}
			return nil
		}
	})
}

// fitSlice finds the windows of slice z that lie in tissue, and fits their values times the weights, from that slice on, of
// unit energy.
func fitSlice(v *volume.Volume, z int, weights []float64, marker *tissueMarker, fitters []*fitter) {
	nx, ny := v.Dims[0], v.Dims[1]
	marker.slice(v.Plane(z), v.PlaneMask(z))
	fitted := marker.values
	if len(weights) > 1 {
		fitted = marker.difference(v, z, weights)
	}
	for _, f := range fitters {
		f.found = f.found[:0]
		clear(f.down)
	}
	for y := range ny {
		values, sums := fitted[y*nx:(y+1)*nx], marker.row(y, nx, ny)
		for _, f := range fitters {
			f.row(y, z, values, sums, marker)
		}
	}
}

// fitter fits quadratic surfaces to windows of side n. It is used by one goroutine.
type fitter struct {
	n, step int
	axis    [][]float64 // see axisBasis
	rows    [][]rowFit  // the last n, by y % n
	of      [][]rowFit  // the rows of a window, in order
	down    []int       // by window along x: how many rows in tissue end here
	found   []window    // of one slice
}

func newFitter(n, nx int) *fitter {
	f := &fitter{n: n, step: fitStep(n), axis: axisBasis(n, 2), rows: make([][]rowFit, n), of: make([][]rowFit, n)}
	across := max(nx-n+f.step, 0) / f.step
	for i := range f.rows {
		f.rows[i] = make([]rowFit, across)
	}
	f.down = make([]int, across)
	return f
}

// rowFit is what one row of a window is measured by: windows that overlap along y share it.
type rowFit struct {
	mean, share float64    // of the values; and over the number of rows
	squares     float64    // sum of the squares of the deviations from mean
	terms       [2]float64 // products with the unit vectors of degree 1 and 2 along the row
}

// row takes row y of slice z, by its values and the sums about its pixels, and finds the windows in tissue that end there.
func (f *fitter) row(y, z int, values, sums []float64, marker *tissueMarker) {
	f.fitRow(values, sums, f.rows[y%f.n], marker)
	first := y - f.n + 1
	if first < 0 || first%f.step != 0 {
		return
	}
	for j := range f.of {
		f.of[j] = f.rows[(first+j)%f.n]
	}
	for k, rows := range f.down {
		if rows >= f.n {
			w := f.window(k)
			w.at = [3]int32{int32(k * f.step), int32(first), int32(z)}
			f.found = append(f.found, w)
		}
	}
}

// fitRow measures the rows of windows in tissue.
func (f *fitter) fitRow(values, sums []float64, rows []rowFit, marker *tissueMarker) {
	least, most := marker.least, marker.most
	const h = tissueBox / 2
	last, checked, end := h-1, h, len(sums)+h // the last pixel that is no tissue; between it and checked all is tissue
	for k := range f.down {
		from := k * f.step
		to := from + f.n
		if to > end {
			clear(f.down[k:])
			return
		}
		if from > last {
			for x := to - 1; x >= checked; x-- { // from the end: it may rule out further windows
				if s := sums[x-h]; !(s > least && s < most) {
					last = x
					break
				}
			}
			checked = to
		}
		if from <= last {
			f.down[k] = 0
			continue
		}
		f.down[k]++
		rows[k] = f.measure(values[from:to])
	}
}

// measure measures one row of a window.
func (f *fitter) measure(values []float64) (r rowFit) {
	origin := values[0] // keeps the squares small
	first, second := f.axis[1][:len(values)], f.axis[2][:len(values)]
	sum, squares, a1, a2 := 0.0, 0.0, 0.0, 0.0
	for i, a := range values {
		d := a - origin
		sum += d
		squares += d * d
		a1 += d * first[i]
		a2 += d * second[i]
	}
	n := float64(f.n)
	r.mean, r.squares = origin+sum/n, squares-sum*sum/n
	r.share, r.terms = r.mean/n, [2]float64{a1, a2}
	return r
}

// window measures the window k of f.of.
func (f *fitter) window(k int) window {
	n, root := float64(f.n), math.Sqrt(float64(f.n))
	mean := 0.0
	for _, rows := range f.of {
		mean += rows[k].share
	}
	var x, y, xx, xy, yy float64 // the products with the unit vectors of the surface
	squares := 0.0
	b0, b1, b2 := f.axis[0], f.axis[1], f.axis[2]
	for j, rows := range f.of {
		r := &rows[k]
		level := root * (r.mean - mean)
		squares += r.squares + level*level
		x += r.terms[0] * b0[j]
		y += level * b1[j]
		xx += r.terms[1] * b0[j]
		xy += r.terms[0] * b1[j]
		yy += level * b2[j]
	}
	uneven := x*x + y*y + xx*xx + xy*xy + yy*yy
	return window{
		sd:     float32(math.Sqrt(max(squares-uneven, 0) / (n*n - terms))),
		mean:   float32(mean),
		uneven: float32(math.Sqrt(uneven / (terms - 1))),
	}
}

// sds returns the standard deviations of windows, of one slice or more.
func sds(ws ...[]window) []float64 {
	out := make([]float64, 0, count(ws...))
	for _, of := range ws {
		for _, w := range of {
			out = append(out, float64(w.sd))
		}
	}
	return out
}

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

// wider returns the range in strong noise: of the means that the noise scatters, those within the range
// lie about windows of little noise.
func (t tissue) wider(sigma float64) tissue {
	if sigma > scatteringNoise {
		t.low, t.high = t.low-sigma/2, t.high+sigma/2
	}
	return t
}

// scatteringNoise in HU leaves all but about one in a thousand means of water in the range.
const scatteringNoise = 40

// tissueMarker marks pixels of soft tissue. It is used by one goroutine.
type tissueMarker struct {
	limits               tissue
	rows, columns, means []float64 // of one slice, and two rows
	ok                   []bool
}

// slice marks the pixels of slice z in a neighbourhood that has the mean of soft
// tissue and holds no padding. The marks hold until the next call.
func (t *tissueMarker) slice(v *volume.Volume, z int) []bool {
	nx, ny := v.Dims[0], v.Dims[1]
	const h = tissueBox / 2
	if t.ok == nil {
		t.ok, t.rows = make([]bool, nx*ny), make([]float64, nx*ny+convolve.Lanes)
		t.columns, t.means = make([]float64, convolve.RoundUp(nx)+tissueBox), make([]float64, convolve.RoundUp(nx))
	}
	plane, mask := v.Plane(z), v.PlaneMask(z)
	for i, a := range plane {
		t.rows[i] = float64(a)
		if mask != nil && !mask[i] {
			t.rows[i] = math.Inf(1)
		}
	}
	var down, along [tissueBox]int
	var ones [tissueBox]float64
	for k := range tissueBox {
		down[k], along[k], ones[k] = k*nx, k, 1
	}
	wide := convolve.RoundUp(nx)
	for y := h; y < ny-h; y++ {
		convolve.Row(t.columns[:wide], t.rows[(y-h)*nx:], down[:], ones[:])
		convolve.Row(t.means, t.columns, along[:], ones[:])
		ok := t.ok[y*nx : (y+1)*nx]
		for x := h; x < nx-h; x++ {
			mean := t.means[x-h] / (tissueBox * tissueBox)
			ok[x] = mean > t.limits.low && mean < t.limits.high
		}
	}
	return t.ok
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
// the soft tissue of the slices of a CT. The error is the context's.
func surfaceFits(ctx context.Context, v *volume.Volume, limits tissue, n int) ([]window, error) {
	if v.Dims[0] < n || v.Dims[1] < n {
		return nil, nil
	}
	found := make([][]window, v.Dims[2])
	err := parallel.ForWorkers(ctx, v.Dims[2], runtime.GOMAXPROCS(0), func() func(int) error {
		marker := tissueMarker{limits: limits}
		f := newFitter(n)
		return func(z int) error {
			found[z] = f.slice(v, z, marker.slice(v, z))
			return nil
		}
	})
	return slices.Concat(found...), err
}

// fitter fits quadratic surfaces to windows of side n.
type fitter struct {
	n    int
	axis [][]float64 // see axisBasis
}

func newFitter(n int) fitter { return fitter{n, axisBasis(n, 2)} }

// rowFit is what one row of a window is measured by: windows that overlap along y share it.
type rowFit struct {
	tissue  bool
	mean    float64
	squares float64    // sum of the squares of the deviations from mean
	terms   [3]float64 // products with the unit vectors of the axis, but the constant one
}

// slice returns the windows of slice z that lie in tissue, which ok marks.
func (f fitter) slice(v *volume.Volume, z int, ok []bool) []window {
	var found []window
	plane := v.Plane(z)
	nx, ny, step := v.Dims[0], v.Dims[1], fitStep(f.n)
	rows := make([][]rowFit, f.n) // the last n, by y % n
	for i := range rows {
		rows[i] = make([]rowFit, (nx-f.n)/step+1)
	}
	of := make([]rowFit, f.n)
	for y := range ny {
		for k := range rows[y%f.n] {
			from := y*nx + k*step
			rows[y%f.n][k] = rowFit{}
			if !slices.Contains(ok[from:from+f.n], false) {
				rows[y%f.n][k] = f.row(plane[from : from+f.n])
			}
		}
		first := y - f.n + 1
		if first < 0 || first%step != 0 {
			continue
		}
		for k := range rows[0] {
			all := true
			for j := range of {
				of[j] = rows[(first+j)%f.n][k]
				all = all && of[j].tissue
			}
			if all {
				w := f.window(of)
				w.at = [3]int32{int32(k * step), int32(first), int32(z)}
				found = append(found, w)
			}
		}
	}
	return found
}

// row measures one row of a window in tissue.
func (f fitter) row(values []float32) rowFit {
	r := rowFit{tissue: true}
	origin := float64(values[0]) // keeps the squares small
	sum := 0.0
	for i, a := range values {
		d := float64(a) - origin
		sum += d
		r.squares += d * d
		r.terms[1] += d * f.axis[1][i]
		r.terms[2] += d * f.axis[2][i]
	}
	n := float64(f.n)
	r.mean, r.squares = origin+sum/n, r.squares-sum*sum/n
	return r
}

// window measures a window by its rows.
func (f fitter) window(rows []rowFit) window {
	n, root := float64(f.n), math.Sqrt(float64(f.n))
	mean := 0.0
	for _, r := range rows {
		mean += r.mean / n
	}
	var fitted [terms]float64 // the products with the unit vectors of the surface
	squares := 0.0
	for y, r := range rows {
		r.terms[0] = root * (r.mean - mean)
		squares += r.squares + r.terms[0]*r.terms[0]
		for k, d := range degrees {
			fitted[k] += r.terms[d[0]] * f.axis[d[1]][y]
		}
	}
	uneven := 0.0
	for _, a := range fitted[1:] {
		uneven += a * a
	}
	return window{
		sd:     float32(math.Sqrt(max(squares-uneven, 0) / (n*n - terms))),
		mean:   float32(mean),
		uneven: float32(math.Sqrt(uneven / (terms - 1))),
	}
}

// level returns the windows of surface fits with a surface that noise covers: the windows that are not
// more uneven than most, and at least the levelest, a share of all and fewLevel. Structure that raises
// the standard deviation of a window mostly raises its surface as well; the noise of the surface is
// independent of what a fit leaves.
func level(ws []window, most float64) []window {
	share := math.Max(levelShare, math.Min(float64(fewLevel)/math.Max(float64(len(ws)), 1), 1))
	limit := float32(math.Max(most, quantile(unevennesses(ws), share)))
	var kept []window
	for _, w := range ws {
		if w.uneven <= limit {
			kept = append(kept, w)
		}
	}
	return kept
}

const (
	levelShare = 0.15
	fewLevel   = 10 * minWindows
)

func unevennesses(ws []window) []float64 {
	out := make([]float64, len(ws))
	for i, w := range ws {
		out[i] = float64(w.uneven)
	}
	return out
}

// sds returns the standard deviations of windows.
func sds(ws []window) []float64 {
	out := make([]float64, len(ws))
	for i, w := range ws {
		out[i] = float64(w.sd)
	}
	return out
}

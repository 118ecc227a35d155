package noise

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"gonum.org/v1/gonum/dsp/fourier"

	"quell/internal/parallel"
	"quell/volume"
)

// A scanner that acquires fewer frequencies than the image has pixels fills k-space with zeros. The power of
// the slices then falls at the edge of what was acquired, to what the magnitude leaves outside.

// Acquisition is the part of k-space that was acquired, as the power of the slices shows it.
type Acquisition struct {
	Matrix [2]int `json:"matrix"` // frequencies along x and y
	Of     [2]int `json:"of"`     // pixels along x and y, as many or more
}

// String returns "acquired 128 x 96 of 256 x 256".
func (a Acquisition) String() string {
	return fmt.Sprintf("acquired %d x %d of %d x %d", a.Matrix[0], a.Matrix[1], a.Of[0], a.Of[1])
}

// The limits.
const (
	mostSpectra  = 16  // slices that the power is the mean of, of large ones fewer
	fewSpectra   = 3   // slices below which nothing is looked for
	leastMatrix  = 32  // pixels along either axis below which nothing is looked for
	leastSupport = 0.4 // of the frequencies of an axis that was acquired
	stepBins     = 3   // frequencies on either side of an edge that are compared
	leastStep    = 1.9 // of the power inside over that outside
	bandLow      = 4   // first frequency along the other axis at which the power is read
	bandHigh     = 0.4 // the last, as a share of the highest one
)

// kspacePower is the power of slices by frequency: [ky][kx], 0 <= ky < ny, 0 <= kx <= nx/2.
type kspacePower struct {
	nx, ny int
	of     []float64 // the sum over slices
}

func (p *kspacePower) bins() int { return p.nx/2 + 1 }

// at returns the power at (kx, ky) of either sign; it is symmetric about 0.
func (p *kspacePower) at(kx, ky int) float64 {
	if kx < 0 {
		kx, ky = -kx, -ky
	}
	return p.of[(ky+p.ny)%p.ny*p.bins()+kx]
}

// slicePower returns the power of at most mostSpectra slices, evenly over the volume, padding counts as 0. The
// error is the context's.
func slicePower(ctx context.Context, v *volume.Volume) (*kspacePower, error) {
	n := min(v.Dims[2], mostSpectra, max(croppedPixels/2/v.SliceVoxels(), mostSpectra/2))
	each := make([][]float64, n)
	p := &kspacePower{nx: v.Dims[0], ny: v.Dims[1]}
	err := parallel.ForWorkers(ctx, n, runtime.GOMAXPROCS(0), func() func(int) error {
		t := newSliceTransform(v.Dims[0], v.Dims[1])
		return func(i int) error {
			t.forward(v, (2*i+1)*v.Dims[2]/(2*n), p.bins(), p.ny)
			each[i] = make([]float64, p.bins()*p.ny)
			for j, a := range t.half {
				each[i][j] = real(a)*real(a) + imag(a)*imag(a)
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	p.of = each[0]
	for _, one := range each[1:] {
		for j, a := range one {
			p.of[j] += a
		}
	}
	return p, nil
}

// sliceTransform transforms slices. It serves one goroutine.
type sliceTransform struct {
	nx, ny  int
	rows    *fourier.FFT
	columns *fourier.CmplxFFT
	line    []float64
	row     []complex128
	column  []complex128
	half    []complex128 // [ky][kx], the frequencies of a slice along x from 0
}

func newSliceTransform(nx, ny int) *sliceTransform {
	return &sliceTransform{
		nx: nx, ny: ny, rows: fourier.NewFFT(nx), columns: fourier.NewCmplxFFT(ny),
		line: make([]float64, nx), row: make([]complex128, nx/2+1), column: make([]complex128, ny),
	}
}

// forward fills half with the lowest bins frequencies along x and, either way, the lowest ny along y, in the
// order of a transform of ny rows. Padding counts as 0.
func (t *sliceTransform) forward(v *volume.Volume, z, bins, ny int) {
	full := make([]complex128, bins*t.ny)
	for y := range t.ny {
		from := v.Index(0, y, z)
		for x, a := range v.Data[from : from+t.nx] {
			t.line[x] = float64(a)
			if !v.Valid(from + x) {
				t.line[x] = 0
			}
		}
		t.rows.Coefficients(t.row, t.line)
		copy(full[y*bins:(y+1)*bins], t.row)
	}
	t.half = t.half[:0]
	if cap(t.half) < bins*ny {
		t.half = make([]complex128, 0, bins*ny)
	}
	t.half = t.half[:bins*ny]
	for kx := range bins {
		for y := range t.ny {
			t.column[y] = full[y*bins+kx]
		}
		t.columns.Coefficients(t.column, t.column)
		for ky := range ny {
			from := ky
			if ky > ny/2 {
				from = t.ny - ny + ky
			}
			t.half[ky*bins+kx] = t.column[from]
		}
	}
}

// acquisition returns what was acquired, or nil if the power shows no edge.
func (p *kspacePower) acquisition() *Acquisition {
	pixels := [2]int{p.nx, p.ny}
	a := Acquisition{Matrix: pixels, Of: pixels}
	for axis := range 2 {
		if edge, ok := edgeOf(p.profile(axis)); ok {
			a.Matrix[axis] = 2*edge - 1
		}
	}
	if a.Matrix == a.Of {
		return nil
	}
	return &a
}

// profile returns the power by frequency along an axis, as the geometric mean over frequencies of the
// other one up to a share of its highest, at which anatomy and noise are strong.
func (p *kspacePower) profile(axis int) []float64 {
	n, other := p.nx, p.ny
	if axis == 1 {
		n, other = other, n
	}
	out := make([]float64, (n+1)/2)
	last := max(int(bandHigh*float64(other)/2), bandLow)
	for k := range out {
		sum := 0.0
		for j := bandLow; j <= last; j++ {
			a, b := p.at(k, j), p.at(k, -j)
			if axis == 1 {
				a, b = p.at(j, k), p.at(-j, k)
			}
			sum += math.Log(max(a, math.SmallestNonzeroFloat32)) + math.Log(max(b, math.SmallestNonzeroFloat32))
		}
		out[k] = math.Exp(sum / float64(2*(last-bandLow+1)))
	}
	return out
}

// edgeOf returns the first frequency of a profile that was not acquired: the power falls there by
// the largest step.
func edgeOf(p []float64) (edge int, ok bool) {
	best := leastStep
	for e := int(math.Ceil(leastSupport * float64(len(p)))); e+stepBins <= len(p); e++ {
		if s := sum3(p[e-stepBins:]) / max(sum3(p[e:]), math.SmallestNonzeroFloat64); s > best {
			best, edge = s, e
		}
	}
	if edge == 0 {
		return 0, false
	}
	// The step is as wide as the sums; the edge is the last frequency above the middle of the two.
	middle := math.Sqrt(sum3(p[edge-stepBins:])*sum3(p[edge:])) / stepBins
	for e := min(edge+2, len(p)-1); e >= edge-2; e-- {
		if p[e-1] > middle {
			return e, true
		}
	}
	return edge, true
}

// sum3 returns the sum of the first stepBins values.
func sum3(p []float64) float64 { return p[0] + p[1] + p[2] }

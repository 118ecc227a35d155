package noise

import (
	"context"
	"math"
	"runtime"
	"slices"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// Noise is white on the grid that it was acquired on. The slices are cropped in k-space to what was acquired,
// and measured there. The image has the noise of all frequencies that were acquired,
// so that its variance is that of the cropped slices, times the number of these over the number of those kept.

const (
	mostCropped   = 32 // slices that are measured, of large ones as many as hold croppedPixels
	croppedPixels = 3 << 20
	cropMargin    = 2    // frequencies that are left out: the edge is known to one on either side
	mostTrimmed   = 0.06 // of the frequencies, for a number of them that transforms take less time for
	handyFactor   = 13   // the largest prime factor of such a number
	agreement     = 0.08 // of the frequencies, by which what a file states may differ
	textureRise   = 1.07 // beyond chance, of less even windows over the evenest quarter: above, texture is part of the figure
	evenRise      = 1.03 // the same: below, the figure may be high
	textureTail   = 1.18 // the same of the least even quarter
	weakShare     = 0.03 // of the range of the values, below which few windows have no figure
	manyAcquired  = 100  // windows from which on they have one
	sureShare     = 0.02 // the same, from which the figure may be high
)

// crop is how slices are brought to the acquired resolution.
type crop struct {
	of   volume.Geometry
	keep [2]int  // pixels along x and y, and frequencies
	gain float64 // sigma of the image over that of the cropped slices
}

// within returns the crop to a.
func (a Acquisition) within(g volume.Geometry) crop {
	c := crop{of: g}
	kept := 1.0
	for axis, n := range a.Matrix {
		if c.keep[axis] = n; n < g.Dims[axis] {
			c.keep[axis] = handy(n - cropMargin)
		}
		kept *= float64(c.keep[axis])
	}
	c.gain = math.Sqrt(float64(a.Matrix[0]) * float64(a.Matrix[1]) / kept)
	return c
}

// handy returns an odd number up to n that transforms take little time for, or the largest one.
func handy(n int) int {
	first := n - 1 + n%2
	for m := first; float64(m) >= (1-mostTrimmed)*float64(first); m -= 2 {
		rest := m
		for p := 3; p <= handyFactor; p += 2 {
			for rest%p == 0 {
				rest /= p
			}
		}
		if rest == 1 {
			return m
		}
	}
	return first
}

// slices returns the slices from z0 on, before z1, at the acquired resolution. A voxel near padding is padding.
// The error is the context's.
func (c crop) slices(ctx context.Context, v *volume.Volume, z0, z1 int) (*volume.Volume, error) {
	g := v.Geometry
	g.Dims = [3]int{c.keep[0], c.keep[1], z1 - z0}
	for axis := range 2 {
		g.Spacing[axis] *= float64(v.Dims[axis]) / float64(c.keep[axis])
	}
	out := volume.New(g)
	out.Unit, out.Modality = v.Unit, v.Modality
	if v.Mask != nil {
		out.Mask = volume.Make[bool](len(out.Data))
	}
	err := parallel.ForWorkers(ctx, z1-z0, runtime.GOMAXPROCS(0), func() func(int) error {
		from, to := newSliceTransform(v.Dims[0], v.Dims[1]), newSliceTransform(c.keep[0], c.keep[1])
		return func(z int) error {
			from.forward(v, z0+z, c.keep[0]/2+1, c.keep[1])
			to.backward(out.Plane(z), from.half, float64(v.SliceVoxels()))
			if v.Mask != nil {
				c.markPadding(out, v, z, z0)
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// markPadding marks the voxels of slice z of out that hold data: those with no padding within a voxel.
func (c crop) markPadding(out, v *volume.Volume, z, z0 int) {
	span := func(i, axis int) (lo, hi int) {
		step := float64(v.Dims[axis]) / float64(c.keep[axis])
		return max(int(float64(i-1)*step), 0), min(int(float64(i+1)*step)+1, v.Dims[axis]-1)
	}
	for y := range c.keep[1] {
		y0, y1 := span(y, 1)
		for x := range c.keep[0] {
			x0, x1 := span(x, 0)
			box := volume.Region{Min: [3]int{x0, y0, z0 + z}, Max: [3]int{x1 + 1, y1 + 1, z0 + z + 1}}
			out.Mask[out.Index(x, y, z)] = allValid(v, box)
		}
	}
}

// backward writes the slice that has the frequencies of half, in the order of forward, divided by scale.
func (t *sliceTransform) backward(dst []float32, half []complex128, scale float64) {
	bins := t.nx/2 + 1
	for kx := range bins {
		for ky := range t.ny {
			t.column[ky] = half[ky*bins+kx]
		}
		t.columns.Sequence(t.column, t.column)
		for y := range t.ny {
			half[y*bins+kx] = t.column[y]
		}
	}
	for y := range t.ny {
		t.rows.Sequence(t.line, half[y*bins:(y+1)*bins])
		for x, a := range t.line {
			dst[y*t.nx+x] = float32(a / scale)
		}
	}
}

// kspaceFigure measures noise that was zero-filled or filtered in k-space: at the acquired resolution, or in the background
// if that is not sure. ok is false if neither shows it. The error is the context's.
func (e *Estimate) kspaceFigure(ctx context.Context, v *volume.Volume, d measurement, w evenWindows) (ok bool, err error) {
	acquired, err := e.acquiredFigure(ctx, v)
	if err != nil {
		return false, err
	}
	if acquired != nil && acquired.Confidence == High {
		*e = *acquired
		return true, nil
	}
	beside, err := e.backgroundFigure(ctx, v, d.valueRange, w)
	switch {
	case err != nil || acquired == nil:
		return beside, err
	case beside: // which shows sigma, and the power what was acquired
		e.Acquired, e.Correlation = acquired.Acquired, acquired.Correlation
	default:
		*e = *acquired
	}
	return true, nil
}

// acquiredFigure measures noise of the middle slices at the acquired resolution. It returns nil
// if the power of the slices shows no edge, or noise is not white there. The error is the context's.
func (e Estimate) acquiredFigure(ctx context.Context, v *volume.Volume) (*Estimate, error) {
	if v.Dims[2] < fewSpectra || min(v.Dims[0], v.Dims[1]) < leastMatrix {
		return nil, nil
	}
	p, err := slicePower(ctx, v)
	if err != nil {
		return nil, err
	}
	a := p.acquisition()
	if a == nil {
		return nil, nil
	}
	c := a.within(v.Geometry)
	n := min(v.Dims[2], mostCropped, max(croppedPixels/v.SliceVoxels(), 2*sixth.reach()+6))
	z0 := (v.Dims[2] - n) / 2
	small, err := c.slices(ctx, v, z0, z0+n)
	if err != nil {
		return nil, err
	}
	lo, hi, err := small.Range(ctx)
	if err != nil {
		return nil, err
	}
	there, d, err := volumeDifferences(ctx, small, lo, hi, e)
	switch {
	case err != nil || there.Weak() || there.Method != methodDifferences:
		return nil, err
	case there.Confidence == Low || there.Confidence == None || !there.judgeTexture(d):
		return nil, nil
	}
	if err = there.refine(ctx, small, d); err != nil {
		return nil, err
	}
	if stated, ok := a.agrees(v.Encoding); !ok {
		if there.Confidence == Fair {
			return nil, nil
		}
		there.limit(Figure{Confidence: Fair, Why: message.New(message.NoiseCorrelated, "the file states that %d x %d of k-space were acquired, and the data show %d x %d", stated[0], stated[1], a.Matrix[0], a.Matrix[1])})
	}
	e.Figure, e.Method, e.Negligible = there.Figure, methodAcquired, false
	e.Sigma *= c.gain
	e.Acquired, e.Correlation = a, a.correlation()
	e.PerSlice = slices.Repeat([]Figure{e.Figure}, v.Dims[2])
	return &e, nil
}

// agrees reports whether what a file states of k-space, in one of its readings, is what the data show; stated is its first
// reading. A file that states nothing agrees, and so does one that states more than there are pixels, of which the data show all.
func (a Acquisition) agrees(e volume.Encoding) (stated [2]int, ok bool) {
	ok = true
	for axis, readings := range e {
		if stated[axis] = readings[0]; !e.Stated(axis) {
			stated[axis] = a.Matrix[axis]
			continue
		}
		ok = ok && slices.ContainsFunc(readings[:], func(n int) bool {
			return math.Abs(float64(min(n, a.Of[axis])-a.Matrix[axis])) <= agreement*float64(a.Matrix[axis])
		})
	}
	return stated, ok
}

// judgeTexture reports whether the windows that are less even read as much as the evenest ones: anatomy is finer
// for the voxels of the acquired resolution, and its part in a figure shows in this rise. After a small one the
// figure is fair.
func (e *Estimate) judgeTexture(d measurement) bool {
	if len(d.windows) < 4*minWindows || e.Sigma < weakShare*d.valueRange && e.Windows < manyAcquired {
		return false
	}
	rise, byChance, tail := e.textureRise(d.windows)
	if rise > textureRise+byChance || tail > textureTail {
		return false
	}
	if rise > evenRise || e.Sigma < sureShare*d.valueRange {
		e.limit(Figure{Confidence: Fair, Why: message.New(message.NoiseTexture, "texture may be part of the figure, or the noise is slightly correlated")})
	}
	return true
}

// textureRise returns what windows read by quarters of their unevenness, relative to the evenest quarter: the larger of
// the next two, with what noise makes it by chance, and the least even one.
func (e *Estimate) textureRise(ws []window) (rise, byChance, tail float64) {
	all := unevennesses(ws)
	quarter := func(i int) float64 {
		low, high := float32(quantile(all, float64(i)/4)), float32(quantile(all, float64(i+1)/4))
		return middle(e.sigmas(keep(func(w window) bool { return (w.uneven > low || i == 0) && w.uneven <= high }, ws)))
	}
	evenest := max(quarter(0), math.SmallestNonzeroFloat64)
	return max(quarter(1), quarter(2)) / evenest, 0.25 / math.Sqrt(float64(max(e.Windows, 1))), quarter(3) / evenest
}

// correlation returns the autocorrelation of noise that is white in what was acquired and 0 outside.
func (a Acquisition) correlation() *Correlation {
	var along [2][MaxLag + 1]float64
	for axis, m := range a.Matrix {
		for k := -(m / 2); k < m/2+m%2; k++ {
			for d := range along[axis] {
				along[axis][d] += math.Cos(2*math.Pi*float64(k*d)/float64(a.Of[axis])) / float64(m)
			}
		}
	}
	c := Correlation{Across: [3]float64{1}}
	for dy := 0; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			c.InPlane.set(dx, dy, along[0][max(dx, -dx)]*along[1][dy])
		}
	}
	return &c
}

// acquiredWindows returns windows at the acquired resolution for a map, with their places and their size in voxels
// of the image.
func (e Estimate) acquiredWindows(ctx context.Context, v *volume.Volume) (ws []window, size [3]int, err error) {
	c := e.Acquired.within(v.Geometry)
	small, err := c.slices(ctx, v, 0, v.Dims[2])
	if err != nil {
		return nil, size, err
	}
	how := mapSampling(small.Geometry)
	if ws, err = differences(ctx, small, how, 0, small.Dims[2], math.MaxInt); err != nil {
		return nil, size, err
	}
	ws = e.mapForeground(ws)
	for i := range ws {
		ws[i].sd *= float32(c.gain)
		for axis := range 2 {
			ws[i].at[axis] = int32(int(ws[i].at[axis]) * v.Dims[axis] / c.keep[axis])
		}
	}
	size = how.size()
	for axis := range 2 {
		size[axis] = size[axis] * v.Dims[axis] / c.keep[axis]
	}
	return ws, size, nil
}

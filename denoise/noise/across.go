package noise

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// A scanner that filters k-space, fills it with zeros or interpolates leaves noise that neighbours in a slice
// share; slices are measured apart and do not share it. The sixth difference across slices removes anatomy and
// keeps that noise with its colour, whichever that is: its power by frequency in windows of the foreground is
// the noise's. Windows are chosen by what the mean of the same slices holds, in which the differences have
// hardly any part.

// The limits.
const (
	mostAcross    = 6000 // windows that are looked at
	fewAcross     = 40   // windows below which there is no figure
	manyAcross    = 250  // windows from which the figure may be high, and noise below sureShare has one
	lowFrequency  = 0.2  // cycles a pixel, below which anatomy lies
	acrossSpread  = 1.17 // of the powers over that of noise: above, anatomy made them differ
	evenSpread    = 1.04 // the same: below, the figure may be high
	acrossScatter = 1.6  // of the power at low frequencies: above, anatomy differs from slice to slice
	evenScatter   = 1.1  // the same: below, the figure may be high
	acrossShared  = 1.3  // of second over sixth differences: above, slices share noise
	evenShared    = 1.1  // the same: below, the figure may be high
	leastColour   = 0.1  // correlation of neighbours below which the noise counts as white
	sureShare     = 0.02 // of the range of the values, from which the figure may be high
)

// acrossShares are the shares of the windows that are tried, the evenest.
var acrossShares = [...]float64{0.25, 0.1, 0.04}

// means are the weights of the mean of the slices that a sixth difference reads.
var means = difference{[]float32{20. / 64, 15. / 64, 6. / 64, 1. / 64}, 1}

// acrossFigure measures noise that slices do not share. cut is the threshold of the foreground. ok is false if
// the volume does not show such noise. The error is the context's.
func (e *Estimate) acrossFigure(ctx context.Context, v *volume.Volume, cut, valueRange float64) (ok bool, err error) {
	at, err := evenPowerWindows(ctx, v, powerWindows(v, sixth.reach(), cut))
	if err != nil {
		return false, err
	}
	all, err := powers(ctx, v, at, sixth)
	if err != nil {
		return false, err
	}
	var apart []power
	best := math.Inf(1)
	for _, share := range acrossShares {
		n := int(share * float64(len(at)))
		if n < fewAcross || best < evenScatter {
			break
		}
		if s := scatter(all[:n]); s < best {
			best, apart = s, all[:n]
		}
	}
	if best > acrossScatter {
		return false, nil
	}
	adjacent, err := powers(ctx, v, at[:len(apart)], second)
	if err != nil {
		return false, err
	}
	noise, spread := medianPower(apart)
	wider, _ := medianPower(adjacent)
	shared := wider.over(&noise)
	sigma := noise.sigma()
	if spread > acrossSpread || shared > acrossShared || sigma < lowShare*valueRange {
		return false, nil
	}
	weak, few := sigma < sureShare*valueRange, len(apart) < manyAcross
	if weak && few { // what anatomy adds is a large part, and does not show
		return false, nil
	}
	correlation := noise.correlation([3]float64{1, 0, 0})
	if max(correlation.Rho(1, 0, 0), correlation.Rho(0, 1, 0)) < leastColour {
		return false, nil
	}
	e.Method, e.Figure = methodAcross, Figure{Sigma: sigma, Windows: len(apart), Confidence: High}
	e.Correlation = correlation
	e.Negligible = false
	if few || weak || spread > evenSpread || best > evenScatter || shared > evenShared {
		e.Confidence = Fair
		e.Why = message.New(message.NoiseCorrelated, "the noise is correlated from voxel to voxel, as after smoothing or interpolation")
	}
	e.acrossSlices(at[:len(at)/2], all, v.Dims[2])
	return true, nil
}

// fewInSlice is the number of windows below which a slice has the volume's figure.
const fewInSlice = 20

// acrossSlices gives every slice its figure: the volume's, times the power of its windows over that of all.
func (e *Estimate) acrossSlices(at [][3]int, ps []power, slices int) {
	bySlice, all := make([][]float64, slices), make([]float64, len(at))
	for i, w := range at {
		all[i] = ps[i].upper()
		bySlice[w[2]] = append(bySlice[w[2]], all[i])
	}
	usual := quantile(all, 0.5)
	e.PerSlice = make([]Figure, slices)
	for z, values := range bySlice {
		f := &e.PerSlice[z]
		*f = Figure{Sigma: e.Sigma, Confidence: Fair, Why: fewVoxels, Windows: len(values)}
		if len(values) >= fewInSlice {
			f.Sigma *= quantile(values, 0.5) / usual
		}
	}
}

// upper returns the root of the power at all but the lowest frequencies, which hold most of the anatomy.
func (p *power) upper() float64 { return math.Sqrt(p.within(lowFrequency/2, 1)) }

// acrossWindows returns windows of the foreground by the upper part of their power, for a map.
func acrossWindows(ctx context.Context, v *volume.Volume, cut float64) ([]window, error) {
	at := powerWindows(v, sixth.reach(), cut)
	ps, err := powers(ctx, v, at, sixth)
	if err != nil {
		return nil, err
	}
	ws := make([]window, len(at))
	for i, a := range at {
		ws[i] = window{at: [3]int32{int32(a[0]), int32(a[1]), int32(a[2])}, sd: float32(ps[i].upper())}
	}
	return ws, nil
}

// evenPowerWindows returns the windows in the order of what their means across slices hold, the evenest first.
func evenPowerWindows(ctx context.Context, v *volume.Volume, at [][3]int) ([][3]int, error) {
	ps, err := powers(ctx, v, at, means)
	if err != nil {
		return nil, err
	}
	order, structure := make([]int, len(at)), make([]float64, len(at))
	for i := range order {
		order[i], structure[i] = i, ps[i].within(0.03, 0.3)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(structure[a], structure[b]), cmp.Compare(a, b)) })
	sorted := make([][3]int, len(at))
	for i, j := range order {
		sorted[i] = at[j]
	}
	return sorted, nil
}

// scatter says how much the windows' powers at low frequencies scatter upwards: 0.6 to 1 in noise, whichever its
// colour, and more if anatomy is part of them.
func scatter(ps []power) float64 {
	low := make([]float64, len(ps))
	for i := range ps {
		low[i] = ps[i].within(-1, lowFrequency)
	}
	middle := quantile(low, 0.5)
	if middle == 0 {
		return math.Inf(1)
	}
	return (quantile(low, 0.9) - middle) / middle
}

// powerWindows returns the first voxels of windows of the foreground that have reach slices on either side,
// evenly over the volume if there are many: x, y and z.
func powerWindows(v *volume.Volume, reach int, cut float64) (at [][3]int) {
	const step = powerSide / 2
	for z := reach; z < v.Dims[2]-reach; z++ {
		for y := 0; y+powerSide <= v.Dims[1]; y += step {
			for x := 0; x+powerSide <= v.Dims[0]; x += step {
				if inForeground(v, x, y, z, cut) {
					at = append(at, [3]int{x, y, z})
				}
			}
		}
	}
	if n := len(at); n > mostAcross {
		for i := range mostAcross {
			at[i] = at[i*n/mostAcross]
		}
		at = at[:mostAcross]
	}
	return at
}

// inForeground reports whether every voxel of a window is valid and above half of the threshold.
func inForeground(v *volume.Volume, x, y, z int, cut float64) bool {
	for j := range powerSide {
		from := v.Index(x, y+j, z)
		for i, a := range v.Data[from : from+powerSide] {
			if float64(a) < cut/2 || !v.Valid(from+i) {
				return false
			}
		}
	}
	return true
}

// powers returns the power of every window after d, normalised, across slices, on all cores. The error is the
// context's.
func powers(ctx context.Context, v *volume.Volume, at [][3]int, d difference) ([]power, error) {
	norm := math.Sqrt(d.norm([3]int{0, 0, 1}))
	if !d.removesMean() {
		norm = 1
	}
	ps := make([]power, len(at))
	err := parallel.ForWorkers(ctx, len(at), runtime.GOMAXPROCS(0), func() func(int) error {
		m, window := newPowerMeter(), make([]float64, powerSide*powerSide)
		return func(i int) error {
			x, y, z := at[i][0], at[i][1], at[i][2]
			for j := range powerSide {
				line := window[j*powerSide : (j+1)*powerSide]
				clear(line)
				for k := -d.reach(); k <= d.reach(); k++ {
					t := float64(d.taps[max(k, -k)]) / norm
					for i, a := range v.Data[v.Index(x, y+j, z+k):][:powerSide] {
						line[i] += t * float64(a)
					}
				}
			}
			mean := 0.0 // of differences it is noise
			if !d.removesMean() {
				mean = m.mean(window)
			}
			ps[i] = m.of(window, mean)
			return nil
		}
	})
	return ps, err
}

// removesMean reports whether the weights add up to 0.
func (d difference) removesMean() bool {
	sum := d.taps[0]
	for _, t := range d.taps[1:] {
		sum += 2 * t
	}
	return sum == 0
}

// medianPower returns the power that the windows have in the middle, and how much they scatter: 1 for noise.
func medianPower(ps []power) (middle power, spread float64) {
	var spreads []float64
	values := make([]float64, len(ps))
	each := func(f func(ky, kx int)) {
		for ky := range powerBins {
			for kx := range powerBins {
				for i := range ps {
					values[i] = ps[i][ky][kx]
				}
				f(ky, kx)
			}
		}
	}
	each(func(ky, kx int) {
		middle[ky][kx] = quantile(values, 0.5) / exponentialMedian
		if paired(ky) && kx > 0 && kx < powerBins-1 {
			middle[ky][kx] *= exponentialMedian / gammaMedian
		}
	})
	floor := middle.floor(0.1)
	each(func(ky, kx int) {
		if paired(ky) && kx > 0 && kx < powerBins-1 && middle[ky][kx] > floor && math.Hypot(float64(kx), float64(ky)) > 1.6 {
			spreads = append(spreads, quantile(values, 0.7)/quantile(values, 0.3)/gammaSpread)
		}
	})
	if len(spreads) == 0 {
		return middle, math.Inf(1)
	}
	return middle, quantile(spreads, 0.5)
}

// floor returns the power below which frequencies above lo count as empty.
func (p *power) floor(lo float64) float64 {
	most := 0.0
	for ky := range p {
		for kx, a := range p[ky] {
			if math.Hypot(float64(kx), float64(ky))/powerSide > lo {
				most = max(most, a)
			}
		}
	}
	return 0.03 * most
}

// over returns the power over that of q, in the middle of the upper frequencies at which there is any.
func (p *power) over(q *power) float64 {
	var ratios []float64
	floor := q.floor(0.1)
	for ky := range p {
		for kx, a := range p[ky] {
			if math.Hypot(float64(kx), float64(ky))/powerSide >= lowFrequency && q[ky][kx] > floor {
				ratios = append(ratios, a/q[ky][kx])
			}
		}
	}
	return quantile(ratios, 0.5)
}

package noise

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// The difference of two repeats is noise alone, times the root of 2, wherever nothing moved. The gain and the
// mean of the two are made equal, a slow drift over the volume and a shift are regressed out, and sigma is the median over
// blocks of the foreground, which pulsation and motion touch in part.

// Repeat is what two repeats show.
type Repeat struct {
	Figure
	Next     [3]float64 `json:"next"`            // correlation of the noise of neighbours along x, y and z
	Moved    bool       `json:"moved,omitempty"` // the difference is stronger where the image is uneven
	PerSlice []Figure   `json:"slices"`
}

const (
	mostGain    = 1.1  // of one repeat over the other; above, they are scaled differently
	mostOffset  = 0.1  // of the means, relative to the range
	movedRatio  = 1.25 // of the noise in the most uneven quarter of the blocks over the evenest half
	movedFar    = 2    // above, even blocks are no ground either
	manyRepeats = 200  // blocks that make the figure high
	driftTerms  = 10   // of a quadratic polynomial in x, y and z
	shiftTerms  = 3    // the derivatives of the image along x, y and z
	mostOfOwn   = 1.53 // of the sigma that a volume shows alone: a magnitude far below its noise varies by 1/1.53 of it
	shiftShare  = 0.05 // of the variance of the difference that a shift may explain
)

// Repeated measures the noise of two repeats on one grid. It is unknown if they differ by more than the noise that one of
// them shows alone. The error says why they are none, or is the context's.
func Repeated(ctx context.Context, a, b *volume.Volume) (Repeat, error) {
	if a.Dims != b.Dims {
		return Repeat{}, message.Errorf(message.GridDiffers, "the acquisitions have %v and %v voxels", a.Dims, b.Dims)
	}
	most := math.Inf(1)
	for _, v := range []*volume.Volume{a, b} {
		own, err := Of(ctx, v)
		if err != nil {
			return Repeat{}, err
		}
		most = min(most, own.most())
	}
	return repeated(ctx, a, b, most)
}

// most is the sigma that a volume has at most, by what it shows alone; infinite if it shows none.
func (f Figure) most() float64 {
	if f.Confidence == None {
		return math.Inf(1)
	}
	return max(f.High, mostOfOwn*f.Sigma)
}

// repeated measures the noise of two repeats on one grid that have at most the noise most.
func repeated(ctx context.Context, a, b *volume.Volume, most float64) (Repeat, error) {
	gain, err := gainOf(ctx, a, b)
	if err != nil {
		return Repeat{}, err
	}
	inside, err := Foreground(ctx, a)
	if err != nil {
		return Repeat{}, err
	}
	d := volume.New(a.Geometry)
	err = parallel.For(ctx, a.Dims[2], func(z int) error {
		n := a.SliceVoxels()
		for i := z * n; i < (z+1)*n; i++ {
			d.Data[i] = b.Data[i] - float32(gain)*a.Data[i]
		}
		return nil
	})
	if err != nil {
		return Repeat{}, err
	}
	counts := func(i int) bool { return a.Valid(i) && b.Valid(i) && inside(i) }
	shift, share := removeDrift(d, a, counts)
	r := Repeat{Next: neighbours(d, counts)}
	var blocks []repeatBlock
	for _, side := range []int{8, 4} {
		if blocks = repeatBlocks(d, a, counts, side); len(blocks) >= minWindows {
			break
		}
	}
	scale := 1 / math.Sqrt(1+gain*gain)
	r.judge(blocks, scale/r.rootMeanSquare(blocks))
	if r.Sigma > most {
		r.Figure = Figure{Confidence: None, Windows: r.Windows, Why: message.New(message.NoiseTexture, "the acquisitions differ by %.3g, and one of them shows noise of at most %.3g: something moved or changed between them", r.Sigma, most)}
	}
	if share > shiftShare && r.Confidence != None {
		r.Moved = true
		r.limit(Figure{Confidence: Fair, Why: message.New(message.NoiseTexture, "something moved between the acquisitions, by about %.2g voxels, which is taken off", shift)})
	}
	r.PerSlice = make([]Figure, a.Dims[2])
	for z := range r.PerSlice {
		own := slices.DeleteFunc(slices.Clone(blocks), func(b repeatBlock) bool { return b.z != z })
		r.PerSlice[z] = Figure{Sigma: scale / r.rootMeanSquare(own) * median(own), Confidence: r.Confidence, Why: r.Why, Windows: len(own)}
		if len(own) < minWindows/4 || r.Confidence == None {
			r.PerSlice[z] = Figure{Confidence: None, Windows: len(own), Why: message.New(message.NoiseFew, "only %d regions of the foreground can be measured", len(own))}
		}
	}
	return r, nil
}

// gainOf returns by what b is scaled relative to a: the ratio of their standard deviations, which noise in both
// does not change.
func gainOf(ctx context.Context, a, b *volume.Volume) (float64, error) {
	var n, ma, mb, sa, sb float64
	for i, step := 0, max(len(a.Data)/mostSampled, 1)|1; i < len(a.Data); i += step {
		if a.Valid(i) && b.Valid(i) {
			x, y := float64(a.Data[i]), float64(b.Data[i])
			n, ma, mb, sa, sb = n+1, ma+x, mb+y, sa+x*x, sb+y*y
		}
	}
	if n == 0 {
		return 0, message.Errorf(message.InputEmpty, "the acquisitions have no voxel in common")
	}
	ma, mb = ma/n, mb/n
	va, vb := sa/n-ma*ma, sb/n-mb*mb
	if va <= 0 && vb <= 0 {
		return 1, nil
	}
	gain := math.Sqrt(max(vb, 0) / max(va, math.SmallestNonzeroFloat64))
	if gain > mostGain || gain < 1/mostGain {
		return 0, message.Errorf(message.InputRefused, "the values of the second are spread %.3g times as much as the values of the first: repeat acquisitions have one scaling and one contrast", gain)
	}
	lo, hi, err := a.Range(ctx)
	if err != nil {
		return 0, err
	}
	if offset := math.Abs(mb - ma); offset > mostOffset*(float64(hi)-float64(lo)) {
		return 0, message.Errorf(message.InputRefused, "the mean of the second is %.3g where the mean of the first is %.3g: repeat acquisitions have one scaling and one contrast", mb, ma)
	}
	return gain, nil
}

// allTerms are what is regressed out of the difference.
const allTerms = driftTerms + shiftTerms

// removeDrift takes from the voxels of d that count the quadratic polynomial and the multiples of the derivatives
// of the image that fit them best: a slow drift, and a shift. It returns the shift in voxels, and the share of the
// variance that it explains. The image is the mean of the two repeats, in which noise is independent of their
// difference.
func removeDrift(d, a *volume.Volume, counts func(i int) bool) (shift, share float64) {
	image := d.Clone()
	for i := range image.Data {
		image.Data[i] = a.Data[i] + d.Data[i]/2
	}
	strides := [3]int{1, d.Dims[0], d.SliceVoxels()}
	terms := func(i int) (t [allTerms]float64) {
		at := [3]int{i % d.Dims[0], i / d.Dims[0] % d.Dims[1], i / d.SliceVoxels()}
		u, v, w := 2*float64(at[0])/float64(d.Dims[0])-1, 2*float64(at[1])/float64(d.Dims[1])-1, 2*float64(at[2])/float64(d.Dims[2])-1
		t = [allTerms]float64{1, u, v, w, u * u, v * v, w * w, u * v, u * w, v * w}
		for c, stride := range strides {
			if at[c] > 0 && at[c]+1 < d.Dims[c] {
				t[driftTerms+c] = (float64(image.Data[i+stride]) - float64(image.Data[i-stride])) / 2
			}
		}
		return t
	}
	var m [allTerms][allTerms + 1]float64
	each := func(step int, f func(i int, t [allTerms]float64)) {
		for i := 0; i < len(d.Data); i += step {
			if counts(i) {
				f(i, terms(i))
			}
		}
	}
	each(max(len(d.Data)/mostSampled, 1)|1, func(i int, t [allTerms]float64) {
		for j := range t {
			for k := range t {
				m[j][k] += t[j] * t[k]
			}
			m[j][allTerms] += t[j] * float64(d.Data[i])
		}
	})
	c := solve(m)
	explained, all := 0.0, 0.0
	each(1, func(i int, t [allTerms]float64) {
		moved := 0.0
		for j := range t {
			d.Data[i] -= float32(c[j] * t[j])
			if j >= driftTerms {
				moved += c[j] * t[j]
			}
		}
		explained += moved * moved
		all += moved*moved + float64(d.Data[i])*float64(d.Data[i])
	})
	for _, x := range c[driftTerms:] {
		shift += x * x
	}
	return math.Sqrt(shift), explained / max(all, math.SmallestNonzeroFloat64)
}

// solve solves normal equations; terms that the others hold, as z in a single slice, share what they explain.
func solve(m [allTerms][allTerms + 1]float64) (c [allTerms]float64) {
	a, b := mat.NewDense(allTerms, allTerms, nil), mat.NewVecDense(allTerms, nil)
	scale := func(j int) float64 { return math.Sqrt(max(m[j][j], math.SmallestNonzeroFloat64)) }
	for j := range m {
		for k := range m {
			a.Set(j, k, m[j][k]/scale(j)/scale(k))
		}
		b.SetVec(j, m[j][allTerms]/scale(j))
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) || svd.Rank(1e-9) == 0 {
		return c
	}
	var x mat.VecDense
	svd.SolveVecTo(&x, b, svd.Rank(1e-9))
	for j := range c {
		c[j] = x.AtVec(j) / scale(j)
	}
	return c
}

// rootMeanSquare returns the median of the root mean square of the noise in blocks, relative to its sigma: the more
// neighbours share, the fewer values are independent in a block. Noise that a Gaussian went over has the correlation
// rho^(k^2) at k voxels.
func (r Repeat) rootMeanSquare(blocks []repeatBlock) float64 {
	if len(blocks) == 0 {
		return 1
	}
	freedom := float64(blocks[0].voxels)
	for _, rho := range r.Next[:2] {
		sum := 1.0
		for k := 1; k < 8; k++ {
			sum += 2 * math.Pow(rho*rho, float64(k*k))
		}
		freedom /= sum
	}
	return math.Pow(1-2/(9*max(freedom, 1)), 1.5) // of Wilson and Hilferty
}

// repeatBlock is a square of a slice: the root mean square of the difference in it, and what its voxels in
// the image differ by relative to that, so that stronger noise does not make it uneven.
type repeatBlock struct {
	z, voxels   int
	rms, uneven float64
}

func repeatBlocks(d, a *volume.Volume, counts func(i int) bool, side int) []repeatBlock {
	var all []repeatBlock
	for z := range d.Dims[2] {
		for y := 0; y+side <= d.Dims[1]; y += side {
			for x := 0; x+side <= d.Dims[0]; x += side {
				if b, ok := repeatBlockAt(d, a, counts, [3]int{x, y, z}, side); ok {
					all = append(all, b)
				}
			}
		}
	}
	return all
}

func repeatBlockAt(d, a *volume.Volume, counts func(i int) bool, at [3]int, side int) (repeatBlock, bool) {
	squares, mean, spread := 0.0, 0.0, 0.0
	for j := range side {
		from := d.Index(at[0], at[1]+j, at[2])
		for i := from; i < from+side; i++ {
			if !counts(i) {
				return repeatBlock{}, false
			}
			x, m := float64(d.Data[i]), float64(a.Data[i])+float64(d.Data[i])/2 // the mean of the two
			squares, mean, spread = squares+x*x, mean+m, spread+m*m
		}
	}
	n := float64(side * side)
	rms := math.Sqrt(squares / n)
	return repeatBlock{at[2], side * side, rms, math.Sqrt(max(spread/n-mean*mean/n/n, 0)) / max(rms, math.SmallestNonzeroFloat64)}, true
}

// median returns the median of the root mean squares.
func median(blocks []repeatBlock) float64 {
	all := make([]float64, len(blocks))
	for i, b := range blocks {
		all[i] = b.rms
	}
	return quantile(all, 0.5)
}

// judge sets the figure of the blocks; scale makes the difference the noise of one repeat.
func (r *Repeat) judge(blocks []repeatBlock, scale float64) {
	r.Windows, r.Confidence = len(blocks), None
	if len(blocks) < minWindows {
		r.Why = message.New(message.NoiseFew, "only %d regions of the foreground can be measured", len(blocks))
		return
	}
	slices.SortFunc(blocks, func(a, b repeatBlock) int { return cmp.Compare(a.uneven, b.uneven) })
	even, uneven := median(blocks[:len(blocks)/2]), median(blocks[len(blocks)*3/4:])
	r.Sigma, r.Confidence = scale*median(blocks), High
	switch ratio := uneven / max(even, math.SmallestNonzeroFloat64); {
	case uneven > 0 && ratio > movedRatio:
		r.Moved, r.Sigma, r.Confidence = true, scale*even, Fair
		if ratio > movedFar {
			r.Confidence = Low
		}
		r.Why = message.New(message.NoiseTexture, "something moved or pulsated between the acquisitions: their difference is %.2g times as strong where the image is not homogeneous, and homogeneous parts alone count", ratio)
	case len(blocks) < manyRepeats:
		r.Confidence, r.Why = Fair, message.New(message.NoiseFew, "it rests on few voxels")
	}
	slices.SortStableFunc(blocks, func(a, b repeatBlock) int { return cmp.Compare(a.z, b.z) })
}

// neighbours returns the correlation of neighbouring voxels that count, along each axis.
func neighbours(d *volume.Volume, counts func(i int) bool) (rho [3]float64) {
	var both, alone [3]float64
	strides := [3]int{1, d.Dims[0], d.SliceVoxels()}
	for i := range d.Data {
		if !counts(i) {
			continue
		}
		at := [3]int{i % d.Dims[0], i / d.Dims[0] % d.Dims[1], i / d.SliceVoxels()}
		for c, stride := range strides {
			if at[c]+1 < d.Dims[c] && counts(i+stride) {
				x, y := float64(d.Data[i]), float64(d.Data[i+stride])
				both[c], alone[c] = both[c]+x*y, alone[c]+(x*x+y*y)/2
			}
		}
	}
	for c := range rho {
		if alone[c] > 0 {
			rho[c] = both[c] / alone[c]
		}
	}
	return rho
}

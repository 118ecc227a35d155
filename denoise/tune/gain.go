package tune

import (
	"context"
	"math"
	"math/rand/v2"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// Gain is what a recipe is expected to gain on a volume.
type Gain struct {
	Recipe denoise.Recipe `json:"recipe"` // resolved
	// DB is the expected gain of squared error in the foreground, in decibels: 10 times the decimal
	// logarithm of the variance of the noise over the mean squared error of the result.
	DB float64 `json:"db"`
	// AtLeast is below DB by what the noise and the sample leave open; minus infinity if the noise is hardly
	// known, or if what a filter removes contradicts it.
	AtLeast float64 `json:"at_least"`
	// Careful is DB less the standard error of the sample: gains compete by it.
	Careful float64 `json:"careful"`
	// Steps are those of the recipe for a voxel, see [denoise.Pass]: a measure of its time.
	Steps float64 `json:"steps"`
	Risk
}

// Known reports whether the gain is known to the tenths of a decibel that it is shown with.
func (g Gain) Known() bool { return g.DB-g.AtLeast <= knownGain }

const (
	// knownGain is the error of a gain, in dB, up to which it is stated as a number.
	knownGain = 0.3
	// leastRisk is the risk that gains end at: no sample shows less.
	leastRisk = 1e-3
	// gainVoxels is how many voxels of the foreground gains are measured in, and gainBoxes in how many boxes
	// at most: in ragged tissue few voxels of a box count.
	gainVoxels = 2 * boxVoxels
	gainBoxes  = 48
	// gainLayers is how many layers of boxes are looked at, over all slices.
	gainLayers = 12
	// gainSteps is the steps for a voxel of a box, with what is computed around it, up to which a recipe
	// runs on all boxes; others run on every second to gainStride-th.
	gainSteps  = 250
	gainStride = 8
)

// gainSigma is by how much sigma may err, relative to it, for the bound of a gain.
func gainSigma(c noise.Confidence) float64 {
	switch c {
	case noise.High:
		return 0.03
	case noise.Fair:
		return 0.1
	}
	return math.Inf(1)
}

// Gains estimates what recipes gain on a volume, on boxes of its foreground and by the same
// perturbation, see [Risk]. The recipes are resolved by the facts and may be of several filters. It
// reads a sample of the volume: a recipe of many steps a voxel runs on every second box or fewer, and
// what it does there differently from another recipe is added to the risk of that in all boxes, as the
// noise of the sample is common to both. The same volume, recipes and facts give the same gains on any
// number of cores.
//
// Errors: no noise, no foreground, a recipe that is not resolved, the context's, or the engine's.
func Gains(ctx context.Context, engine denoise.Engine, in denoise.Input, recipes []denoise.Recipe, facts denoise.Facts) ([]Gain, error) {
	use, err := facts.ForegroundOf(ctx, in.Volume)
	if err != nil {
		return nil, err
	}
	steps, strides, reach, err := extents(recipes, in.Volume.Geometry)
	if err != nil {
		return nil, err
	}
	p, err := newGainProbe(ctx, engine, in, reach, use, facts.Noise)
	if err != nil {
		return nil, err
	}
	runs := make([]sampled, len(recipes))
	for i, r := range recipes {
		if runs[i], err = p.sample(ctx, r, strides[i]); err != nil {
			return nil, err
		}
	}
	gains, contradicted := make([]Gain, len(recipes)), false
	for i, s := range runs {
		mse, se := s.mse()
		if s.stride > 1 {
			mse, se = s.beside(runs, mse, se)
		}
		risk := s.risk
		open := math.Hypot(2*gainSigma(facts.Noise.Confidence)*risk.Residual, 2*se)
		// The noise that is left has at least that variance: mean of squares over square of the mean.
		left := risk.Kept * risk.Kept
		contradicted = contradicted || mse < left-open
		mse = math.Max(mse, left)
		risk.MSE = mse
		gains[i] = Gain{Recipe: recipes[i], Steps: steps[i], Risk: risk, DB: decibels(mse), Careful: decibels(mse + se), AtLeast: decibels(mse + open)}
	}
	if contradicted { // sigma is too much, and so is every gain
		for i := range gains {
			gains[i].AtLeast = math.Inf(-1)
		}
	}
	return gains, nil
}

// decibels returns the gain of a mean squared error relative to the noise.
func decibels(mse float64) float64 { return -10 * math.Log10(math.Max(mse, leastRisk)) }

// extents returns the steps of each recipe for a voxel, which of the boxes it runs on as every so many-th,
// and the largest reach. One recipe or more run on all.
func extents(recipes []denoise.Recipe, g volume.Geometry) (steps []float64, strides []int, reach [3]int, err error) {
	least := gainStride
	for _, r := range recipes {
		p, err := r.Bind(g)
		if err != nil {
			return nil, nil, reach, err
		}
		sum, around := 0.0, 1.0
		for _, pass := range p.Passes {
			sum += pass.Work
		}
		for c, n := range p.Reach() {
			reach[c] = max(reach[c], n)
			around *= 1 + float64(n)/[3]float64{boxSide, boxSide, boxDepth}[c] // the mean of the first pass and the last
		}
		steps = append(steps, sum)
		strides = append(strides, min(max(int(math.Ceil(sum*around/gainSteps)), 1), gainStride))
		least = min(least, strides[len(strides)-1])
	}
	for i := range strides {
		strides[i] /= least
	}
	return steps, strides, reach, nil
}

// newGainProbe prepares estimates on few layers of boxes.
func newGainProbe(ctx context.Context, e denoise.Engine, in denoise.Input, reach [3]int, use func(i int) bool, n noise.Estimate) (*probe, error) {
	m := noiseModel{sigma: n.Sigma, correlation: n.Correlation}
	if err := m.check(in); err != nil {
		return nil, err
	}
	v := in.Masked()
	m.within = func(ctx context.Context, box volume.Region) (float64, error) { return n.Within(ctx, v, box) }
	counts := func(i int) bool { return v.Valid(i) && use(i) }
	all, err := candidates(ctx, v, v.Bounds(), reach, gainLayers, counts)
	if err != nil {
		return nil, err
	}
	chosen, _ := spread(all, gainVoxels, rand.New(rand.NewPCG(1, 0)))
	chosen = thinned(chosen, gainBoxes)
	if len(chosen) == 0 {
		return nil, errNoForeground
	}
	p := &probe{engine: e, noise: m}
	for k, box := range chosen {
		a := newPart(in, box, reach, counts, 1+uint64(k))
		if a.power, err = m.power(ctx, box); err != nil {
			return nil, err
		}
		p.parts = append(p.parts, a)
	}
	return p, nil
}

// thinned returns at most n of the boxes, evenly.
func thinned(boxes []volume.Region, n int) []volume.Region {
	if len(boxes) <= n {
		return boxes
	}
	some := make([]volume.Region, n)
	for k := range some {
		some[k] = boxes[(2*k+1)*len(boxes)/(2*n)]
	}
	return some
}

// sampled is what a recipe did in every stride-th box.
type sampled struct {
	stride int
	excess []float64 // by box: the sum of the estimated squared errors, in sigmas squared
	noise  []float64 // by box: the sum of the variances of the noise, in sigmas squared
	risk   Risk
}

// sample runs a recipe on every stride-th part.
func (p *probe) sample(ctx context.Context, r denoise.Recipe, stride int) (sampled, error) {
	some := &probe{engine: p.engine, noise: p.noise}
	for k := 0; k < len(p.parts); k += stride {
		some.parts = append(some.parts, p.parts[k])
	}
	sums, err := some.stein(ctx, []denoise.Recipe{r})
	if err != nil {
		return sampled{}, err
	}
	s, variance, total := sampled{stride: stride}, p.noise.sigma*p.noise.sigma, tally{}
	for k, a := range some.parts {
		t := tally{sums[k][0], a.voxels, a.power * float64(a.voxels)}
		t.Divergence *= a.power
		s.excess = append(s.excess, t.Residual/variance-t.noise+2*t.Divergence)
		s.noise = append(s.noise, t.noise)
		total = total.plus(t)
	}
	s.risk = total.risk(p.noise.sigma)
	return s, nil
}

// mse returns the mean squared error relative to the noise and its standard error, from the
// differences between boxes.
func (s sampled) mse() (mse, se float64) {
	sum, noise := 0.0, 0.0
	for k, e := range s.excess {
		sum, noise = sum+e, noise+s.noise[k]
	}
	mse = sum / noise
	if n := float64(len(s.excess)); n > 1 {
		squares := 0.0
		for k, e := range s.excess {
			d := e - mse*s.noise[k]
			squares += d * d
		}
		return mse, math.Sqrt(squares*n/(n-1)) / noise
	}
	return mse, math.Inf(1)
}

// beside returns the mean squared error of s from that of the run in all boxes that differs from s most
// evenly in the boxes of s, if that is known better than the mean squared error of s alone.
func (s sampled) beside(runs []sampled, mse, se float64) (float64, float64) {
	for _, r := range runs {
		if r.stride > 1 {
			continue
		}
		d := sampled{noise: s.noise}
		for k, e := range s.excess {
			d.excess = append(d.excess, e-r.excess[k*s.stride])
		}
		difference, apart := d.mse()
		whole, own := r.mse()
		if both := math.Hypot(apart, own); both < se {
			mse, se = whole+difference, both
		}
	}
	return mse, se
}

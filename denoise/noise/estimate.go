package noise

import (
	"cmp"
	"context"
	"math"
	"slices"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// Confidence says how far a figure can be relied on.
type Confidence string

// The confidences, best first.
const (
	High Confidence = "high" // within about 5 %
	Fair Confidence = "fair" // within about 20 %
	Low  Confidence = "low"  // an upper bound: texture or structure may be part of it
	None Confidence = "none" // there is no figure
)

// Figure is one estimate of sigma.
type Figure struct {
	Sigma      float64         `json:"sigma"`      // the best value in the volume's unit; 0 with confidence None if none was found
	Low        float64         `json:"sigma_low"`  // the noise is hardly below
	High       float64         `json:"sigma_high"` // nor above; 0 if there is no interval
	Confidence Confidence      `json:"confidence"`
	Why        message.Message `json:"why,omitzero"` // what limits the confidence, as a sentence
	Windows    int             `json:"windows"`      // windows of the foreground that it rests on

	few    bool    // the number of voxels is all that makes the confidence fair
	atMost float64 // above 0 if the finest detail may miss the noise, which is then at most this
}

// MayBeTexture reports whether more than few voxels limits the confidence: texture or
// structure may be part of the figure.
func (f Figure) MayBeTexture() bool {
	return f.Confidence == Low || f.Confidence == None || f.Confidence == Fair && !f.few
}

// Estimate is what is known of the noise of a volume.
type Estimate struct {
	Figure
	// Negligible states that the noise cannot be separated from the texture of
	// the image: sigma is below 0.55 % of the range of the values, and the image
	// does not look smoothed.
	Negligible  bool         `json:"negligible,omitempty"`
	Model       Model        `json:"model"`
	ModelKnown  bool         `json:"model_known"`           // false: there is no background that shows the model
	Method      string       `json:"method"`                // "differences" (white noise), those "at the acquired resolution", "background" (noise of k-space), "homogeneous windows" or, of CT, "surface fits" (correlated noise)
	Correlation *Correlation `json:"correlation,omitempty"` // nil: white
	// Shared is the share of the variance in homogeneous tissue of a CT that slices two apart have in
	// common: streaks and fine anatomy, which sigma does not include.
	Shared float64 `json:"shared,omitempty"`
	// Acquired is what was acquired of k-space if the image has more pixels and its noise was measured at that
	// resolution or has the correlation that follows from it, else nil.
	Acquired *Acquisition `json:"acquired,omitempty"`
	PerSlice []Figure     `json:"slices"`
	// Evidence are the sources that the interval follows from.
	Evidence []Evidence `json:"evidence,omitempty"`

	tissue tissue  // of a CT: what was measured
	side   int     // and the side of the windows
	lo, hi float64 // ends of the range of the values without those that stand alone; equal if none does
}

// InTissue says whether the noise was measured in the even soft tissue of a CT, in
// which texture has no part in it.
func (e Estimate) InTissue() bool { return e.Method == methodSurfaceFits }

// Range returns the width of the range of the values that a share of the noise is taken of: that of a volume with
// these ends, or of the values without those that stand alone, such as burnt-in text.
func (e Estimate) Range(lo, hi float32) float64 {
	if e.hi > e.lo {
		return e.hi - e.lo
	}
	return float64(hi) - float64(lo)
}

// Known is the estimate of noise of known strength: white Gaussian noise of
// standard deviation sigma.
func Known(sigma float64) Estimate {
	return Estimate{Figure: Figure{Sigma: sigma, Low: sigma, High: sigma, Confidence: High}, Model: Gaussian, ModelKnown: true}
}

// The methods.
const (
	methodDifferences = "differences"
	methodSurfaceFits = "surface fits"
	methodAcquired    = "differences at the acquired resolution"
	methodBackground  = "background"
	methodWindows     = "homogeneous windows"
	methodOverTime    = "volumes over time"
)

// Weak reports whether there is no noise that a filter could remove.
func (e Estimate) Weak() bool { return e.Negligible || e.Sigma == 0 }

// Of estimates the noise of a volume and of each of its slices, on all cores.
//
// A CT, see [Hounsfield], is taken to hold correlated noise and is measured in soft
// tissue; every other volume is taken to hold white noise and is measured by
// differences in its foreground, without values that stand alone, such as burnt-in text. The
// error is the context's.
func Of(ctx context.Context, v *volume.Volume) (Estimate, error) {
	if water, ct := Hounsfield(v); ct {
		return ofTissue(ctx, v, water)
	}
	counted, lo, hi, err := withoutExtremes(ctx, v)
	if err != nil {
		return Estimate{}, err
	}
	e, err := ofOccupied(ctx, counted, lo, hi)
	if counted != v {
		e.lo, e.hi = float64(lo), float64(hi)
	}
	return e, err
}

// sliceRange returns the smallest and largest sigma that is at least fair.
func sliceRange(figures []Figure) (lo, hi float64) {
	lo = math.Inf(1)
	for _, f := range figures {
		if f.Confidence == High || f.Confidence == Fair {
			lo, hi = min(lo, f.Sigma), max(hi, f.Sigma)
		}
	}
	return lo, hi
}

// weightedMedian returns the median of the figures' sigmas, each counted once for
// every window.
func weightedMedian(figures []Figure) float64 {
	var known []Figure
	total := 0
	for _, f := range figures {
		if f.Confidence != None {
			known = append(known, f)
			total += f.Windows
		}
	}
	slices.SortFunc(known, func(a, b Figure) int { return cmp.Compare(a.Sigma, b.Sigma) })
	below := 0
	for _, f := range known {
		if below += f.Windows; 2*below >= total {
			return f.Sigma
		}
	}
	return 0
}

// measurement is how differences measured a volume.
type measurement struct {
	cut        float64 // threshold of the foreground
	how        sampling
	valueRange float64
	windows    []window // of the foreground; none if they are single differences
}

// ofDifferences measures white noise, or if it finds that it is not white, what the acquired resolution, differences
// across slices or those of voxels farther apart show. The values lie between lo and hi.
func ofDifferences(ctx context.Context, v *volume.Volume, lo, hi float32) (Estimate, error) {
	e, d, err := volumeDifferences(ctx, v, lo, hi, Estimate{})
	if err != nil {
		return Estimate{}, err
	}
	w, err := e.evenWindowsOf(ctx, v, d.cut)
	if err != nil {
		return Estimate{}, err
	}
	found := false
	if e.Confidence != None && !d.how.single() {
		if e.Negligible || e.MayBeTexture() {
			found, err = e.kspaceFigure(ctx, v, d, w)
		}
		if err == nil && !found {
			err = e.refine(ctx, v, d)
		}
	}
	if err == nil && !found {
		err = e.measureSlices(ctx, v, d)
	}
	if err != nil {
		return Estimate{}, err
	}
	e.combine(w)
	return e, nil
}

// volumeDifferences measures white noise of a volume and looks for correlation. The model is that of prior if it is
// known there, and the values lie between lo and hi. The error is the context's.
func volumeDifferences(ctx context.Context, v *volume.Volume, lo, hi float32, prior Estimate) (e Estimate, d measurement, err error) {
	e = Estimate{Method: methodDifferences, Model: Gaussian}
	d = measurement{how: windowsOf(v.Geometry)}
	ws, err := differences(ctx, v, d.how, 0, v.Dims[2], maxWindows)
	if err == nil && d.how.independent(len(ws)) < 2*minWindows {
		d.how = volumeVoxels
		d.how.flat = v.Dims[2] <= 2*d.how.of.reach()
		ws, err = differences(ctx, v, d.how, 0, v.Dims[2], math.MaxInt)
	}
	if err != nil {
		return e, d, err
	}
	d.cut = threshold(ws)
	switch {
	case prior.ModelKnown:
		e.Model, e.ModelKnown = prior.Model, true
	case !d.how.single():
		e.Model, e.ModelKnown = model(ws, d.cut, float64(lo), d.how)
	}
	d.valueRange = float64(hi) - float64(lo)
	e.Figure = e.differencesFigure(ws, d.cut, d.how, d.valueRange)
	e.Negligible = e.Confidence != None && (e.Sigma == 0 || e.Sigma < 0.0055*d.valueRange)
	if d.how.single() {
		return e, d, e.judgeSingle(ctx, v, d)
	}
	if e.Confidence != None {
		d.windows = foreground(ws, d.cut)
		err = e.judgeColour(ctx, v, d)
	}
	return e, d, err
}

// measureSlices gives every slice its figure. The error is the context's.
func (e *Estimate) measureSlices(ctx context.Context, v *volume.Volume, d measurement) error {
	e.PerSlice = make([]Figure, v.Dims[2])
	at := measuredSlices(v.Geometry)
	err := parallel.For(ctx, len(at), func(i int) error {
		how, z := sliceWindows, at[i]
		ws, err := differences(ctx, v, how, z, z+1, maxWindows)
		if err == nil && how.independent(len(ws)) < 2*minWindows {
			how = sliceVoxels
			ws, err = differences(ctx, v, how, z, z+1, math.MaxInt)
		}
		if err != nil {
			return err
		}
		e.PerSlice[z] = e.differencesFigure(ws, d.cut, how, d.valueRange)
		return nil
	})
	between(e.PerSlice, at)
	e.calibrateSlices()
	return err
}

// calibrateSlices takes from the figures of the slices what they have in common
// above the figure of the volume: differences within a slice alone let more of the
// anatomy pass.
func (e *Estimate) calibrateSlices() {
	if e.Confidence == None || e.Sigma == 0 {
		return
	}
	sigma := e.Sigma
	excess := max(weightedMedian(e.PerSlice)/sigma, 1)
	anatomy := (excess*excess - 1) * sigma * sigma
	for z := range e.PerSlice {
		f := &e.PerSlice[z]
		if f.Confidence == None {
			continue
		}
		f.Sigma = math.Sqrt(max(f.Sigma*f.Sigma-anatomy, f.Sigma*f.Sigma/4))
		if excess > 1.1 {
			f.limit(Figure{Confidence: Fair, Why: message.New(message.NoiseCorrelated, "anatomy is part of the slices' figures; what they have in common above that of the volume is taken off")})
		}
		f.limit(e.Figure)
	}
}

// model looks at the background, the windows below the threshold; lo is the lowest
// value of the volume. If there is no signal, a Rician magnitude is never negative
// and has 1.91 times its standard deviation as mean in nearly every window;
// Gaussian noise on a background of 0 has either sign and a mean near 0. A
// background that was masked, shows ghosts or lies elsewhere does not show the
// model.
func model(ws []window, cut, lo float64, how sampling) (m Model, known bool) {
	total, zero, rayleigh, centred := 0, 0, 0, 0
	for _, w := range ws {
		if float64(w.mean) >= cut/2 {
			continue
		}
		total++
		ratio := float64(w.mean) / float64(w.spread)
		switch {
		case w.spread == 0:
			zero++
		case math.Abs(ratio/rayleighRatio-1) < 0.18:
			rayleigh++
		case math.Abs(ratio) < 0.5:
			centred++
		}
	}
	// Windows that the object reaches into are few among the windows of the
	// background.
	switch {
	case how.independent(total) < minWindows || 2*zero > total:
	case lo >= 0 && rayleigh > 2*(total-zero)/5:
		return Rician, true
	case lo < 0 && centred > 2*(total-zero)/5:
		return Gaussian, true
	}
	return Gaussian, false
}

// foreground returns the windows above the threshold.
func foreground(ws []window, cut float64) []window {
	return keep(func(w window) bool { return float64(w.mean) >= cut }, ws)
}

// sigmas returns the windows' standard deviations, corrected for the model.
func (e Estimate) sigmas(ws []window) []float64 {
	out := make([]float64, len(ws))
	for i, w := range ws {
		out[i] = float64(w.sd)
		if e.Model == Rician {
			out[i] = ricianSigma(float64(w.mean), out[i])
		}
	}
	return out
}

func (e Estimate) differencesFigure(ws []window, cut float64, how sampling, valueRange float64) Figure {
	ws = foreground(ws, cut)
	f := Figure{Windows: how.independent(len(ws)), Confidence: None}
	if f.Windows < minWindows {
		f.Why = message.New(message.NoiseFew, "only %d regions of the foreground can be measured", f.Windows)
		return f
	}
	all := e.sigmas(ws)
	if how.single() {
		f.Sigma = quantile(all, 0.5) / how.pure(0.5)
	} else {
		pure := how.pureMiddle()
		// If the noise covers the texture, more windows can be used; if it differs from
		// place to place, the first are those with little of it.
		for chosen, round := 0, 0; round < 4; round++ {
			even := evenest(ws, tolerableTexture*f.Sigma, min(len(ws)/2, fewEven))
			if len(even) == chosen { // the same windows: nothing changes any more
				break
			}
			chosen = len(even)
			f.Sigma = middle(e.sigmas(even)) / pure
		}
	}
	if math.IsNaN(f.Sigma) || math.IsInf(f.Sigma, 0) {
		return Figure{Windows: f.Windows, Confidence: None, Why: message.New(message.NoiseUnknown, "the differences of its values overflow")}
	}
	if how.single() {
		if f.Sigma == 0 {
			f.Confidence = High
			return f
		}
		f.Confidence, f.Why, f.few = Fair, message.New(message.NoiseFew, "the volume is small"), true
		// Noise has a tail of its own; structure has a longer one.
		if f.Sigma < lowShare*valueRange || quantile(all, 0.9) > 1.25*how.pure(0.9)*f.Sigma {
			f.Confidence, f.Why = Low, message.New(message.NoiseTexture, "the volume is small, and texture or structure may be part of the figure: it is an upper bound")
		}
		return f
	}
	// If the windows differ as much as noise makes them, noise made them; if they
	// differ much more, texture did.
	spread := quantile(all, 0.7) / math.Max(quantile(all, 0.3), math.SmallestNonzeroFloat64) / (how.pure(0.7) / how.pure(0.3))
	switch {
	case f.Sigma == 0:
		f.Confidence = High
	case f.Sigma < lowShare*valueRange:
		f.Confidence = Low
		f.Why = message.New(message.NoiseWeak, "so little noise cannot be told from the image's own texture: the figure is an upper bound, unless the image was smoothed or interpolated")
	case spread > 1.36:
		f.Confidence = Low
		f.Why = message.New(message.NoiseTexture, "texture or structure may be part of the figure: it is an upper bound")
	case spread > 1.1:
		f.Confidence = Fair
		f.Why = message.New(message.NoiseVaries, "the noise differs from place to place")
	case f.Windows*how.size()[2] < 7*fewEven, !how.flat && how.size()[2] < 6:
		f.Confidence, f.Why, f.few = Fair, fewVoxels, true
	default:
		f.Confidence = High
	}
	return f
}

// fewVoxels says why a figure is fair.
var fewVoxels = message.New(message.NoiseFew, "it rests on few voxels")

// lowShare is the share of the range of the values below which texture may be a
// large part of what differences read.
const lowShare = 0.01

// limit lowers the confidence of a slice's figure to the confidence of the volume,
// which has more windows that show more. If the noise of the volume is unknown, the slice's is.
func (f *Figure) limit(volume Figure) {
	rank := map[Confidence]int{High: 0, Fair: 1, Low: 2, None: 3}
	unknown := volume.atMost > 0 && f.Confidence != None
	if rank[f.Confidence] < rank[volume.Confidence] && volume.Confidence != None || unknown {
		f.Confidence, f.Why, f.atMost = volume.Confidence, volume.Why, volume.atMost
	}
}

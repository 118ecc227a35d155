package noise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

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
	Sigma      float64    `json:"sigma"` // the volume's unit; 0 with confidence None where none was found
	Confidence Confidence `json:"confidence"`
	Why        string     `json:"why,omitempty"` // what limits the confidence, as a sentence
	Windows    int        `json:"windows"`       // windows of the foreground that it rests on
}

// Estimate is what is known of the noise of a volume.
type Estimate struct {
	Figure
	// Negligible states that the noise cannot be separated from the texture of
	// the image: sigma is below 0.55 % of the range of the values.
	Negligible  bool         `json:"negligible,omitempty"`
	Model       Model        `json:"model"`
	ModelKnown  bool         `json:"model_known"`           // false: there is no background that shows the model
	Method      string       `json:"method"`                // "differences" (white noise) or "plane fits" (correlated noise)
	Correlation *Correlation `json:"correlation,omitempty"` // nil: white
	PerSlice    []Figure     `json:"slices"`
}

// Known is the estimate of noise whose strength is known: white Gaussian noise of
// standard deviation sigma.
func Known(sigma float64) Estimate {
	return Estimate{Figure: Figure{Sigma: sigma, Confidence: High}, Model: Gaussian, ModelKnown: true}
}

// The methods.
const (
	methodDifferences = "differences"
	methodPlaneFits   = "plane fits"
)

// Of estimates the noise of a volume and of each of its slices, on all cores.
//
// A volume in HU is taken to hold correlated noise and is measured in soft
// tissue; every other volume is taken to hold white noise and is measured by
// differences in its foreground. The error is the context's.
func Of(ctx context.Context, v *volume.Volume) (Estimate, error) {
	if IsCT(v) {
		return ofTissue(ctx, v)
	}
	return ofDifferences(ctx, v)
}

// IsCT says whether the values are Hounsfield units: by their unit or, where a
// file does not name one, by air at -1000.
func IsCT(v *volume.Volume) bool {
	if v.Unit != "" {
		return v.Unit == "HU"
	}
	air, step := 0, max(1, len(v.Data)/100000)
	for i := 0; i < len(v.Data); i += step {
		if v.Valid(i) && v.Data[i] > -1100 && v.Data[i] < -900 {
			air++
		}
	}
	return air*step > len(v.Data)/50
}

// ofTissue measures correlated noise.
func ofTissue(ctx context.Context, v *volume.Volume) (Estimate, error) {
	e := Estimate{Model: Gaussian, ModelKnown: true, Method: methodPlaneFits}
	ws, err := planeFits(ctx, v, planeWindow(v.Geometry))
	if err != nil {
		return Estimate{}, err
	}
	bySlice := make([][]window, v.Dims[2])
	for _, w := range ws {
		bySlice[w.at[2]] = append(bySlice[w.at[2]], w)
	}
	for _, s := range bySlice {
		e.PerSlice = append(e.PerSlice, tissueFigure(s))
	}
	// The volume's figure is the median of its slices, weighted by their windows:
	// one mode over all slices would read the largest slice alone.
	e.Figure = tissueFigure(ws)
	if e.Confidence != None {
		e.Sigma = weightedMedian(e.PerSlice)
		if lo, hi := sliceRange(e.PerSlice); hi > 1.5*lo && e.Confidence == High {
			e.Confidence, e.Why = Fair, fmt.Sprintf("it differs from slice to slice, from %.3g to %.3g", lo, hi)
		}
		wide, err := planeFits(ctx, v, correlationSide)
		if err != nil {
			return Estimate{}, err
		}
		e.Correlation = correlate(v, wide, logMode(sds(wide)))
		gain := planeGain(e.Correlation, planeWindow(v.Geometry))
		e.Sigma *= gain
		for z := range e.PerSlice {
			e.PerSlice[z].Sigma *= gain
		}
	}
	return e, nil
}

func tissueFigure(ws []window) Figure {
	f := Figure{Windows: len(ws), Confidence: None}
	if len(ws) < minWindows {
		f.Why = fmt.Sprintf("only %d windows of soft tissue (-30 to 130 HU) are large enough to measure in", len(ws))
		return f
	}
	f.Sigma = logMode(sds(ws))
	near := 0
	for _, w := range ws {
		if s := float64(w.sd); s > 0.75*f.Sigma && s < 1.33*f.Sigma {
			near++
		}
	}
	switch share := float64(near) / float64(len(ws)); {
	case share > 0.4 && len(ws) > 10*minWindows:
		f.Confidence = High
	case share > 0.2:
		f.Confidence = Fair
		f.Why = "little of the tissue is even"
	default:
		f.Confidence = Low
		f.Why = "hardly any of the tissue is even: anatomy may be part of the figure"
	}
	return f
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

// ofDifferences measures white noise.
func ofDifferences(ctx context.Context, v *volume.Volume) (Estimate, error) {
	e := Estimate{Method: methodDifferences, Model: Gaussian}
	how := volumeWindows
	if v.Dims[2] < how.size[2]+2*fourthReach {
		how = sliceWindows
	}
	ws, err := differences(ctx, v, how, 0, v.Dims[2], maxWindows)
	if err == nil && len(ws) < 2*minWindows {
		how = volumeVoxels
		how.flat = v.Dims[2] <= 2*fourthReach
		ws, err = differences(ctx, v, how, 0, v.Dims[2], math.MaxInt)
	}
	if err != nil {
		return Estimate{}, err
	}
	cut := threshold(ws)
	if how.size != [3]int{1, 1, 1} {
		e.Model, e.ModelKnown = model(ws, cut)
	}
	lo, hi, err := v.Range(ctx)
	if err != nil {
		return Estimate{}, err
	}
	e.Figure = e.differencesFigure(ws, cut, how, float64(hi)-float64(lo))
	e.Negligible = e.Confidence != None && e.Sigma < 0.0055*(float64(hi)-float64(lo))
	for z := range v.Dims[2] {
		how := sliceWindows
		ws, err := differences(ctx, v, how, z, z+1, maxWindows)
		if err == nil && len(ws) < 2*minWindows {
			how = sliceVoxels
			ws, err = differences(ctx, v, how, z, z+1, math.MaxInt)
		}
		if err != nil {
			return Estimate{}, err
		}
		e.PerSlice = append(e.PerSlice, e.differencesFigure(ws, cut, how, float64(hi)-float64(lo)))
	}
	return e, nil
}

// model looks at the background, the windows below the threshold: where there is
// no signal, a Rician magnitude has 1.91 times its standard deviation as mean.
func model(ws []window, cut float64) (m Model, known bool) {
	var ratios []float64
	zero := 0
	for _, w := range ws {
		switch {
		case float64(w.mean) >= cut/2:
		case w.sd == 0:
			zero++
		default:
			ratios = append(ratios, float64(w.mean)/float64(w.sd))
		}
	}
	if len(ratios) < minWindows || zero > len(ratios) {
		return Gaussian, false
	}
	if r := quantile(ratios, 0.3); r > 0.8*rayleighRatio && r < 1.25*rayleighRatio {
		return Rician, true
	}
	return Gaussian, true
}

func (e Estimate) differencesFigure(ws []window, cut float64, how sampling, valueRange float64) Figure {
	var sigmas []float64
	for _, w := range ws {
		if float64(w.mean) < cut {
			continue
		}
		sd := float64(w.sd)
		if e.Model == Rician {
			sd = ricianSigma(float64(w.mean), sd)
		}
		sigmas = append(sigmas, sd)
	}
	f := Figure{Windows: len(sigmas), Confidence: None}
	if len(sigmas) < minWindows {
		f.Why = fmt.Sprintf("only %d windows of the foreground can be measured", len(sigmas))
		return f
	}
	f.Sigma = quantile(sigmas, how.quantile) / how.pure
	if math.IsNaN(f.Sigma) || math.IsInf(f.Sigma, 0) {
		return Figure{Windows: len(sigmas), Confidence: None, Why: "the differences of its values overflow"}
	}
	if how.size == [3]int{1, 1, 1} {
		f.Confidence, f.Why = Fair, "the volume is small"
		if f.Sigma < 0.01*valueRange {
			f.Confidence = Low
		}
		return f
	}
	// Where the windows differ little, noise made them; where they differ much,
	// texture did.
	spread := quantile(sigmas, 0.7) / math.Max(quantile(sigmas, 0.3), math.SmallestNonzeroFloat64)
	switch {
	case f.Sigma == 0:
		f.Confidence = High
	case f.Sigma < 0.01*valueRange, spread > 1.6:
		f.Confidence = Low
		f.Why = "so little noise cannot be told from the image's own texture: the figure is an upper bound"
		if f.Sigma >= 0.01*valueRange {
			f.Why = "texture or structure may be part of the figure: it is an upper bound"
		}
	case spread > 1.3:
		f.Confidence = Fair
		f.Why = "the noise differs from place to place"
	default:
		f.Confidence = High
	}
	return f
}

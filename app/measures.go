package app

import (
	"context"
	"math"

	"quell/measure"
	"quell/series"
	"quell/volume"
)

// Verdict is how much a filter removed, judged by its residual.
type Verdict string

// The verdicts.
const (
	Under   Verdict = "under"   // most of the noise is left
	Matched Verdict = "matched" // the residual looks like the noise
	Over    Verdict = "over"    // more than noise was removed
	Unknown Verdict = "unknown" // there is no noise estimate
)

// The thresholds of judge. The residual of a perfect filter is the noise
// itself: its SD is sigma and it does not correlate with the result. On the
// bundled CT, nlm with automatic h gives 0.93 sigma and a structure of -0.05, a
// Gaussian blur of 1 mm 10.9 sigma and 0.19.
const (
	// Below half the noise's SD, three quarters of its power are left in the
	// result.
	underRatio = 0.5
	// The estimate is good to a few per cent on uniform noise. Noise that varies
	// over the image raises the SD of the whole image above the median that the
	// estimate uses; beyond 1.25 sigma structure is the more likely cause.
	overRatio = 1.25
	// A residual that correlates by more than 0.15 with the result has edges in
	// it: a blur removes a copy of what it leaves.
	overCorrelation = 0.15
)

// Measures are the numbers about a result, over the voxels that are not padding,
// in the volume's unit.
type Measures struct {
	NoiseSigma          float64       `json:"noise_sigma"` // estimated in the input
	ResidualMean        measure.Float `json:"residual_mean"`
	ResidualSD          measure.Float `json:"residual_sd"`
	ResidualCorrelation measure.Float `json:"residual_correlation"` // with the input (Pearson)
	// Structure is the residual's correlation with the result; 0 where what was
	// removed is unrelated to what was left.
	Structure measure.Float `json:"structure"`
	Verdict   Verdict       `json:"verdict"`
	// Change compares the result with the input; it is not a measure of quality.
	Change measure.Comparison `json:"change_vs_original"`
	// Truth compares the result with a reference, and Start the input with it;
	// nil without one.
	Truth *measure.Comparison `json:"truth,omitempty"`
	Start *measure.Comparison `json:"start,omitempty"`
}

// MeasureInput is what Measure compares: volumes of equal dims.
type MeasureInput struct {
	Before, After *volume.Volume
	Reference     *volume.Volume // or nil
	Sigma         float64        // of the noise in Before; 0 where it is unknown
	Max           float64        // MAX of PSNR and SSIM; 0: the reference's, or Before's, range
}

// Measure computes the numbers of a result. Safe for concurrent use.
func Measure(ctx context.Context, in MeasureInput) (Measures, error) {
	residual, err := measure.ResidualStats(ctx, in.Before, in.After, measure.Whole(in.Before))
	if err != nil {
		return Measures{}, err
	}
	before, err := measure.ROIStats(ctx, in.Before, measure.Whole(in.Before))
	if err != nil {
		return Measures{}, err
	}
	m := Measures{
		NoiseSigma:          in.Sigma,
		ResidualMean:        residual.Mean,
		ResidualSD:          residual.SD,
		ResidualCorrelation: residual.Correlation,
	}
	structure := structureOf(float64(residual.SD), float64(before.SD), float64(residual.Correlation))
	m.Structure = measure.Float(structure)
	m.Verdict = judge(in.Sigma, float64(residual.SD), structure)

	options := measure.Options{Max: in.Max}
	if m.Change, err = measure.Compare(ctx, in.Before, in.After, options); err != nil || in.Reference == nil {
		return m, err
	}
	truth, err := measure.Compare(ctx, in.Reference, in.After, options)
	if err != nil {
		return m, err
	}
	start, err := measure.Compare(ctx, in.Reference, in.Before, options)
	m.Truth, m.Start = &truth, &start
	return m, err
}

// structureOf returns the correlation of the residual r with the result
// u = v - r from the SDs of r and of the input v and their correlation c:
//
//	cov(r, u) = c sd_r sd_v - sd_r^2
//	var(u)    = sd_v^2 - 2 c sd_r sd_v + sd_r^2
//
// The plain correlation with the input is not judged: pure noise correlates
// with an image that contains it, by sd_r / sd_v.
func structureOf(sdResidual, sdInput, correlation float64) float64 {
	cov := correlation*sdResidual*sdInput - sdResidual*sdResidual
	variance := sdInput*sdInput - 2*correlation*sdResidual*sdInput + sdResidual*sdResidual
	if !(sdResidual > 0) || !(variance > 0) {
		return 0
	}
	return cov / (sdResidual * math.Sqrt(variance))
}

// judge applies the thresholds.
func judge(sigma, residualSD, structure float64) Verdict {
	switch {
	case !(sigma > 0) || math.IsNaN(residualSD):
		return Unknown
	case residualSD > overRatio*sigma || structure > overCorrelation:
		return Over
	case residualSD < underRatio*sigma:
		return Under
	}
	return Matched
}

// MeasureRun measures a run against its input and, where reference is not nil,
// against that: a series on the grid of run.Source.
func MeasureRun(ctx context.Context, run *Run, reference *series.Series) (Measures, error) {
	facts, err := run.facts(ctx)
	if err != nil {
		return Measures{}, err
	}
	in := MeasureInput{Before: run.Source.Volume, After: run.Result, Sigma: facts.Noise.Sigma}
	if !run.Whole() {
		in.Before = in.Before.Crop(run.Region)
	}
	in.Max = float64(facts.Hi) - float64(facts.Lo)
	if reference != nil {
		in.Reference = reference.Volume
		if in.Max, err = measure.DynamicRange(ctx, reference.Volume); err != nil {
			return Measures{}, err
		}
		if !run.Whole() {
			in.Reference = in.Reference.Crop(run.Region)
		}
	}
	return Measure(ctx, in)
}

// MeasurePreview measures one slice as MeasureRun measures a volume. MAX is
// that of the whole volume, so that slices can be compared with each other.
func MeasurePreview(ctx context.Context, p Preview, reference *series.Series) (Measures, error) {
	if p.Err != nil {
		return Measures{}, p.Err
	}
	q := p.Request
	view := q.Series.Volume.View(q.Plane)
	in := MeasureInput{
		Before: picture(view, q.Series.Volume, q.Index),
		After:  picture(p.Part.View(q.Plane), p.Part, 0),
		Sigma:  q.Facts.Noise.Sigma,
		Max:    float64(q.Facts.Hi) - float64(q.Facts.Lo),
	}
	if reference != nil {
		in.Reference = picture(view, reference.Volume, q.Index)
		var err error
		if in.Max, err = measure.DynamicRange(ctx, reference.Volume); err != nil {
			return Measures{}, err
		}
	}
	return Measure(ctx, in)
}

// picture returns a slice of a view as a volume of one slice: SSIM works slice by
// slice, and a coronal slice is one row high in every slice of its volume.
func picture(w volume.View, v *volume.Volume, index int) *volume.Volume {
	g := volume.NewGeometry([3]int{w.Size[0], w.Size[1], 1}, [3]float64{w.Pixel[0], w.Pixel[1], w.Step})
	return &volume.Volume{Geometry: g, Data: w.Extract(nil, v, index), Mask: w.ExtractMask(nil, v, index), Unit: v.Unit}
}

package app

import (
	"context"
	"errors"
	"math"

	"quell/denoise"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// Measures are the numbers about a result: how it is judged, what changed and, with
// a reference, how good it is. The latter two are over the voxels that are not
// padding, in the volume's unit.
type Measures struct {
	Assessment
	// Change compares the result with the input; it is not a measure of quality.
	Change measure.Comparison `json:"change_vs_original"`
	// Truth compares the result with a reference, and Start the input with it;
	// nil without one.
	Truth *measure.Comparison `json:"truth,omitempty"`
	Start *measure.Comparison `json:"start,omitempty"`
}

// comparison is what is compared: volumes of equal dims.
type comparison struct {
	before, after *volume.Volume
	reference     *volume.Volume // or nil
	max           float64        // MAX of PSNR and SSIM against before
	truthMax      float64        // MAX of those against reference
}

// fill compares.
func (c comparison) fill(ctx context.Context, m *Measures) (err error) {
	m.Change, err = measure.Compare(ctx, c.before, c.after, measure.Options{Max: c.max})
	if errors.Is(err, measure.ErrNothing) {
		nan := measure.Float(math.NaN())
		m.Change = measure.Comparison{Max: measure.Float(c.max), MSE: nan, PSNR: nan, MaxAbsDiff: nan, SSIM: nan, SSIM3D: nan}
		m.Why = "It holds nothing but padding: there is nothing to measure."
		return nil
	}
	if err != nil || c.reference == nil {
		return err
	}
	options := measure.Options{Max: c.truthMax}
	truth, err := measure.Compare(ctx, c.reference, c.after, options)
	if err != nil {
		return err
	}
	start, err := measure.Compare(ctx, c.reference, c.before, options)
	m.Truth, m.Start = &truth, &start
	return err
}

// MeasureRun measures a run against its input and, where reference is not nil,
// against that: a series on the grid of run.Source. Every slice is judged by its own
// voxels. The recipe is run at some twelve strengths on boxes of 40 000 voxels
// together, by eng, as Assess does; nil is the CPU.
func MeasureRun(ctx context.Context, eng denoise.Engine, run *Run, reference *series.Series) (m Measures, err error) {
	var facts denoise.Facts
	if m.Assessment, facts, err = assessRun(ctx, eng, run, false); err != nil {
		return Measures{}, err
	}
	c := comparison{before: run.Source.Volume, after: run.Result}
	if c.max, err = rangeOf(ctx, run.Source.Volume, facts); err != nil {
		return Measures{}, err
	}
	if reference != nil {
		c.reference = reference.Volume
		if c.truthMax, err = measure.DynamicRange(ctx, reference.Volume); err != nil {
			return Measures{}, err
		}
	}
	if !run.Whole() {
		c.before = c.before.Crop(run.Region)
		if c.reference != nil {
			c.reference = c.reference.Crop(run.Region)
		}
	}
	return m, c.fill(ctx, &m)
}

// AssessRun is MeasureRun without the comparisons, which take as long as the verdict, and
// without the map of the structure.
func AssessRun(ctx context.Context, eng denoise.Engine, run *Run) (Assessment, error) {
	a, _, err := assessRun(ctx, eng, run, true)
	return a, err
}

// assessRun judges a run, and returns the facts that it is judged by.
func assessRun(ctx context.Context, eng denoise.Engine, run *Run, withoutMap bool) (Assessment, denoise.Facts, error) {
	in := AssessInput{Before: run.Source, After: run.Result, Region: run.Region, Maps: run.Maps, Recipe: &run.Resolved, Facts: run.Facts, Engine: eng, WithoutMap: withoutMap}
	find := in.facts
	if run.Maps.Noise == nil {
		find = run.facts
	}
	facts, err := find(ctx)
	if err != nil {
		return Assessment{}, denoise.Facts{}, err
	}
	in.Facts = &facts
	a, err := Assess(ctx, in)
	return a, facts, err
}

// MeasurePreview measures one slice as MeasureRun measures a volume, by the noise
// and the voxels of the slice alone: the recipe is run at some twelve strengths on
// squares of it with up to 40 000 voxels. MAX is that of the whole volume, so
// that slices can be compared with each other.
func MeasurePreview(ctx context.Context, p Preview, reference *series.Series) (m Measures, err error) {
	if p.Err != nil {
		return Measures{}, p.Err
	}
	q := p.Request
	v := q.Series.Volume
	resolved, err := q.Recipe.Resolve(v.Geometry, q.Facts)
	if err != nil {
		return Measures{}, err
	}
	m.Assessment, err = Assess(ctx, AssessInput{
		Before: q.Series, After: p.Part, Region: q.Region(), Maps: q.Maps, Recipe: &resolved, Facts: &q.Facts,
	})
	if err != nil {
		return Measures{}, err
	}
	view := v.View(q.Plane)
	c := comparison{
		before: picture(view, v, q.Index),
		after:  picture(p.Part.View(q.Plane), p.Part, 0),
	}
	if c.max, err = rangeOf(ctx, v, q.Facts); err != nil {
		return Measures{}, err
	}
	if reference != nil {
		c.reference = picture(view, reference.Volume, q.Index)
		if c.truthMax, err = measure.DynamicRange(ctx, reference.Volume); err != nil {
			return Measures{}, err
		}
	}
	return m, c.fill(ctx, &m)
}

// rangeOf returns the width of the range of a volume; its facts under a noise map hold
// that in sigmas. The error is the context's.
func rangeOf(ctx context.Context, v *volume.Volume, facts denoise.Facts) (float64, error) {
	lo, hi := facts.Lo, facts.Hi
	if facts.Usual > 0 {
		var err error
		if lo, hi, err = v.Range(ctx); err != nil {
			return 0, err
		}
	}
	return float64(hi) - float64(lo), nil
}

// picture returns a slice of a view as a volume of one slice: SSIM works slice by
// slice, and a coronal slice is one row high in every slice of its volume.
func picture(w volume.View, v *volume.Volume, index int) *volume.Volume {
	g := volume.NewGeometry([3]int{w.Size[0], w.Size[1], 1}, [3]float64{w.Pixel[0], w.Pixel[1], w.Step})
	return &volume.Volume{Geometry: g, Data: w.Extract(nil, v, index), Mask: w.ExtractMask(nil, v, index), Unit: v.Unit}
}

package app

import (
	"context"
	"errors"
	"math"

	"quell/denoise"
	"quell/internal/message"
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
		m.Why = message.New(message.InputEmpty, "It holds nothing but padding: there is nothing to measure.")
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

// MeasureRun measures a run against its input and, if reference is not nil,
// against that: a series on the grid of run.Source. Every slice is judged by its own
// voxels. The recipe is run at some twelve strengths on boxes of 40 000 voxels
// together, by eng, as Assess does; nil is the CPU.
func MeasureRun(ctx context.Context, eng denoise.Engine, run *Run, reference *series.Series) (Measures, error) {
	p, err := newPiece(ctx, eng, run, reference, true)
	if err != nil {
		return Measures{}, err
	}
	return p.measure(ctx, run.Region)
}

// piece is a run that is measured as a whole or in parts.
type piece struct {
	run       *Run
	engine    denoise.Engine
	facts     denoise.Facts  // of the source
	reference *series.Series // or nil
	compare   bool
	max       float64 // MAX of PSNR and SSIM against the input
	truthMax  float64 // MAX of those against the reference
}

// newPiece finds what the run is measured by; compare says that it is compared, too.
func newPiece(ctx context.Context, eng denoise.Engine, run *Run, reference *series.Series, compare bool) (p piece, err error) {
	p = piece{run: run, engine: eng, reference: reference, compare: compare}
	find := run.facts
	if run.Maps.Noise != nil {
		find = AssessInput{Before: run.Source, Maps: run.Maps, Facts: run.Facts}.facts
	}
	if p.facts, err = find(ctx); err != nil || !compare {
		return p, err
	}
	if p.max, err = rangeOf(ctx, run.Source.Volume, p.facts); err != nil {
		return p, err
	}
	if reference != nil {
		p.truthMax, err = measure.DynamicRange(ctx, reference.Volume)
	}
	return p, err
}

// measure measures the slices of a region of the source, which the run covers. Without comparisons,
// which take as long as the verdict, there is no map of the structure either.
func (p piece) measure(ctx context.Context, region volume.Region) (m Measures, err error) {
	run := p.run
	after := planesOf(run.Result, region.Min[2]-run.Region.Min[2], region.Max[2]-run.Region.Min[2])
	m.Assessment, err = Assess(ctx, AssessInput{
		Before: run.Source, After: after, Region: region, Maps: run.Maps, Recipe: &run.Resolved, Facts: &p.facts, Engine: p.engine, WithoutMap: !p.compare,
	})
	if err != nil || !p.compare {
		return m, err
	}
	c := comparison{before: section(run.Source, region).Volume, after: after, max: p.max, truthMax: p.truthMax}
	if p.reference != nil {
		c.reference = section(p.reference, region).Volume
	}
	return m, c.fill(ctx, &m)
}

// planesOf returns the slices from <= z < to of a volume, whose memory they share.
func planesOf(v *volume.Volume, from, to int) *volume.Volume {
	if from == 0 && to == v.Dims[2] {
		return v
	}
	n := v.SliceVoxels()
	part := *v
	part.Geometry, part.Data = v.Geometry.Crop(volume.Slices(v.Geometry, from, to)), v.Data[from*n:to*n]
	if v.Mask != nil {
		part.Mask = v.Mask[from*n : to*n]
	}
	return &part
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

package judge

import (
	"context"
	"errors"
	"math"

	"quell/app/run"
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

// Compared is what is compared: volumes of equal dims.
type Compared struct {
	Before, After *volume.Volume
	Reference     *volume.Volume // or nil
	Max           float64        // MAX of PSNR and SSIM against before
	TruthMax      float64        // MAX of those against reference
}

// Fill compares.
func (c Compared) Fill(ctx context.Context, m *Measures) (err error) {
	m.Change, err = measure.Compare(ctx, c.Before, c.After, measure.Options{Max: c.Max})
	if errors.Is(err, measure.ErrNothing) {
		nan := measure.Float(math.NaN())
		m.Change = measure.Comparison{Max: measure.Float(c.Max), MSE: nan, PSNR: nan, MaxAbsDiff: nan, SSIM: nan, SSIM3D: nan}
		m.Why = message.New(message.InputEmpty, "It has nothing but padding: there is nothing to measure.")
		return nil
	}
	if err != nil || c.Reference == nil {
		return err
	}
	options := measure.Options{Max: c.TruthMax}
	truth, err := measure.Compare(ctx, c.Reference, c.After, options)
	if err != nil {
		return err
	}
	start, err := measure.Compare(ctx, c.Reference, c.Before, options)
	m.Truth, m.Start = &truth, &start
	return err
}

// Measure measures a run against its input and, if reference is not nil,
// against that: a series on the grid of run.Source. Every slice is judged by its own
// voxels.
func Measure(ctx context.Context, eng denoise.Engine, run *run.Run, reference *series.Series) (Measures, error) {
	p, err := NewPiece(ctx, eng, run, reference, true)
	if err != nil {
		return Measures{}, err
	}
	return p.Measure(ctx, run.Region)
}

// Piece is a run that is measured as a whole or in parts.
type Piece struct {
	run       *run.Run
	engine    denoise.Engine
	facts     denoise.Facts  // of the source
	reference *series.Series // or nil
	compare   bool
	max       float64 // MAX of PSNR and SSIM against the input
	TruthMax  float64 // MAX of those against the reference
}

// NewPiece finds what the run is measured by; compare says that it is compared, too.
func NewPiece(ctx context.Context, eng denoise.Engine, run *run.Run, reference *series.Series, compare bool) (p Piece, err error) {
	p = Piece{run: run, engine: eng, reference: reference, compare: compare}
	find := run.FindFacts
	if run.Maps.Noise != nil {
		find = Input{Before: run.Source, Maps: run.Maps, Facts: run.Facts}.facts
	}
	if p.facts, err = find(ctx); err != nil || !compare {
		return p, err
	}
	if p.max, err = RangeOf(ctx, run.Source.Volume, p.facts); err != nil {
		return p, err
	}
	if reference != nil {
		p.TruthMax, err = measure.DynamicRange(ctx, reference.Volume)
	}
	return p, err
}

// Measure measures the slices of a region of the source, which the run covers. Without comparisons,
// which take as long as the verdict, there is no map of the structure either.
func (p Piece) Measure(ctx context.Context, region volume.Region) (m Measures, err error) {
	r := p.run
	after := PlanesOf(r.Result, region.Min[2]-r.Region.Min[2], region.Max[2]-r.Region.Min[2])
	m.Assessment, err = Assess(ctx, Input{
		Before: r.Source, After: after, Region: region, Maps: r.Maps, Recipe: &r.Resolved, Made: true, Facts: &p.facts, Engine: p.engine, WithoutMap: !p.compare,
	})
	if err != nil || !p.compare {
		return m, err
	}
	c := Compared{Before: run.Section(r.Source, region).Volume, After: after, Max: p.max, TruthMax: p.TruthMax}
	if p.reference != nil {
		c.Reference = run.Section(p.reference, region).Volume
	}
	return m, c.Fill(ctx, &m)
}

// PlanesOf returns the slices from <= z < to of a volume, whose memory they share.
func PlanesOf(v *volume.Volume, from, to int) *volume.Volume {
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

// RangeOf returns the width of the range of a volume; its facts under a noise map hold
// that in sigmas. The error is the context's.
func RangeOf(ctx context.Context, v *volume.Volume, facts denoise.Facts) (float64, error) {
	lo, hi := facts.Lo, facts.Hi
	if facts.Usual > 0 {
		var err error
		if lo, hi, err = v.Range(ctx); err != nil {
			return 0, err
		}
	}
	return float64(hi) - float64(lo), nil
}

// Picture returns a slice of a view as a volume of one slice: SSIM works slice by
// slice, and a coronal slice is one row high in every slice of its volume.
func Picture(w volume.View, v *volume.Volume, index int) *volume.Volume {
	g := volume.NewGeometry([3]int{w.Size[0], w.Size[1], 1}, [3]float64{w.Pixel[0], w.Pixel[1], w.Step})
	return &volume.Volume{Geometry: g, Data: w.Extract(nil, v, index), Mask: w.ExtractMask(nil, v, index), Unit: v.Unit, Modality: v.Modality}
}

package workbench

import (
	"context"
	"fmt"
	"math"
	"time"

	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/parallel"
	"quell/measure"
	"quell/volume"
)

// coarseBeyond is the time of a slice beyond which a coarse preview comes first: a
// person notices to wait for it.
const coarseBeyond = 150 * time.Millisecond

// sliceEngine filters slices one after another, on one goroutine at a time, and learns
// how long they take.
type sliceEngine struct {
	engine denoise.Engine

	// ratio is the time of the last slice over the engine's estimate, which counts neither
	// its neighbours nor other work on the machine; 0 before. It belongs to a filter and
	// dimensionality.
	ratio  float64
	filter string
	dims   int
}

// coarse returns a coarse preview, if the request waits for one that takes long
// without it.
func (e *sliceEngine) coarse(ctx context.Context, q PreviewRequest) (p Preview, ok bool) {
	if q.Ahead {
		return p, false
	}
	r, err := q.resolve()
	if err != nil || e.expects(q, r) <= coarseBeyond {
		return p, false
	}
	if r, ok = r.Coarse(); !ok {
		return p, false
	}
	p = runSlice(ctx, e.engine, q, r)
	p.Coarse = true
	return p, p.Err == nil
}

// fine returns the preview.
func (e *sliceEngine) fine(ctx context.Context, q PreviewRequest) Preview {
	p := filterSlice(ctx, e.engine, q)
	if p.Err != nil {
		return p
	}
	if r, err := q.resolve(); err == nil {
		e.ratio, e.filter, e.dims = 0, r.Filter, r.Dims
		if planned := e.planned(q, r); planned > 0 {
			e.ratio = float64(p.Took) / float64(planned)
		}
	}
	return p
}

// expects returns how long a slice is expected to take.
func (e *sliceEngine) expects(q PreviewRequest, r denoise.Recipe) time.Duration {
	planned := e.planned(q, r)
	if e.ratio > 0 && e.filter == r.Filter && e.dims == r.Dims {
		return time.Duration(float64(planned) * e.ratio)
	}
	return planned
}

// planned returns the engine's estimate for one slice; 0 if it has none.
func (e *sliceEngine) planned(q PreviewRequest, r denoise.Recipe) time.Duration {
	slice := q.Series.Volume.Geometry
	slice.Dims = q.Region().Dims()
	plan, err := e.engine.Plan(r, slice)
	if err != nil {
		return 0
	}
	return plan.Estimate
}

// resolve checks a request and returns its recipe with numbers.
func (q PreviewRequest) resolve() (denoise.Recipe, error) {
	g := q.Series.Volume.Geometry
	if err := q.Region().Validate(g); err != nil {
		return q.Recipe, err
	}
	if err := run.CheckRecipe(q.Series, q.Recipe, false); err != nil {
		return q.Recipe, err
	}
	if q.equalised != nil {
		return *q.equalised, nil
	}
	return q.Recipe.Resolve(g, q.Facts)
}

// equalise finds the equaliser of the recipe of a request, as a run of the whole volume does.
func (q *PreviewRequest) equalise(ctx context.Context, eng denoise.Engine) error {
	if !q.Recipe.Equalises() || q.equalised != nil {
		return nil
	}
	if _, err := q.resolve(); err != nil {
		return err
	}
	whole := run.Request{Series: q.Series, Recipe: q.Recipe, Maps: q.Maps, Facts: &q.Facts}
	r, _, err := whole.Resolve(ctx, eng, q.Maps.Input(q.Series.Volume))
	if err == nil {
		q.equalised = &r
	}
	return err
}

// filterSlice answers a request.
func filterSlice(ctx context.Context, eng denoise.Engine, q PreviewRequest) Preview {
	err := q.equalise(ctx, eng)
	r := q.Recipe
	if err == nil {
		r, err = q.resolve()
	}
	if err != nil {
		return Preview{Request: q, Err: err}
	}
	return runSlice(ctx, eng, q, r)
}

// runSlice runs a resolved recipe on the slice of a request.
func runSlice(ctx context.Context, eng denoise.Engine, q PreviewRequest, r denoise.Recipe) Preview {
	started := time.Now()
	p := Preview{Request: q}
	p.Err = parallel.Protect(func() (err error) {
		if q.Volume.Of != nil && r.SeriesFilter() != nil {
			p.Part, r, err = q.Volume.Filter(ctx, eng, q.Recipe, q.Series.Volume, q.Region())
			p.Request.equalised = &r
			return err
		}
		p.Part, err = eng.Run(ctx, r, q.Maps.Input(q.Series.Volume), q.Region(), nil)
		return err
	})
	p.Took = time.Since(started)
	return p
}

// Resolved returns the recipe of the preview with its numbers.
func (p Preview) Resolved() (denoise.Recipe, error) { return p.Request.resolve() }

// JudgeSlice filters the slice of a request and judges the result as MeasurePreview does,
// without comparing it with anything.
func JudgeSlice(ctx context.Context, eng denoise.Engine, q PreviewRequest) (judge.Assessment, error) {
	if err := q.equalise(ctx, eng); err != nil {
		return judge.Assessment{}, err
	}
	resolved, err := q.resolve()
	if err != nil {
		return judge.Assessment{}, err
	}
	p := runSlice(ctx, eng, q, resolved)
	if p.Err != nil {
		return judge.Assessment{}, p.Err
	}
	return judge.Assess(ctx, judge.Input{Before: q.Series, After: p.Part, Region: q.Region(), Maps: q.Maps, Recipe: &resolved, Made: true, Facts: &q.Facts})
}

// Neighbourhoods returns the function that computes the neighbourhood that the request's
// filter chooses around a voxel of the slice; ok is false for an excluded voxel. It reads
// the whole of the maps, and the function only the voxels around its own. It is nil if
// the filter chooses none.
func (q PreviewRequest) Neighbourhoods(ctx context.Context) (at func(x, y, z int) (l denoise.Lengths, ok bool)) {
	if !q.ChoosesNeighbourhoods() {
		return nil
	}
	resolved, err := q.resolve()
	if err != nil {
		return nil
	}
	if at, err = resolved.Neighbourhoods(ctx, q.Maps.Input(q.Series.Volume), q.Region()); err != nil {
		return nil
	}
	return at
}

// ChoosesNeighbourhoods says whether the filter chooses one for every voxel.
func (q PreviewRequest) ChoosesNeighbourhoods() bool {
	f, err := denoise.FilterByName(q.Recipe.Filter)
	return err == nil && f.Support != nil
}

// Mark is a shape that a person has drawn on one slice of a series, to measure there. It
// is not changed once it is in a history.
type Mark struct {
	ID    int          `json:"id"` // its number, from 1; not used again while the mark can come back
	Plane volume.Plane `json:"plane"`
	Index int          `json:"index"` // of the slice, as in volume.View
	measure.Outline
}

// Name returns "ROI 2" or "Line 3".
func (m Mark) Name() string {
	if m.Shape == measure.Line {
		return fmt.Sprintf("Line %d", m.ID)
	}
	return fmt.Sprintf("ROI %d", m.ID)
}

// On says whether the mark can be drawn on a geometry: one that was read from a file may
// be damaged.
func (m Mark) On(g volume.Geometry) bool {
	points := 2
	if m.Shape == measure.Freehand {
		points = 1
	}
	return m.ID > 0 && m.Shape >= measure.Box && m.Shape <= measure.Line && len(m.Points) >= points &&
		m.Plane >= volume.Axial && m.Plane <= volume.Sagittal && m.Index >= 0 && m.Index < g.View(m.Plane).Size[2]
}

// In returns the outline in a view of the mark's plane, which may be mirrored or turned.
func (m Mark) In(view volume.View, g volume.Geometry) measure.Outline {
	own, out := g.View(m.Plane), m.Outline
	out.Points = make([][2]float64, len(m.Points))
	for i, p := range m.Points {
		out.Points[i] = own.To(view, p)
	}
	return out
}

// GivenNoise is a sigma that was measured in a mark and takes the place of the estimated
// one.
type GivenNoise struct {
	Sigma  float64 `json:"sigma"` // in the unit of the series
	Voxels int     `json:"voxels"`
	From   string  `json:"from"` // the name of the mark

	Of *volume.Volume `json:"-"` // it holds for these voxels alone
}

// For returns the noise for voxels that were read again; nil for none, and if a saved one is
// damaged.
func (n *GivenNoise) For(v *volume.Volume) *GivenNoise {
	if n == nil || !(n.Sigma > 0) || math.IsInf(n.Sigma, 0) || n.Voxels < 1 {
		return nil
	}
	again := *n
	again.Of = v
	return &again
}

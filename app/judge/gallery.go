package judge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"quell/app/engines"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// GalleryRequest asks for every filter at the strength at which it removes most noise within the bounds, on the same part
// of a series.
type GalleryRequest struct {
	Series    *series.Series
	Maps      run.Maps       // that steer the filters
	Facts     *denoise.Facts // of Series.Volume, or nil to find them
	Region    volume.Region  // that is filtered and measured; zero: the middle slice
	Reference *series.Series // on the grid of Series, for PSNR; nil for none

	// Ready receives each exhibit as soon as it is complete, on the caller's
	// goroutine; nil ignores it.
	Ready func(Exhibit)
}

// Gallery holds every filter of the table, in its order.
type Gallery struct {
	Noise    denoise.Facts  `json:"-"`
	Region   volume.Region  `json:"-"`
	Input    *volume.Volume `json:"-"` // the voxels of Region
	Exhibits []Exhibit      `json:"filters"`
	Best     int            `json:"-"` // see BestExhibit
}

// Exhibit is one filter with automatic values, at the strength at which it removes most noise within the bounds.
type Exhibit struct {
	Filter string         `json:"filter"`
	Title  string         `json:"title"`
	Recipe denoise.Recipe `json:"recipe"` // resolved
	Asked  denoise.Recipe `json:"asked"`  // automatic but for the strength
	// Strength is that of Recipe, in percent, and Verdict what it does to the series.
	Strength float64 `json:"strength"`
	Verdict
	Frontier Frontier `json:"-"` // over the strength
	competes bool     // it may be proposed

	Truth *measure.Comparison `json:"truth,omitempty"` // with the reference

	Seconds       float64         `json:"seconds"`          // of the filter on the region
	ChooseSeconds float64         `json:"choose_seconds"`   // of the search for the strength
	Failed        message.Kind    `json:"failed,omitempty"` // the code of the problem
	Problem       message.Message `json:"problem,omitzero"`

	Part *volume.Volume `json:"-"` // the result on the region; nil if Problem says why there is none
}

// ShowGallery finds the strength of one filter after another, and runs it. A filter that cannot run is an
// exhibit that says why. The error is the context's, about the request, or wraps
// engines.ErrFailed.
func ShowGallery(ctx context.Context, engine denoise.Engine, q GalleryRequest) (Gallery, error) {
	v := q.Series.Volume
	if q.Region == (volume.Region{}) {
		q.Region = volume.Slices(v.Geometry, v.Dims[2]/2, v.Dims[2]/2+1)
	}
	if err := q.Region.Validate(v.Geometry); err != nil {
		return Gallery{}, job.Usage(err)
	}
	facts, err := run.FactsOf(ctx, v, q.Facts, denoise.FactsOf)
	if err != nil {
		return Gallery{}, err
	}
	q.Facts = &facts
	of := FrontierRequest{Series: q.Series, Maps: q.Maps, Facts: q.Facts, Engine: engine}
	tissue, _, err := of.tissue(ctx)
	if err != nil {
		return Gallery{}, err
	}
	g := Gallery{Noise: facts, Region: q.Region, Input: v.Crop(q.Region)}
	for _, f := range denoise.Filters() {
		e, err := q.exhibit(ctx, of, tissue, f)
		if ctx.Err() != nil {
			return Gallery{}, ctx.Err()
		}
		if errors.Is(err, engines.ErrFailed) { // it would fail at the other filters too
			return Gallery{}, err
		}
		if err != nil {
			e.Problem, e.Failed = message.Of(err), message.KindOf(err)
		}
		g.Exhibits = append(g.Exhibits, e)
		if q.Ready != nil {
			q.Ready(e)
		}
	}
	g.Best = BestExhibit(g.Exhibits)
	return g, nil
}

// BestExhibit returns the place of the filter that removes most noise within the bounds, of those that are proposed;
// -1 if none does.
func BestExhibit(all []Exhibit) int {
	best := -1
	for i, e := range all {
		if e.Problem.IsZero() && e.competes && verdict.Usual.Within(e.Figures) && (best < 0 || verdict.Usual.Better(e.Figures, all[best].Figures)) {
			best = i
		}
	}
	return best
}

// exhibit finds the strength of one filter, and runs it.
func (q GalleryRequest) exhibit(ctx context.Context, of FrontierRequest, tissue *lesions.Tissue, f denoise.Filter) (e Exhibit, err error) {
	started := time.Now()
	e = Exhibit{Filter: f.Name, Title: f.Title}
	choice, automatic, err := of.choose(ctx, f.Name, tissue, q.Facts)
	if err != nil {
		return e, err
	}
	if e.Asked, err = choice.Asked(); err != nil {
		return e, err
	}
	if e.Recipe = choice.Recipe; len(tissue.At) > 0 {
		e.Strength, e.Frontier = choice.Strength, FrontierOf(choice)
	} else {
		e.Strength, e.Asked = 100, e.Asked.With(denoise.MixStrength.Name, denoise.MixStrength.Default)
	}
	e.competes = e.Strength > 0 && len(tissue.At) > 0 && run.Competes(automatic, q.Facts.Noise)
	e.Verdict = Verdict{Figures: choice.Figures}.of(choice.Figures)
	e.ChooseSeconds = time.Since(started).Seconds()
	run, err := run.Denoise(ctx, of.Engine, run.Request{Series: q.Series, Recipe: e.Recipe, Maps: q.Maps, Region: q.Region, Facts: q.Facts}, nil)
	if err != nil {
		return e, err
	}
	e.Recipe, e.Seconds = run.Resolved, run.Filter.Seconds()
	if q.Reference != nil {
		peak, err := measure.DynamicRange(ctx, q.Reference.Volume)
		if err != nil {
			return e, err
		}
		truth, err := measure.Compare(ctx, q.Reference.Volume.Crop(q.Region), run.Result, measure.Options{Max: peak})
		if err != nil {
			return e, err
		}
		e.Truth = &truth
	}
	e.Part = run.Result
	return e, nil
}

// Labels are the lines below an exhibit's picture: what it is, what it reached, and
// the time.
func (e Exhibit) Labels(best bool) []string {
	name := fmt.Sprintf("%s %d-D", e.Filter, e.Recipe.Dims)
	if best {
		name += " (best)"
	}
	if !e.Problem.IsZero() {
		return []string{name, "cannot run"}
	}
	measured := e.Judgement.Message().String()
	if e.Noise().Known() {
		measured = fmt.Sprintf("strength %.0f: noise -%.0f %%, contrast %.0f %%, texture %.0f %%", e.Strength, 100*e.Noise().Value, 100*e.Contrast().Value, 100*e.Texture().Value)
	}
	return []string{name, measured, e.Took()}
}

// Took is the time in words, after the PSNR if there is a reference.
func (e Exhibit) Took() string {
	took := job.TimeText(e.Seconds)
	if e.Truth != nil {
		took = fmt.Sprintf("PSNR %s, %s", measure.Decibels(e.Truth.PSNR, 2), took)
	}
	return took
}

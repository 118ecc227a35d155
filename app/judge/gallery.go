package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"quell/app/engines"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// GalleryRequest asks for every filter at its best automatic setting on the same part
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
	// Seen receives, once all exhibits are complete, what each leaves of virtual lesions, by its place; nil spares
	// that work. A frontier without settings says why there are none.
	Seen func(i int, f Frontier)
}

// Gallery holds every filter of the table, in its order.
type Gallery struct {
	Noise    denoise.Facts  `json:"-"`
	Region   volume.Region  `json:"-"`
	Input    *volume.Volume `json:"-"` // the voxels of Region
	Exhibits []Exhibit      `json:"filters"`
	Best     int            `json:"-"` // see BestExhibit
}

// Exhibit is one filter at its best automatic setting.
type Exhibit struct {
	Filter string         `json:"filter"`
	Title  string         `json:"title"`
	Recipe denoise.Recipe `json:"recipe"` // resolved
	Asked  denoise.Recipe `json:"asked"`  // with the strength in sigmas if it has that unit, the rest automatic
	// Chosen says how the strength was found: "sure" for the least estimated error, "auto"
	// for the rule of the filter.
	Chosen denoise.Value   `json:"chosen"`
	Note   message.Message `json:"note,omitzero"` // what is to be known of the choice: a sentence, or empty
	// MSE is the estimated error in units of the noise variance, over the whole
	// series, and SigmaLeft the noise that is left; nil if they are not known.
	MSE       *float64 `json:"mse,omitempty"`
	SigmaLeft *float64 `json:"sigma_left,omitempty"`

	Verdict   tune.Verdict        `json:"verdict,omitempty"`   // on the region
	Structure float64             `json:"structure,omitempty"` // in its residual
	Truth     *measure.Comparison `json:"truth,omitempty"`     // with the reference

	Seconds     float64         `json:"seconds"`        // of the filter on the region
	TuneSeconds float64         `json:"tune_seconds"`   // of the search for the strength
	Code        message.Kind    `json:"code,omitempty"` // of the problem
	Problem     message.Message `json:"problem,omitzero"`

	Part *volume.Volume `json:"-"` // the result on the region; nil if Problem says why there is none
}

// ShowGallery tunes and runs one filter after another. A filter that cannot run is an
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
	g := Gallery{Noise: facts, Region: q.Region, Input: v.Crop(q.Region)}
	for _, f := range denoise.Filters() {
		e, err := q.exhibit(ctx, engine, f)
		if ctx.Err() != nil {
			return Gallery{}, ctx.Err()
		}
		if errors.Is(err, engines.ErrFailed) { // it would fail at the other filters too
			return Gallery{}, err
		}
		if err != nil {
			e.Problem, e.Code = message.Of(err), message.KindOf(err)
		}
		g.Exhibits = append(g.Exhibits, e)
		if q.Ready != nil {
			q.Ready(e)
		}
	}
	g.Best = BestExhibit(g.Exhibits)
	if q.Seen != nil {
		return g, q.see(ctx, engine, g.Exhibits)
	}
	return g, nil
}

// see measures what exhibits leave of virtual lesions. The error is the context's or wraps engines.ErrFailed.
func (q GalleryRequest) see(ctx context.Context, engine denoise.Engine, all []Exhibit) error {
	for i, e := range all {
		if !e.Problem.IsZero() {
			continue
		}
		f, err := FrontierOf(ctx, LesionRequest{Series: q.Series, Recipe: e.Recipe, Maps: q.Maps, Facts: q.Facts, Engine: engine, Seed: lesions.UsualSeed})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, engines.ErrFailed) {
			return err
		}
		if err != nil {
			f.Problem, f.Code = message.Of(err), message.KindOf(err)
		}
		q.Seen(i, f)
	}
	return nil
}

// BestExhibit returns the place of the least estimated error among exhibits, -1 if
// none is known to lower the error.
func BestExhibit(all []Exhibit) int {
	best := -1
	for i, e := range all {
		if e.Problem.IsZero() && e.MSE != nil && *e.MSE < run.MustHelp && (best < 0 || *e.MSE < *all[best].MSE) {
			best = i
		}
	}
	return best
}

// exhibit tunes, runs and measures one filter.
func (q GalleryRequest) exhibit(ctx context.Context, engine denoise.Engine, f denoise.Filter) (e Exhibit, err error) {
	e = Exhibit{Filter: f.Name, Title: f.Title, Verdict: tune.Unknown}
	dims, err := run.ProposeDims(q.Series, f.Name)
	if err != nil {
		return e, err
	}
	if e.Recipe, err = denoise.NewRecipe(f.Name, dims); err != nil {
		return e, err
	}
	e.Asked = e.Recipe
	curve, err := q.choose(ctx, engine, &e)
	if err != nil {
		return e, err
	}
	run, err := run.Denoise(ctx, engine, run.Request{Series: q.Series, Recipe: e.Recipe, Maps: q.Maps, Region: q.Region, Facts: q.Facts}, nil)
	if err != nil {
		return e, err
	}
	e.Recipe, e.Seconds = run.Resolved, run.Filter.Seconds()
	a, err := Assess(ctx, Input{
		Before: q.Series, After: run.Result, Region: q.Region, Maps: q.Maps, Recipe: &run.Resolved, Made: true, Facts: q.Facts, Engine: engine, Curve: curve,
	})
	if err != nil {
		return e, err
	}
	e.Verdict, e.Structure = a.Verdict, a.Structure
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

// choose sets the strength of an exhibit's recipe: the least estimated error, or the
// automatic value if that cannot be estimated. The curve is nil then.
func (q GalleryRequest) choose(ctx context.Context, engine denoise.Engine, e *Exhibit) (*tune.Curve, error) {
	started := time.Now()
	t, err := run.Tune(ctx, engine, run.TuneRequest{Series: q.Series, Recipe: e.Recipe, Maps: q.Maps, Facts: q.Facts})
	e.TuneSeconds = time.Since(started).Seconds()
	var input *job.InputError
	var usage *job.UsageError
	switch {
	case errors.As(err, &input), errors.As(err, &usage):
		e.Chosen, e.Note = denoise.Auto, message.Of(err)
		return nil, nil
	case err != nil:
		return nil, err
	}
	best := t.Curve.Points[t.Curve.Best]
	left := best.Kept * t.Noise.Sigma
	e.Asked = tune.WithStrength(e.Asked, best.Strength, q.Series.Volume.Geometry)
	e.Recipe, e.Chosen, e.MSE, e.SigmaLeft = t.Recipe, denoise.SURE, &best.MSE, &left
	e.Note = message.Join(" ", t.Doubts...)
	return &t.Curve, nil
}

// RMSE returns the estimated error in sigmas of the noise, nil if there is none.
func (e Exhibit) RMSE() *float64 {
	if e.MSE == nil {
		return nil
	}
	root := tune.RMSE(*e.MSE)
	return &root
}

// Labels are the lines below an exhibit's picture: what it is, what it reached, and
// the time.
func (e Exhibit) Labels(best bool) []string {
	name := fmt.Sprintf("%s %d-D", e.Filter, e.Recipe.Dims)
	if best {
		name += " (least error)"
	}
	if !e.Problem.IsZero() {
		return []string{name, "cannot run"}
	}
	measured := string(e.Verdict)
	if e.MSE != nil {
		measured = fmt.Sprintf("error %.3f sigma, noise left %.3g %s", *e.RMSE(), *e.SigmaLeft, cmp.Or(e.Part.Unit, "units"))
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

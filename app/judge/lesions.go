package judge

import (
	"context"

	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
)

// LesionRequest asks what a recipe leaves of virtual lesions in a series.
type LesionRequest struct {
	Series *series.Series
	Recipe denoise.Recipe // automatic values are resolved on the whole series
	Maps   run.Maps       // that steer the filter
	// IfVaries estimates a noise map, see job.MapIfVaries.
	IfVaries bool
	Facts    *denoise.Facts // of Series.Volume, or nil to find them
	Engine   denoise.Engine

	Shape     lesions.Shape // "": discs
	Sizes     []float64     // mm; nil: those of lesions.UsualSizes that fit the even tissue of the series
	Contrasts []Contrast    // nil: see lesions.Visibly
	Slices    int           // that a lesion reaches through, 1 or 3; 0: as its size asks, and of usual sizes as the series has room
	Places    int           // 0: as many as lesions.Measure takes
	Seed      uint64
	Pictured  bool                  // see lesions.Request
	Progress  func(done, total int) // lesions; nil for none
}

// Contrast is the contrast of a lesion, in the unit of the series or in standard deviations of its noise.
type Contrast struct {
	Value    float64
	InSigmas bool
}

// Lesions returns what a recipe leaves of virtual lesions in a series: all sizes of the first contrast, then those of
// the next. The error is the context's, the engine's, or one sentence that says what the series
// lacks.
func Lesions(ctx context.Context, q LesionRequest) (panel lesions.Panel, err error) {
	request, err := q.prepare(ctx)
	if err != nil {
		return lesions.Panel{}, err
	}
	given := q.Contrasts
	measure := func(sizes []float64, length int) (lesions.Panel, error) {
		of := func(sizes []float64, contrasts []Contrast) (lesions.Panel, error) {
			q.Slices, q.Contrasts = length, contrasts
			if request.Lesions, err = q.lesions(sizes, request.Noise); err != nil {
				return lesions.Panel{}, err
			}
			return lesions.Measure(ctx, q.Engine, request)
		}
		if given != nil {
			return of(sizes, given)
		}
		return lesions.Visibly(sizes, func(sizes, times []float64) (lesions.Panel, error) { return of(sizes, inSigmas(times)) })
	}
	if q.Sizes == nil {
		panel, err = lesions.Fitting(q.Series.Volume.Geometry, q.Slices, measure)
	} else {
		panel, err = measure(q.Sizes, q.Slices)
	}
	return panel, lesionError(err)
}

// Twins returns the places of a series without and with a lesion, the first size and contrast of q, as it is and as a
// recipe filters it; the lesion, and the recipe resolved. The error is that of Lesions.
func Twins(ctx context.Context, q LesionRequest) ([]lesions.Twin, lesions.Lesion, denoise.Recipe, error) {
	request, err := q.prepare(ctx)
	if err != nil {
		return nil, lesions.Lesion{}, denoise.Recipe{}, err
	}
	if request.Lesions, err = q.lesions(q.Sizes, request.Noise); err != nil {
		return nil, lesions.Lesion{}, denoise.Recipe{}, err
	}
	twins, l, err := lesions.Twins(ctx, q.Engine, request)
	return twins, l, request.Recipe, lesionError(err)
}

// prepare returns the request but for its lesions.
func (q LesionRequest) prepare(ctx context.Context) (lesions.Request, error) {
	if err := run.CheckRecipe(q.Series, q.Recipe, false); err != nil {
		return lesions.Request{}, err
	}
	v := q.Series.Volume
	facts, err := run.FactsOf(ctx, v, q.Facts, denoise.FactsOf)
	if err != nil {
		return lesions.Request{}, err
	}
	if q.IfVaries {
		if q.Maps, _, err = q.Maps.IfVaries(ctx, q.Recipe, q.Series, &facts); err != nil {
			return lesions.Request{}, err
		}
	}
	in := q.Maps.Input(v)
	request := run.Request{Series: q.Series, Recipe: q.Recipe, Maps: q.Maps, Facts: &facts}
	resolved, _, err := request.Resolve(ctx, q.Engine, in)
	if err != nil {
		return lesions.Request{}, err
	}
	foreground, err := facts.ForegroundOf(ctx, v)
	return lesions.Request{
		Input: in, Recipe: resolved, Noise: facts.Noise, Foreground: foreground, Places: q.Places, Seed: q.Seed, Pictured: q.Pictured, Progress: q.Progress,
	}, err
}

// tooWeak says that there is nothing to remove.
var tooWeak = message.New(message.NoiseWeak, "the noise is too weak to be measured")

// noTissue says that a series has too few homogeneous regions.
func noTissue() error {
	return lesionError(message.Errorf(message.VerdictNone, "too few homogeneous regions to judge filters in"))
}

// lesionError says what to do about an error of package lesions.
func lesionError(err error) error {
	switch message.KindOf(err) {
	case message.UsageRefused:
		return job.Usage(err)
	case message.VerdictNone:
		return &job.InputError{Path: job.TheSeries, Problem: message.Of(err), Advice: message.Text("take smaller lesions, or a series with larger homogeneous regions")}
	}
	return err
}

// inSigmas returns contrasts that are multiples of the noise.
func inSigmas(times []float64) (all []Contrast) {
	for _, x := range times {
		all = append(all, Contrast{x, true})
	}
	return all
}

// lesions returns the lesions that are asked for. The error says that multiples of unknown noise are none.
func (q LesionRequest) lesions(sizes []float64, e noise.Estimate) (all []lesions.Lesion, err error) {
	if q.Shape == "" {
		q.Shape = lesions.Disc
	}
	if q.Contrasts == nil {
		q.Contrasts = inSigmas(lesions.UsualContrasts)
	}
	for _, c := range q.Contrasts {
		l := lesions.Lesion{Shape: q.Shape, Contrast: c.Value, Slices: q.Slices}
		if c.InSigmas {
			if why := unmeasurable(e); !why.IsZero() {
				return nil, &job.InputError{Path: job.TheSeries, Problem: why, Advice: message.Text("give the contrast of the lesions in the unit of the series")}
			}
			l.Contrast, l.Sigmas = c.Value*e.Sigma, c.Value
		}
		for _, size := range sizes {
			l.Size = size
			all = append(all, l)
		}
	}
	return all, nil
}

// unmeasurable says why a contrast cannot be a multiple of the noise.
func unmeasurable(e noise.Estimate) message.Message {
	if unknown := e.Sentence(); !unknown.IsZero() {
		return unknown.Clause()
	}
	if e.Weak() {
		return tooWeak
	}
	return message.Message{}
}

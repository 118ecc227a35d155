package app

import (
	"context"
	"log/slog"
	"time"

	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// Run is one finished recipe on one series.
type Run struct {
	Recipe   denoise.Recipe // as asked, "auto" and percentages included
	Resolved denoise.Recipe // as run: plain numbers, which reproduce the result
	Engine   denoise.Info
	Source   *series.Series
	Region   volume.Region  // of Source.Volume, that was filtered
	Facts    *denoise.Facts // of Source.Volume; nil if the run did not need them
	Result   *volume.Volume // of the region's dims
	Started  time.Time
	Filter   time.Duration // time of the filter, facts included
}

// Whole reports whether the run covers its whole series.
func (r *Run) Whole() bool { return r.Region == r.Source.Volume.Bounds() }

// Denoise runs a recipe on a region of a series; the zero region means all of it.
// The filter reads the voxels around a region as in a run over the whole. facts
// are those of s.Volume, or nil to find what the recipe needs. progress may be
// nil. The series is not changed. Safe for concurrent use.
func Denoise(ctx context.Context, eng denoise.Engine, s *series.Series, r denoise.Recipe, region volume.Region, facts *denoise.Facts, progress denoise.Progress) (*Run, error) {
	run, err := denoiseSeries(ctx, eng, s, r, region, facts, progress)
	attrs := []any{slog.String("filter", r.Filter), slog.Int("dims", r.Dims), slog.String("engine", eng.Info().Name), outcome(err)}
	if err == nil {
		attrs = append(attrs, slog.Int("voxels", run.Region.Voxels()), slog.Duration("took", run.Filter))
	}
	logger.Load().Info("denoise", attrs...)
	return run, err
}

func denoiseSeries(ctx context.Context, eng denoise.Engine, s *series.Series, r denoise.Recipe, region volume.Region, facts *denoise.Facts, progress denoise.Progress) (*Run, error) {
	started := time.Now()
	if region == (volume.Region{}) {
		region = s.Volume.Bounds()
	}
	if err := region.Validate(s.Volume.Geometry); err != nil {
		return nil, &UsageError{Text: err.Error(), Err: err}
	}
	if err := checkRecipe(s, r); err != nil {
		return nil, err
	}
	resolved, err := resolve(ctx, r, s.Volume, facts)
	if err != nil {
		return nil, err
	}
	if _, err := eng.Plan(resolved, s.Volume.Geometry); err != nil {
		return nil, err
	}
	result, err := eng.Run(ctx, resolved, denoise.Input{Volume: s.Volume}, region, progress)
	if err != nil {
		return nil, err
	}
	return &Run{
		Recipe: r, Resolved: resolved, Engine: eng.Info(), Source: s, Region: region, Facts: facts,
		Result: result, Started: started, Filter: time.Since(started),
	}, nil
}

// resolve turns automatic values into numbers, from the given facts or from those
// that the recipe needs.
func resolve(ctx context.Context, r denoise.Recipe, v *volume.Volume, facts *denoise.Facts) (resolved denoise.Recipe, err error) {
	if facts == nil {
		resolved, err = r.ResolveFor(ctx, denoise.Input{Volume: v})
	} else {
		resolved, err = r.Resolve(v.Geometry, *facts)
	}
	if err != nil && ctx.Err() == nil {
		err = &UsageError{Text: err.Error(), Err: err}
	}
	return resolved, err
}

// facts returns the facts of the source, found now where the run did not need
// them.
func (r *Run) facts(ctx context.Context) (denoise.Facts, error) {
	if r.Facts == nil {
		return denoise.FactsOfContext(ctx, r.Source.Volume)
	}
	return *r.Facts, nil
}

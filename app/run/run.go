// Package run filters one series: with the maps that steer a filter, in evenly spaced parts if its
// slices are uneven, with a strength that is tuned if the recipe asks for that. Run is what comes
// of it.
package run

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// InputVolume returns the voxels that the run filtered.
func (r *Run) InputVolume() *volume.Volume {
	if r.Whole() {
		return r.Source.Volume
	}
	return r.Source.Volume.Crop(r.Region)
}

// Run is one finished recipe on one series.
type Run struct {
	Recipe   denoise.Recipe // as asked for, with "auto", "sure" and percentages
	Resolved denoise.Recipe // as run: plain numbers, which reproduce the result
	Engine   denoise.Info
	Source   *series.Series
	Maps     Maps           // that steered the filter
	Region   volume.Region  // of Source.Volume, that was filtered
	Parts    []series.Part  // of the slices of Source, that were filtered by themselves; nil: all together
	Facts    *denoise.Facts // of Source.Volume; nil if the run did not need them
	Tuned    *Tuned         // how the strength was found; nil if it was given
	Result   *volume.Volume // of the region's dims
	Started  time.Time
	Filter   time.Duration // time of the filter, Estimate included
	Estimate time.Duration // of facts and tuning

	Devices []denoise.DeviceUse // what each GPU did, tuning included; nil on the CPU

	Later *LaterFacts // nil: not kept
}

// LaterFacts keeps the facts of the source of a run that did not need them: its verdict and
// its pictures do. Safe for concurrent use.
type LaterFacts struct {
	mu    sync.Mutex
	facts *denoise.Facts
	Ends  *[2]float32 // of the range of the volume that the source is a part of; nil: it is no part
}

// Whole reports whether the run covers its whole series.
func (r *Run) Whole() bool { return r.Region == r.Source.Volume.Bounds() }

// The outcomes of a run.
const (
	Denoised = "denoised"
	AsItIs   = "unchanged" // the result is the series as it is
)

// Outcome returns what the run did to its region.
func (r *Run) Outcome() string {
	facts := r.Facts
	if facts == nil {
		facts = &denoise.Facts{}
	}
	if r.Result == nil || !Unchanged(r.Source.Volume, r.Region, r.Result.Data, facts) {
		return Denoised
	}
	return AsItIs
}

// Unfiltered reports whether the run left its region as it is.
func (r *Run) Unfiltered() bool { return r.Outcome() == AsItIs }

// AutoWarning returns a sentence if automatic values rest on noise that is unknown, or left the
// series as it is because there is hardly any, and nothing otherwise.
func (r *Run) AutoWarning() message.Message {
	return WarnOfAuto(r.Recipe, r.Facts, func() bool { return Unchanged(r.Source.Volume, r.Region, r.Result.Data, r.Facts) })
}

// WarnOfAuto is the warning of a run of a recipe by facts, which may be nil; same reports whether
// the result is the series.
func WarnOfAuto(recipe denoise.Recipe, facts *denoise.Facts, same func() bool) message.Message {
	if _, sigma := recipe.Needs(); !sigma || facts == nil {
		return message.Message{}
	}
	e := recipe.Given(*facts).Noise
	if e.Confidence == noise.None {
		return e.Sentence()
	}
	if advice := e.Advice(); !e.Negligible && !advice.IsZero() {
		return advice
	}
	if !same() {
		return message.Message{}
	}
	return message.New(message.NoiseWeak, "The noise is too weak for automatic values to remove any without harm: the result is the series as it is. Give the strength yourself.")
}

// Unchanged reports whether the result is the region of the input, to a millionth of
// the range of the facts. It ends at the first voxel that differs.
func Unchanged(in *volume.Volume, region volume.Region, result []float32, facts *denoise.Facts) bool {
	limit := 1e-6 * (float64(facts.Hi) - float64(facts.Lo))
	for z := region.Min[2]; z < region.Max[2]; z++ {
		for y := region.Min[1]; y < region.Max[1]; y++ {
			from, to := in.Index(region.Min[0], y, z), in.Index(region.Max[0], y, z)
			for i, v := range in.Data[from:to] {
				if math.Abs(float64(v)-float64(result[i])) > limit {
					return false
				}
			}
			result = result[to-from:]
		}
	}
	return true
}

// Denoise runs a recipe on a series. The filter reads the voxels around a region
// as in a run over the whole volume. progress may be nil. The series is not
// changed. Safe for concurrent use.
func Denoise(ctx context.Context, eng denoise.Engine, q Request, progress denoise.Progress) (*Run, error) {
	run, err := q.run(ctx, eng, progress)
	attrs := []any{slog.String("filter", q.Recipe.Filter), slog.Int("dims", q.Recipe.Dims), slog.String("engine", eng.Info().Name), job.Outcome(err)}
	if err == nil {
		attrs = append(attrs, slog.Int("voxels", run.Region.Voxels()), slog.Duration("took", run.Filter))
	}
	job.Log("denoise", attrs...)
	return run, err
}

func (q Request) run(ctx context.Context, eng denoise.Engine, progress denoise.Progress) (*Run, error) {
	started := time.Now()
	ctx, devices := denoise.LogDevices(ctx)
	if q.IfVaries {
		var err error
		if q.Maps, q.Facts, err = q.Maps.IfVaries(ctx, q.Recipe, q.Series, q.Facts); err != nil {
			return nil, err
		}
	}
	in := q.Maps.Input(q.Series.Volume)
	if q.Region == (volume.Region{}) {
		q.Region = in.Volume.Bounds()
	}
	if err := q.Region.Validate(in.Volume.Geometry); err != nil {
		return nil, job.Usage(err)
	}
	if err := CheckRecipe(q.Series, q.Recipe, q.Split); err != nil {
		return nil, err
	}
	resolved, tuned, err := q.Resolve(ctx, eng, in)
	if err != nil {
		return nil, err
	}
	estimated := time.Since(started)
	run := &Run{
		Estimate: estimated, Recipe: q.Recipe, Resolved: resolved, Engine: eng.Info(), Source: q.Series, Maps: q.Maps, Region: q.Region, Parts: q.parts(), Facts: q.Facts, Tuned: tuned,
		Started: started, Later: &LaterFacts{},
	}
	if q.withoutNoise(in) { // bit for bit the series, whatever a filter makes of values that differ by hardly anything
		run.Result = in.Volume.Crop(q.Region).Clone()
	} else if run.Parts != nil {
		run.Result, err = q.runParts(ctx, eng, resolved, run.Parts, progress)
	} else if _, err = eng.Plan(resolved, in.Volume.Geometry); err == nil {
		run.Result, err = eng.Run(q.followed(ctx, *run), resolved, in, q.Region, progress)
	}
	if err != nil {
		return nil, err
	}
	run.Filter, run.Devices = time.Since(started), devices.All()
	return run, nil
}

// withoutNoise reports whether all strengths of the recipe follow the noise of a series that has none.
func (q Request) withoutNoise(in denoise.Input) bool {
	return q.Facts != nil && in.Noise == nil && in.Mask == nil && automatic(q.Recipe) && q.Recipe.Given(*q.Facts).AutoSigma() == 0
}

// followed returns a context under which the engine announces the voxels of the run's result.
func (q Request) followed(ctx context.Context, early Run) context.Context {
	if q.Follow == nil {
		return ctx
	}
	return denoise.FollowArrival(ctx, func(v *volume.Volume, a *volume.Arrival) {
		early.Result = v
		q.Follow(&early, a)
	})
}

// Resolve turns automatic values into numbers, from the given facts or from those
// that the recipe needs, and finds a strength that it leaves to "sure" or "visible". The facts are kept
// if all of them had to be found. Maps change what values depend on, so that the facts
// of the series do not serve.
func (q *Request) Resolve(ctx context.Context, eng denoise.Engine, in denoise.Input) (resolved denoise.Recipe, tuned *Tuned, err error) {
	if q.Recipe.Dials() || q.Recipe.Equalises() {
		return q.dial(ctx, eng, in)
	}
	if q.Recipe.Tunes() {
		if tuned, err = q.tune(ctx, eng); err != nil {
			return denoise.Recipe{}, nil, err
		}
		return tuned.Recipe, tuned, nil
	}
	steered := in.Noise != nil || in.Mask != nil
	if _, noise := q.Recipe.Needs(); noise && q.Facts == nil && !steered {
		facts, err := denoise.FactsOf(ctx, in.Volume)
		if err != nil {
			return denoise.Recipe{}, nil, err
		}
		q.Facts = &facts
	}
	if known := q.Maps.Facts; steered && known != nil && q.Maps.Mask == nil && !q.Recipe.InSigmas && q.Recipe.Normalises(in) {
		resolved, err = q.Recipe.Resolve(in.Volume.Geometry, *known)
	} else if q.Facts == nil || steered || q.Recipe.InSigmas {
		resolved, err = q.Recipe.ResolveFor(ctx, in)
	} else {
		resolved, err = q.Recipe.Resolve(in.Volume.Geometry, *q.Facts)
	}
	if err != nil && ctx.Err() == nil {
		err = job.Usage(err)
	}
	return resolved, nil, err
}

// FindFacts returns the facts of the source: the ones of the run, or else of verdicts and
// pictures, found by the first call.
func (r *Run) FindFacts(ctx context.Context) (denoise.Facts, error) {
	if r.Facts != nil || r.Later == nil {
		return FactsOf(ctx, r.Source.Volume, r.Facts, denoise.VerdictFacts)
	}
	r.Later.mu.Lock()
	defer r.Later.mu.Unlock()
	if r.Later.facts == nil {
		f, err := denoise.VerdictFacts(ctx, r.Source.Volume)
		if err != nil {
			return denoise.Facts{}, err
		}
		if ends := r.Later.Ends; ends != nil {
			f.Lo, f.Hi = ends[0], ends[1]
		}
		r.Later.facts = &f
	}
	return *r.Later.facts, ctx.Err()
}

// KnownFacts returns the facts of the source; nil if nothing needed them so far.
func (r *Run) KnownFacts() *denoise.Facts {
	if r.Facts != nil || r.Later == nil {
		return r.Facts
	}
	r.Later.mu.Lock()
	defer r.Later.mu.Unlock()
	return r.Later.facts
}

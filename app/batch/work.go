package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"quell/app"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/series"
	"quell/volume"
)

// do does one series; nil after a cancel, and where another process has taken it over. A panic is
// a failure of this series alone.
func (b *batch) do(ctx context.Context, t task) *Result {
	r := t.result
	err := parallel.Protect(func() error { return b.series(atomic.WithFence(ctx, t.hold.check), t, &r) })
	if t.hold.check() != nil {
		return nil
	}
	if ctx.Err() == nil {
		b.progress.part(t.unit, t.bytes(), false)
	}
	if err != nil && context.Cause(ctx) != nil {
		return nil
	}
	if err != nil {
		return b.fail(t.unit, t.result, err)
	}
	return &r
}

// series reads, filters, measures and writes one series.
func (b *batch) series(ctx context.Context, t task, r *Result) error {
	e := t.first()
	if e.Identity() != "" {
		first, err := b.store.claim(r.Key, owner{ID: r.ID, Input: r.Input(), Path: b.hide.Seal(t.unit.Path)}, func(sealed string) bool {
			path, err := b.hide.Unseal(sealed)
			return err == nil && exists(path)
		})
		if err != nil {
			return err
		}
		if first.ID != r.ID {
			r.State, r.SameAs, r.Output, r.Finished = Duplicate, first.Input, "", time.Now()
			return nil
		}
	}
	least, bytes := leastNeeds(e, t.bytes()), needs(e, t.bytes())
	held := min(bytes, b.o.Memory)
	if err := b.memory.Acquire(ctx, held); err != nil {
		return err
	}
	defer b.memory.Release(held)
	t.hold.enter()
	defer t.hold.leave()
	started := time.Now()

	job := b.o.Job
	job.Output.Path = b.store.outputPath(r.Output)
	var err error
	switch {
	case least > b.o.Memory:
		err = b.slabs(ctx, t, least, job, r)
	case len(t.members) > 1:
		err = b.group(ctx, t, job, r)
	default:
		err = b.volume(ctx, t, job, r)
	}
	if err != nil {
		return err
	}
	b.stopped(written)
	if err := b.store.describe(r); err != nil {
		return err
	}
	if r.Content, err = b.store.content(r.Output); err != nil {
		return err
	}
	if b.o.Finish != nil {
		if err := b.o.Finish(*r); err != nil {
			return err
		}
	}
	r.State, r.Finished = Done, time.Now()
	r.Seconds.Total = time.Since(started).Seconds()
	return nil
}

// volume does a series of one volume. Only one series is filtered at a time; others are read,
// measured and written meanwhile.
func (b *batch) volume(ctx context.Context, t task, job app.Job, r *Result) error {
	started := time.Now()
	s, err := t.catalog.Load(ctx, t.members[0], nil)
	if err != nil {
		return err
	}
	if s, err = job.Evened(s); err != nil {
		return err
	}
	r.Seconds.Load = time.Since(started).Seconds()
	if err := app.CheckOutput(s, job.Output.Path, job.Output.ExportOptions); err != nil {
		return err
	}
	b.stopped(loaded)
	filter := job
	filter.Output.Path = ""
	var report app.Report
	var engine denoise.Engine // that filtered
	err = b.withEngine(t, r, func(eng turns) (err error) {
		engine = eng.Engine
		report, err = app.DoOn(ctx, app.On{Series: s, Engine: eng}, filter, app.Events{})
		r.Seconds.Filter = report.Seconds.Filter
		return err
	})
	if err != nil {
		return err
	}
	b.stopped(filtered)
	r.Engine, r.Device, r.Devices, r.Recipe = report.Engine, report.Device, report.Devices, report.Recipe

	started = time.Now()
	one, err := b.assess(ctx, engine, "", report.Run)
	if err != nil {
		return err
	}
	if r.judge([]judged{one}); report.Parts != nil {
		r.unjudged(splitWhy)
	}
	if r.Picture, err = picture(ctx, report.Run); err != nil {
		return err
	}
	r.Seconds.Measure = time.Since(started).Seconds()

	wrote, err := app.DoOn(ctx, app.On{Series: s, Run: report.Run}, job, app.Events{})
	if err != nil {
		return err
	}
	r.Seconds.Write = wrote.Seconds.Write
	r.warn(s.Findings, report.Warnings, wrote.Warnings)
	return nil
}

// slabs does a series of which a volume needs more memory than the batch may take, with all of
// that.
func (b *batch) slabs(ctx context.Context, t task, need int64, job app.Job, r *Result) error {
	job.Memory = b.o.Memory
	b.stopped(loaded)
	var report app.Report
	err := b.withEngine(t, r, func(eng turns) (err error) {
		started := time.Now()
		report, err = t.catalog.DoSlabs(ctx, t.members, need, eng, job, app.Events{})
		r.Seconds = report.Seconds
		r.Seconds.Load = time.Since(started).Seconds() - r.Seconds.Filter - r.Seconds.Write
		return err
	})
	if err != nil {
		return err
	}
	b.stopped(filtered)
	r.Engine, r.Device, r.Devices, r.Recipe = report.Engine, report.Device, report.Devices, cmp.Or(report.Recipe, report.Asked)
	r.unjudged("What was filtered slab by slab is not judged, as it is never in memory as a whole.")
	r.warn(report.Findings, report.Warnings)
	return nil
}

// group does a 4-D series. Its volumes are read, filtered and written one after another; the
// engine is taken for each of them.
func (b *batch) group(ctx context.Context, t task, job app.Job, r *Result) error {
	job.Memory = b.o.Memory / groupInWork * 3 // input, result and the next volume
	var all []judged
	var eachErr error
	var shown *app.Assessment
	var measure time.Duration
	var engine denoise.Engine // of the attempt
	first := true             // of the volumes of the attempt
	b.stopped(loaded)
	each := func(done app.VolumeReport, run *app.Run) {
		started := time.Now()
		j := judged{name: done.Name}
		if eachErr == nil {
			j, eachErr = b.assess(ctx, engine, done.Name, run)
		}
		all = append(all, j)
		if (first || worse(j.m, shown)) && eachErr == nil {
			r.Picture, eachErr = picture(ctx, run)
			r.Pictured, shown = done.Name, j.m
		}
		measure += time.Since(started)
		if first {
			first = false
			b.stopped(filtered)
		}
	}
	var report app.Report
	err := b.withEngine(t, r, func(eng turns) (err error) {
		all, shown, first, measure, engine = nil, nil, true, 0, eng.Engine
		report, err = t.catalog.DoGroup(ctx, t.members[0], eng, job, app.Events{}, each)
		r.Seconds = report.Seconds
		r.Seconds.Measure = measure.Seconds()
		return err
	})
	if err = cmp.Or(err, eachErr); err != nil {
		return err
	}
	r.Engine, r.Device, r.Devices, r.Recipe = report.Engine, report.Device, report.Devices, report.Asked
	if r.judge(all); report.Parts != nil {
		r.unjudged(splitWhy)
	}
	r.warn(report.Findings, report.Warnings)
	return nil
}

// withEngine calls filter, which sets the seconds of the result, with the engine of the batch,
// and takes the wait for the engine out of those of the filter. A GPU that was switched off after
// failures is tried again by every series. If the GPU fails on a series, the CPU filters it if that is
// what "auto" asked for; if nothing was asked for, the batch stops.
//
// A verdict is found by the same engine without taking turns: its runs are short, and there are
// dozens of them.
func (b *batch) withEngine(t task, r *Result, filter func(turns) error) error {
	eng, err := app.PickEngine(b.engine)
	if err != nil {
		return err
	}
	try := func(eng denoise.Engine) error {
		waited := time.Duration(0)
		err := filter(turns{eng, b.filter, semaphore.NewWeighted(1), &waited})
		r.Seconds.Wait = waited.Seconds()
		r.Seconds.Filter -= r.Seconds.Wait
		return err
	}
	if b.lost != nil { // it has filtered on the CPU from the start
		r.Warnings = append(r.Warnings, b.fallback(t, b.lost, nil, eng))
	}
	err = try(eng)
	policy := b.o.Job.Engine.Name
	if !errors.Is(err, app.ErrEngineFailed) || policy != "" && policy != "auto" {
		return err
	}
	cpu, pickErr := app.PickEngine("cpu")
	if pickErr != nil {
		return err
	}
	if policy == "" {
		b.stop(&engineChange{cause: err, text: b.fallback(t, err, eng, cpu)})
		return err
	}
	r.Warnings = append(r.Warnings, b.fallback(t, err, eng, cpu))
	return try(cpu)
}

// fallback says that the CPU filters the series of a task.
func (b *batch) fallback(t task, why error, failed, cpu denoise.Engine) string {
	var g volume.Geometry
	var recipe denoise.Recipe
	if len(t.members) > 0 {
		g, recipe = t.first().Geometry, *b.o.Job.Recipe
	}
	return app.FallbackText(why, failed, cpu, recipe, g, len(t.members))
}

// engineChange is why a batch stops whose engine would change from one series to the next.
type engineChange struct {
	cause error
	text  string // what the change would mean
}

func (e *engineChange) Error() string {
	return fmt.Sprintf("the batch stops, as its engine would change: %s. Run it again to go on with the GPU, or with --engine auto to let the CPU filter such series", e.text)
}

func (e *engineChange) Unwrap() error { return e.cause }

// turns is an engine whose runs take turns with those of other series. It is safe for concurrent
// use: the search for a strength runs several recipes at once.
type turns struct {
	denoise.Engine
	turn   *semaphore.Weighted
	own    *semaphore.Weighted // held by the one of the series' runs that waits or runs; guards waited
	waited *time.Duration      // for the turns, in all
}

func (e turns) Run(ctx context.Context, recipe denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	if err := e.own.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer e.own.Release(1)
	started := time.Now()
	if err := e.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer e.turn.Release(1)
	*e.waited += time.Since(started)
	return e.Engine.Run(ctx, recipe, in, region, progress)
}

// judged is a volume of a series with how it is judged.
type judged struct {
	name  string
	m     *app.Assessment // nil where it is not judged
	noise noise.Figure    // of the input; the zero value where it is not known
}

// assess judges a run by the engine that filtered, where that is asked for and can be done.
func (b *batch) assess(ctx context.Context, engine denoise.Engine, name string, run *app.Run) (judged, error) {
	j := judged{name: name}
	if b.o.WithoutVerdict || run.Parts != nil {
		if run.Facts != nil {
			j.noise = run.Facts.Noise.Figure
		}
		return j, nil
	}
	a, err := app.AssessRun(ctx, engine, run)
	j.m, j.noise = &a, noise.Figure{Sigma: a.Sigma, Confidence: a.SigmaConfidence}
	return j, err
}

// gravity orders verdicts, the worst last.
var gravity = []tune.Verdict{tune.Clean, tune.Matched, tune.Unknown, tune.Under, tune.Over}

// worse reports whether a volume is judged worse than another; one that is not judged is better
// than all.
func worse(m, than *app.Assessment) bool {
	if m == nil || than == nil {
		return m != nil
	}
	return slices.Index(gravity, m.Verdict) > slices.Index(gravity, than.Verdict)
}

// confidences are those of a figure, best first.
var confidences = []noise.Confidence{noise.High, noise.Fair, noise.Low}

// judge takes the verdict of the worst volume, and the median of sigma over the volumes that
// have one, with the least of their confidences.
func (r *Result) judge(all []judged) {
	var worst *judged
	var sigmas []float64
	least := 0 // of the confidences
	same := 0
	for i, j := range all {
		if k := slices.Index(confidences, j.noise.Confidence); k >= 0 {
			sigmas, least = append(sigmas, j.noise.Sigma), max(least, k)
		}
		switch {
		case j.m == nil:
		case worst == nil || worse(j.m, worst.m):
			worst, same = &all[i], 1
		case j.m.Verdict == worst.m.Verdict:
			same++
		}
	}
	r.SigmaConfidence = string(noise.None)
	if worst != nil {
		r.Verdict, r.Confidence, r.Why = string(worst.m.Verdict), string(worst.m.Confidence), worst.m.Why
		if len(all) > 1 {
			r.Why = fmt.Sprintf("%d of %d volumes; %s: %s", same, len(all), worst.name, worst.m.Why)
		}
	}
	if len(sigmas) == 0 {
		return
	}
	slices.Sort(sigmas)
	r.Sigma = sigmas[len(sigmas)/2]
	r.SigmaConfidence = string(confidences[least])
}

// splitWhy is why a series is not judged whose evenly spaced slices were filtered by
// themselves.
const splitWhy = "What was filtered in evenly spaced parts is not judged, as that would filter across them."

// unjudged is judge for a series of which that cannot be found.
func (r *Result) unjudged(why string) {
	r.Verdict, r.SigmaConfidence, r.Why = string(tune.Unknown), string(noise.None), why
}

// warn adds the findings that are more than notes, and warnings, each once.
func (r *Result) warn(findings []series.Finding, more ...[]string) {
	add := func(text string) {
		if !slices.Contains(r.Warnings, strings.TrimSpace(text)) {
			r.Warnings = append(r.Warnings, strings.TrimSpace(text))
		}
	}
	for _, f := range findings {
		if f.Severity > series.Note {
			add(f.Text)
		}
	}
	for _, texts := range more {
		for _, text := range texts {
			add(text)
		}
	}
}

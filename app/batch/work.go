package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"quell/app"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/output"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/series"
	"quell/volume"
)

// do does one series; nil after a cancel, and if another process has taken it over. A panic is a
// failure of this series alone.
func (b *batch) do(ctx context.Context, t task) *SeriesResult {
	r := t.result
	err := parallel.Protect(func() error { return b.series(atomic.WithFence(ctx, t.hold.Check), t, &r) })
	if t.hold.Check() != nil {
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

// jobOf returns the job of a unit.
func (b *batch) jobOf(unit string) job.Job {
	j := b.o.Job
	if b.o.Complete != nil {
		b.o.Complete(unit, &j)
	}
	return j
}

// series reads, filters, measures and writes one series.
func (b *batch) series(ctx context.Context, t task, r *SeriesResult) error {
	e := t.first()
	if e.Identity() != "" {
		first, err := b.store.claim(r.Key, owner{ID: r.ID, Input: r.Input(), Path: b.hide.Seal(t.unit.Path)}, func(sealed string) bool {
			path, err := b.hide.Unseal(sealed)
			return err == nil && files.Exists(path)
		})
		if err != nil {
			return err
		}
		if first.ID != r.ID {
			r.State, r.SameAs, r.Output, r.Finished = Duplicate, first.Input, "", time.Now()
			return nil
		}
	}
	job := b.jobOf(r.Unit)
	job.Output.Path, job.Memory = b.store.outputPath(r.Output), b.o.Memory
	held := executor.Plan(job, e.Geometry, len(t.members)).Peak
	if err := b.memory.Acquire(ctx, held); err != nil {
		return err
	}
	defer b.memory.Release(held)
	t.hold.Enter()
	defer t.hold.Leave()
	started := time.Now()
	if err := b.execute(ctx, t, job, r); err != nil {
		return err
	}
	b.stopped(written)
	if b.o.OnlyChanged && r.Outcome == run.AsItIs {
		r.State, r.Finished = Done, time.Now()
		r.Seconds.Total = time.Since(started).Seconds()
		for _, path := range job.Output.Beside {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
		return b.store.discard(r)
	}
	if err := b.store.describe(r); err != nil {
		return err
	}
	var err error
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

// execute does the job on the volumes of a series. Only one series is filtered at a time; others are
// read, measured and written meanwhile.
func (b *batch) execute(ctx context.Context, t task, j job.Job, r *SeriesResult) error {
	src, closeFiles := executor.SourceIn(t.catalog, t.members)
	defer closeFiles()
	var report executor.Outcome
	err := b.withEngine(t, r, func(eng turns) (err error) {
		shown := &shownSink{stopped: b.stopped}
		sinks := []executor.Sink{shown}
		if !b.o.WithoutVerdict {
			sinks = []executor.Sink{&executor.Judge{AtATime: executor.Plan(j, src.Geometry, src.Len()).Judged}, shown}
		}
		filtered := j
		filtered.Measure = false // the sink above judges
		means := executor.Means{Engine: func() (denoise.Engine, error) { return eng, nil }}
		report, err = app.Execute(ctx, filtered, src, means, job.Events{}, sinks...)
		r.Seconds = report.Seconds
		if r.Picture = shown.picture; src.Group != nil {
			r.Pictured = shown.name(src)
		}
		return err
	})
	if err != nil {
		return err
	}
	r.Outcome = report.Outcome
	r.Engine, r.Device, r.Devices, r.Recipe = report.Engine, report.Device, report.Devices, cmp.Or(report.Recipe, report.Asked)
	if i := slices.IndexFunc(report.Each, func(v executor.VolumeOutcome) bool { return v.NoiseMap != nil }); i >= 0 {
		r.NoiseMap = report.Each[i].NoiseMap.From
	}
	if r.judge(report.Each); report.Parts != nil {
		r.unjudged(executor.SplitWhy)
	}
	r.warn(report.Findings, report.Warnings)
	r.LeftOut = report.LeftOut
	return nil
}

// shownSink keeps the picture of the volume that is judged worst, of several the first.
type shownSink struct {
	stopped func(stage)
	drawn   []byte // of the volume in work
	picture []byte
	volume  int // of picture
	m       *judge.Measures
}

func (w *shownSink) Begin(context.Context, *executor.Made) error {
	w.stopped(loaded)
	return nil
}

func (w *shownSink) Slab(ctx context.Context, s *executor.Slab) (err error) {
	if run := output.ShownIn(s); run != nil {
		if w.drawn, err = picture(ctx, run); err != nil {
			return err
		}
	}
	if !s.Last {
		return nil
	}
	if s.Volume == 0 {
		w.stopped(filtered)
	}
	if m := s.Outcome.Measures; w.picture == nil || worse(m, w.m) {
		w.picture, w.volume, w.m = w.drawn, s.Volume, m
	}
	return nil
}

func (w *shownSink) Finish(context.Context, *executor.Outcome) error { return nil }

func (w *shownSink) Abort() {}

// name returns which volume of a 4-D series the picture shows.
func (w *shownSink) name(src executor.Source) string { return src.Group.Places[w.volume].String() }

// withEngine calls filter, which sets the seconds of the result, with the engine of the batch, and
// takes the wait for the engine out of the seconds of the filter. A GPU that was switched off after
// failures is tried again by every series. If the GPU fails on a series, the CPU filters it if that is
// what "auto" asked for; if nothing was asked for, the batch stops.
//
// A verdict is found by the same engine without taking turns: its runs are short, and there are
// dozens of them.
func (b *batch) withEngine(t task, r *SeriesResult, filter func(turns) error) error {
	eng, err := engines.Pick(b.engine)
	if err != nil {
		return err
	}
	try := func(eng denoise.Engine) error {
		waited := time.Duration(0)
		err := filter(turns{eng, b.filter, semaphore.NewWeighted(1), &waited})
		r.Seconds.Wait = waited.Seconds()
		if r.Seconds.Filter -= r.Seconds.Wait; r.Seconds.Filter < 0 { // a strength was searched for on the engine
			r.Seconds.Estimate, r.Seconds.Filter = max(r.Seconds.Estimate+r.Seconds.Filter, 0), 0
		}
		return err
	}
	if b.lost != nil { // it has filtered on the CPU from the start
		r.Warnings = append(r.Warnings, b.fallback(t, b.lost, nil, eng))
	}
	err = try(eng)
	policy := b.o.Job.Engine.Name
	if !errors.Is(err, engines.ErrFailed) || policy != "" && policy != "auto" {
		return err
	}
	cpu, pickErr := engines.Pick("cpu")
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
	return engines.FallbackText(why, failed, cpu, recipe, g, len(t.members)).String()
}

// engineChange is why a batch stops if its engine would change from one series to the
// next.
type engineChange struct {
	cause error
	text  string // what the change would mean
}

func (e *engineChange) Error() string {
	return fmt.Sprintf("the batch stops, as its engine would change: %s. Run it again to go on with the GPU, or with --engine auto to let the CPU filter such series", e.text)
}

func (e *engineChange) Unwrap() error { return e.cause }

// turns is an engine with runs that take turns with the runs of other series. It is safe for
// concurrent use: the search for a strength runs several recipes at once.
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

// worse reports whether a volume is judged worse than another; one that is not judged is better
// than all.
func worse(m, than *judge.Measures) bool {
	if m == nil || than == nil {
		return m != nil
	}
	return m.Worse(than.Assessment)
}

// confidences are the confidences of a figure, best first.
var confidences = []noise.Confidence{noise.High, noise.Fair, noise.Low}

// judge takes the verdict of the worst volume, and the median of sigma over the volumes that
// have one, with the least of their confidences.
func (r *SeriesResult) judge(all []executor.VolumeOutcome) {
	var worst *executor.VolumeOutcome
	var sigmas []float64
	least := 0 // of the confidences
	same := 0
	for i, v := range all {
		figure := v.Noise
		if m := v.Measures; m != nil {
			figure = &noise.Figure{Sigma: m.Sigma, Confidence: m.SigmaConfidence}
		}
		if figure != nil {
			if k := slices.Index(confidences, figure.Confidence); k >= 0 {
				sigmas, least = append(sigmas, figure.Sigma), max(least, k)
			}
		}
		switch {
		case v.Measures == nil:
		case worst == nil || worse(v.Measures, worst.Measures):
			worst, same = &all[i], 1
		case v.Measures.Judgement == worst.Measures.Judgement:
			same++
		}
	}
	r.SigmaConfidence = string(noise.None)
	if worst != nil {
		m := worst.Measures
		r.Judgement, r.Why, r.Figures, r.Places = string(m.Judgement), m.Why.String(), &m.Figures, m.Places
		if len(all) > 1 {
			r.Why = fmt.Sprintf("%d of %d volumes; %s: %s", same, len(all), worst.Name, m.Why)
		}
	}
	if len(sigmas) == 0 {
		return
	}
	slices.Sort(sigmas)
	r.Sigma = sigmas[len(sigmas)/2]
	r.SigmaConfidence = string(confidences[least])
}

// unjudged is judge for a series for which no verdict can be found.
func (r *SeriesResult) unjudged(why string) {
	r.Judgement, r.SigmaConfidence, r.Why = string(verdict.Unknown), string(noise.None), why
}

// warn adds the findings that are more than notes, and warnings, each once.
func (r *SeriesResult) warn(findings []series.Finding, more ...[]message.Message) {
	add := func(text string) {
		if !slices.Contains(r.Warnings, strings.TrimSpace(text)) {
			r.Warnings = append(r.Warnings, strings.TrimSpace(text))
		}
	}
	for _, f := range findings {
		if f.Severity > series.Note {
			add(f.Text.String())
		}
	}
	for _, texts := range more {
		for _, text := range texts {
			add(text.String())
		}
	}
}

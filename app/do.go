package app

import (
	"context"
	"errors"
	"math"
	"time"

	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/app/output"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/message"
	"quell/series"
)

// Do does a job: it opens the input, a series or all volumes of a 4-D series, see open.Catalog.Select,
// starting the engine meanwhile, checks the outputs before any work, and passes what it makes to the
// sinks of the outputs, see [Execute]. If the engine policy is "auto" and the GPU fails, the CPU
// filters instead. After an error or a cancel the output has not been written, and the Report is zero.
//
// The report of a de-identified job, be it an error, has pseudonyms in place of the texts of its
// source.
func Do(ctx context.Context, job job.Job, events job.Events) (executor.Outcome, error) {
	if err := job.Validate(); err != nil {
		return executor.Outcome{}, err
	}
	if err := executor.GateOf(job, job.Input.Path).Check(); err != nil {
		return executor.Outcome{}, err
	}
	job.Input.Conceal = job.Output.Deidentify
	r, err := doOpening(ctx, job, events)
	if job.Input.Conceal {
		err = new(open.Pseudonyms).Error(err, job.Input.Path)
	}
	return r, err
}

// doOpening is Do for a job that is valid.
func doOpening(ctx context.Context, job job.Job, events job.Events) (executor.Outcome, error) {
	started := time.Now()
	means := executor.Means{Engine: executor.StartEngine(job), Fallback: true}
	in, err := open.Select(ctx, job.Input, events)
	if err != nil {
		return executor.Outcome{}, err
	}
	defer in.Close()
	in.Covered.CountSlices(in, job.Slices)
	scanned := time.Since(started).Seconds()
	r, err := Execute(ctx, job, executor.SourceOf(in), means, events)
	if err == nil {
		r.Seconds.Load += scanned
		r.Seconds.Total += scanned
	}
	return r, err
}

// On is the input of a job if it is in memory already, as in the workbench.
type On struct {
	Series *series.Series
	Engine denoise.Engine // filters; if it fails, the error is returned
	Facts  *denoise.Facts // of Series; nil if they are not known
	Maps   run.Maps       // steer the filter, if the job names none
	// Run is a finished run of the job's recipe on Series, which is then not
	// filtered again; nil for none.
	Run    *run.Run
	Volume executor.SeriesVolume // that Series is; filters of 4-D series take all of them
}

// DoOn is Do for a series that is open. The job's input and engine policy are not
// used. A job without an output path writes nothing: the run is in the report.
func DoOn(ctx context.Context, on On, job job.Job, events job.Events) (executor.Outcome, error) {
	job.Memory = math.MaxInt64 // the series is in memory already, however large
	means := executor.Means{Engine: func() (denoise.Engine, error) { return on.Engine, nil }, Facts: on.Facts, Maps: on.Maps, Run: on.Run, Volume: on.Volume}
	return Execute(ctx, job, executor.InMemory(on.Series), means, events)
}

// DoGroup is Do for all volumes of the 4-D series that entry i of an open catalog belongs to.
// The job's input is not used; its engine policy says whether the CPU takes over if the
// engine fails.
func DoGroup(ctx context.Context, c *open.Catalog, i int, engine denoise.Engine, j job.Job, events job.Events) (executor.Outcome, error) {
	members := c.Members(i)
	if len(members) == 1 {
		return executor.Outcome{}, job.Usagef("%s: series %d is in no 4-D series", c.Path, i+1)
	}
	src, closeFiles := executor.SourceIn(c, members)
	defer closeFiles()
	means := executor.Means{Engine: func() (denoise.Engine, error) { return engine, nil }, Fallback: true}
	return Execute(ctx, j, src, means, events)
}

// Execute does a job on a source, and passes what it makes to the sinks of the outputs that the job
// names and to those of the caller. Every job is done by it: each volume of the source is read,
// checked, given noise, filtered and passed on; as a whole, or slab by slab if it is too large for the
// memory of the job (see [executor.Plan]). After an error or a cancel there is no output, unless the first
// output was finished, and the Report is zero.
func Execute(ctx context.Context, job job.Job, src executor.Source, means executor.Means, events job.Events, more ...executor.Sink) (executor.Outcome, error) {
	if err := job.ValidateSteps(); err != nil {
		return executor.Outcome{}, err
	}
	if means.Engine == nil {
		means.Engine = executor.StartEngine(job)
	}
	started := time.Now()
	sinks := append(more, output.Sinks(job, &src, executor.Plan(job, src.Geometry, src.Len()), events)...)
	r, err := executor.Do(ctx, job, src, means, sinks, events)
	if other, ok := engines.Fallback(job.Engine); ok && means.Fallback && errors.Is(err, engines.ErrFailed) {
		failed, _ := means.Engine() // slabs were passed on already: all again, by one engine
		text := engines.FallbackText(err, failed, other, *job.Recipe, src.Geometry, src.Len())
		events.Say(series.Warning, text.String())
		means.Engine = func() (denoise.Engine, error) { return other, nil }
		r, err = executor.Do(ctx, job, src, means, sinks, events)
		r.Warnings = append([]message.Message{text}, r.Warnings...)
	}
	if err != nil {
		return executor.Outcome{}, err
	}
	r.Seconds.Total = time.Since(started).Seconds()
	if src.Group != nil || r.Slabs != nil { // the rest of the time
		r.Seconds.Load = r.Seconds.Total - r.Seconds.Start - r.Seconds.Estimate - r.Seconds.Filter - r.Seconds.Measure - r.Seconds.Write
	}
	return r, nil
}

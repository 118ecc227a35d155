package app

import (
	"context"
	"time"

	"quell/denoise"
	"quell/series"
)

// Do does a job: it opens the input, a series or all volumes of a 4-D series, see Catalog.Select,
// starting the engine meanwhile, checks the outputs before any work, and passes what it makes to the
// sinks of the outputs, see [Execute]. If the engine policy is "auto" and the GPU fails, the CPU
// filters instead. After an error or a cancel the output has not been written, and the Report is zero.
//
// What a de-identified job reports, be it an error, has pseudonyms in place of the texts of its
// source.
func Do(ctx context.Context, job Job, events Events) (Report, error) {
	if err := job.Validate(); err != nil {
		return Report{}, err
	}
	if err := job.gate(job.Input.Path).Check(); err != nil {
		return Report{}, err
	}
	if job.Output.Deidentify {
		job.Input.hide, _ = NewPseudonyms() // the export warns of a key that cannot be stored
	}
	r, err := doOpening(ctx, job, events)
	return r, job.Input.hide.Error(err, job.Input.Path)
}

// doOpening is Do for a job that is valid.
func doOpening(ctx context.Context, job Job, events Events) (Report, error) {
	started := time.Now()
	means := Means{Engine: job.startEngine(), Fallback: true}
	in, err := OpenVolumes(ctx, job.Input, events)
	if err != nil {
		return Report{}, err
	}
	defer in.Close()
	in.Covered.slices(in, job.Slices)
	scanned := time.Since(started).Seconds()
	r, err := Execute(ctx, job, in.Source(), means, events)
	if err == nil {
		r.Seconds.Load += scanned
		r.Seconds.Total += scanned
	}
	return r, err
}

// On is what a job works on if it is in memory already, as in the workbench.
type On struct {
	Series *series.Series
	Engine denoise.Engine // filters; if it fails, the error is returned
	Facts  *denoise.Facts // of Series; nil if they are not known
	Maps   Maps           // steer the filter, if the job names none
	// Run is a finished run of the job's recipe on Series, which is then not
	// filtered again; nil for none.
	Run *Run
}

// DoOn is Do for a series that is open. The job's input and engine policy are not
// used. A job without an output path writes nothing: the run is in the report.
func DoOn(ctx context.Context, on On, job Job, events Events) (Report, error) {
	job.Memory = 0 // it is in memory already
	means := Means{Engine: func() (denoise.Engine, error) { return on.Engine, nil }, Facts: on.Facts, Maps: on.Maps, Run: on.Run}
	return Execute(ctx, job, InMemory(on.Series), means, events)
}

// DoGroup is Do for all volumes of the 4-D series that entry i of an open catalog belongs to.
// The job's input is not used; its engine policy says whether the CPU takes over if the
// engine fails.
func (c *Catalog) DoGroup(ctx context.Context, i int, engine denoise.Engine, job Job, events Events) (Report, error) {
	members := c.Members(i)
	if len(members) == 1 {
		return Report{}, Usagef("%s: series %d is in no 4-D series", c.Path, i+1)
	}
	src, closeFiles := c.Source(members)
	defer closeFiles()
	means := Means{Engine: func() (denoise.Engine, error) { return engine, nil }, Fallback: true}
	return Execute(ctx, job, src, means, events)
}

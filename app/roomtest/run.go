// Package roomtest runs whole jobs for tests, by the doors of package app.
package roomtest

import (
	"context"

	"quell/app"
	"quell/app/job"
	"quell/app/run"
	"quell/series"
)

// ExportRun writes a finished run as the workbench and a batch do. progress, which may be
// nil, counts files.
func ExportRun(ctx context.Context, run *run.Run, out string, o job.Options, progress func(done, total int)) (job.Written, error) {
	var events job.Events
	if progress != nil {
		events.Progress = func(step job.Step, done, total int64) {
			if step == job.Writing {
				progress(int(done), int(total))
			}
		}
	}
	job := job.Job{Recipe: &run.Recipe, Output: job.Output{Path: out, Options: o}}
	r, err := app.DoOn(ctx, app.On{Series: run.Source, Run: run}, job, events)
	return r.Written, err
}

// Convert writes a series as it is.
func Convert(ctx context.Context, s *series.Series, out string, o job.Options) (job.Written, error) {
	r, err := app.DoOn(ctx, app.On{Series: s}, job.Job{Output: job.Output{Path: out, Options: o}}, job.Events{})
	return r.Written, err
}

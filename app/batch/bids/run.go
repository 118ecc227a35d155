package bids

import (
	"context"

	"quell/app/batch"
	"quell/app/job"
)

// Run denoises the images of a dataset that a filter takes: a batch with the dataset as
// inputs. The inputs and the selection of o are not used.
func Run(ctx context.Context, dir string, f Filter, o batch.Options, events batch.Events) (batch.Summary, error) {
	d, err := Open(dir)
	if err != nil {
		return batch.Summary{}, err
	}
	if o.Output == "" {
		return batch.Summary{}, job.Usagef("the output has no name")
	}
	if err := checkOutput(o.Output); err != nil {
		return batch.Summary{}, err
	}
	o.Inputs = []string{dir}
	o.List = func(ctx context.Context) ([]batch.Unit, error) { return d.Images(ctx, f) }
	o.Begin = func() error { return d.describe(o.Output) }
	o.Open, o.OnlyChanged = d.open, true
	o.Finish = func(r batch.SeriesResult) error { return d.finish(o.Output, r) }
	if o.Job.Recipe != nil && o.Job.Recipe.SeriesFilter() != nil {
		o.Beside = func(unit string) map[string]string { return mapsOf(o.Output, unit) }
	}
	return batch.Run(ctx, o, events)
}

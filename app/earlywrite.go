package app

import (
	"context"
	"errors"

	"quell/volume"
)

// earlyWrite writes the result of a run while the engine computes it: a GPU filters a volume
// in less time than it takes to write it. The output gets its name only when the run is
// finished. A write that fails is no failure of the job, which then writes the complete
// result.
type earlyWrite struct {
	cancel   context.CancelFunc
	finished chan struct{} // closed when the run is finished
	done     chan struct{} // closed when report and err are set
	report   ExportReport
	err      error
}

// follow returns what begins to write the result of a run when its first voxels are final;
// nil where it is written when it is complete.
func (w *work) follow(ctx context.Context) func(run *Run, a *volume.Arrival) {
	out, options := w.job.Output.Path, w.job.Output.ExportOptions
	if out == "" || !FormatOf(out).Streams {
		return nil // the UIDs of DICOM files follow from all voxels
	}
	return func(run *Run, a *volume.Arrival) {
		e, err := exportOf(run, options)
		if err != nil {
			return
		}
		early := &earlyWrite{finished: make(chan struct{}), done: make(chan struct{})}
		ctx, early.cancel = context.WithCancel(ctx)
		e.record.found, e.arrival, e.settled = w.source, a, early.settled
		w.early = early
		go func() {
			defer close(early.done)
			early.report, early.err = write(ctx, e, out, options, nil)
		}()
	}
}

// settled waits for the end of the run.
func (e *earlyWrite) settled(ctx context.Context) error {
	select {
	case <-e.finished:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errNotEarly = errors.New("the result is not being written")

// finish gives the output its name, the run being finished. After an error there is none.
func (e *earlyWrite) finish() (ExportReport, error) {
	if e == nil {
		return ExportReport{}, errNotEarly
	}
	close(e.finished)
	<-e.done
	return e.report, e.err
}

// discard removes what is not finished.
func (e *earlyWrite) discard() {
	if e != nil {
		e.cancel()
		<-e.done
	}
}

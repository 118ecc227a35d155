package batch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"quell/app/engines"
	"quell/app/job"
	"quell/app/open"
	"quell/internal/message"
	"quell/io/atomic"
)

// Spec describes a batch to a worker in another process. It is a JSON value.
type Spec struct {
	Job      job.Job `json:"job"`
	Select   string  `json:"select,omitempty"`
	Output   string  `json:"output"` // absolute
	Settings string  `json:"settings"`
	Quell    string  `json:"quell"` // version, which is part of the settings

	WithoutVerdict bool `json:"without_verdict,omitempty"` // see Options
	Verify         bool `json:"verify,omitempty"`          // see Options
}

// distribute has other processes do the units, and takes the results from the store.
func (b *batch) distribute(ctx context.Context, units []Unit) error {
	out, err := filepath.Abs(b.o.Output)
	if err != nil {
		return err
	}
	before, stamps := map[string]time.Time{}, map[string]time.Time{} // when results were finished, and their files written
	if err := b.store.changed(stamps, func(r SeriesResult) { before[r.ID] = r.Finished }); err != nil {
		return err
	}
	_ = os.Remove(b.pinPath()) // of an earlier run
	mine := map[string]bool{}
	for _, u := range units {
		mine[u.Name] = true
	}
	visit := func(r SeriesResult) {
		if !mine[r.Unit] || r.Settings != b.settings {
			return
		}
		earlier, known := before[r.ID]
		r.Reused = known && earlier.Equal(r.Finished)
		delete(before, r.ID)
		b.report(r, true)
	}
	if units, err = b.seal(units); err != nil {
		return err
	}
	spec := Spec{Job: b.o.Job, Select: b.hide.Seal(b.o.Select), Output: out, Settings: b.settings, Quell: job.Version(), WithoutVerdict: b.o.WithoutVerdict, Verify: b.o.Verify}
	err = b.o.Distribute(ctx, spec, units, func(left Left) {
		b.progress.left(left, len(units))
		_ = b.store.changed(stamps, visit) // an error comes again at the end
	})
	if err = errors.Join(err, b.store.changed(stamps, visit)); err != nil {
		return err
	}
	err = b.store.all(func(r SeriesResult) {
		if _, untouched := before[r.ID]; untouched {
			visit(r)
		}
	})
	b.progress.left(Left{}, len(units))
	return err
}

// Worker does units of a batch that another process lists.
type Worker struct{ b *batch }

// NewWorker returns a worker for a batch that takes memory and workers as in Options. The error
// is an *job.UsageError if this program or machine cannot do the work.
func NewWorker(spec Spec, workers int, memory int64, events Events) (*Worker, error) {
	if spec.Quell != job.Version() {
		return nil, job.Usagef("the batch was begun by Quell %s, and this is %s; use the same version for all", spec.Quell, job.Version())
	}
	if spec.Job.Output.Deidentify {
		hide, _ := open.NewPseudonyms() // newBatch returns the error
		var err error
		if spec.Select, err = hide.Unseal(spec.Select); err != nil {
			return nil, job.Usagef("the batch was begun with another key of pseudonyms: use the account that began it, or copy its pseudonyms.key beside the settings of this one")
		}
	}
	b, err := newBatch(Options{Inputs: []string{"of another process"}, Output: spec.Output, Job: spec.Job, Select: spec.Select, Workers: workers, Memory: memory, WithoutVerdict: spec.WithoutVerdict, Verify: spec.Verify}, events)
	if err != nil {
		return nil, err
	}
	if b.settings != spec.Settings {
		return nil, job.Usagef("the settings of the batch are not understood; use the same version of Quell for all")
	}
	if info, err := os.Stat(b.store.dir()); err != nil || !info.IsDir() {
		return nil, job.Usagef("%s is not the output of a batch on this machine; workers need the same paths as quell batch", spec.Output)
	}
	if err := b.pin(); err != nil {
		return nil, err
	}
	if err := b.remember(); err != nil {
		return nil, err
	}
	b.progress.begin(nil)
	return &Worker{b}, nil
}

// pin makes the engine with which a batch begins the engine of all its workers and of the runs that
// continue it, if its policy names none: results of one batch do not depend on the time and the
// machine.
func (b *batch) pin() error {
	if b.o.Job.Engine.Name != "" || b.lost != nil {
		return nil //nolint:nilerr // a batch with a GPU that did not start may go on with it
	}
	path := b.pinPath()
	if err := atomic.CreateFile(path, []byte(b.engine), 0o666); !errors.Is(err, fs.ErrExist) {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b.engine = string(data)
	if _, err := engines.Pick(b.engine); err != nil {
		return &job.UsageError{Text: message.Text("this batch was begun on %s: %v, or --engine auto", b.engine, err), Err: err}
	}
	return nil
}

func (b *batch) pinPath() string { return filepath.Join(b.store.dir(), "engine-"+b.settings) }

// Work does the units of a source until there are no more or ctx ends.
func (w *Worker) Work(ctx context.Context, source Source) error { return w.b.work(ctx, source) }

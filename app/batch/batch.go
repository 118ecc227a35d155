package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"quell/app/engines"
	"quell/app/files"
	"quell/app/job"
	"quell/app/journal"
	"quell/app/open"
	"quell/denoise"
	"quell/internal/message"
	"quell/internal/parallel"
)

// Options say what a batch does.
type Options struct {
	Inputs []string // see List
	Output string   // folder
	// Job is what is done with every series; its input and its output's path are empty. It has
	// a recipe.
	Job    job.Job
	Select string // see ParseSelection
	// Shard of Shards, counted from 0, is the part of the units that this process does. The
	// zero values mean all of them.
	Shard, Shards int
	// Workers is how many series are in work at once: one is filtered while others are read and
	// written. 0 means 3.
	Workers int
	Memory  int64 // bytes that they take together, about; 0 is three quarters of the machine's

	// WithoutVerdict leaves results unjudged, as a verdict takes longer than a fast filter. Sigma is
	// then known if the recipe asks for it. A later batch with verdicts does the series again.
	WithoutVerdict bool

	// Verify compares the bytes of outputs that are there with their results: what differs is done
	// again. Without it that is done for files that were changed after their result was saved.
	Verify bool

	// OnlyChanged keeps no output of a series that came out unchanged; its result says so.
	OnlyChanged bool

	// List finds the units in place of the function List; nil for that. Begin is called when
	// the output is locked, Open when a unit is scanned, and Finish when the output of a series
	// is in place, also if it was before: what it adds belongs to the series, which fails with
	// its error. They may be nil; Open and Finish are called from several goroutines.
	List   func(ctx context.Context) ([]Unit, error)
	Begin  func() error
	Open   func(Unit, *open.Catalog) error
	Finish func(SeriesResult) error
	// Complete gives the job of a unit what it has for itself: outputs beside its own, a noise map. It may be nil.
	Complete func(unit string, j *job.Job)

	// Distribute has other processes do the units, which make a Worker of spec, and waits for
	// them; nil if this process does them. progress takes what is left.
	Distribute func(ctx context.Context, spec Spec, units []Unit, progress func(Left)) error
}

// Left is what is not finished of a batch that other processes do, in units.
type Left struct {
	Units       int // in all
	InWork      int // of these with a worker
	Redelivered int // of those in work: after a worker that ended, gave it back, or gave no sign of life
}

// Events receives what happens during a batch. Every function may be nil and must return
// quickly; they are never called from two goroutines at once.
type Events struct {
	Result   func(SeriesResult)
	Progress func(Progress)
	// Warning receives a sentence about the whole batch.
	Warning func(text string)
}

// Progress is how far a batch has come.
type Progress struct {
	Done       int           `json:"done"` // series with a verified output, Reused included
	Reused     int           `json:"reused"`
	Failed     int           `json:"failed"`
	Duplicates int           `json:"duplicates"`
	Unselected int           `json:"unselected"` // series that the selection does not take
	Share      float64       `json:"share"`      // of the bytes of all inputs that is finished, 0 to 1
	Left       time.Duration `json:"-"`          // until the end at the rate so far; 0 if that is not known

	// Units, the files and folders that are scanned in one go: waiting, in work, and of these
	// with a worker that is not their first. The series of a worker process are in work
	// there.
	Queued, InWork, Redelivered int `json:"-"`
}

// defaultWorkers is one series that is read, one that is filtered and one that is written.
const defaultWorkers = 3

// Run does a batch. Results are in the folder .quell-batch of the output, report.csv and
// report.html in the output itself. Series that failed are no error: see Summary.Err. The
// error is an *job.UsageError, an *job.InputError, the context's, or about an output that
// cannot be written at all.
func Run(ctx context.Context, o Options, events Events) (Summary, error) {
	b, err := newBatch(o, events)
	if err != nil {
		return Summary{}, err
	}
	return b.run(ctx)
}

func (b *batch) run(ctx context.Context) (Summary, error) {
	started := time.Now()
	list := b.o.List
	if list == nil {
		list = func(ctx context.Context) ([]Unit, error) { return List(ctx, b.o.Inputs, b.o.Output) }
	}
	var err error
	if b.units, err = list(ctx); err != nil {
		return Summary{}, err
	}
	if err := b.checkPlace(); err != nil {
		return Summary{}, err
	}
	b.units = b.hidden(b.units)
	if err := b.checkAttached(); err != nil {
		return Summary{}, err
	}
	release, err := b.store.lock(b.o.Shard, b.o.Shards)
	if err != nil {
		return Summary{}, err
	}
	defer release()
	if err := b.sameKey(); err != nil {
		return Summary{}, err
	}
	if err := b.remember(); err != nil {
		return Summary{}, err
	}
	if err := b.ownRecipe(); err != nil {
		return Summary{}, err
	}
	if b.o.Begin != nil {
		if err := b.o.Begin(); err != nil {
			return Summary{}, err
		}
	}
	if b.o.Distribute == nil {
		if err := b.pin(); err != nil {
			return Summary{}, err
		}
	}
	b.store.tidy()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(b.o.Memory))
	mine := shardOf(b.units, b.o.Shard, b.o.Shards)
	b.progress.begin(mine)
	if b.o.Distribute != nil {
		err = b.distribute(ctx, mine)
	} else {
		err = b.work(ctx, newLocal(b.store, mine))
	}
	if err == nil {
		err = b.finishPart()
	}
	summary, reportErr := b.summarise(started)
	return summary, errors.Join(err, reportErr)
}

// checkPlace refuses an output that would touch an input, before anything is written.
func (b *batch) checkPlace() error {
	inputs := slices.Clone(b.o.Inputs)
	for _, u := range b.units {
		if files.SameFile(filepath.Join(b.o.Output, filepath.FromSlash(u.Name)), u.Path) {
			return job.Usagef("%s contains the inputs, whose names the outputs would take; choose another folder", b.o.Output)
		}
		inputs = append(inputs, u.Path)
	}
	gate := files.Gate{Inputs: inputs, Outputs: []files.Target{{Option: "OUT", Path: b.o.Output, Kind: files.BatchOutput}}, Overwrite: b.o.Job.Output.Overwrite}
	return gate.Check()
}

// checkAttached refuses files whose results hold no DICOM objects, before the first series is filtered. What a selection
// leaves out is known only when it is read: there such a file is refused when it is reached.
func (b *batch) checkAttached() error {
	if len(b.o.Job.Output.Attach) == 0 || b.o.Select != "" {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(b.units), func(u Unit) bool { return u.Folder || !files.IsImageFile(u.Path) })
	if len(others) == 0 {
		return nil
	}
	first, shown := others[0].Path, others[0].Path
	if b.hide != nil {
		shown = others[0].Name
	}
	return &job.InputError{
		Path:    shown,
		Problem: message.New(message.InputUnsupported, "is %s, and maps and measurements are attached to DICOM alone (%s)", files.FormatOfInput(first).Name, message.Count(len(others), "file is concerned", "files are concerned")),
		Advice:  message.Text("leave out --attach, or take the other series alone by --select 'Format~DICOM'"),
	}
}

// remember reads which results are there.
func (b *batch) remember() error {
	b.former = map[string][]string{}
	return b.store.all(func(r SeriesResult) {
		b.former[r.Unit] = append(b.former[r.Unit], r.ID)
		b.anyDone = b.anyDone || r.State == Done
	})
}

// batch is a batch in progress.
type batch struct {
	o         Options
	selection Criteria
	settings  string // hash, see SeriesResult.Settings
	made      string // hash, see SeriesResult.Made
	engine    string // the class that filters: pinned, so that results do not depend on the order
	lost      error  // why it filters on the CPU though the machine has a GPU; nil otherwise
	store     store
	hide      *open.Pseudonyms    // nil if names stay
	units     []Unit              // of all shards
	former    map[string][]string // the results that were there, by unit
	anyDone   bool                // one of these has an output
	progress  meter
	memory    *semaphore.Weighted
	filter    *semaphore.Weighted // of 1: one series at a time has the engine
	stop      func(cause error)   // ends the work on all series; what is done stays
	stopped   func(stage)         // for tests: called at the end of each stage of a series
}

// stage is a part of the work on one series.
type stage string

const (
	loaded   stage = "loaded"
	filtered stage = "filtered"
	written  stage = "written" // the output is in place, its result is not
	recorded stage = "recorded"
)

// checkJob reports why no series can be done.
func checkJob(j job.Job) error {
	if j.Recipe == nil {
		return job.Usagef("a batch needs a recipe")
	}
	if !j.AutoDims {
		if err := j.Recipe.Validate(); err != nil {
			return &job.UsageError{Text: message.Of(err), Err: err}
		}
	}
	if err := job.CheckUneven(j.Uneven); err != nil {
		return err
	}
	return job.CheckAttach(j.Output.Attach)
}

func newBatch(o Options, events Events) (*batch, error) {
	if err := checkJob(o.Job); err != nil {
		return nil, err
	}
	o.Shards = max(o.Shards, 1)
	switch {
	case o.Job.Judged().Measure && !o.Job.Measure && o.WithoutVerdict:
		return nil, job.Usagef("--attach %s needs the verdict; leave out --no-verdict", job.AttachMeasurements)
	case len(o.Inputs) == 0:
		return nil, job.Usagef("the batch has no input")
	case o.Output == "":
		return nil, job.Usagef("the output has no name")
	case o.Shard < 0 || o.Shard >= o.Shards:
		return nil, job.Usagef("shard %d of %d: count from 1 to %d", o.Shard+1, o.Shards, o.Shards)
	case o.Workers < 0 || o.Memory < 0:
		return nil, job.Usagef("workers and memory cannot be negative")
	}
	if info, err := os.Stat(o.Output); err == nil && !info.IsDir() {
		return nil, job.Usagef("%s is a file, and a batch needs a folder; choose another name", o.Output)
	}
	if o.Workers == 0 {
		o.Workers = defaultWorkers
	}
	if o.Memory == 0 {
		o.Memory = job.DefaultMemory()
	}
	selection, err := ParseSelection(o.Select)
	if err != nil {
		return nil, err
	}
	engine, lost := "", error(nil)
	if o.Distribute == nil { // else the workers have one
		pick := func() (denoise.Engine, error) { return engines.Pick(o.Job.Engine.Name) }
		e, err := engines.Await(pick, func(text message.Message) {
			if events.Warning != nil {
				events.Warning(text.String())
			}
		})
		if err != nil {
			return nil, err
		}
		engine, lost = e.Info().Name, engines.Lost(o.Job.Engine, e)
	}
	b := &batch{
		o: o, selection: selection, engine: engine, lost: lost, store: store{o.Output},
		memory: semaphore.NewWeighted(o.Memory), filter: semaphore.NewWeighted(1), stopped: func(stage) {}, stop: func(error) {},
	}
	b.progress = meter{events: events, now: time.Now}
	if err := b.pseudonyms(); err != nil {
		return nil, err
	}
	if b.settings, err = b.hash(o.Select); err != nil {
		return nil, err
	}
	if b.made, err = b.hash(); err != nil {
		return nil, err
	}
	return b, nil
}

// recipe returns the work on a series, as JSON. The engine does not count: engines agree
// within a tolerance, and an output is made on any machine. Nor does leave to replace
// files, which changes no output.
func (b *batch) recipe() ([]byte, error) {
	j := b.o.Job
	options := j.Output.Options
	options.Overwrite, options.Attach = false, slices.Sorted(slices.Values(options.Attach))
	// The default is none by name, as before noise maps were a default: a map is derived from the series.
	noiseMap := j.NoiseMap
	switch noiseMap {
	case job.MapIfVaries:
		noiseMap = ""
	case "":
		noiseMap = job.NoMap
	}
	return json.Marshal(struct {
		Recipe   *denoise.Recipe
		AutoDims bool
		NoiseMap string
		Options  job.Options
		Uneven   string `json:",omitempty"`
		Modality string `json:",omitempty"`
		Key      string `json:",omitempty"` // of the pseudonyms
	}{j.Recipe, j.AutoDims, noiseMap, options, j.Uneven, j.Input.Modality, b.keyName()})
}

// hash identifies what is done with a series, by which version, and further texts.
func (b *batch) hash(texts ...string) (string, error) {
	data, err := b.recipe()
	if err != nil {
		return "", err
	}
	return identify(append([]string{string(data), job.Version()}, texts...)...), nil
}

// work does the units of a source: a goroutine scans them, one after the other, and the
// workers do the series in them. A unit stays open until its last series is done. One that a
// process has begun before and not finished is done alone, so that another end of the process
// is put down to the right one.
func (b *batch) work(ctx context.Context, source Source) error {
	if warning := b.progress.events.Warning; b.lost != nil && warning != nil {
		warning(fmt.Sprintf("%v; the CPU filters instead", b.lost))
	}
	ctx, b.stop = context.WithCancelCause(ctx)
	defer b.stop(nil)
	tasks := make(chan task)
	var workers sync.WaitGroup
	for range b.o.Workers {
		workers.Go(func() {
			for t := range tasks {
				b.finish(t.unit, b.do(ctx, t))
				t.done()
			}
		})
	}
	var open sync.WaitGroup
	var err error
	for {
		var d Delivery
		if d, err = source.Next(ctx); err != nil {
			break
		}
		h := b.store.take(d.Unit)
		b.progress.taken(h.Before > 0)
		alone := h.Before > 0
		if alone {
			open.Wait()
		}
		b.unit(ctx, d, h, &open, func(t task) { tasks <- t })
		if alone {
			open.Wait()
		}
	}
	close(tasks)
	workers.Wait()
	open.Wait()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return cmp.Or(context.Cause(ctx), err)
}

// unit scans a unit and emits its series. Open counts until they are done. After maxAttempts the
// series that have no result yet fail: the process may have ended when all were done. If that
// attempt ends the process too, it is for the scan, and the unit fails unseen.
func (b *batch) unit(ctx context.Context, d Delivery, h *journal.Hold, opener *sync.WaitGroup, emit func(task)) {
	var inUnit sync.WaitGroup
	var catalog *open.Catalog
	err := parallel.Protect(func() (err error) {
		if h.Before > maxAttempts {
			return errEnded
		}
		if d.Unit, err = b.unseal(d.Unit); err != nil {
			return err
		}
		h.Enter()
		defer h.Leave()
		catalog, err = b.scan(ctx, d.Unit, func(t task) {
			if h.Before == maxAttempts {
				b.finish(d.Unit, b.fail(d.Unit, t.result, errEnded))
				return
			}
			inUnit.Add(1)
			t.hold, t.done = h, inUnit.Done
			h.Leave() // while it waits for a worker
			emit(t)
			h.Enter()
		})
		return err
	})
	if err != nil {
		b.finish(d.Unit, b.failure(d.Unit, err))
	}
	opener.Go(func() {
		inUnit.Wait()
		catalog.Close()
		outcome := GivenBack
		if ctx.Err() == nil {
			outcome = Finished
			b.progress.unit(d.Unit)
		}
		if !h.Release(outcome == Finished) {
			outcome = Taken
		}
		b.progress.ended(h.Before > 0)
		d.Done(outcome)
	})
}

// finish reports a result. What was in work when the batch was cancelled, or when another process
// took it over, has none.
func (b *batch) finish(u Unit, r *SeriesResult) {
	if r == nil {
		return
	}
	saved := true
	if !r.Reused {
		if err := b.store.results().Save(r.ID, r); err != nil {
			saved = false
			if r.Problem == "" {
				r.Problem = fmt.Sprintf("the output is there, but not that it is done: %v", err)
				r.State, r.Code = Failed, job.ExitFailed
			}
		}
	}
	b.stopped(recorded)
	b.report(*r, saved)
}

// report counts a result and logs it.
func (b *batch) report(r SeriesResult, saved bool) {
	job.Log("series", slog.String("id", r.ID), slog.String("state", string(r.State)), slog.Bool("reused", r.Reused), slog.Int("code", r.Code),
		slog.String("engine", r.Engine), slog.String("judgement", r.Judgement), slog.Int("voxels", r.voxels()), slog.Any("seconds", r.Seconds))
	b.progress.result(r, saved)
}

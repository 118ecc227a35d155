package bench

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"quell/app/engines"
	"quell/app/job"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/gpu"
	"quell/kernels"
)

// Options select the measurements.
type Options struct {
	Names      []string // experiments or papers, see Select; all for none
	Engine     string   // "cpu", "cuda", or "auto" for the rows of both
	Quick      bool     // one repeat, fewer slices: the rows of the CPU take less than two minutes
	Volume     string   // a file or folder that replaces the phantoms; "" for none
	Fresh      bool     // measure rows again that an unfinished run has measured
	Checkpoint string   // the file in which rows of unfinished runs are kept, see CheckpointPath; "" for nowhere
	Command    string   // for the report

	// pick returns the engine of a row, or why there is none, which a CPU never lacks;
	// nil for the program's.
	pick func(name string, threads int) (denoise.Engine, string)
}

// Events receives what happens during a run. Functions may be nil and must return
// quickly; none is called while another is.
type Events struct {
	Row      func(experiment, row string, n, of int) // a row begins, the nth of all
	Progress func(done, total int64)                 // of the row
	Message  func(text string)                       // a sentence for a person
	Input    job.Events                              // about the user's volume
}

func (e Events) message(format string, args ...any) {
	if e.Message != nil {
		e.Message(fmt.Sprintf(format, args...))
	}
}

// Validate reports options that go together with no input. Errors are
// app.UsageErrors.
func (o Options) Validate() error {
	if _, err := Select(o.Names...); err != nil {
		return err
	}
	if !slices.Contains([]string{"", "auto", "cpu", "cuda"}, o.Engine) {
		return job.Usagef("no engine is called %q; there are auto, cpu, cuda", o.Engine)
	}
	return nil
}

// Run measures the rows of the chosen experiments and reports them. A row with a
// missing engine is reported as such; one that fails does not stop the others.
// After a cancel the error is the context's, the report holds the rows done so far, and they are kept for
// the next run with the same options.
func Run(ctx context.Context, o Options, events Events) (Report, error) {
	if err := o.Validate(); err != nil {
		return Report{}, err
	}
	chosen, err := Select(o.Names...)
	if err != nil {
		return Report{}, err
	}
	return run(ctx, chosen, o, events)
}

// run measures the rows of the given experiments.
func run(ctx context.Context, chosen []Experiment, o Options, events Events) (Report, error) {
	in, err := openInputs(ctx, o.Volume, o.Quick, events.Input)
	if err != nil {
		return Report{}, err
	}
	if o.pick == nil {
		o.pick = pickEngine
	}
	b := &runner{ctx: ctx, options: o, events: events, inputs: in, checkpoint: openCheckpoint(o.Checkpoint)}
	report := newReport(o)
	for _, e := range chosen {
		e.Rows = slices.DeleteFunc(slices.Clone(e.Rows), func(r Row) bool {
			return o.Engine != "" && o.Engine != "auto" && o.Engine != r.Engine || o.Quick && r.Long
		})
		if len(e.Rows) > 0 {
			b.experiments = append(b.experiments, e)
			b.rows += len(e.Rows)
		}
	}
	for _, e := range b.experiments {
		measured, stop := b.experiment(e)
		if len(measured.Rows) > 0 {
			report.Experiments = append(report.Experiments, measured)
		}
		if err = stop; err != nil {
			report.Missing = b.rows - b.measured
			break
		}
	}
	if err != nil {
		b.saved(b.checkpoint.flush())
	} else if err := b.checkpoint.remove(b.keys); err != nil {
		events.message("The file of unfinished runs cannot be removed: %v.", err)
	}
	report.Engines = b.engines()
	report.Seconds = time.Since(report.Started).Seconds()
	return report, err
}

// runner is a run in progress.
type runner struct {
	ctx         context.Context
	options     Options
	events      Events
	inputs      *inputs
	checkpoint  *checkpoint
	experiments []Experiment
	rows, done  int
	measured    int      // of rows, also if in vain
	keys        []string // of the checkpoint's rows that belong to this run
	used        []denoise.Info
	missing     []EngineReport
	unsaved     bool // the checkpoint cannot be written; said once
}

func (b *runner) experiment(e Experiment) (x ExperimentReport, err error) {
	x = describe(e)
	var again []*measurement
	for _, row := range e.Rows {
		b.done++
		if b.events.Row != nil {
			b.events.Row(e.Name, row.Name(), b.done, b.rows)
		}
		var r RowReport
		var m *measurement
		if r, m, err = b.row(e, row); err == nil || r.Status == Measured {
			b.measured++
			x.Rows, again = append(x.Rows, r), append(again, m)
		}
		if err != nil {
			break
		}
	}
	if err == nil && e.takesTurns() {
		err = b.takeTurns(&x, again)
	}
	x.finish(e)
	return x, err
}

// row measures a row, or takes it from an unfinished run. It returns what can time it
// again, nil for a row that was not timed now. The error is from a cancel; any other is in
// the report.
func (b *runner) row(e Experiment, row Row) (r RowReport, again *measurement, err error) {
	r = RowReport{Name: row.Name(), Series: row.Series, X: row.X, Y: row.Y, Engine: row.Engine, Paper: row.Paper, PaperVoxels: row.PaperVoxels, Base: row.Base}
	engine, why := b.options.pick(row.Engine, row.Threads)
	if row.Scalar && engine != nil {
		engine = scalarEngine{threads: engine.Info().Cores}
	}
	if row.Rung != (kernels.Rung{}) && engine != nil {
		ladder, ok := engine.(interface {
			On(kernels.Rung) denoise.Engine
		})
		if !ok {
			return r, nil, fmt.Errorf("the engine %s has no ladders", engine.Info().Name)
		}
		engine = ladder.On(row.Rung)
	}
	if engine == nil {
		r.Status, r.Why = Missing, "no CUDA device"
		b.miss(row.Engine, why)
		return r, nil, b.ctx.Err()
	}
	b.use(engine.Info())
	key := strings.Join([]string{e.Name, row.Name(), row.Engine, engine.Info().Device, fmt.Sprint(engine.Info().Cores),
		job.Version(), fmt.Sprint("quick=", b.options.Quick), b.inputs.key(row.Input)}, "|")
	b.keys = append(b.keys, key)
	if earlier, ok := b.checkpoint.get(key); ok && !b.options.Fresh {
		r.Status, r.Result = Measured, earlier
		r.Earlier = true
		return r, nil, b.ctx.Err()
	}
	if r.Result, again, err = b.measure(e, row, engine); err != nil {
		r.Status, r.Why = Failed, err.Error()
		return r, nil, b.ctx.Err()
	}
	r.Status, again.key = Measured, key
	b.save(key, r.Result)
	if row.measure != nil {
		again = nil
	}
	return r, again, b.ctx.Err()
}

// save keeps a finished row for the next run, should this one not end.
func (b *runner) save(key string, r RowResult) {
	b.saved(b.checkpoint.put(key, r))
}

// saved says once that the checkpoint cannot be written.
func (b *runner) saved(err error) {
	if err != nil && !b.unsaved {
		b.unsaved = true
		b.events.message("Finished rows cannot be kept, so that a cancelled run begins anew: %v.", err)
	}
}

func (b *runner) measure(e Experiment, row Row, engine denoise.Engine) (RowResult, *measurement, error) {
	img, err := b.inputs.get(b.ctx, row.Input)
	if err != nil {
		return RowResult{}, nil, err
	}
	m := measurement{ctx: b.ctx, row: row, engine: engine, image: img, open: func(q Input) (*sample, error) { return b.inputs.get(b.ctx, q) }, quick: b.options.Quick, images: e.comparesImages(), progress: b.events.Progress}
	err = m.run()
	m.output = nil
	if err == nil && row.measure == nil && e.takesTurns() {
		m.result.Turns = []float64{m.result.Figures[Time]}
		if row.Step != "" {
			m.result.Steps = []float64{m.result.Figures[FirstStep]}
		}
	}
	return m.result, &m, err
}

func (b *runner) use(info denoise.Info) {
	if !slices.ContainsFunc(b.used, func(other denoise.Info) bool { return other.Name == info.Name && other.Cores >= info.Cores }) {
		b.used = slices.DeleteFunc(b.used, func(other denoise.Info) bool { return other.Name == info.Name })
		b.used = append(b.used, info)
	}
}

func (b *runner) miss(name, why string) {
	if !slices.ContainsFunc(b.missing, func(e EngineReport) bool { return e.Name == name }) {
		b.missing = append(b.missing, EngineReport{Name: name, Why: why})
	}
}

// engines describes the engines of the rows.
func (b *runner) engines() []EngineReport {
	var all []EngineReport
	for _, info := range b.used {
		e := EngineReport{Name: info.Name, Device: info.Device, Cores: info.Cores, Memory: info.Memory}
		if engine, _ := b.options.pick(info.Name, 0); engine != nil {
			if g, ok := engine.(interface{ Status() gpu.Status }); ok {
				status := g.Status()
				e.Driver, e.Kernels = "CUDA "+status.Driver, status.Kernels[:min(len(status.Kernels), 12)]
				e.Shapes, e.Clock, e.Compute = status.Tuned, 1e3*float64(status.Device.ClockKHz), status.Device.Compute
				if version := driverVersion(); version != "" {
					e.Driver = version + ", " + e.Driver
				}
			}
		}
		all = append(all, e)
	}
	return append(all, b.missing...)
}

// driverNumber is a version of NVIDIA's driver in what its module for Linux says.
var driverNumber = regexp.MustCompile(`\b\d{3,}\.\d+(\.\d+)?\b`)

// driverVersion returns the version of NVIDIA's driver, which the CUDA API does not
// report; "" if the system has no /proc/driver/nvidia/version.
func driverVersion() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	return driverNumber.FindString(string(text))
}

// pickEngine returns an engine of this program, or why there is none.
func pickEngine(name string, threads int) (denoise.Engine, string) {
	if name == "cpu" && threads > 0 {
		return cpu.New(cpu.Threads(min(threads, runtime.NumCPU()))), ""
	}
	engine, err := engines.Pick(name)
	if err == nil {
		return engine, ""
	}
	why := err.Error()
	for _, e := range engines.SoFar() {
		if e.Name == name && !e.Why.IsZero() {
			why = e.Why.String()
		}
	}
	return nil, why
}

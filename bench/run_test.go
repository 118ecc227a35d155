package bench

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"quell/app/engines"
	"quell/app/job"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// counted is the CPU engine with a count of runs and an error added to its results.
type counted struct {
	denoise.Engine
	runs  int
	takes time.Duration // a run at least
	add   float32       // to the first voxel of each result
	err   error
}

func (c *counted) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, p denoise.Progress) (*volume.Volume, error) {
	c.runs++
	time.Sleep(c.takes)
	if c.err != nil {
		return nil, c.err
	}
	out, err := c.Engine.Run(ctx, r, in, region, p)
	if err == nil {
		out.Data[0] += c.add
	}
	return out, err
}

func (c *counted) options(o Options) Options {
	o.Quick = true
	o.pick = func(name string, threads int) (denoise.Engine, string) {
		if name == "cuda" {
			return nil, "none was found"
		}
		return c, ""
	}
	return o
}

func newCounted() *counted { return &counted{Engine: cpu.New()} }

// three is an experiment of three rows on a small volume.
func three() []Experiment {
	e := Experiment{Name: "test-three", Paper: zheng, Figures: []string{Time, Speedup, PSNR}, Unit: "s", Source: "none", Title: "three rows", Setup: "None."}
	for _, label := range []string{"a", "b", "c"} {
		e.Rows = append(e.Rows, Row{Label: label, Series: "CPU", Engine: "cpu", Input: Input{Kind: MR, Dims: [3]int{12, 12, 4}, Model: "gaussian", Sigma: 10},
			Filter: "gaussian", Dims: 2, Settings: []string{"radius=1"}, Paper: map[string]float64{Time: 2}, PaperVoxels: 2 * 576, Base: "a, CPU"})
	}
	return []Experiment{e}
}

// Every run takes a millisecond of the bubble's clock, so that every row takes as many runs.
func TestResume(t *testing.T) { synctest.Test(t, resume) }

func resume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache", "bench.json")
	engine := newCounted()
	engine.takes = time.Millisecond
	o := engine.options(Options{Checkpoint: path})
	ctx, cancel := context.WithCancel(context.Background())
	var begun []string
	events := Events{Row: func(_, row string, n, of int) {
		begun = append(begun, row)
		if of != 3 || n != len(begun) {
			t.Errorf("row %d of %d begins as number %d", n, of, len(begun))
		}
		if n == 3 {
			cancel()
		}
	}}
	stopped, err := run(ctx, three(), o, events)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("after a cancel: %v", err)
	}
	if len(stopped.Experiments) != 1 || len(stopped.Experiments[0].Rows) != 2 || stopped.Missing != 1 || !strings.Contains(strings.Join(stopped.notes(), " "), ": 1 rows") {
		t.Errorf("the report of a cancelled run: %+v", stopped)
	}
	if strings.Join(begun, " ") != "a, CPU b, CPU c, CPU" {
		t.Errorf("rows %v", begun)
	}
	each := engine.runs / 2 // runs of one row

	// Other options and other inputs share no rows with the cancelled run.
	other := o
	other.Volume = smallVolume(t, [3]int{12, 12, 4})
	engine.runs = 0
	if report, err := run(context.Background(), three(), other, Events{}); err != nil || report.Experiments[0].Rows[0].Earlier || engine.runs != 3*each {
		t.Errorf("another input takes rows of the cancelled run (%d runs of %d), %v", engine.runs, 3*each, err)
	}

	engine.runs = 0
	report, err := run(context.Background(), three(), o, Events{})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range report.Experiments[0].Rows {
		if r.Earlier != (i < 2) || r.Status != Measured || r.Result.Figures[Time] <= 0 || r.Result.Input == "" {
			t.Errorf("row %s after the cancel: %+v", r.Name, r)
		}
	}
	if engine.runs != each {
		t.Errorf("%d runs for the last row; a row takes %d", engine.runs, each)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a finished run leaves rows behind: %v", err)
	}
	engine.runs = 0
	if report, err = run(context.Background(), three(), o, Events{}); err != nil || report.Experiments[0].Rows[0].Earlier || engine.runs != 3*each {
		t.Errorf("a run after a finished one does not measure again: %d runs, %v", engine.runs, err)
	}
}

func TestState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bench.json")
	s := openCheckpoint(path)
	row := RowResult{Figures: map[string]float64{PSNR: 30}, Pictures: []Picture{{Title: "after", PNG: []byte{1, 2}}}}
	for _, key := range []string{"one", "two"} {
		if err := s.put(key, row); err != nil {
			t.Fatal(err)
		}
	}
	// The first row is written at once, the second when it is due, or by flush.
	if _, ok := openCheckpoint(path).get("one"); !ok {
		t.Error("the first row was not written")
	}
	if _, ok := openCheckpoint(path).get("two"); ok {
		t.Error("the file is written for every row")
	}
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	s = openCheckpoint(path)
	if _, ok := s.get("two"); !ok {
		t.Error("flush wrote nothing")
	}
	if got, ok := s.get("one"); !ok || got.Figures[PSNR] != 30 || len(got.Pictures) != 1 || got.Pictures[0].PNG[1] != 2 {
		t.Errorf("read back: %+v, %v", got, ok)
	}
	if _, ok := s.get("three"); ok {
		t.Error("a row that was never measured is there")
	}
	if err := s.remove([]string{"one"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := openCheckpoint(path).get("two"); !ok {
		t.Error("removing one row removed another")
	}
	if err := os.WriteFile(path, []byte(`{"one": {"result": {"fig`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := openCheckpoint(path); len(s.rows) != 0 || s.put("one", row) != nil {
		t.Error("a damaged file is not replaced")
	}
	none := openCheckpoint("")
	if none.put("one", row) != nil || none.remove([]string{"one"}) != nil {
		t.Error("a run without a checkpoint fails")
	}
}

// Fresh rows replace rows of the unfinished run; an unwritable checkpoint is said once.
func TestFreshAndUnwritable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "bench.json")
	engine := newCounted()
	ctx, cancel := context.WithCancel(context.Background())
	_, _ = run(ctx, three(), engine.options(Options{Checkpoint: path}), Events{Row: func(_, _ string, n, _ int) {
		if n == 2 {
			cancel()
		}
	}})
	report, err := run(context.Background(), three(), engine.options(Options{Checkpoint: path, Fresh: true}), Events{})
	if err != nil || report.Experiments[0].Rows[0].Earlier {
		t.Errorf("a fresh run: %+v, %v", report.Experiments, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var said []string
	report, err = run(context.Background(), three(), engine.options(Options{Checkpoint: filepath.Join(file, "bench.json")}),
		Events{Message: func(text string) { said = append(said, text) }})
	if err != nil || report.Failures() != "" || len(said) == 0 || !strings.HasPrefix(said[0], "Finished rows cannot be kept") || len(said) > 2 {
		t.Errorf("messages %q, %v", said, err)
	}
}

func TestMissingAndFailedRows(t *testing.T) {
	e := three()
	e[0].Rows[1].Engine, e[0].Rows[1].Series = "cuda", "CUDA"
	engine := newCounted()
	report, err := run(context.Background(), e, engine.options(Options{}), Events{})
	if err != nil || report.Failures() != "" {
		t.Fatal(err, report.Failures())
	}
	if r := report.Experiments[0].Rows[1]; r.Status != Missing || r.note() != "no CUDA device" {
		t.Errorf("a row without its engine: %+v", r)
	}
	if n := len(report.Engines); n != 2 || report.Engines[1].sentence() != "cuda: no CUDA device: none was found" {
		t.Errorf("engines: %+v", report.Engines)
	}
	for _, c := range []struct {
		engine string
		want   []string
	}{{"cpu", []string{"a, CPU", "c, CPU"}}, {"cuda", []string{"b, CUDA"}}, {"auto", []string{"a, CPU", "b, CUDA", "c, CPU"}}} {
		report, err := run(context.Background(), e, engine.options(Options{Engine: c.engine}), Events{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range report.Experiments[0].Rows {
			got = append(got, r.Name)
		}
		if strings.Join(got, ";") != strings.Join(c.want, ";") {
			t.Errorf("--engine %s: rows %v", c.engine, got)
		}
	}
	engine.err = errors.New("out of paper")
	report, err = run(context.Background(), three(), engine.options(Options{}), Events{})
	if err != nil || !strings.HasPrefix(report.Failures(), "3 rows failed, the first test-three, a, CPU: out of paper") {
		t.Errorf("failed rows: %q, %v", report.Failures(), err)
	}
	report.Experiments[0].Rows = report.Experiments[0].Rows[:1]
	if !strings.HasPrefix(report.Failures(), "a row failed: ") {
		t.Errorf("a failed row: %q", report.Failures())
	}
}

// A result that differs from the reference is not timed.
func TestDisagreement(t *testing.T) {
	for _, add := range []float32{0.01, 10, float32(math.NaN())} {
		engine := newCounted()
		engine.add = add
		report, err := run(context.Background(), three()[:1], engine.options(Options{}), Events{})
		if err != nil {
			t.Fatal(err)
		}
		wrong := !(add < 1)
		for _, r := range report.Experiments[0].Rows {
			if (r.Status == Failed) != wrong || (wrong && !strings.Contains(r.Why, "was not timed")) {
				t.Errorf("%g is added: %s %s", add, r.Status, r.Why)
			}
			if d := r.Result.Check.MaxAbsDiff; !wrong && !(d > 0.009 && d < 0.011) {
				t.Errorf("%g is added: a difference of %g", add, d)
			}
			if wrong && has(r.Result.Figures, Time) {
				t.Errorf("%g is added: timed", add)
			}
		}
	}
	for _, c := range []struct {
		check Agreement
		want  bool
	}{
		{Agreement{MaxAbsDiff: 0.02, RMS: 0.002, Range: 200}, true},
		{Agreement{MaxAbsDiff: 0.0201, RMS: 0.002, Range: 200}, false},
		{Agreement{MaxAbsDiff: 0.02, RMS: 0.00201, Range: 200}, false},
		{Agreement{MaxAbsDiff: math.NaN(), RMS: math.NaN(), Range: 200}, false},
	} {
		if c.check.agrees() != c.want {
			t.Errorf("%+v agrees: %v", c.check, !c.want)
		}
	}
}

// An engine that rows use with different numbers of threads is listed once, with most.
func TestEnginesOfARun(t *testing.T) {
	e := three()
	for i, threads := range []int{1, 3, 2} {
		e[0].Rows[i].Threads = threads
	}
	o := Options{Quick: true, pick: func(_ string, threads int) (denoise.Engine, string) {
		return cores{Engine: cpu.New(), n: threads}, ""
	}}
	report, err := run(context.Background(), e, o, Events{})
	if err != nil || len(report.Engines) != 1 || report.Engines[0].Cores != 3 {
		t.Errorf("engines %+v, %v", report.Engines, err)
	}
}

// cores is the CPU engine that says that it has n cores.
type cores struct {
	denoise.Engine
	n int
}

func (c cores) Info() denoise.Info { return denoise.Info{Name: "cpu", Cores: c.n} }

func TestValidate(t *testing.T) {
	var usage *job.UsageError
	for _, o := range []Options{{Engine: "opencl"}, {Names: []string{"nothing"}}} {
		if err := o.Validate(); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", o, err)
		}
		if _, err := Run(context.Background(), o, Events{}); !errors.As(err, &usage) {
			t.Errorf("%+v runs: %v", o, err)
		}
	}
	var input *job.InputError
	if _, err := Run(context.Background(), Options{Volume: filepath.Join(t.TempDir(), "missing.nii")}, Events{}); !errors.As(err, &input) {
		t.Errorf("a missing volume: %v", err)
	}
	for _, engine := range []string{"", "auto", "cpu", "cuda"} {
		if err := (Options{Engine: engine}).Validate(); err != nil {
			t.Errorf("engine %q: %v", engine, err)
		}
	}
}

func TestPickEngine(t *testing.T) {
	if e, why := pickEngine("cpu", 1); e == nil || e.Info().Cores != 1 {
		t.Errorf("one thread: %v %s", e, why)
	}
	if e, why := pickEngine("cpu", 0); e == nil || why != "" {
		t.Errorf("all threads: %v %s", e, why)
	}
	engines.UseGPUWorker(filepath.Join(t.TempDir(), "no-worker"))
	defer engines.UseGPUWorker("")
	if e, why := pickEngine("cuda", 0); e != nil || why == "" || strings.Contains(why, "--engine") {
		t.Errorf("without a worker: %v %q", e, why)
	}
}

// The note says what was found from the input, besides the slices.
func TestAutomatic(t *testing.T) {
	e := horacekTable()
	e.Rows = e.Rows[:1]
	e.Rows[0].Input.Dims = [3]int{32, 32, 9}
	e.Rows[0].Input.Slices = 9
	report, err := run(context.Background(), []Experiment{e}, newCounted().options(Options{}), Events{})
	if err != nil || report.Failures() != "" {
		t.Fatal(err, report.Failures())
	}
	r := report.Experiments[0].Rows[0]
	h := r.Result.Recipe.Get("h").Float()
	if want := "h = " + significant(h); h <= 0 || r.note() != want {
		t.Errorf("note %q, want %q", r.note(), want)
	}
}

// One setting of several is chosen by the error.
func TestBestSetting(t *testing.T) {
	e := three()
	e[0].Rows = e[0].Rows[:1]
	e[0].Rows[0].Settings = []string{"radius=0", "radius=8 sigma-spatial=20", "radius=1 sigma-spatial=0.4"}
	var last, total int64
	report, err := run(context.Background(), e, newCounted().options(Options{}), Events{Progress: func(done, of int64) { last, total = done, of }})
	if err != nil {
		t.Fatal(err)
	}
	r := report.Experiments[0].Rows[0]
	if got := r.Result.Recipe.Get("radius").Ints(); len(got) == 0 || got[0] != 1 || r.Result.Figures[PSNR] < r.Result.Figures[PSNRBefore] {
		t.Errorf("chosen: %v, PSNR %g after %g", r.Result.Recipe, r.Result.Figures[PSNR], r.Result.Figures[PSNRBefore])
	}
	if last == 0 || total == 0 {
		t.Error("no progress")
	}
}

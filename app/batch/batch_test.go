package batch

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"quell/app"
	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/internal/message"
	"quell/io/nifti/niftitest"
	"quell/series"
	"quell/volume"
)

// cohort is a folder of generated series and a place for the output.
type cohort struct {
	t       *testing.T
	in, out string
}

func newCohort(t *testing.T) cohort {
	dir := t.TempDir()
	return cohort{t, filepath.Join(dir, "in"), filepath.Join(dir, "out")}
}

// values are noise of a seed, on a step.
func values(seed int) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{8, 6, 3}, [3]float64{1, 1, 2}))
	state := uint64(seed)*2654435761 + 1
	for i := range v.Data {
		state = state*6364136223846793005 + 1442695040888963407
		v.Data[i] = float32(state>>40)/float32(1<<24)*20 + float32(i%8/4*100)
	}
	return v
}

// nii writes a NIfTI series.
func (c cohort) nii(name string, seed int) string {
	c.t.Helper()
	path := filepath.Join(c.in, filepath.FromSlash(name))
	c.must(os.MkdirAll(filepath.Dir(path), 0o777))
	_ = os.Remove(path)
	c.must(niftitest.Write(c.t.Context(), path, values(seed), ""))
	return path
}

// dicom writes a folder of DICOM, as a new series.
func (c cohort) dicom(name string, seed int) string {
	c.t.Helper()
	path := filepath.Join(c.in, filepath.FromSlash(name))
	v := values(seed)
	_, err := app.DoOn(c.t.Context(), app.On{Series: &series.Series{Meta: series.Meta{Format: "phantom", Description: "Step"}, Volume: v}}, job.Job{Output: job.Output{Path: path}}, job.Events{})
	c.must(err)
	return path
}

func (c cohort) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c cohort) options() Options { return optionsOf(c.in, c.out) }

// optionsOf filter everything with a Gaussian on the CPU.
func optionsOf(in, out string) Options {
	recipe, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		panic(err)
	}
	return Options{Inputs: []string{in}, Output: out, Job: job.Job{Recipe: &recipe, Engine: job.EnginePolicy{Name: "cpu"}}}
}

// run does a batch that is expected to end.
func (c cohort) run(o Options) Summary {
	c.t.Helper()
	s, err := Run(c.t.Context(), o, Events{})
	c.must(err)
	c.check(s)
	return s
}

// check: every series of a summary has exactly one row, and a verified output if it is done.
func (c cohort) check(s Summary) {
	c.t.Helper()
	rows := c.rows()
	seen := map[string]string{}
	for _, row := range rows {
		if other, twice := seen[row["id"]]; twice {
			c.t.Errorf("two rows for %s: %s, %s", row["input"], other, row["state"])
		}
		seen[row["id"]] = row["state"]
	}
	for _, r := range resultsOf(s) {
		if seen[r.ID] != string(r.State) {
			c.t.Errorf("%s is %s, and in report.csv %q", r.Input(), r.State, seen[r.ID])
		}
		if r.State != Done {
			continue
		}
		if x := r.Seconds; x.Total < x.Load+x.Wait+x.Filter+x.Measure || x.Total == 0 {
			c.t.Errorf("%s: %+v do not make up the total", r.Input(), x)
		}
		back, err := open.Open(c.t.Context(), job.Input{Path: filepath.Join(c.out, filepath.FromSlash(r.Output))}, job.Events{})
		if err != nil {
			c.t.Errorf("%s: %v", r.Input(), err)
			continue
		}
		back.Close()
	}
}

// rows reads report.csv.
func (c cohort) rows() (rows []map[string]string) {
	c.t.Helper()
	file, err := os.Open(filepath.Join(c.out, "report.csv"))
	c.must(err)
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	c.must(err)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// resultsOf are the results of a run.
func resultsOf(s Summary) []SeriesResult { return slices.Collect(s.Results()) }

// states lists the states of inputs, in the order of their names.
func states(s Summary) []string {
	var all []string
	for _, r := range resultsOf(s) {
		text := fmt.Sprintf("%s %s", r.Unit, r.State)
		if r.Reused {
			text += " before"
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}

func TestSecondRunDoesWhatIsMissing(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	c.nii("p/b.nii.gz", 2)
	c.nii("p/c.hdr", 3)
	c.dicom("q/ct", 4)
	o := c.options()
	equal(t, "first run", states(c.run(o)), []string{"a.nii done", "p/b.nii.gz done", "p/c.hdr done", "q/ct done"})
	for _, name := range []string{"a.nii", "a.nii.recipe.json", "p/b.nii.gz", "p/c.hdr", "p/c.img", "report.html"} {
		if !exists(filepath.Join(c.out, name)) {
			t.Errorf("%s is missing", name)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(c.out, "q/ct/*-*/IM00003.dcm")); len(found) != 1 {
		t.Errorf("DICOM output: %v", found)
	}
	all := []string{"a.nii done before", "p/b.nii.gz done before", "p/c.hdr done before", "q/ct done before"}
	s := c.run(o)
	equal(t, "second run", states(s), all)
	equal(t, "reused", []int{s.Done, s.Reused}, []int{4, 4})

	// A record that is gone comes again, with the same output.
	var dicomOutput string
	for r := range s.Results() {
		if r.Unit == "q/ct" {
			dicomOutput = r.Output
		}
	}
	before, err := os.ReadFile(filepath.Join(c.out, "p/b.nii.gz"))
	c.must(err)
	for _, name := range []string{"p/b.nii.gz.recipe.json", dicomOutput + ".recipe.json"} {
		c.must(os.Remove(filepath.Join(c.out, name)))
		s = c.run(o)
		equal(t, "without "+name, []int{s.Done, s.Reused}, []int{4, 3})
		if !exists(filepath.Join(c.out, name)) {
			t.Errorf("%s is missing", name)
		}
	}
	after, err := os.ReadFile(filepath.Join(c.out, "p/b.nii.gz"))
	c.must(err)
	equal(t, "the output is the same", string(after) == string(before), true)

	// An output that is gone or incomplete, and an input that changed.
	c.must(os.Remove(filepath.Join(c.out, "p/c.img")))
	c.nii("a.nii", 5)
	c.nii("d.nii", 6)
	equal(t, "changes", states(c.run(o)), []string{"a.nii done", "d.nii done", "p/b.nii.gz done before", "p/c.hdr done", "q/ct done before"})

	// A file that is touched is the same, and one that is gone has no row.
	path := filepath.Join(c.in, "a.nii")
	c.must(os.Chtimes(path, c.time(path), c.time(path)))
	c.must(os.Remove(filepath.Join(c.in, "d.nii")))
	equal(t, "touched", states(c.run(o)), all)
	equal(t, "rows", len(c.rows()), 4)
	if !exists(filepath.Join(c.out, "d.nii")) {
		t.Error("an output was removed")
	}

	// Another recipe or option asks for everything again, and for leave to replace it.
	other, err := denoise.NewRecipe("median", 2)
	c.must(err)
	o.Job.Recipe = &other
	o.Job.Output.Overwrite = true
	if s := c.run(o); s.Reused != 0 || s.Done != 4 {
		t.Errorf("another recipe: %+v", s.Progress)
	}
	// A selection asks for nothing again.
	o.Select = "Path~^p/"
	s = c.run(o)
	equal(t, "selection", states(s), []string{"p/b.nii.gz done before", "p/c.hdr done before"})
	equal(t, "unselected", s.Unselected, 2)
	equal(t, "rows of the selection", len(c.rows()), 2)
}

func (c cohort) time(path string) (t time.Time) {
	info, err := os.Stat(path)
	c.must(err)
	return info.ModTime().Add(1e9)
}

// TestListThatNamesAnotherOutput: a series with a line that names another output is written
// there.
func TestListThatNamesAnotherOutput(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	c.nii("b.nii", 2)
	list := filepath.Join(c.in, "list.csv")
	o := c.options()
	o.Inputs = []string{list}
	for _, x := range []struct {
		output string
		reused int
	}{{"x/one.nii", 0}, {"x/one.nii", 2}, {"two.nii", 1}, {"", 1}, {"x/one.nii", 1}} {
		c.must(os.WriteFile(list, []byte("path,output\na.nii,"+x.output+"\nb.nii,\n"), 0o666))
		s := c.run(o)
		equal(t, x.output, []int{s.Done, s.Reused}, []int{2, x.reused})
		want := cmp.Or(x.output, "a.nii")
		for _, row := range c.rows() {
			if row["input"] == "a.nii" && row["output"] != want {
				t.Errorf("%q: the row names %s", x.output, row["output"])
			}
		}
		if !exists(filepath.Join(c.out, filepath.FromSlash(want))) {
			t.Errorf("%s is missing", want)
		}
	}
}

// TestTheDefaultMapIsNoSetting: the steps are described as before the default was a map, by no name of a map.
func TestTheDefaultMapIsNoSetting(t *testing.T) {
	c := newCohort(t)
	for _, x := range []struct{ given, want string }{{"", `"NoiseMap":""`}, {job.NoMap, `"NoiseMap":"none"`}, {job.MapAuto, `"NoiseMap":"auto"`}} {
		o := c.options()
		o.Job.NoiseMap = job.GivenMap(x.given)
		b, err := newBatch(o, Events{})
		c.must(err)
		text, err := b.recipe()
		c.must(err)
		if !strings.Contains(string(text), x.want) {
			t.Errorf("%q is described by %s", x.given, text)
		}
	}
}

// TestWhatAsksForEverythingAgain: each setting that changes an output is part of the key, and the
// engine is not.
func TestWhatAsksForEverythingAgain(t *testing.T) {
	c := newCohort(t)
	keyOf := func(change func(*job.Job)) string {
		o := c.options()
		o.Job.NoiseMap = job.GivenMap("")
		change(&o.Job)
		b, err := newBatch(o, Events{})
		c.must(err)
		key, err := b.hash("digest")
		c.must(err)
		return key
	}
	plain := keyOf(func(*job.Job) {})
	other, err := denoise.NewRecipe("gaussian", 3)
	c.must(err)
	seen := map[string]string{plain: "nothing"}
	for name, change := range map[string]func(*job.Job){
		"recipe":     func(j *job.Job) { j.Recipe = &other },
		"dimensions": func(j *job.Job) { j.AutoDims = true },
		"noise map":  func(j *job.Job) { j.NoiseMap = job.MapAuto },
		"no map":     func(j *job.Job) { j.NoiseMap = job.GivenMap(job.NoMap) },
		"type":       func(j *job.Job) { j.Output.Dtype = "int16" },
		"identity":   func(j *job.Job) { j.Output.Deidentify = true },
		"compressed": func(j *job.Job) { j.Output.Compress = job.DefaultCompression },
		"uneven":     func(j *job.Job) { j.Uneven = "resample" },
		"maps":       func(j *job.Job) { j.Output.Attach = []string{job.AttachMaps} },
		"both":       func(j *job.Job) { j.Output.Attach = job.Attachments() },
	} {
		key := keyOf(change)
		if same, twice := seen[key]; twice {
			t.Errorf("%s has the key of %s", name, same)
		}
		seen[key] = name
	}
	for name, change := range map[string]func(*job.Job){
		"engine":    func(j *job.Job) { j.Engine.Name = "auto" },
		"overwrite": func(j *job.Job) { j.Output.Overwrite = true },
	} {
		if keyOf(change) != plain {
			t.Errorf("%s asks for everything again", name)
		}
	}
}

func TestFailuresAreRows(t *testing.T) {
	c := newCohort(t)
	c.nii("good.nii", 1)
	cut := c.nii("cut.nii", 2)
	c.must(os.Truncate(cut, 500))
	c.must(os.WriteFile(filepath.Join(c.in, "text.nii"), []byte("no NIfTI"), 0o666))
	poisoned := c.dicom("poisoned", 3)
	c.must(os.Truncate(filepath.Join(poisoned, "IM00002.dcm"), 900))
	c.must(os.WriteFile(filepath.Join(c.in, "readme.txt"), []byte("no image"), 0o666))
	c.nii("foreign.nii", 4)
	c.must(os.MkdirAll(c.out, 0o777))
	c.must(os.WriteFile(filepath.Join(c.out, "foreign.nii"), []byte("of somebody"), 0o666))
	c.nii("folder.nii", 5)
	c.must(os.MkdirAll(filepath.Join(c.out, "folder.nii", "x"), 0o777))
	s := c.run(c.options())
	equal(t, "states", states(s), []string{"cut.nii failed", "folder.nii failed", "foreign.nii failed", "good.nii done", "poisoned failed", "text.nii failed"})
	for _, r := range resultsOf(s) {
		if r.State == Failed && (r.Problem == "" || strings.Contains(r.Problem, c.in) || strings.Contains(r.Problem, "\n") || r.Output != "") {
			t.Errorf("%s: %q", r.Unit, r.Problem)
		}
	}
	if resultsOf(s)[5].State != Done || resultsOf(s)[0].State != Failed {
		t.Error("problems do not come first")
	}
	if err := s.Err(); job.ExitCode(err) != job.ExitInput || !strings.HasPrefix(err.Error(), "5 of 6 series failed; the first: cut.nii: ") {
		t.Errorf("error %v", err)
	}
	// What failed is tried again.
	c.nii("cut.nii", 2)
	s = c.run(c.options())
	equal(t, "second run", states(s), []string{"cut.nii done", "folder.nii failed", "foreign.nii failed", "good.nii done before", "poisoned failed", "text.nii failed"})
	// A folder that turns into a series loses the failure of the folder.
	c.must(os.RemoveAll(poisoned))
	c.dicom("poisoned", 3)
	s = c.run(c.options())
	if rows := c.rows(); s.Failed != 3 || len(rows) != 6 {
		t.Errorf("%+v, %d rows", s.Progress, len(rows))
	}
}

func TestExitCodes(t *testing.T) {
	failed := func(code int) SeriesResult { return SeriesResult{State: Failed, Code: code, Unit: "a", Problem: "p"} }
	done := SeriesResult{State: Done}
	partial := SeriesResult{State: Done, Unit: "a", LeftOut: []series.LeftOut{{Text: message.Text("echo 2"), Files: []string{"b", "c"}}}}
	for _, x := range []struct {
		results []SeriesResult
		want    int
	}{
		{nil, job.ExitDone},
		{[]SeriesResult{done, {State: Duplicate}}, job.ExitDone},
		{[]SeriesResult{done, partial}, job.ExitPartial},
		{[]SeriesResult{partial, failed(job.ExitInput)}, job.ExitInput},
		{[]SeriesResult{done, failed(job.ExitInput)}, job.ExitInput},
		{[]SeriesResult{failed(job.ExitUsage)}, job.ExitInput},
		{[]SeriesResult{failed(job.ExitInput), failed(job.ExitFailed)}, job.ExitFailed},
		{[]SeriesResult{failed(job.ExitFailed), failed(job.ExitInput)}, job.ExitFailed},
	} {
		if got := job.ExitCode(summaryOf(x.results...).Err()); got != x.want {
			t.Errorf("%v: %d, want %d", x.results, got, x.want)
		}
	}
	want := "images of 1 of 2 series were left out; the first: a: done, but for what was left out: echo 2 (b and 1 more)"
	if err := summaryOf(done, partial).Err(); err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
	if err := summaryOf(failed(1)).Err(); err.Error() != "1 of 1 series failed: a: p" {
		t.Error(err)
	}
}

// summaryOf is a summary of results that no store has.
func summaryOf(all ...SeriesResult) Summary {
	a := results{unsaved: map[string]SeriesResult{}}
	for i, r := range all {
		r.ID = strconv.Itoa(i)
		a.rows, a.unsaved[r.ID] = append(a.rows, rowOf(r)), r
	}
	sortRows(a.rows)
	return Summary{results: a}
}

// hooked is a batch in which series call hook at the end of every stage.
func (c cohort) hooked(o Options, hook func(stage)) *batch {
	c.t.Helper()
	b, err := newBatch(o, Events{})
	c.must(err)
	b.stopped = hook
	return b
}

func TestPanicIsAFailureOfOneSeries(t *testing.T) {
	c := newCohort(t)
	for i := range 4 {
		c.nii(fmt.Sprintf("s%d.nii", i), i)
	}
	var once sync.Once
	b := c.hooked(c.options(), func(s stage) {
		if s == filtered {
			once.Do(func() { panic("a fault") })
		}
	})
	s, err := b.run(t.Context())
	c.must(err)
	if s.Done != 3 || s.Failed != 1 || resultsOf(s)[0].Problem != "internal error: a fault" || job.ExitCode(s.Err()) != job.ExitFailed {
		t.Errorf("%+v, %q", s.Progress, resultsOf(s)[0].Problem)
	}
	if s := c.run(c.options()); s.Done != 4 || s.Reused != 3 {
		t.Errorf("second run: %+v", s.Progress)
	}
}

// TestCancel: a batch that is cancelled at any stage leaves nothing half done.
func TestCancel(t *testing.T) {
	for _, at := range []stage{loaded, filtered, written, recorded} {
		c := newCohort(t)
		for i := range 5 {
			c.nii(fmt.Sprintf("s%d.nii", i), i)
		}
		ctx, cancel := context.WithCancel(t.Context())
		b := c.hooked(c.options(), func(s stage) {
			if s == at {
				cancel()
			}
		})
		s, err := b.run(ctx)
		if !errors.Is(err, context.Canceled) || s.Failed > 0 || s.Done == 5 {
			t.Errorf("cancelled when %s: %v, %+v", at, err, s.Progress)
		}
		c.check(s)
		if again := c.run(c.options()); again.Done != 5 || again.Reused < s.Done || at == loaded && again.Reused > 0 {
			t.Errorf("after a cancel when %s: %+v, %d were done", at, again.Progress, s.Done)
		}
	}
}

func TestDuplicatesAreFilteredOnce(t *testing.T) {
	c := newCohort(t)
	first := c.dicom("a", 1)
	c.must(os.CopyFS(filepath.Join(c.in, "b"), os.DirFS(first)))
	c.nii("c.nii", 2)
	c.nii("d.nii", 2) // another file of the same voxels has an output of its own
	s := c.run(c.options())
	equal(t, "states", []int{s.Done, s.Duplicates, s.Failed}, []int{3, 1, 0})
	for _, r := range resultsOf(s) {
		if r.State == Duplicate && (r.SameAs == "" || r.Output != "" || !strings.HasPrefix(r.SameAs, map[string]string{"a": "b", "b": "a"}[r.Unit])) {
			t.Errorf("%+v", r)
		}
	}
	again := c.run(c.options())
	equal(t, "again", []int{again.Done, again.Reused, again.Duplicates}, []int{3, 3, 1})
	// The copy takes the place of a series that is gone.
	for _, r := range resultsOf(again) {
		if r.State == Done && r.Format == "DICOM" {
			c.must(os.RemoveAll(filepath.Join(c.in, r.Unit)))
		}
	}
	last := c.run(c.options())
	equal(t, "without the first", []int{last.Done, last.Reused, last.Duplicates}, []int{3, 2, 0})
}

func TestTwoBatchesOnOneOutput(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	tried := false
	b := c.hooked(c.options(), func(s stage) {
		if s != loaded {
			return
		}
		tried = true
		for _, x := range []struct {
			shard, shards int
			text          string
		}{{0, 1, "another batch is writing there"}, {0, 2, "a batch of 1 shards is writing there"}, {1, 2, "a batch of 1 shards"}} {
			o := c.options()
			o.Shard, o.Shards = x.shard, x.shards
			if _, err := Run(t.Context(), o, Events{}); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), x.text) {
				t.Errorf("%d of %d: %v", x.shard, x.shards, err)
			}
		}
	})
	if s, err := b.run(t.Context()); err != nil || s.Done != 1 || !tried {
		t.Errorf("%v, %+v", err, s.Progress)
	}
	// Other shards of the same number are welcome.
	o := c.options()
	o.Shards = 2
	b = c.hooked(o, func(stage) {})
	release, err := store{c.out}.lock(1, 2)
	c.must(err)
	if _, err := b.run(t.Context()); err != nil {
		t.Error(err)
	}
	release()
	if s := c.run(c.options()); s.Done != 1 {
		t.Errorf("afterwards: %+v", s.Progress)
	}
}

func TestShardsDoEverySeriesOnce(t *testing.T) {
	c := newCohort(t)
	for i := range 12 {
		c.nii(fmt.Sprintf("p%02d/s.nii", i), i)
	}
	done := map[string]int{}
	for shard := range 3 {
		o := c.options()
		o.Shard, o.Shards = shard, 3
		s := c.run(o)
		if s.Done == 0 || s.Done > 8 {
			t.Errorf("shard %d has %d of 12 series", shard, s.Done)
		}
		for _, r := range resultsOf(s) {
			done[r.Unit]++
		}
	}
	if len(done) != 12 {
		t.Errorf("%d of 12 series were done", len(done))
	}
	for name, n := range done {
		if n != 1 {
			t.Errorf("%s was done %d times", name, n)
		}
	}
	// The report of the last shard has the rows of all.
	equal(t, "rows", len(c.rows()), 12)
}

// TestMemory: series wait until those in work leave room.
func TestMemory(t *testing.T) {
	c := newCohort(t)
	for i := range 6 {
		c.nii(fmt.Sprintf("s%d.nii", i), i)
	}
	catalog, err := open.Scan(t.Context(), filepath.Join(c.in, "s0.nii"))
	c.must(err)
	bytes := executor.Plan(c.options().Job, catalog.Entries[0].Geometry, 1).Peak
	equal(t, "peak", bytes, int64(6*4*8*6*3)) // input, result, and what judging takes
	for _, x := range []struct {
		memory int64
		most   int
	}{{bytes, 1}, {2*bytes - 1, 1}, {2 * bytes, 2}} {
		o := c.options()
		o.Memory, o.Workers, o.Output = x.memory, 6, filepath.Join(t.TempDir(), "out")
		var mu sync.Mutex
		inWork, most := 0, 0
		b := c.hooked(o, func(s stage) {
			mu.Lock()
			defer mu.Unlock()
			switch s {
			case loaded:
				inWork++
				most = max(most, inWork)
			case written:
				inWork--
			}
		})
		if s, err := b.run(t.Context()); err != nil || s.Done != 6 || most > x.most {
			t.Errorf("%d bytes: %v, %+v, %d at once", x.memory, err, s.Progress, most)
		}
	}
}

// TestSlabs: a series that needs more memory than the batch may take is filtered slab by slab, with the same
// bits.
func TestSlabs(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	c.nii("b/b.nii", 2)
	c.dicom("d", 3)
	c.fourD("x.nii", 4)
	whole, err := Run(t.Context(), c.options(), Events{})
	c.must(err)
	equal(t, "done", whole.Done, 4)
	catalog, err := open.Scan(t.Context(), filepath.Join(c.in, "a.nii"))
	c.must(err)
	bytes := executor.Plan(c.options().Job, catalog.Entries[0].Geometry, 1).Whole
	for _, memory := range []int64{bytes, bytes - 1, 2 * 4 * 8 * 6} { // whole, one slab, one for each slice
		o := c.options()
		o.Memory, o.Output = memory, filepath.Join(t.TempDir(), "out")
		s, err := Run(t.Context(), o, Events{})
		c.must(err)
		for _, r := range resultsOf(s) {
			if r.State != Done || r.Judgement != "unknown" {
				t.Errorf("%d bytes: %s is %s: %s, %s: %s", memory, r.Unit, r.State, r.Problem, r.Judgement, r.Why)
			}
			if r.Recipe == nil || r.Engine != "cpu" || r.Seconds.Load < 0 || r.Seconds.Filter <= 0 || r.Seconds.Write <= 0 {
				t.Errorf("%d bytes: %s: recipe %v, engine %q, %+v", memory, r.Unit, r.Recipe, r.Engine, r.Seconds)
			}
			if strings.HasPrefix(r.Format, "DICOM") {
				continue // with the time of the export
			}
			want, err := os.ReadFile(filepath.Join(c.out, r.Output))
			c.must(err)
			got, err := os.ReadFile(filepath.Join(o.Output, r.Output))
			c.must(err)
			if string(got) != string(want) {
				t.Errorf("%d bytes: %s differs", memory, r.Unit)
			}
		}
	}
}

func TestBadOptions(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	file := filepath.Join(c.in, "a.nii")
	for name, change := range map[string]func(*Options){
		"no recipe":      func(o *Options) { o.Job.Recipe = nil },
		"bad recipe":     func(o *Options) { o.Job.Recipe = &denoise.Recipe{Filter: "none"} },
		"no input":       func(o *Options) { o.Inputs = nil },
		"no output":      func(o *Options) { o.Output = "" },
		"output a file":  func(o *Options) { o.Output = file },
		"shard too high": func(o *Options) { o.Shard, o.Shards = 2, 2 },
		"shard negative": func(o *Options) { o.Shard, o.Shards = -1, 2 },
		"workers":        func(o *Options) { o.Workers = -1 },
		"memory":         func(o *Options) { o.Memory = -1 },
		"selection":      func(o *Options) { o.Select = "Modality" },
		"engine":         func(o *Options) { o.Job.Engine.Name = "abacus" },
	} {
		o := c.options()
		change(&o)
		if _, err := Run(t.Context(), o, Events{}); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if exists(c.out) {
		t.Error("something was written")
	}
	o := c.options()
	o.Inputs = []string{filepath.Join(c.in, "missing")}
	if _, err := Run(t.Context(), o, Events{}); job.ExitCode(err) != job.ExitInput {
		t.Errorf("a missing input: %v", err)
	}
}

func exists(path string) bool { return files.Exists(path) }

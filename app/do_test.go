package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// medianJob filters a small NIfTI file to another.
func medianJob(t *testing.T) Job {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 6, 5, 8)
	r := mustRecipe("median", 3)
	return Job{
		Input:  Input{Path: in},
		Recipe: &r,
		Engine: EnginePolicy{Name: "cpu"},
		Output: Output{Path: filepath.Join(dir, "out.nii")},
	}
}

func TestDoFiltersAndReports(t *testing.T) {
	job := medianJob(t)
	job.Slices, job.Measure = SliceRange{From: 2, To: 5}, true
	job.Output.Beside = map[string]string{"pictures": filepath.Join(t.TempDir(), "pictures")}
	job.Engine.Threads = 1
	steps := map[Step]bool{}
	report, err := Do(t.Context(), job, Events{Progress: func(step Step, done, total int64) { steps[step] = steps[step] || done == total }})
	if err != nil {
		t.Fatal(err)
	}
	if !steps[Reading] || !steps[Filtering] || !steps[Writing] {
		t.Errorf("progress of %v; want all steps to their end", steps)
	}
	if report.Engine != "cpu" || report.Voxels != 6*5*3 || report.Dims != [3]int{6, 5, 3} || report.Files != 1 || report.Measures == nil {
		t.Errorf("report %+v", report)
	}
	got, c, err := openPath(t.Context(), job.Output.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	want, err := Denoise(t.Context(), cpu.New(), RunRequest{Series: wavy(6, 5, 8), Recipe: *job.Recipe}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if part := want.Result.Crop(volume.Slices(want.Result.Geometry, 2, 5)); !slices.Equal(part.Data, got.Volume.Data) {
		t.Error("the output is not the part of the whole result")
	}
	if pictures, _ := filepath.Glob(filepath.Join(job.Output.Beside["pictures"], "*.png")); len(pictures) != 3 {
		t.Errorf("%d pictures; want 3", len(pictures))
	}
	for _, field := range []string{"engine", "device", "recipe", "asked", "seconds", "voxels", "output", "files", "clipped", "warnings", "recipe_file"} {
		var fields map[string]any
		if data, err := json.Marshal(report); err != nil || json.Unmarshal(data, &fields) != nil || fields[field] == nil {
			t.Errorf("the report has no %q in JSON", field)
		}
	}
}

func TestDoAddsNoiseAndConverts(t *testing.T) {
	job := medianJob(t)
	job.Noise = &Noise{Model: noise.Gaussian, Sigma: 3, Seed: 1}
	job.Measure = true
	report, err := Do(t.Context(), job, Events{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Measures.Truth == nil {
		t.Error("a result of added noise is not compared with the series without it")
	}
	job.Recipe, job.Measure = nil, false
	job.Output.Path = filepath.Join(t.TempDir(), "noisy.nii")
	if report, err = Do(t.Context(), job, Events{}); err != nil || report.Noise == nil || report.Engine != "" {
		t.Errorf("noise alone: %+v, %v", report, err)
	}
	job.Noise = nil
	job.Output.Path = filepath.Join(t.TempDir(), "copy.nii.gz")
	if report, err = Do(t.Context(), job, Events{}); err != nil || report.Files != 1 || report.Record != "" {
		t.Errorf("conversion: %+v, %v", report, err)
	}
	if got, c, err := openPath(t.Context(), job.Output.Path); err != nil || !slices.Equal(got.Volume.Data, wavy(6, 5, 8).Volume.Data) {
		t.Errorf("the conversion changed the values: %v", err)
	} else {
		c.Close()
	}
}

// TestDoChecksFirst: what can be known before the work is refused before the work.
func TestDoChecksFirst(t *testing.T) {
	for what, change := range map[string]func(*Job){
		"no input":             func(j *Job) { j.Input.Path = "" },
		"no output":            func(j *Job) { j.Output.Path = "" },
		"output is the input":  func(j *Job) { j.Output.Path = j.Input.Path },
		"series and component": func(j *Job) { j.Input.Series, j.Input.Component = new(int), "red" },
		"no such engine":       func(j *Job) { j.Engine.Name = "warp" },
		"threads":              func(j *Job) { j.Engine.Threads = -1 },
		"no such recipe":       func(j *Job) { j.Recipe.Dims = 4 },
		"slices":               func(j *Job) { j.Slices = SliceRange{From: 3, To: 9} },
		"no slices":            func(j *Job) { j.Slices = SliceRange{From: 3, To: 3} },
		"slices behind":        func(j *Job) { j.Slices = SliceRange{From: 8} },
		"noise":                func(j *Job) { j.Noise = &Noise{Model: "pink"} },
		"pictures in a file":   func(j *Job) { j.Output.Beside = map[string]string{"pictures": j.Input.Path} },
		"pictures of nothing":  func(j *Job) { j.Recipe, j.Output.Beside = nil, map[string]string{"pictures": "x"} },
	} {
		job := medianJob(t)
		change(&job)
		filtered := false
		_, err := Do(t.Context(), job, Events{Progress: func(step Step, _, _ int64) { filtered = filtered || step == Filtering }})
		if ExitCode(err) != ExitUsage || filtered {
			t.Errorf("%s: %v, filtered: %v; want a UsageError before", what, err, filtered)
		}
	}
	job := medianJob(t)
	in, err := Open(t.Context(), job.Input, Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := convert(t.Context(), in.Series, job.Input.Path, ExportOptions{}); ExitCode(err) != ExitUsage {
		t.Errorf("a conversion onto its input: %v", err)
	}
	missing := 3
	job.Input.Series = &missing
	if _, err := Do(t.Context(), job, Events{}); ExitCode(err) != ExitUsage {
		t.Errorf("a series that is not there: %v", err)
	}
}

// TestDoFallsBackToTheCPU: under the policy "auto" a failed device costs the time
// it took and nothing else; any other error, and any other policy, ends the job.
func TestDoFallsBackToTheCPU(t *testing.T) {
	broken := fmt.Errorf("the GPU worker died: %w", ErrEngineFailed)
	for _, c := range []struct {
		policy string
		err    error
		falls  bool
	}{{"auto", broken, true}, {"", broken, true}, {"cuda", broken, false}, {"cpu", broken, false}, {"auto", errors.New("wrong recipe"), false}} {
		job := medianJob(t)
		job.Engine.Name = c.policy
		in, err := Open(t.Context(), job.Input, Events{})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		broken := engineFunc(func(*volume.Volume, denoise.Recipe, volume.Region) (*volume.Volume, error) { return nil, c.err })
		means := Means{Engine: func() (denoise.Engine, error) { return broken, nil }, Fallback: true}
		r, err := Execute(t.Context(), Job{Recipe: job.Recipe, Engine: job.Engine}, InMemory(in.Series), means, Events{})
		switch {
		case c.falls && (err != nil || r.Engine != "cpu" || len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0].String(), c.err.Error()+"; the CPU filters instead")):
			t.Errorf("policy %q after %v: %v, warnings %q; want the cpu", c.policy, c.err, err, r.Warnings)
		case !c.falls && !errors.Is(err, c.err):
			t.Errorf("policy %q after %v: %v; want the error", c.policy, c.err, err)
		}
	}
}

// TestDoOnAnOpenSeries: without an output the run is returned and nothing is
// written; a finished run is exported without filtering again.
func TestDoOnAnOpenSeries(t *testing.T) {
	job := medianJob(t)
	in, err := Open(t.Context(), job.Input, Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	calls := 0
	on := On{Series: in.Series, Engine: engineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
		calls++
		return v.Crop(r), nil
	})}
	out := job.Output.Path
	report, err := DoOn(t.Context(), on, Job{Recipe: job.Recipe}, Events{})
	if err != nil || report.Run == nil || calls != 1 || report.Output != "" {
		t.Fatalf("run %v, %d calls, output %q, %v", report.Run, calls, report.Output, err)
	}
	if _, err := os.Lstat(out); err == nil {
		t.Error("something was written")
	}
	on.Run = report.Run
	report, err = DoOn(t.Context(), on, Job{Recipe: job.Recipe, Output: Output{Path: out}}, Events{})
	if err != nil || calls != 1 || report.Run != on.Run || report.Written.Output != out {
		t.Errorf("export: %d calls, %+v, %v", calls, report.Written, err)
	}
	on.Engine = engineFunc(func(*volume.Volume, denoise.Recipe, volume.Region) (*volume.Volume, error) {
		return nil, ErrEngineFailed
	})
	on.Run = nil
	if _, err := DoOn(t.Context(), on, Job{Recipe: job.Recipe}, Events{}); !errors.Is(err, ErrEngineFailed) {
		t.Errorf("a failed engine: %v; want the error, as the workbench asks", err)
	}
	bad := *job.Recipe
	bad.Dims = 7
	if _, err := DoOn(t.Context(), on, Job{Recipe: &bad}, Events{}); ExitCode(err) != ExitUsage {
		t.Errorf("a wrong recipe: %v", err)
	}
}

func TestEnginePolicy(t *testing.T) {
	all, err := EnginePolicy{Name: "cpu"}.pick()
	if err != nil {
		t.Fatal(err)
	}
	if n := all.Info().Cores; n != runtime.GOMAXPROCS(0) {
		t.Errorf("%d cores without a limit; want %d", n, runtime.GOMAXPROCS(0))
	}
	one, err := EnginePolicy{Name: "cpu", Threads: 1}.pick()
	if err != nil || one.Info().Cores != 1 {
		t.Errorf("%d cores, %v; want 1", one.Info().Cores, err)
	}
	if other, ok := (EnginePolicy{Threads: 1}).fallback(); !ok || other.Info().Cores != 1 {
		t.Errorf("the fallback does not keep the limit of threads")
	}
}

func TestJobInJSON(t *testing.T) {
	job := medianJob(t)
	number := 2
	job.Input.Series = &number
	job.Slices = SliceRange{From: 1}
	job.Output.Dtype, job.Output.Deidentify = "int16", true
	data, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	var got Job
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, job) {
		t.Errorf("%s gives %+v, %v; want %+v", data, got, err, job)
	}
}

// TestMessages: a job names the series that it took, and the warnings about it.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	putNii(t, filepath.Join(dir, "small.nii"), 3, 3, 3)
	putNii(t, filepath.Join(dir, "large.nii"), 4, 4, 4)
	var texts []string
	in, err := Open(t.Context(), Input{Path: dir}, Events{Message: func(s series.Severity, text string) { texts = append(texts, s.String()+" "+text) }})
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if len(texts) != 1 || !strings.HasPrefix(texts[0], "note "+dir+" holds 2 series; taking number 1, the largest (4 slices)") {
		t.Errorf("messages %q", texts)
	}
}

func TestIrregularSeries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "series")
	putDICOM(t, dir, 6, 5, 5)
	if err := os.Remove(filepath.Join(dir, "IM00003.dcm")); err != nil {
		t.Fatal(err)
	}
	s, c, err := openPath(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	warned := false
	in, err := Open(t.Context(), Input{Path: dir}, Events{Message: func(s series.Severity, text string) {
		warned = warned || s == series.Warning && strings.Contains(text, "missing")
	}})
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if !warned {
		t.Error("no message warns of the missing slice")
	}
	// Slices 0, 2, 6 and 8 mm high on a grid with 8/3 mm between them.
	const off = "0.7 mm"
	refused := func(what string, err error) {
		t.Helper()
		if ExitCode(err) != ExitInput || !strings.Contains(err.Error(), off) {
			t.Errorf("%s: %v; want a refusal that says %s", what, err, off)
		}
	}
	_, err = Denoise(t.Context(), cpu.New(), RunRequest{Series: s, Recipe: mustRecipe("median", 3)}, nil)
	refused("3-D filter", err)
	refused("3-D preview", filterSlice(t.Context(), cpu.New(), PreviewRequest{Series: s, Recipe: mustRecipe("median", 3)}).Err)
	run, err := Denoise(t.Context(), cpu.New(), RunRequest{Series: s, Recipe: mustRecipe("median", 2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.nii", "a.nii.gz", "a.hdr"} {
		out := filepath.Join(t.TempDir(), name)
		_, err := exportRun(t.Context(), run, out, ExportOptions{}, nil)
		refused("export to "+name, err)
		_, err = convert(t.Context(), s, out, ExportOptions{})
		refused("conversion to "+name, err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := exportRun(t.Context(), run, out, ExportOptions{}, nil); err != nil {
		t.Errorf("export to DICOM: %v", err)
	}
	back, c2, err := openPath(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	defer c2.Close()
	if back.Irregular != s.Irregular {
		t.Errorf("the export is irregular by %g mm; want the source's %g", back.Irregular, s.Irregular)
	}
	without := *s
	without.Sources = nil
	_, err = exportRun(t.Context(), &Run{Source: &without, Result: run.Result, Region: run.Region, Recipe: run.Recipe}, out+"2", ExportOptions{}, nil)
	refused("a new DICOM series", err)
	if dims, err := ProposeDims(s, "median"); err != nil || dims != 2 {
		t.Errorf("%d-D is proposed, %v; want 2-D", dims, err)
	}
	regular := *s
	regular.Irregular = 0 // what the reader says of positions that are only rounded
	ct := regular
	ct.Volume = regular.Volume.Clone()
	ct.Volume.Unit = "HU"
	if err := checkRecipe(&ct, mustRecipe("median", 3).With("stabilise", denoise.Sigmas(1)), false); err == nil || !strings.Contains(err.Error(), "the series is a CT") {
		t.Errorf("stabilised Rician noise of a CT: %v", err)
	}
	if err := checkRecipe(&ct, mustRecipe("median", 3), false); err != nil {
		t.Error(err)
	}
	if err := checkRecipe(&regular, mustRecipe("median", 3), false); err != nil {
		t.Error(err)
	}
}

// planless is an engine that can plan nothing.
type planless struct{ engineFunc }

func (planless) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	return denoise.Plan{}, errors.New("too large to plan")
}

// TestRunsThatAreRefused: what is wrong with a request is said before the engine runs,
// and the engine's own errors are returned as they are.
func TestRunsThatAreRefused(t *testing.T) {
	s := wavy(6, 5, 4)
	ran := false
	same := engineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
		ran = true
		return v.Crop(r), nil
	})
	bad := mustRecipe("median", 2)
	bad.Dims = 5
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for what, c := range map[string]struct {
		ctx  context.Context
		q    RunRequest
		eng  denoise.Engine
		code int
		want string
	}{
		"a region outside":  {t.Context(), RunRequest{Region: volume.Slices(s.Volume.Geometry, 2, 5), Recipe: mustRecipe("median", 2)}, same, ExitUsage, "reaches outside"},
		"a wrong recipe":    {t.Context(), RunRequest{Recipe: bad}, same, ExitUsage, "5"},
		"no plan":           {t.Context(), RunRequest{Recipe: mustRecipe("median", 2)}, planless{same}, ExitFailed, "too large to plan"},
		"cancelled":         {ended, RunRequest{Recipe: mustRecipe("bilateral", 2)}, same, ExitCancelled, ""},
		"a wrong value":     {t.Context(), RunRequest{Recipe: mustRecipe("median", 2).With("radius", denoise.Percent(5))}, same, ExitUsage, "radius"},
		"none for the auto": {t.Context(), RunRequest{Recipe: mustRecipe("bilateral", 2).With("sigma-range", denoise.Number(-3))}, same, ExitUsage, "sigma-range"},
	} {
		c.q.Series = s
		run, err := Denoise(c.ctx, c.eng, c.q, nil)
		if run != nil || ran || ExitCode(err) != c.code || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, ran %v, error %v (%d)", what, run, ran, err, ExitCode(err))
		}
		ran = false
	}
	run, err := Denoise(t.Context(), same, RunRequest{Series: s, Recipe: mustRecipe("median", 2)}, nil)
	if err != nil || !run.Whole() || run.Region != s.Volume.Bounds() || run.Started.IsZero() || run.Filter <= 0 || run.Source != s || run.Engine.Name != "fake" {
		t.Errorf("%+v, %v", run, err)
	}
}

// TestDoLeavesNothingOpen: the input is closed after a job, and after one that failed.
func TestDoLeavesNothingOpen(t *testing.T) {
	dir := t.TempDir()
	putDICOM(t, filepath.Join(dir, "src"), 6, 5, 3)
	path := filepath.Join(dir, "src.zip")
	zipOf(t, filepath.Join(dir, "src"), path)
	job := medianJob(t)
	job.Input.Path = path
	for _, out := range []string{job.Output.Path, dir} {
		job.Output.Path = out
		if report, err := Do(t.Context(), job, Events{}); (err == nil) != (out != dir) || (report.Output != "") != (out != dir) {
			t.Errorf("to %s: %+v, %v", out, report, err)
		}
		if n := openFiles(t, dir); n != 0 {
			t.Errorf("to %s: %d files are open", out, n)
		}
	}
}

// TestJobsThatDoNotFilter need no engine, and those that write DICOM again are refused.
func TestJobsThatDoNotFilter(t *testing.T) {
	job := medianJob(t)
	job.Recipe, job.Engine.Name = nil, "warp"
	if report, err := Do(t.Context(), job, Events{}); err != nil || report.Engine != "" || report.Run != nil || report.Voxels != 6*5*8 {
		t.Errorf("a conversion with an engine that is not there: %+v, %v", report, err)
	}
	dir := filepath.Join(t.TempDir(), "src")
	putDICOM(t, dir, 6, 5, 3)
	job.Input.Path, job.Output.Path = dir, filepath.Join(t.TempDir(), "out")
	if report, err := Do(t.Context(), job, Events{}); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "is DICOM already") || report.Output != "" {
		t.Errorf("DICOM to DICOM: %+v, %v", report, err)
	}
	job.Noise = &Noise{Model: noise.Gaussian, Sigma: 2}
	if report, err := Do(t.Context(), job, Events{}); err != nil || report.Files != 3 || report.Noise == nil {
		t.Errorf("noise in DICOM: %+v, %v", report, err)
	}
}

// TestDimsOfAJob: the dimensionality that suits the series replaces that of the recipe
// where the job asks for it.
func TestDimsOfAJob(t *testing.T) {
	job := medianJob(t)
	job.Recipe.Dims = 2
	for _, auto := range []bool{false, true} {
		job.AutoDims = auto
		want := 2
		if auto {
			want = 3
		}
		report, err := Do(t.Context(), job, Events{})
		if err != nil || report.Recipe.Dims != want || report.Asked.Dims != want {
			t.Errorf("automatic %v: %+v, %v; want %d-D", auto, report.Recipe, err, want)
		}
	}
	unknown := *job.Recipe
	unknown.Filter = "magic"
	job.Recipe = &unknown
	if _, err := Do(t.Context(), job, Events{}); ExitCode(err) != ExitUsage {
		t.Errorf("an unknown filter: %v", err)
	}
}

// TestCancelledNoise: a cancel while noise is added ends the job.
func TestCancelledNoise(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report, err := DoOn(ctx, On{Series: wavy(6, 5, 4)}, Job{Noise: &Noise{Model: noise.Gaussian, Sigma: 2}, Output: Output{Path: filepath.Join(t.TempDir(), "a.nii")}}, Events{})
	if ExitCode(err) != ExitCancelled || report.Noise != nil {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestWarningsOfAnOutputAreMessages and are in the report.
func TestWarningsOfAnOutputAreMessages(t *testing.T) {
	s := wavy(8, 7, 6)
	s.Volume.Affine[2][3] = 500
	var texts []string
	events := Events{Message: func(severity series.Severity, text string) { texts = append(texts, severity.String()+" "+text) }}
	out := filepath.Join(t.TempDir(), "a.hdr")
	report, err := DoOn(t.Context(), On{Series: s}, Job{Output: Output{Path: out}}, events)
	if err != nil || len(texts) != 1 || !strings.HasPrefix(texts[0], "warning Analyze stores no") || len(report.Warnings) != 1 || report.Seconds.Write <= 0 {
		t.Errorf("messages %q, report %+v, %v", texts, report, err)
	}
}

// TestUnknownNoiseIsAMessage: an automatic strength without a noise to count in is a
// warning, in the report and as a message.
func TestUnknownNoiseIsAMessage(t *testing.T) {
	s := wavy(8, 7, 6)
	none := denoise.Facts{Lo: 0, Hi: 1, Noise: noise.Estimate{Figure: noise.Figure{Confidence: noise.None, Why: message.Verbatim("too small")}, PerSlice: make([]noise.Figure, 6)}}
	var texts []string
	events := Events{Message: func(severity series.Severity, text string) { texts = append(texts, severity.String()+" "+text) }}
	r := mustRecipe("nlm", 2)
	report, err := DoOn(t.Context(), On{Series: s, Engine: cpuEngine(), Facts: &none}, Job{Recipe: &r}, events)
	want := "The noise cannot be estimated (too small)"
	if err != nil || len(texts) != 1 || !strings.HasPrefix(texts[0], "warning "+want) || len(report.Warnings) != 1 || !strings.HasPrefix(report.Warnings[0].String(), want) {
		t.Errorf("messages %q, warnings %q, %v", texts, report.Warnings, err)
	}
}

// TestPicturesThatCannotBeDrawn: the output is kept, and the error is returned.
func TestPicturesThatCannotBeDrawn(t *testing.T) {
	s := wavy(6, 5, 4)
	dir := t.TempDir()
	pictures := filepath.Join(dir, "pictures")
	r := mustRecipe("median", 2)
	job := Job{Recipe: &r, Output: Output{Path: filepath.Join(dir, "a.nii"), Beside: map[string]string{"pictures": pictures}}}
	_, err := DoOn(t.Context(), On{Series: s, Engine: cpu.New()}, job, Events{Progress: func(step Step, _, _ int64) {
		if step == Writing { // another program takes the folder's name meanwhile
			writeTestFile(t, pictures, nil)
		}
	}})
	if err == nil || !strings.Contains(err.Error(), "before.png: a part of its path is a file") {
		t.Errorf("%v", err)
	}
	reopen(t, job.Output.Path)
}

// TestCancelWhileMeasuring: a cancel after the filter has ended ends the job.
func TestCancelWhileMeasuring(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := mustRecipe("median", 2)
	late := engineFunc(func(v *volume.Volume, _ denoise.Recipe, region volume.Region) (*volume.Volume, error) {
		cancel()
		return v.Crop(region), nil
	})
	report, err := DoOn(ctx, On{Series: wavy(6, 5, 4), Engine: late}, Job{Recipe: &r, Measure: true}, Events{})
	if ExitCode(err) != ExitCancelled || report.Run != nil {
		t.Errorf("%+v, %v", report, err)
	}
}

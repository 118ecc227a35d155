package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// medianJob filters a small NIfTI file to another.
func medianJob(t *testing.T) job.Job {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 6, 5, 8)
	r := apptest.MustRecipe("median", 3)
	return job.Job{
		Input:  job.Input{Path: in},
		Recipe: &r,
		Engine: job.EnginePolicy{Name: "cpu"},
		Output: job.Output{Path: filepath.Join(dir, "out.nii")},
	}
}

func TestDoFiltersAndReports(t *testing.T) {
	j := medianJob(t)
	j.Slices, j.Measure = job.SliceRange{From: 2, To: 5}, true
	j.Output.Beside = map[string]string{"pictures": filepath.Join(t.TempDir(), "pictures")}
	j.Engine.Threads = 1
	steps := map[job.Step]bool{}
	report, err := app.Do(t.Context(), j, job.Events{Progress: func(step job.Step, done, total int64) { steps[step] = steps[step] || done == total }})
	if err != nil {
		t.Fatal(err)
	}
	if !steps[job.Reading] || !steps[job.Filtering] || !steps[job.Writing] {
		t.Errorf("progress of %v; want all steps to their end", steps)
	}
	if report.Engine != "cpu" || report.Voxels != 6*5*3 || report.Dims != [3]int{6, 5, 3} || report.Files != 1 || report.Measures == nil {
		t.Errorf("report %+v", report)
	}
	got, c, err := opentest.OpenPath(t.Context(), j.Output.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	want, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: apptest.Wavy(6, 5, 8), Recipe: *j.Recipe}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if part := want.Result.Crop(volume.Slices(want.Result.Geometry, 2, 5)); !slices.Equal(part.Data, got.Volume.Data) {
		t.Error("the output is not the part of the whole result")
	}
	if pictures, _ := filepath.Glob(filepath.Join(j.Output.Beside["pictures"], "*.png")); len(pictures) != 3 {
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
	j := medianJob(t)
	j.Noise = &job.AddedNoise{Model: noise.Gaussian, Sigma: 3, Seed: 1}
	j.Measure = true
	report, err := app.Do(t.Context(), j, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Measures.Truth == nil {
		t.Error("a result of added noise is not compared with the series without it")
	}
	j.Recipe, j.Measure = nil, false
	j.Output.Path = filepath.Join(t.TempDir(), "noisy.nii")
	if report, err = app.Do(t.Context(), j, job.Events{}); err != nil || report.Noise == nil || report.Engine != "" {
		t.Errorf("noise alone: %+v, %v", report, err)
	}
	j.Noise = nil
	j.Output.Path = filepath.Join(t.TempDir(), "copy.nii.gz")
	if report, err = app.Do(t.Context(), j, job.Events{}); err != nil || report.Files != 1 || report.Record != "" {
		t.Errorf("conversion: %+v, %v", report, err)
	}
	if got, c, err := opentest.OpenPath(t.Context(), j.Output.Path); err != nil || !slices.Equal(got.Volume.Data, apptest.Wavy(6, 5, 8).Volume.Data) {
		t.Errorf("the conversion changed the values: %v", err)
	} else {
		c.Close()
	}
}

// TestDoChecksFirst: what can be known before the work is refused before the work.
func TestDoChecksFirst(t *testing.T) {
	for what, change := range map[string]func(*job.Job){
		"no input":             func(j *job.Job) { j.Input.Path = "" },
		"no output":            func(j *job.Job) { j.Output.Path = "" },
		"output is the input":  func(j *job.Job) { j.Output.Path = j.Input.Path },
		"series and component": func(j *job.Job) { j.Input.Series, j.Input.Component = new(int), "red" },
		"no such engine":       func(j *job.Job) { j.Engine.Name = "warp" },
		"threads":              func(j *job.Job) { j.Engine.Threads = -1 },
		"no such recipe":       func(j *job.Job) { j.Recipe.Dims = 4 },
		"slices":               func(j *job.Job) { j.Slices = job.SliceRange{From: 3, To: 9} },
		"no slices":            func(j *job.Job) { j.Slices = job.SliceRange{From: 3, To: 3} },
		"slices behind":        func(j *job.Job) { j.Slices = job.SliceRange{From: 8} },
		"noise":                func(j *job.Job) { j.Noise = &job.AddedNoise{Model: "pink"} },
		"pictures in a file":   func(j *job.Job) { j.Output.Beside = map[string]string{"pictures": j.Input.Path} },
		"pictures of nothing":  func(j *job.Job) { j.Recipe, j.Output.Beside = nil, map[string]string{"pictures": "x"} },
	} {
		work := medianJob(t)
		change(&work)
		filtered := false
		_, err := app.Do(t.Context(), work, job.Events{Progress: func(step job.Step, _, _ int64) { filtered = filtered || step == job.Filtering }})
		if job.ExitCode(err) != job.ExitUsage || filtered {
			t.Errorf("%s: %v, filtered: %v; want a UsageError before", what, err, filtered)
		}
	}
	work := medianJob(t)
	in, err := open.Open(t.Context(), work.Input, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := roomtest.Convert(t.Context(), in.Series, work.Input.Path, job.Options{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("a conversion onto its input: %v", err)
	}
	missing := 3
	work.Input.Series = &missing
	if _, err := app.Do(t.Context(), work, job.Events{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("a series that is not there: %v", err)
	}
}

// TestDoFallsBackToTheCPU: under the policy "auto" a failed device costs the time
// it took and nothing else; any other error, and any other policy, ends the job.
func TestDoFallsBackToTheCPU(t *testing.T) {
	broken := fmt.Errorf("the GPU worker died: %w", engines.ErrFailed)
	for _, c := range []struct {
		policy string
		err    error
		falls  bool
	}{{"auto", broken, true}, {"", broken, true}, {"cuda", broken, false}, {"cpu", broken, false}, {"auto", errors.New("wrong recipe"), false}} {
		j := medianJob(t)
		j.Engine.Name = c.policy
		in, err := open.Open(t.Context(), j.Input, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		broken := apptest.EngineFunc(func(*volume.Volume, denoise.Recipe, volume.Region) (*volume.Volume, error) { return nil, c.err })
		means := executor.Means{Engine: func() (denoise.Engine, error) { return broken, nil }, Fallback: true}
		r, err := app.Execute(t.Context(), job.Job{Recipe: j.Recipe, Engine: j.Engine}, executor.InMemory(in.Series), means, job.Events{})
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
	j := medianJob(t)
	in, err := open.Open(t.Context(), j.Input, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	calls := 0
	on := app.On{Series: in.Series, Engine: apptest.EngineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
		calls++
		return v.Crop(r), nil
	})}
	out := j.Output.Path
	report, err := app.DoOn(t.Context(), on, job.Job{Recipe: j.Recipe}, job.Events{})
	if err != nil || report.Run == nil || calls != 1 || report.Output != "" {
		t.Fatalf("run %v, %d calls, output %q, %v", report.Run, calls, report.Output, err)
	}
	if _, err := os.Lstat(out); err == nil {
		t.Error("something was written")
	}
	on.Run = report.Run
	report, err = app.DoOn(t.Context(), on, job.Job{Recipe: j.Recipe, Output: job.Output{Path: out}}, job.Events{})
	if err != nil || calls != 1 || report.Run != on.Run || report.Written.Output != out {
		t.Errorf("export: %d calls, %+v, %v", calls, report.Written, err)
	}
	on.Engine = apptest.EngineFunc(func(*volume.Volume, denoise.Recipe, volume.Region) (*volume.Volume, error) {
		return nil, engines.ErrFailed
	})
	on.Run = nil
	if _, err := app.DoOn(t.Context(), on, job.Job{Recipe: j.Recipe}, job.Events{}); !errors.Is(err, engines.ErrFailed) {
		t.Errorf("a failed engine: %v; want the error, as the workbench asks", err)
	}
	bad := *j.Recipe
	bad.Dims = 7
	if _, err := app.DoOn(t.Context(), on, job.Job{Recipe: &bad}, job.Events{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("a wrong recipe: %v", err)
	}
}

func TestJobInJSON(t *testing.T) {
	j := medianJob(t)
	number := 2
	j.Input.Series = &number
	j.Slices = job.SliceRange{From: 1}
	j.Output.Dtype, j.Output.Deidentify = "int16", true
	data, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	var got job.Job
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, j) {
		t.Errorf("%s gives %+v, %v; want %+v", data, got, err, j)
	}
}

// TestDoLeavesNothingOpen: the input is closed after a job, and after one that failed.
func TestDoLeavesNothingOpen(t *testing.T) {
	dir := t.TempDir()
	apptest.PutDICOM(t, filepath.Join(dir, "src"), 6, 5, 3)
	path := filepath.Join(dir, "src.zip")
	apptest.ZipOf(t, filepath.Join(dir, "src"), path)
	j := medianJob(t)
	j.Input.Path = path
	for _, out := range []string{j.Output.Path, dir} {
		j.Output.Path = out
		if report, err := app.Do(t.Context(), j, job.Events{}); (err == nil) != (out != dir) || (report.Output != "") != (out != dir) {
			t.Errorf("to %s: %+v, %v", out, report, err)
		}
		if n := apptest.OpenFiles(t, dir); n != 0 {
			t.Errorf("to %s: %d files are open", out, n)
		}
	}
}

// TestJobsThatDoNotFilter need no engine, and jobs that write DICOM again are refused.
func TestJobsThatDoNotFilter(t *testing.T) {
	j := medianJob(t)
	j.Recipe, j.Engine.Name = nil, "warp"
	if report, err := app.Do(t.Context(), j, job.Events{}); err != nil || report.Engine != "" || report.Run != nil || report.Voxels != 6*5*8 {
		t.Errorf("a conversion with an engine that is not there: %+v, %v", report, err)
	}
	dir := filepath.Join(t.TempDir(), "src")
	apptest.PutDICOM(t, dir, 6, 5, 3)
	j.Input.Path, j.Output.Path = dir, filepath.Join(t.TempDir(), "out")
	if report, err := app.Do(t.Context(), j, job.Events{}); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "is DICOM already") || report.Output != "" {
		t.Errorf("DICOM to DICOM: %+v, %v", report, err)
	}
	j.Noise = &job.AddedNoise{Model: noise.Gaussian, Sigma: 2}
	if report, err := app.Do(t.Context(), j, job.Events{}); err != nil || report.Files != 3 || report.Noise == nil {
		t.Errorf("noise in DICOM: %+v, %v", report, err)
	}
}

// TestDimsOfAJob: the dimensionality that suits the series replaces the one of the
// recipe if the job asks for it.
func TestDimsOfAJob(t *testing.T) {
	j := medianJob(t)
	j.Recipe.Dims = 2
	for _, auto := range []bool{false, true} {
		j.AutoDims = auto
		want := 2
		if auto {
			want = 3
		}
		report, err := app.Do(t.Context(), j, job.Events{})
		if err != nil || report.Recipe.Dims != want || report.Asked.Dims != want {
			t.Errorf("automatic %v: %+v, %v; want %d-D", auto, report.Recipe, err, want)
		}
	}
	unknown := *j.Recipe
	unknown.Filter = "magic"
	j.Recipe = &unknown
	if _, err := app.Do(t.Context(), j, job.Events{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("an unknown filter: %v", err)
	}
}

// TestCancelledNoise: a cancel while noise is added ends the job.
func TestCancelledNoise(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report, err := app.DoOn(ctx, app.On{Series: apptest.Wavy(6, 5, 4)}, job.Job{Noise: &job.AddedNoise{Model: noise.Gaussian, Sigma: 2}, Output: job.Output{Path: filepath.Join(t.TempDir(), "a.nii")}}, job.Events{})
	if job.ExitCode(err) != job.ExitCancelled || report.Noise != nil {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestWarningsOfAnOutputAreMessages and are in the report.
func TestWarningsOfAnOutputAreMessages(t *testing.T) {
	s := apptest.Wavy(8, 7, 6)
	s.Volume.Affine[2][3] = 500
	var texts []string
	events := job.Events{Message: func(severity series.Severity, text string) { texts = append(texts, severity.String()+" "+text) }}
	out := filepath.Join(t.TempDir(), "a.hdr")
	report, err := app.DoOn(t.Context(), app.On{Series: s}, job.Job{Output: job.Output{Path: out}}, events)
	if err != nil || len(texts) != 1 || !strings.HasPrefix(texts[0], "warning Analyze stores no") || len(report.Warnings) != 1 || report.Seconds.Write <= 0 {
		t.Errorf("messages %q, report %+v, %v", texts, report, err)
	}
}

// TestFilteredAlready: what a header says of filters before is a note, once for a series, and of plain images there is none.
func TestFilteredAlready(t *testing.T) {
	for kernel, want := range map[string][]string{"B30f": nil, `Br40d\3`: {"note Filtered already: ADMIRE 3."}} {
		fakes := dicomtest.Stack(4)
		for _, f := range fakes {
			f.With(part10.TagManufacturer, "SIEMENS").With(part10.TagConvolutionKernel, kernel)
		}
		dir, s := dicomtest.OnDisk(t, fakes)
		var texts []string
		r := apptest.MustRecipe("median", 2)
		report, err := app.Do(t.Context(), job.Job{Input: job.Input{Path: dir}, Recipe: &r, Output: job.Output{Path: filepath.Join(t.TempDir(), "a.nii")}},
			job.Events{Message: func(severity series.Severity, text string) {
				if strings.Contains(text, "already") {
					texts = append(texts, severity.String()+" "+text)
				}
			}})
		if err != nil || !slices.Equal(texts, want) || (s.Filtered != "") != (want != nil) || s.Kernel != kernel[:len(s.Kernel)] {
			t.Errorf("%s: %q, filtered %q, kernel %q, findings %v, %v", kernel, texts, s.Filtered, s.Kernel, report.Findings, err)
		}
	}
}

// TestUnknownNoiseIsAMessage: an automatic strength without a noise to count in is a
// warning, in the report and as a message.
func TestUnknownNoiseIsAMessage(t *testing.T) {
	s := apptest.Wavy(8, 7, 6)
	none := denoise.Facts{Lo: 0, Hi: 1, Noise: noise.Estimate{Figure: noise.Figure{Confidence: noise.None, Why: message.Verbatim("too small")}, PerSlice: make([]noise.Figure, 6)}}
	var texts []string
	events := job.Events{Message: func(severity series.Severity, text string) { texts = append(texts, severity.String()+" "+text) }}
	r := apptest.MustRecipe("nlm", 2)
	report, err := app.DoOn(t.Context(), app.On{Series: s, Engine: engines.CPU(), Facts: &none}, job.Job{Recipe: &r}, events)
	want := "Noise unknown: too small. What helps"
	if err != nil || len(texts) != 1 || !strings.HasPrefix(texts[0], "warning "+want) || len(report.Warnings) != 1 || !strings.HasPrefix(report.Warnings[0].String(), want) {
		t.Errorf("messages %q, warnings %q, %v", texts, report.Warnings, err)
	}
}

// TestPicturesThatCannotBeDrawn: the output is kept, and the error is returned.
func TestPicturesThatCannotBeDrawn(t *testing.T) {
	s := apptest.Wavy(6, 5, 4)
	dir := t.TempDir()
	pictures := filepath.Join(dir, "pictures")
	r := apptest.MustRecipe("median", 2)
	j := job.Job{Recipe: &r, Output: job.Output{Path: filepath.Join(dir, "a.nii"), Beside: map[string]string{"pictures": pictures}}}
	_, err := app.DoOn(t.Context(), app.On{Series: s, Engine: cpu.New()}, j, job.Events{Progress: func(step job.Step, _, _ int64) {
		if step == job.Writing { // another program takes the folder's name meanwhile
			apptest.WriteTestFile(t, pictures, nil)
		}
	}})
	if err == nil || !strings.Contains(err.Error(), "before.png: a part of its path is a file") {
		t.Errorf("%v", err)
	}
	opentest.Reopen(t, j.Output.Path)
}

// TestCancelWhileMeasuring: a cancel after the filter has ended ends the job.
func TestCancelWhileMeasuring(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := apptest.MustRecipe("median", 2)
	late := apptest.EngineFunc(func(v *volume.Volume, _ denoise.Recipe, region volume.Region) (*volume.Volume, error) {
		cancel()
		return v.Crop(region), nil
	})
	report, err := app.DoOn(ctx, app.On{Series: apptest.Wavy(6, 5, 4), Engine: late}, job.Job{Recipe: &r, Measure: true}, job.Events{})
	if job.ExitCode(err) != job.ExitCancelled || report.Run != nil {
		t.Errorf("%+v, %v", report, err)
	}
}

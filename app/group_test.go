package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/output"
	"quell/app/run"
	"quell/denoise/noise"
	"quell/series"
)

// groupJob filters a 4-D file of three volumes to out, a name in the folder dir.
func groupJob(t *testing.T, out string) (dir string, j job.Job) {
	t.Helper()
	dir = t.TempDir()
	in := filepath.Join(dir, "in.nii.gz")
	apptest.Put4D(t, in, 3, 2)
	r := apptest.MustRecipe("median", 3)
	return dir, job.Job{Input: job.Input{Path: in}, Recipe: &r, Engine: job.EnginePolicy{Name: "cpu"}, Output: job.Output{Path: filepath.Join(dir, out)}}
}

// loadAll returns the volumes under a path.
func loadAll(t *testing.T, path string) (c *open.Catalog, all []*series.Series) {
	t.Helper()
	c, err := open.Scan(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	for i := range c.Entries {
		s, err := c.Load(t.Context(), i, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return c, all
}

// Each volume of a 4-D file is filtered as it is alone, whatever the output's format.
func TestDoFilters4D(t *testing.T) {
	for _, out := range []string{"out.nii", "out.nii.gz", "out"} {
		dir, j := groupJob(t, out)
		j.Measure = true
		j.Output.Beside = map[string]string{"noise-out": filepath.Join(dir, "removed.nii")}
		steps := map[job.Step]bool{}
		report, err := app.Do(t.Context(), j, job.Events{Progress: func(step job.Step, done, total int64) { steps[step] = steps[step] || done == total }})
		if err != nil {
			t.Fatal(out, err)
		}
		if !steps[job.Reading] || !steps[job.Filtering] || !steps[job.Writing] {
			t.Errorf("%s: progress of %v; want all steps to their end", out, steps)
		}
		if report.Axis != "time" || len(report.Volumes) != 3 || report.Voxels != 3*7*6*5 || report.Dims != [3]int{7, 6, 5} || report.Engine != "cpu" ||
			report.Recipe != nil || !report.Asked.Equal(*j.Recipe) || report.Covered != (open.Coverage{Volumes: 3, Of: 3}) || report.Removed != j.Output.Beside["noise-out"] {
			t.Errorf("%s: %+v", out, report)
		}
		c, all := loadAll(t, j.Output.Path)
		if len(all) != 3 {
			t.Fatalf("%s: %d volumes", out, len(all))
		}
		_, removed := loadAll(t, j.Output.Beside["noise-out"])
		_, source := loadAll(t, j.Input.Path)
		for k, s := range all {
			v := report.Volumes[k]
			if want := []string{"time 0 s", "time 2 s", "time 4 s"}[k]; v.Series != k || v.Name != want || v.Recipe == nil || v.Measures == nil || v.Noise == nil || v.Engine != "cpu" {
				t.Errorf("%s: %+v", out, v)
			}
			alone := j
			alone.Input.Series, alone.Output = &k, job.Output{Path: filepath.Join(dir, "alone.nii")}
			one, err := app.Do(t.Context(), alone, job.Events{})
			if err != nil {
				t.Fatal(err)
			}
			slack := 0.0
			if out == "out" { // scaled to 16 bits
				slack = 0.01
				e := c.Entries[k]
				if !strings.HasSuffix(e.Description, "[Quell median]") || e.Number != "9000" || e.UID != c.Entries[0].UID || e.GroupIndex != k || e.Group.Axis() != "temporal position" {
					t.Errorf("%q, number %s, volume %d along %s", e.Description, e.Number, e.GroupIndex, e.Group.Axis())
				}
				if report.Files != 15 {
					t.Errorf("%d files", report.Files)
				}
			}
			if d := apptest.LargestDifference(t, one.Run.Result, s.Volume); d > slack {
				t.Errorf("%s: volume %d differs by %g from the volume filtered alone", out, k, d)
			}
			if !s.Volume.SameGrid(one.Run.Result.Geometry, 1e-3) {
				t.Errorf("%s: volume %d lies elsewhere", out, k)
			}
			if one.Covered.Volumes != 1 || one.Covered.Of != 3 || !strings.Contains(one.Covered.Text, "using series "+string('1'+rune(k))) {
				t.Errorf("%+v", one.Covered)
			}
			for i, x := range removed[k].Volume.Data {
				if want := source[k].Volume.Data[i] - one.Run.Result.Data[i]; x != want {
					t.Fatalf("%s: removed is %v, not %v", out, x, want)
				}
			}
		}
		if c.Entries[2].Group == nil || c.Entries[2].Group.Step != 2 {
			t.Errorf("%s: the time step is lost: %+v", out, c.Entries[2].Group)
		}
		// The record has each volume, and its recipe makes the output again.
		if r, err := files.LoadRecipe(report.Record); err != nil || !r.Equal(*j.Recipe) {
			t.Errorf("%s: %v, %v", out, r, err)
		}
		var record output.Record
		data, err := os.ReadFile(report.Record)
		if err == nil {
			err = json.Unmarshal(data, &record)
		}
		if err != nil || len(record.Volumes) != 3 || record.Volumes[1].Place.String() != "time 2 s" || record.Engine == nil || record.Source.Dims != [3]int{7, 6, 5} || record.Source.SHA256 != "" {
			t.Errorf("%s: record %s, %v", out, data, err)
		}
		for k := range source {
			r, err := output.RecipeBeside(j.Output.Path, source[k].Volume, run.Maps{})
			if err != nil || r == nil || !r.Equal(*report.Volumes[k].Recipe) {
				t.Errorf("%s: recipe of volume %d: %v, %v", out, k, r, err)
			}
		}
		// An earlier output is replaced.
		if _, err := app.Do(t.Context(), j, job.Events{}); err != nil {
			t.Errorf("%s: again: %v", out, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".quell*")); len(left) != 0 {
			t.Errorf("%s: left behind %v", out, left)
		}
	}
}

// A slab of each volume, and noise and conversions, of 4-D series.
func TestDoOn4DInOtherWays(t *testing.T) {
	dir, j := groupJob(t, "slab.nii")
	j.Slices = job.SliceRange{From: 1, To: 3}
	report, err := app.Do(t.Context(), j, job.Events{})
	if err != nil || report.Dims != [3]int{7, 6, 2} || report.Covered.Text != j.Input.Path+": only slices 2:3 of 5" {
		t.Errorf("%+v, %v", report.Covered, err)
	}
	if _, all := loadAll(t, j.Output.Path); len(all) != 3 || all[2].Volume.Dims[2] != 2 {
		t.Errorf("%d volumes", len(all))
	}
	noisy := job.Job{Input: j.Input, Noise: &job.AddedNoise{Model: noise.Gaussian, Sigma: 3, Seed: 1}, Output: job.Output{Path: filepath.Join(dir, "noisy.nii")}}
	if report, err = app.Do(t.Context(), noisy, job.Events{}); err != nil || report.Noise == nil || report.Record == "" || len(report.Volumes) != 3 {
		t.Errorf("%+v, %v", report, err)
	}
	folder := filepath.Join(dir, "converted")
	if report, err = app.Do(t.Context(), job.Job{Input: j.Input, Output: job.Output{Path: folder}}, job.Events{}); err != nil || report.Record != "" || report.Files != 15 {
		t.Errorf("%+v, %v", report, err)
	}
	// The volumes are one series, which is filtered as one.
	c, _ := loadAll(t, folder)
	if len(c.Entries) != 3 || c.Entries[0].UID != c.Entries[1].UID {
		t.Errorf("%d volumes", len(c.Entries))
	}
	r := apptest.MustRecipe("median", 3)
	again := job.Job{Input: job.Input{Path: folder, All: true}, Recipe: &r, Output: job.Output{Path: filepath.Join(dir, "x.nii")}}
	if report, err = app.Do(t.Context(), again, job.Events{}); err != nil || len(report.Volumes) != 3 {
		t.Errorf("%+v, %v", report, err)
	}
}

// The scales of a 4-D series are in one file, eight volumes for each of its own, and its
// pictures in a folder for each; a cancel leaves none.
func TestScalesAndPicturesOf4D(t *testing.T) {
	dir, j := groupJob(t, "out.nii")
	r := apptest.MustRecipe("lpa", 2)
	j.Recipe = &r
	j.Output.Beside = map[string]string{"scales-out": filepath.Join(dir, "scales.nii"), "pictures": filepath.Join(dir, "pictures")}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := app.Do(ctx, j, job.Events{Progress: func(step job.Step, done, total int64) {
		if step == job.Writing && done == 2 {
			cancel()
		}
	}})
	if files, _ := os.ReadDir(dir); !errors.Is(err, context.Canceled) || len(files) != 1 {
		t.Errorf("cancelled: %v, %v", files, err)
	}
	if _, err := app.Do(t.Context(), j, job.Events{}); err != nil {
		t.Fatal(err)
	}
	c, all := loadAll(t, j.Output.Beside["scales-out"])
	if len(all) != 24 || !strings.Contains(c.Entries[0].Description, "Lengths of neighbourhoods") {
		t.Fatalf("%d volumes, %q", len(all), c.Entries[0].Description)
	}
	for k, name := range []string{"001-time-0-s", "002-time-2-s", "003-time-4-s"} {
		alone := j
		alone.Input.Series = &k
		alone.Output = job.Output{Path: filepath.Join(dir, "alone.nii"), Beside: map[string]string{"scales-out": filepath.Join(dir, "alone-scales.nii"), "pictures": filepath.Join(dir, "alone")}}
		if _, err := app.Do(t.Context(), alone, job.Events{}); err != nil {
			t.Fatal(err)
		}
		_, want := loadAll(t, alone.Output.Beside["scales-out"])
		for d := range want {
			if !slices.Equal(all[8*k+d].Volume.Data, want[d].Volume.Data) {
				t.Errorf("volume %d: the scales along direction %d differ from those of the volume alone", k, d)
			}
		}
		for _, file := range []string{"before.png", "after.png", "residual.png"} {
			got, err := os.ReadFile(filepath.Join(j.Output.Beside["pictures"], name, file))
			expected, other := os.ReadFile(filepath.Join(alone.Output.Beside["pictures"], file))
			if err != nil || other != nil || !bytes.Equal(got, expected) {
				t.Errorf("%s of volume %d differs from that of the volume alone: %v, %v", file, k, err, other)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".quell*")); len(left) != 0 {
		t.Errorf("left behind %v", left)
	}
}

// A foreign picture in the folder of one volume stops the job before any work.
func TestForeignPicturesOf4D(t *testing.T) {
	dir, j := groupJob(t, "out.nii")
	r := apptest.MustRecipe("median", 2)
	j.Recipe = &r
	j.Output.Beside = map[string]string{"pictures": filepath.Join(dir, "pictures")}
	theirs := filepath.Join(j.Output.Beside["pictures"], "003-time-4-s", "after.png")
	if err := os.MkdirAll(filepath.Dir(theirs), 0o755); err != nil {
		t.Fatal(err)
	}
	apptest.WriteTestFile(t, theirs, []byte("x"))
	_, err := app.Do(t.Context(), j, job.Events{Progress: func(step job.Step, _, _ int64) {
		if step == job.Filtering {
			t.Fatal("a volume is filtered")
		}
	}})
	if !errors.Is(err, files.ErrForeignTarget) || files.Exists(j.Output.Path) {
		t.Errorf("unasked: %v", err)
	}
	j.Output.Overwrite = true
	_, err = app.Do(t.Context(), j, job.Events{})
	if file, _ := os.ReadFile(theirs); err != nil || !bytes.HasPrefix(file, []byte("\x89PNG")) {
		t.Errorf("with overwrite: %v", err)
	}
}

// What cannot be done with several volumes is refused, and a failure leaves nothing.
func TestDoRefuses4D(t *testing.T) {
	for want, change := range map[string]func(dir string, j *job.Job){
		"Analyze files contain one volume": func(dir string, j *job.Job) { j.Output.Path = filepath.Join(dir, "out.hdr") },
		"removed.hdr: Analyze files": func(dir string, j *job.Job) {
			j.Output.Beside = map[string]string{"noise-out": filepath.Join(dir, "removed.hdr")}
		},
		"a part of its path is a file": func(dir string, j *job.Job) { j.Output.Beside = map[string]string{"pictures": j.Input.Path} },
		"chooses no neighbourhood": func(dir string, j *job.Job) {
			j.Output.Beside = map[string]string{"scales-out": filepath.Join(dir, "s.nii")}
		},
		"is the input itself":  func(dir string, j *job.Job) { j.Output.Path = j.Input.Path },
		"there is no series 8": func(dir string, j *job.Job) { j.Input.Series = new(int); *j.Input.Series = 7; j.Input.All = true },
	} {
		dir, work := groupJob(t, "out.nii")
		change(dir, &work)
		if _, err := app.Do(t.Context(), work, job.Events{}); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("%q: files %v", want, files)
		}
	}
	for _, out := range []string{"out.nii", "out"} {
		dir, work := groupJob(t, out)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := app.Do(ctx, work, job.Events{Progress: func(step job.Step, done, total int64) {
			if step == job.Writing && done == 2 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", out, err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("%s: files %v", out, files)
		}
	}
	// The third volume is damaged.
	dir, work := groupJob(t, "out.nii")
	raw, err := os.ReadFile(work.Input.Path)
	if err == nil {
		err = os.WriteFile(work.Input.Path, raw[:len(raw)-100], 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.Do(t.Context(), work, job.Events{}); job.ExitCode(err) != job.ExitInput {
		t.Errorf("%v", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("files %v", files)
	}
}

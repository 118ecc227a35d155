package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/app"
	"quell/app/apptest"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/app/output"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// twoSlices is memory for a slab of two slices of put4D, and the slices that a median of radius 1
// reads around them.
const twoSlices = 7 * 6 * 8 * 4

// The volumes of a 4-D file that do not fit are done slab by slab, one after another, with the
// bits of the whole.
func TestSlabsOf4D(t *testing.T) {
	percent := apptest.MustRecipe("bilateral", 3).With("sigma-range", denoise.Percent(15)).With("radius", denoise.List(1)).With("stabilise", denoise.Number(0))
	for name, change := range map[string]func(j *job.Job){
		"float":      func(*job.Job) {},
		"compressed": func(j *job.Job) { j.Output.Path += ".gz" },
		"integers":   func(j *job.Job) { j.Output.Dtype = "int16" },
		"slices":     func(j *job.Job) { j.Slices = job.SliceRange{From: 1, To: 4} },
		"percent":    func(j *job.Job) { j.Recipe = &percent },
		"no values": func(j *job.Job) { // somewhere in the second volume
			data, err := os.ReadFile(j.Input.Path)
			if err != nil {
				t.Fatal(err)
			}
			nan, _ := volume.LittleEndian([]float32{float32(math.NaN()), float32(math.Inf(1))})
			copy(data[len(data)-4*(7*6*5+50):], nan)
			if err := os.WriteFile(j.Input.Path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"noise":   func(j *job.Job) { j.Recipe, j.Noise = nil, &job.AddedNoise{Model: noise.Rician, Sigma: 3, Seed: 5} },
		"convert": func(j *job.Job) { j.Recipe, j.Memory = nil, 7*6*4*2; j.Output.Dtype = "uint8" },
	} {
		t.Run(name, func(t *testing.T) {
			for _, ext := range []string{"", ".gz"} {
				if name == "no values" && ext != "" {
					continue
				}
				dir := t.TempDir()
				r := apptest.MustRecipe("median", 3)
				work := job.Job{Input: job.Input{Path: filepath.Join(dir, "in.nii"+ext)}, Recipe: &r, Engine: job.EnginePolicy{Name: "cpu"}, Output: job.Output{Path: filepath.Join(dir, "out.nii")}, Memory: twoSlices}
				apptest.Put4D(t, work.Input.Path, 3, 2)
				change(&work)
				var lines []string
				report, err := app.Do(t.Context(), work, job.Events{Message: func(_ series.Severity, text string) { lines = append(lines, text) }})
				if err != nil {
					t.Fatal(err)
				}
				whole := work
				whole.Memory, whole.Output.Path = math.MaxInt64, filepath.Join(dir, "whole"+filepath.Base(work.Output.Path))
				want, err := app.Do(t.Context(), whole, job.Events{})
				if err != nil || want.Slabs != nil || report.Slabs == nil || report.Slabs.Count < 2 || len(report.Volumes) != 3 {
					t.Fatalf("%+v, %+v, %v", want.Slabs, report.Slabs, err)
				}
				a, _ := os.ReadFile(whole.Output.Path)
				b, err := os.ReadFile(work.Output.Path)
				if err != nil || len(b) == 0 || !bytes.Equal(a, b) {
					t.Errorf("another file, %v", err)
				}
				plans := 1
				if name == "no values" {
					plans = 2 // the mask of the second volume takes memory
				}
				if n := strings.Count(strings.Join(lines, "\n"), " slabs of "); n != plans || lines[0] != report.Slabs.Text {
					t.Errorf("%q", lines)
				}
				sameReports(t, report, want)
			}
		})
	}
}

// sameReports compares the report and the record of a job that was done slab by slab with the ones
// of a job that was done whole.
func sameReports(t *testing.T, got, want executor.Outcome) {
	t.Helper()
	if got.Dims != want.Dims || got.Voxels != want.Voxels || got.Axis != want.Axis || got.Engine != want.Engine || len(got.Warnings) != len(want.Warnings) || len(got.Findings) != len(want.Findings) {
		t.Errorf("%+v; want %+v", got, want)
	}
	for k, v := range got.Volumes {
		if w := want.Volumes[k]; v.Name != w.Name || v.Series != w.Series || (v.Recipe == nil) != (w.Recipe == nil) || v.Recipe != nil && v.Recipe.String() != w.Recipe.String() || v.Slabs == nil {
			t.Errorf("volume %d: %+v; want %+v", k, v, w)
		}
		if s := v.Seconds; s.Write <= 0 || s.Load <= 0 || math.Abs(s.Start+s.Load+s.Estimate+s.Filter+s.Write-s.Total) > 1e-9 {
			t.Errorf("volume %d: %+v", k, s)
		}
	}
	var records [2]output.Record
	for i, r := range []executor.Outcome{got, want} {
		if r.Record == "" {
			continue
		}
		data, err := os.ReadFile(r.Record)
		if err != nil || json.Unmarshal(data, &records[i]) != nil || len(records[i].Volumes) != 3 {
			t.Fatalf("record %s, %v", data, err)
		}
	}
	a, b := records[0], records[1]
	if a.Source != b.Source || fmt.Sprint(a.Region) != fmt.Sprint(b.Region) || len(a.Volumes) != len(b.Volumes) {
		t.Errorf("record %+v; want %+v", a, b)
	}
	for k := range a.Volumes {
		if x, y := a.Volumes[k], b.Volumes[k]; x.Source != y.Source || x.Source.SHA256 == "" || x.Place.String() != y.Place.String() {
			t.Errorf("record of volume %d: %+v; want %+v", k, x, y)
		}
	}
}

// Each volume has its own noise, from a sample of its own.
func TestSlabsOf4DWithTheNoiseOfEachVolume(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	sigmas := []float64{4, 12}
	var volumes []*volume.Volume
	for _, sigma := range sigmas {
		v, err := noise.AddNoise(t.Context(), volume.New(volume.NewGeometry([3]int{48, 48, 30}, [3]float64{1, 1, 1})), noise.Gaussian, sigma, 3)
		if err != nil {
			t.Fatal(err)
		}
		volumes = append(volumes, v)
	}
	apptest.Write4D(t, in, 2, volumes...)
	r := apptest.MustRecipe("nlm", 2).With("search-radius", denoise.Number(2))
	j := job.Job{Input: job.Input{Path: in}, Recipe: &r, Engine: job.EnginePolicy{Name: "cpu"}, Output: job.Output{Path: filepath.Join(dir, "out.nii")}, Memory: 8 * 4 * 48 * 48 * 5}
	report, err := app.Do(t.Context(), j, job.Events{})
	if err != nil || len(report.Volumes) != 2 {
		t.Fatal(report, err)
	}
	for k, v := range report.Volumes {
		if v.Noise == nil || math.Abs(v.Noise.Sigma/sigmas[k]-1) > 0.1 || v.Slabs.Sample != (job.SliceRange{From: 12, To: 17}) {
			t.Errorf("volume %d: noise %+v, slabs %+v; want sigma %g", k, v.Noise, v.Slabs, sigmas[k])
		}
	}
}

// A volume in which no noise is found is left as it is, with the warning of a whole run, which names
// the volume.
func TestSlabsOf4DWithoutNoise(t *testing.T) {
	dir := t.TempDir()
	even := volume.New(volume.NewGeometry([3]int{9, 8, 30}, [3]float64{1, 1, 1}))
	r := apptest.MustRecipe("nlm", 3).With("search-radius", denoise.Number(1)).With("patch-radius", denoise.Number(1))
	j := job.Job{Input: job.Input{Path: filepath.Join(dir, "in.nii")}, Recipe: &r, Engine: job.EnginePolicy{Name: "cpu"}}
	apptest.Write4D(t, j.Input.Path, 2, even, even)
	var warnings [2][]string // that were said, of the whole and of slabs
	for i, memory := range []int64{math.MaxInt64, 8 * 9 * 8 * 12} {
		j.Memory, j.Output.Path = memory, filepath.Join(dir, fmt.Sprintf("out%d.nii", i))
		report, err := app.Do(t.Context(), j, job.Events{Message: func(severity series.Severity, text string) {
			if severity == series.Warning {
				warnings[i] = append(warnings[i], text)
			}
		}})
		if err != nil || (report.Slabs != nil) != (i == 1) || !slices.EqualFunc(report.Warnings, warnings[i], func(m message.Message, said string) bool { return m.String() == said }) {
			t.Errorf("%d bytes: %v, %+v, warnings %q, said %q", memory, err, report.Slabs, report.Warnings, warnings[i])
		}
	}
	if len(warnings[0]) != 2 || !strings.HasPrefix(warnings[0][1], "time 2 s: ") || !slices.Equal(warnings[0], warnings[1]) {
		t.Errorf("%q", warnings)
	}
}

// If the GPU fails in a later volume, the CPU does all of them.
func TestA4DSeriesFallsBack(t *testing.T) {
	for name, memory := range map[string]int64{"whole": math.MaxInt64, "slabs": twoSlices} {
		t.Run(name, func(t *testing.T) { fallBack4D(t, memory) })
	}
}

func fallBack4D(t *testing.T, memory int64) {
	dir, j := groupJob(t, "out.nii")
	j.Engine.Name, j.Memory = "auto", memory
	fell, runs := 0, 0
	in, err := open.Select(t.Context(), j.Input, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	events := job.Events{Message: func(_ series.Severity, text string) {
		if strings.Contains(text, "the CPU filters instead") {
			fell++
		}
	}}
	report, err := app.Execute(t.Context(), j, executor.SourceOf(in), executor.Means{Engine: func() (denoise.Engine, error) { return failingEngine{cpu.New(), &runs}, nil }, Fallback: true}, events)
	if err != nil || fell != 1 || len(report.Warnings) != 1 || strings.Contains(report.Warnings[0].String(), "time") || runs != 3 || report.Engine != "cpu" || len(report.Volumes) != 3 {
		t.Fatalf("%+v, %v, %d fallbacks, %d runs", report, err, fell, runs)
	}
	whole := j
	whole.Memory, whole.Engine.Name, whole.Output.Path = math.MaxInt64, "cpu", filepath.Join(dir, "whole.nii")
	if _, err := app.Do(t.Context(), whole, job.Events{}); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(whole.Output.Path)
	if b, err := os.ReadFile(j.Output.Path); err != nil || !bytes.Equal(a, b) {
		t.Errorf("another result, %v", err)
	}
}

// A cancel at any slab leaves nothing.
func TestSlabsOf4DCancelled(t *testing.T) {
	for at := 1; at <= 9; at += 4 {
		dir, j := groupJob(t, "out.nii")
		j.Memory = twoSlices
		in, err := open.Select(t.Context(), j.Input, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		eng := apptest.EngineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
			if runs++; runs == at {
				cancel()
			}
			return v.Crop(r), nil
		})
		_, err = app.Execute(ctx, j, executor.SourceOf(in), executor.Means{Engine: func() (denoise.Engine, error) { return eng, nil }}, job.Events{})
		in.Close()
		cancel()
		if !errors.Is(err, context.Canceled) || runs > at {
			t.Errorf("slab %d: %v, %d runs", at, err, runs)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("slab %d: %v", at, files)
		}
	}
}

// Volumes are done whole as long as one fits.
func TestSlabsOf4DOnlyWhereNeeded(t *testing.T) {
	const need = 2 * 4 * 7 * 6 * 5
	for memory, slabs := range map[int64]bool{0: false, need: false, need - 1: true} {
		_, j := groupJob(t, "out.nii")
		j.Memory = memory
		report, err := app.Do(t.Context(), j, job.Events{})
		if err != nil || (report.Slabs != nil) != slabs || (report.Volumes[2].Slabs != nil) != slabs {
			t.Errorf("memory %d: %+v, %v", memory, report.Slabs, err)
		}
	}
}

// DICOM is read and written slab by slab as whole, byte for byte.
func TestSlabsOfDICOM(t *testing.T) {
	for _, c := range []struct {
		name, out string
		four      bool
	}{{"DICOM to DICOM", "out", false}, {"DICOM to NIfTI", "out.nii", false}, {"4-D NIfTI to DICOM", "out", true}} {
		t.Run(c.name, func(t *testing.T) {
			r := apptest.MustRecipe("median", 3)
			j := job.Job{Recipe: &r, Input: job.Input{Path: t.TempDir() + "/in"}, Engine: job.EnginePolicy{Name: "cpu"}}
			if c.four {
				j.Input.Path += ".nii"
				apptest.Put4D(t, j.Input.Path, 3, 2)
			} else {
				apptest.PutDICOM(t, j.Input.Path, 9, 8, 30)
			}
			var outs [2]map[string][]byte
			for i, memory := range []int64{math.MaxInt64, twoSlices} {
				if !c.four && i == 1 {
					memory = 2 * 4 * 9 * 8 * 12
				}
				dir := t.TempDir()
				j.Memory, j.Output = memory, job.Output{Path: filepath.Join(dir, c.out), Options: job.Options{Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
				report, err := app.Do(t.Context(), j, job.Events{})
				if err != nil || (report.Slabs != nil) != (i == 1) {
					t.Fatalf("%+v, %v", report.Slabs, err)
				}
				outs[i] = filesIn(t, dir)
			}
			if len(outs[0]) != len(outs[1]) || len(outs[0]) < 2 {
				t.Errorf("%d files whole, %d in slabs", len(outs[0]), len(outs[1]))
			}
			for name, want := range outs[0] {
				if !bytes.Equal(outs[1][name], want) {
					t.Errorf("%s differs", name)
				}
			}
		})
	}
}

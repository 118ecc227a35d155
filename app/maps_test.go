package app_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/output"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/io/nifti/niftitest"
	"quell/series"
	"quell/volume"
)

// mapFile writes a volume on the grid of wavy(6, 5, 8) with f(i) as voxel i.
func mapFile(t *testing.T, name string, f func(i int) float32) string {
	t.Helper()
	v := apptest.Wavy(6, 5, 8).Volume
	for i := range v.Data {
		v.Data[i] = f(i)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := niftitest.Write(t.Context(), path, v, ""); err != nil {
		t.Fatal(err)
	}
	return path
}

// A mask leaves voxels as they are, and what was removed is the input less the
// result.
func TestDoWithMapsAndRemovedNoise(t *testing.T) {
	j := medianJob(t)
	j.Mask = mapFile(t, "mask.nii", func(i int) float32 { return float32(i % 3) })
	j.NoiseMap = mapFile(t, "sigma.nii", func(i int) float32 { return 1 + float32(i%6) })
	j.Slices = job.SliceRange{From: 2, To: 6}
	j.Output.Beside = map[string]string{"noise-out": filepath.Join(t.TempDir(), "removed.nii.gz")}
	j.Output.Dtype = "int16" // of the result alone
	report, err := app.Do(t.Context(), j, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	before := apptest.Wavy(6, 5, 8).Volume
	before = before.Crop(volume.Slices(before.Geometry, 2, 6))
	removed := opentest.Reopen(t, j.Output.Beside["noise-out"]).Volume
	touched := 0
	for i, x := range report.Run.Result.Data {
		if (2*30+i)%3 == 0 && x != before.Data[i] {
			t.Fatalf("voxel %d is outside the mask and became %v of %v", i, x, before.Data[i])
		}
		if x != before.Data[i] {
			touched++
		}
		if removed.Data[i] != before.Data[i]-x {
			t.Fatalf("voxel %d: %v was removed of %v, which became %v", i, removed.Data[i], before.Data[i], x)
		}
	}
	if touched == 0 {
		t.Error("nothing was filtered")
	}
	if !reflect.DeepEqual(removed.Dims, before.Dims) || report.Removed != j.Output.Beside["noise-out"] {
		t.Errorf("%v voxels in %q", removed.Dims, report.Removed)
	}
	noiseRecord, maskRecord := report.Run.Maps.Records()
	if !reflect.DeepEqual(report.NoiseMap, noiseRecord) || !reflect.DeepEqual(report.Mask, maskRecord) {
		t.Errorf("the report names %+v and %+v", report.NoiseMap, report.Mask)
	}
	// The record has the hashes of what was read, and no names.
	var record output.Record
	data, err := os.ReadFile(report.Record)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	sigma := opentest.Reopen(t, j.NoiseMap).Volume
	if record.NoiseMap == nil || *record.NoiseMap != (run.MapRecord{From: "file", SHA256: run.HashOf(sigma)}) || !record.Recipe.InSigmas {
		t.Errorf("noise map %+v in the record, recipe %s", record.NoiseMap, record.Recipe)
	}
	ones := sigma.Clone()
	for i := range ones.Data {
		ones.Data[i] = min(float32(i%3), 1)
	}
	if record.Mask == nil || *record.Mask != (run.MapRecord{From: "file", SHA256: run.HashOf(ones)}) {
		t.Errorf("mask %+v in the record", record.Mask)
	}
	if strings.Contains(string(data), "sigma.nii") || strings.Contains(string(data), "mask.nii") {
		t.Errorf("the record names a file: %s", data)
	}
}

// A result that was steered by maps is judged by its recipe only under the same map, and a
// de-identified record does not link to them.
func TestRecordsOfSteeredRuns(t *testing.T) {
	for name, change := range map[string]func(*job.Job){
		"mask":      func(j *job.Job) { j.Mask = mapFile(t, "m.nii", func(i int) float32 { return float32(i % 2) }) },
		"noise map": func(j *job.Job) { j.NoiseMap = mapFile(t, "m.nii", func(int) float32 { return 2 }) },
		"none":      func(*job.Job) {},
	} {
		work := medianJob(t)
		change(&work)
		if _, err := app.Do(t.Context(), work, job.Events{}); err != nil {
			t.Fatal(err)
		}
		before := apptest.Wavy(6, 5, 8).Volume
		r, err := output.RecipeBeside(work.Output.Path, before, run.Maps{})
		if err != nil || (r == nil) != (name != "none") {
			t.Errorf("%s: recipe %v beside the output, %v", name, r, err)
		}
		for sigma, same := range map[float32]bool{2: true, 3: false} {
			m := before.Clone()
			for i := range m.Data {
				m.Data[i] = sigma
			}
			if r, err := output.RecipeBeside(work.Output.Path, before, run.Maps{Noise: m}); err != nil || (r != nil) != (name == "noise map" && same) {
				t.Errorf("%s: recipe %v beside the output of a run under a map of %g, %v", name, r, sigma, err)
			}
		}
	}
}

// Maps that do not fit are refused before any work.
func TestMapsAreChecked(t *testing.T) {
	grid := apptest.Wavy(6, 5, 8)
	shifted := grid.Volume.Clone()
	shifted.Affine.SetColumn(3, volume.Vec{1, 0, 0})
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.nii")
	if err := niftitest.Write(t.Context(), elsewhere, shifted, ""); err != nil {
		t.Fatal(err)
	}
	zero := mapFile(t, "zero.nii", func(int) float32 { return 0 })
	one := mapFile(t, "one.nii", func(int) float32 { return 1 })
	signal := mapFile(t, "one_noRF.nii", func(int) float32 { return 100 })
	for want, change := range map[string]func(*job.Job){
		"the volumes hold more than noise": func(j *job.Job) { j.NoiseMap = signal },
		"the noise map cannot be read slab by slab": func(j *job.Job) {
			j.NoiseMap, j.Memory = signal, (executor.VoxelBytes(*j, j.Recipe, grid.Volume.Geometry)+7)*6*5*4
		},
		"the positions differ by more than 0.01 mm":   func(j *job.Job) { j.Mask = elsewhere },
		"the noise map is not on the grid":            func(j *job.Job) { j.NoiseMap = elsewhere },
		"leaves no voxel":                             func(j *job.Job) { j.Mask = zero },
		"no positive number":                          func(j *job.Job) { j.NoiseMap = zero },
		"give a recipe":                               func(j *job.Job) { j.Recipe, j.Mask = nil, one },
		"are for jobs that filter":                    func(j *job.Job) { j.Recipe, j.NoiseMap = nil, one },
		"outputs beside the result, such as pictures": func(j *job.Job) { j.Recipe, j.Output.Beside = nil, map[string]string{"noise-out": "x.nii"} },
		"OUT and --noise-out would both be written": func(j *job.Job) {
			j.Output.Beside = map[string]string{"noise-out": filepath.Dir(j.Output.Path) + "/./out.nii"}
		},
		"is the input itself": func(j *job.Job) { j.Output.Beside = map[string]string{"noise-out": j.Input.Path} },
		"NAME.hdr":            func(j *job.Job) { j.Output.Beside = map[string]string{"noise-out": "x.img"} },
		"no such file":        func(j *job.Job) { j.NoiseMap = "missing.nii" },
	} {
		work := medianJob(t)
		change(&work)
		_, err := app.Do(t.Context(), work, job.Events{Progress: func(step job.Step, _, _ int64) {
			if step != job.Reading {
				t.Errorf("%s: %s began", want, step)
			}
		}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
		var input *job.InputError
		var usage *job.UsageError
		if !errors.As(err, &input) && !errors.As(err, &usage) {
			t.Errorf("%v is neither about the input nor about the request", err)
		}
		if _, err := os.Stat(work.Output.Path); err == nil {
			t.Errorf("%s: the output was written", want)
		}
	}
}

// The map of a series with added noise is the map of the noisy one. The facts of
// the series do not serve a run over a map.
func TestEstimatedMaps(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{40, 40, 12}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 100
	}
	s := &series.Series{Volume: v}
	r := apptest.MustRecipe("bilateral", 3).With("sigma-range", denoise.Sigmas(2))
	facts := denoise.Facts{Hi: 1e6, Noise: noise.Known(1e5)} // wrong ones, which must not be used
	j := job.Job{Recipe: &r, Noise: &job.AddedNoise{Model: noise.Gaussian, Sigma: 4, Seed: 2}, NoiseMap: job.MapAuto}
	report, err := app.DoOn(t.Context(), app.On{Series: s, Engine: cpu.New(), Facts: &facts}, j, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	m := report.Run.Maps
	if !m.Estimated || m.Noise == nil || report.NoiseMap.From != "estimate" {
		t.Fatalf("maps %+v", report.NoiseMap)
	}
	if got := float64(m.Noise.Data[m.Noise.Index(20, 20, 6)]); got < 3.4 || got > 4.6 {
		t.Errorf("sigma %g in the middle of the map; 4 was added", got)
	}
	if got := report.Recipe.Get("sigma-range").Float(); got != 2 || !report.Recipe.InSigmas {
		t.Errorf("%s; want 2 sigmas", report.Recipe)
	}
	// A map that is open serves as one that is named.
	j.NoiseMap, j.Noise = "", nil
	again, err := app.DoOn(t.Context(), app.On{Series: report.Run.Source, Engine: cpu.New(), Maps: m}, j, job.Events{})
	if err != nil || !reflect.DeepEqual(again.Run.Result.Data, report.Run.Result.Data) {
		t.Errorf("the same map in memory gives another result, %v", err)
	}
	// Without noise to map there is a reason.
	j.NoiseMap = job.MapAuto
	flat := &series.Series{Volume: volume.New(volume.NewGeometry([3]int{4, 4, 1}, [3]float64{1, 1, 1}))}
	if _, err := app.DoOn(t.Context(), app.On{Series: flat, Engine: cpu.New()}, j, job.Events{}); err == nil || !strings.Contains(err.Error(), "the noise cannot be mapped") {
		t.Errorf("%v; want why there is no map", err)
	}
}

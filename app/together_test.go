package app_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/io/format"
	"quell/io/nifti"
	"quell/series"
	"quell/volume"
)

// putVolumes writes a 4-D file, or one of one volume.
func putVolumes(t *testing.T, path, datatype string, all ...*volume.Volume) {
	t.Helper()
	o := format.Options{Datatype: datatype}
	if len(all) > 1 {
		o.Group = &series.Group{Places: make([]series.Place, len(all))}
	}
	w := nifti.Make.NewWriter(path, o)
	for _, v := range all {
		if err := w.Begin(t.Context(), &series.Series{Volume: v}, format.Derived{}); err != nil {
			t.Fatal(err)
		}
		if err := w.Add(t.Context(), v, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// putSeries writes a 4-D file of so many volumes that have two curves in common, with noise of sigma 3, and returns the truth.
func putSeries(t *testing.T, path string, volumes int) (truth [][]float32) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var all []*volume.Volume
	for k := range volumes {
		v := volume.New(volume.NewGeometry([3]int{14, 13, 11}, [3]float64{2, 2, 2}))
		clean := make([]float32, len(v.Data))
		for i := range v.Data {
			x, y := float64(i%14)/14, float64(i/14%13)/13
			clean[i] = float32(100 + 60*math.Sin(3*x+y)*math.Cos(float64(k)) + 40*y*float64(k%3))
			v.Data[i] = clean[i] + float32(3*r.NormFloat64())
		}
		truth, all = append(truth, clean), append(all, v)
	}
	putVolumes(t, path, "float32", all...)
	return truth
}

// putEvenMap writes a noise map of 3 on the grid of putSeries.
func putEvenMap(t *testing.T, path string) {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{14, 13, 11}, [3]float64{2, 2, 2}))
	for i := range v.Data {
		v.Data[i] = 3
	}
	putVolumes(t, path, "float32", v)
}

func togetherJob(t *testing.T, volumes int) (job.Job, [][]float32) {
	t.Helper()
	dir := t.TempDir()
	r := apptest.MustRecipe("lowrank", 3).With("sigma", denoise.Number(3))
	j := job.Job{Input: job.Input{Path: filepath.Join(dir, "in.nii")}, Recipe: &r, Engine: job.EnginePolicy{Name: "cpu"}, Output: job.Output{Path: filepath.Join(dir, "out.nii")}}
	return j, putSeries(t, j.Input.Path, volumes)
}

// A 4-D series is filtered as a whole and in slabs with the same bits, with its maps beside it, and is nearer to the truth.
func TestTogether(t *testing.T) {
	j, truth := togetherJob(t, 16)
	dir := filepath.Dir(j.Output.Path)
	j.Measure = true
	j.Output.Beside = map[string]string{"noise-out": filepath.Join(dir, "removed.nii"), "rank-out": filepath.Join(dir, "rank.nii"), "sigma-out": filepath.Join(dir, "sigma.nii")}
	report, err := app.Do(t.Context(), j, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Slabs != nil || len(report.Volumes) != 16 || report.Outcome != "denoised" {
		t.Errorf("%+v", report)
	}
	_, before := loadAll(t, j.Input.Path)
	_, after := loadAll(t, j.Output.Path)
	_, removed := loadAll(t, j.Output.Beside["noise-out"])
	square := 0.0
	for k, s := range after {
		for i, v := range s.Volume.Data {
			square += float64(v-truth[k][i]) * float64(v-truth[k][i])
			if d := before[k].Volume.Data[i] - v - removed[k].Volume.Data[i]; math.Abs(float64(d)) > 1e-4 {
				t.Fatalf("what was removed is off by %g", d)
			}
		}
	}
	if rms := math.Sqrt(square / float64(16*len(truth[0]))); rms > 1.5 {
		t.Errorf("an error of %.2f, of noise of 3", rms)
	}
	_, maps := loadAll(t, j.Output.Beside["rank-out"])
	if lo, hi := slices.Min(maps[0].Volume.Data), slices.Max(maps[0].Volume.Data); lo < 0 || hi < 1 || hi > 6 {
		t.Errorf("ranks from %g to %g", lo, hi)
	}
	if _, maps = loadAll(t, j.Output.Beside["sigma-out"]); slices.Min(maps[0].Volume.Data) != 3 || slices.Max(maps[0].Volume.Data) != 3 {
		t.Error("the noise is not that of the recipe")
	}
	whole, err := os.ReadFile(j.Output.Path)
	if err != nil {
		t.Fatal(err)
	}

	j.Output.Beside, j.Output.Path = nil, filepath.Join(dir, "slabs.nii")
	j.Memory = 14 * 13 * 4 * (3*11 + 16*18)
	if report, err = app.Do(t.Context(), j, job.Events{}); err != nil {
		t.Fatal(err)
	}
	if report.Slabs == nil || report.Slabs.Count < 3 {
		t.Errorf("%+v", report.Slabs)
	}
	if slabs, err := os.ReadFile(j.Output.Path); err != nil || !slices.Equal(slabs[352:], whole[352:]) {
		t.Errorf("slabs have other bits: %v", err)
	}
	j.Memory, j.Output.Overwrite = 14*13*4*(3*11+16*17), true
	if _, err = app.Do(t.Context(), j, job.Events{}); err == nil || !strings.Contains(err.Error(), "allow more with --memory") {
		t.Errorf("no slice fits: %v", err)
	}
	j.Memory, j.Slices = 0, job.SliceRange{From: 3, To: 7}
	if _, err = app.Do(t.Context(), j, job.Events{}); err != nil {
		t.Fatal(err)
	}
	_, some := loadAll(t, j.Output.Path)
	for k, s := range some {
		if n := s.Volume.SliceVoxels(); !slices.Equal(s.Volume.Data, after[k].Volume.Data[3*n:7*n]) {
			t.Fatalf("slices of volume %d differ from those of the whole", k)
		}
	}
}

// seriesEngine runs programs of 4-D series itself, or fails at them.
type seriesEngine struct {
	denoise.Engine
	runs int
	err  error
}

func (e *seriesEngine) Info() denoise.Info { return denoise.Info{Name: "cuda"} }

func (e *seriesEngine) RunSeries(ctx context.Context, r denoise.Recipe, g volume.Geometry, in denoise.SeriesPart, slab denoise.Slab, progress denoise.Progress) (denoise.SeriesResult, error) {
	if e.runs++; e.err != nil {
		return denoise.SeriesResult{}, e.err
	}
	p, err := r.BindSeries(g, in.Volumes)
	if err != nil {
		return denoise.SeriesResult{}, err
	}
	return p.Run(ctx, in, slab, progress)
}

// An engine with its own form of a filter of 4-D series runs it. If it fails the CPU does, unless the GPU was asked for.
func TestTogetherOnEngines(t *testing.T) {
	for _, c := range []struct {
		name   string
		err    error
		engine string
	}{{"auto", nil, "cuda"}, {"auto", engines.ErrFailed, "cpu"}, {"cuda", engines.ErrFailed, ""}} {
		j, _ := togetherJob(t, 9)
		j.Engine.Name = c.name
		in, err := open.Select(t.Context(), j.Input, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		e := &seriesEngine{Engine: engines.CPU(), err: c.err}
		report, err := app.Execute(t.Context(), j, executor.SourceOf(in), executor.Means{Engine: func() (denoise.Engine, error) { return e, nil }, Fallback: true}, job.Events{})
		if (err == nil) != (c.engine != "") || report.Engine != c.engine || e.runs != 1 || len(report.Warnings) > 0 != (c.engine == "cpu") {
			t.Errorf("%+v: %s after %d runs, %v, %v", c, report.Engine, e.runs, report.Warnings, err)
		}
	}
}

// Series of too few volumes, and a volume alone, are refused in a sentence; so is a strength that would have to be found.
func TestTogetherRefuses(t *testing.T) {
	j, _ := togetherJob(t, 7)
	for want, change := range map[string]func(){
		"at least 8 volumes together, and this has 7": func() {},
		"at least 8 volumes together, and this has 1": func() { j.Input.Series = new(0) },
	} {
		j.Input.Series = nil
		change()
		if _, err := app.Do(t.Context(), j, job.Events{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	j, _ = togetherJob(t, 8)
	r := j.Recipe.With("strength", denoise.Visible)
	j.Recipe = &r
	if _, err := app.Do(t.Context(), j, job.Events{}); err == nil || !strings.Contains(err.Error(), "give --strength as a number") {
		t.Error(err)
	}
}

// Noise that is mapped, masked or stabilised is removed in its own unit, and what is excluded stays.
func TestTogetherMapped(t *testing.T) {
	for name, change := range map[string]func(r denoise.Recipe) denoise.Recipe{
		"stabilised": func(r denoise.Recipe) denoise.Recipe { return r.With("stabilise", denoise.Number(3)) },
		"mixed":      func(r denoise.Recipe) denoise.Recipe { return r.With("strength", denoise.Number(50)) },
		"none":       func(r denoise.Recipe) denoise.Recipe { return r.With("strength", denoise.Number(0)) },
		"no limit": func(r denoise.Recipe) denoise.Recipe {
			return r.With("sigma", denoise.Number(0)).With("limit", denoise.Number(0))
		},
		"no noise": func(r denoise.Recipe) denoise.Recipe { return r.With("sigma", denoise.Number(0)) },
		"auto":     func(r denoise.Recipe) denoise.Recipe { return r.With("sigma", denoise.Auto) },
		"by place": func(r denoise.Recipe) denoise.Recipe { return r.With("sigma", denoise.Auto) },
		"both": func(r denoise.Recipe) denoise.Recipe {
			return r.With("sigma", denoise.Auto).With("stabilise", denoise.Sigmas(1))
		},
	} {
		j, truth := togetherJob(t, 12)
		if name == "by place" || name == "both" {
			j.NoiseMap = filepath.Join(filepath.Dir(j.Input.Path), "map.nii")
			putEvenMap(t, j.NoiseMap)
		}
		r := change(*j.Recipe)
		j.Recipe = &r
		if _, err := app.Do(t.Context(), j, job.Events{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, before := loadAll(t, j.Input.Path)
		_, after := loadAll(t, j.Output.Path)
		var left, was float64
		for k, s := range after {
			for i, v := range s.Volume.Data {
				left += math.Pow(float64(v-truth[k][i]), 2)
				was += math.Pow(float64(before[k].Volume.Data[i]-truth[k][i]), 2)
			}
		}
		least, most := 0.0, 0.3
		switch name {
		case "mixed":
			least, most = 0.25, 0.5
		case "none", "no noise", "no limit":
			least, most = 0.9999, 1.0001
		}
		if share := left / was; share < least || share > most {
			t.Errorf("%s: %.4f of the noise is left", name, share)
		}
	}
}

// Each volume is read twice: to filter all, and to write its result. The estimate of the noise reads none again.
func TestTogetherReads(t *testing.T) {
	j, _ := togetherJob(t, 24)
	r := j.Recipe.With("sigma", denoise.Auto)
	j.Recipe = &r
	in, err := open.Select(t.Context(), j.Input, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var once, again atomic.Int64
	src := executor.SourceOf(in)
	load, open := src.Load, src.Again
	src.Load = func(ctx context.Context, k int, events job.Events) (*series.Series, error) {
		once.Add(1)
		return load(ctx, k, events)
	}
	src.Again = func() (func(context.Context, int) (*series.Series, error), func()) {
		read, done := open()
		return func(ctx context.Context, k int) (*series.Series, error) {
			again.Add(1)
			return read(ctx, k)
		}, done
	}
	if _, err := app.Execute(t.Context(), j, src, executor.Means{}, job.Events{}); err != nil || once.Load() != 24 || again.Load() != 24 {
		t.Errorf("%d and %d reads of 24 volumes, %v", once.Load(), again.Load(), err)
	}
}

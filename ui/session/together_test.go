package session_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app"
	"quell/app/engines"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/ui/session/desk"
	"quell/ui/session/marks"
	"quell/ui/session/preview"
	"quell/volume"
)

// lowRank chooses the filter of 4-D series on a bench with the CPU as its engine.
func (b *bench) lowRank(t *testing.T) denoise.Recipe {
	t.Helper()
	b.settle()
	b.SetEngine(engines.CPU())
	r, err := denoise.NewRecipe("lowrank", 3)
	if err != nil {
		t.Fatal(err)
	}
	b.Tuning.Set(r, true)
	return r
}

// wholeRun returns the volumes of a file as a job filters them together.
func wholeRun(t *testing.T, path string, r denoise.Recipe) []*volume.Volume {
	t.Helper()
	to := filepath.Join(t.TempDir(), "out.nii")
	j := job.Job{Input: job.Input{Path: path}, Recipe: &r, NoiseMap: job.MapIfVaries, Engine: job.EnginePolicy{Name: "cpu"}, Output: job.Output{Path: to, Options: job.Options{Dtype: "float32"}}}
	if _, err := app.Do(t.Context(), j, job.Events{}); err != nil {
		t.Fatal(err)
	}
	return volumesOf(t, to)
}

func volumesOf(t *testing.T, path string) (out []*volume.Volume) {
	t.Helper()
	in, err := open.Select(t.Context(), job.Input{Path: path}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for k := range in.Entries {
		s, err := in.Load(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s.Volume)
	}
	return out
}

// A slice of any volume is filtered as in a run over the series, at any strength and in any plane, and no file is read for
// the next volume, strength or plane.
func TestPreviewOf4DSeries(t *testing.T) {
	b := newBench(t)
	path := b.open4D(t, 8)
	r := b.lowRank(t)
	for i, step := range []struct {
		volume int
		plane  volume.Plane
		set    func(denoise.Recipe) denoise.Recipe
	}{
		{0, volume.Axial, func(r denoise.Recipe) denoise.Recipe { return r }},
		{5, volume.Axial, func(r denoise.Recipe) denoise.Recipe { return r }},
		{5, volume.Axial, func(r denoise.Recipe) denoise.Recipe { return r.With("strength", denoise.Number(60)) }},
		{5, volume.Coronal, func(r denoise.Recipe) denoise.Recipe { return r.With("strength", denoise.Number(60)) }},
		{5, volume.Coronal, func(r denoise.Recipe) denoise.Recipe { return r.With("sigma", denoise.Number(2)) }},
	} {
		b.Reader.ShowVolume(step.volume)
		b.settle()
		b.State().SetPlane(step.plane)
		want := step.set(r)
		b.Tuning.Set(want, true)
		b.loop.until("the slice is filtered", func() bool { return b.status() == preview.Slice })
		b.settle()
		got, part, _ := b.Preview.Shown()
		if text, problem := b.Preview.Text(); problem || !part {
			t.Fatalf("step %d: %s", i, text)
		}
		region := b.Series().Volume.View(step.plane).Region(b.State().Cut().Index())
		if whole := wholeRun(t, path, want)[step.volume].Crop(region); !slices.Equal(got.Data, whole.Data) {
			t.Errorf("step %d: the slice is not that of a whole run", i)
		}
		if slices.Equal(got.Data, b.Series().Volume.Crop(region).Data) {
			t.Errorf("step %d: nothing was filtered", i)
		}
	}
	if resolved, err := b.Preview.Resolved(); err != nil || resolved.Get("sigma").Float() != 2 || resolved.Get("patch-radius").IsAuto() {
		t.Errorf("resolved to %v", resolved)
	}
	if b.Documents.List()[0].Bytes <= 4*int64(b.Series().Volume.Voxels()) {
		t.Error("what the preview keeps is not counted")
	}
	if b.filter == "lowrank" {
		t.Error("the next series starts with a filter of 4-D series")
	}
	// What was read serves the next strength, and the next slice.
	b.Tuning.Set(r, true)
	b.settle()
	if err := os.Truncate(path, 400); err != nil {
		t.Fatal(err)
	}
	for k := range 2 {
		b.Tuning.Set(r.With("patch-radius", denoise.Number(float64(1+k))), false)
		b.State().Cut().Scroll(1)
		b.loop.until("a slice is filtered without the file", func() bool { return b.status() == preview.Slice })
	}
}

// A volume is filtered as in a run over the series, whether its slices fit into the memory at once or not, and can be
// exported by itself or with all others.
func TestApplyTo4DSeries(t *testing.T) {
	const one = 4 * 16 * 12 * (2*8*9 + 3*12) // a slice and the 8 around it that its patches read, of 12, twice, and 3 volumes
	for _, available := range []int64{1 << 30, 2 * one} {
		b := newBenchWithin(t, available)
		path := b.openVolumes(t, 8, rampOf(t, 12))
		b.settle()
		b.Preview.SetAuto(false)
		r := b.lowRank(t).With("patch-radius", denoise.Number(1))
		b.Tuning.Set(r, true)
		b.Reader.ShowVolume(5)
		b.settle()
		b.Results.Apply()
		b.settle()
		if len(b.errors) > 0 || !b.Results.Applied() {
			t.Fatalf("in %d bytes: %v", available, b.errors)
		}
		want := wholeRun(t, path, r)
		got := b.Results.Exportable()
		if !slices.Equal(got.Result.Data, want[5].Data) {
			t.Errorf("in %d bytes the volume is not that of a whole run", available)
		}
		if f, ok := b.Document().Estimated(); !ok || f.Noise.Sigma != got.Resolved.Get("sigma").Float() || f.Noise.Evidence[0].Kind != noise.OverTime {
			t.Errorf("filtered by sigma %v beside noise of %+v", got.Resolved.Get("sigma"), f.Noise.Figure)
		}
		if m := b.Measures.Volume(); available == 1<<30 && (!m.Known || m.Err != nil || m.Why.IsZero()) {
			t.Errorf("metrics: %+v", m)
		}
		one, all := filepath.Join(t.TempDir(), "one.nii"), filepath.Join(t.TempDir(), "all.nii")
		b.Exports.Write(one, job.Options{Dtype: "float32"}, func(job.Written) {})
		b.settle()
		b.Exports.WriteAll(all, job.Options{Dtype: "float32"}, func(job.Written) {})
		b.settle()
		if len(b.errors) > 0 {
			t.Fatal(b.errors)
		}
		for k, v := range volumesOf(t, all) {
			if !slices.Equal(v.Data, want[k].Data) {
				t.Errorf("volume %d of the export is another", k)
			}
		}
		if v := volumesOf(t, one); len(v) != 1 || !slices.Equal(v[0].Data, want[5].Data) {
			t.Error("the export is not the volume")
		}
	}
}

// A run follows the noise that was added to the volumes, and the one that a person gave, as the preview does.
func TestApplyTo4DSeriesWithNoise(t *testing.T) {
	b := newBench(t)
	b.open4D(t, 8)
	b.lowRank(t)
	b.Reader.ShowVolume(5)
	b.settle()
	b.Reader.AddNoise(job.AddedNoise{Model: "gaussian", Sigma: 3, Seed: 1})
	b.settle()
	for _, given := range []bool{false, true} {
		if given {
			b.draw(marks.RectangleTool, [2]float64{0, 0}, [2]float64{15, 11})
			b.Marks.UseNoise()
		}
		if has := b.Document().GivenNoise() != nil; has != given {
			t.Fatalf("given %v", has)
		}
		b.Tuning.Set(b.Tuning.Recipe().With("limit", denoise.Number(4+float64(len(b.Results.List())))), true)
		b.loop.until("the slice is filtered", func() bool { return b.status() == preview.Slice })
		slice, _, _ := b.Preview.Shown()
		b.Results.Apply()
		b.settle()
		if len(b.errors) > 0 || !b.Results.Applied() {
			t.Fatal(b.errors)
		}
		if got := b.Results.Exportable().Result.Crop(b.State().Cut().View().Region(b.State().Cut().Index())); !slices.Equal(got.Data, slice.Data) {
			t.Errorf("given %v: the slice of the run is not that of the preview", given)
		}
	}
}

// A run for which there is no memory, and one that is cancelled, leave no result.
func TestApplyTo4DSeriesEnds(t *testing.T) {
	const one = 4 * 16 * 12 * (2*8*9 + 3*12)
	b := newBenchWithin(t, 2*one-2)
	b.openVolumes(t, 8, rampOf(t, 12))
	b.Tuning.Set(b.lowRank(t).With("patch-radius", denoise.Number(1)), true)
	b.Preview.SetAuto(false)
	b.settle()
	b.Results.Apply()
	b.settle()
	if len(b.errors) == 0 || !strings.Contains(b.errors[0].Error(), "do not fit into") || b.Results.Exportable() != nil {
		t.Errorf("%v", b.errors)
	}
	b = newBench(t)
	b.open4D(t, 8)
	b.lowRank(t)
	b.Preview.SetAuto(false)
	b.settle()
	w := waiting{engines.CPU(), make(chan context.Context, 1), make(chan struct{})}
	b.SetEngine(w)
	b.Results.Apply()
	<-w.begun
	b.Tasks.Cancel()
	b.settle()
	if len(b.errors) > 0 || b.Results.Exportable() != nil || b.Tasks.Busy() {
		t.Errorf("%v", b.errors)
	}
	close(w.let)
	b.Results.Apply()
	<-w.begun
	b.settle()
	if len(b.errors) > 0 || !b.Results.Applied() {
		t.Errorf("after a cancel: %v", b.errors)
	}
}

// A series of 7 volumes is refused in a sentence.
func TestPreviewOfTooFewVolumes(t *testing.T) {
	b := newBench(t)
	b.open4D(t, 7)
	b.lowRank(t)
	b.loop.until("it is refused", func() bool { _, problem := b.Preview.Text(); return problem })
	if text, _ := b.Preview.Text(); !strings.Contains(text, "at least 8 volumes together, and this has 7") {
		t.Error(text)
	}
}

// A preview that would take more memory than it may is refused; with as much as it says it is not.
func TestPreviewOf4DSeriesInMemory(t *testing.T) {
	// 16 x 12 voxels of 8 volumes: 3 times 5 slices for the patches around the slice and around its neighbours, and 5 volumes of 6.
	const need = 4 * 16 * 12 * (3*8*6 + 5*6)
	for _, limit := range []int64{need, need - 1} {
		b := newBenchWithin(t, 2*limit)
		b.open4D(t, 8)
		b.lowRank(t)
		b.loop.until("there is an answer", func() bool { _, problem := b.Preview.Text(); return problem || b.status() == preview.Slice })
		if text, problem := b.Preview.Text(); problem != (limit < need) || problem && !strings.Contains(text, "slices around this one of all 8 volumes") {
			t.Errorf("in %d bytes: %q", limit, text)
		}
	}
}

func newBenchWithin(t *testing.T, available int64) *bench {
	t.Helper()
	return newBenchWith(t, func(d *desk.Deps) { d.Available = func() int64 { return available } })
}

// waiting is an engine that filters a 4-D series when its context ends, or it is let go.
type waiting struct {
	denoise.Engine
	begun chan context.Context
	let   chan struct{}
}

func (w waiting) RunSeries(ctx context.Context, r denoise.Recipe, g volume.Geometry, in denoise.SeriesPart, slab denoise.Slab, progress denoise.Progress) (denoise.SeriesResult, error) {
	w.begun <- ctx
	select {
	case <-ctx.Done():
		return denoise.SeriesResult{}, ctx.Err()
	case <-w.let:
	}
	p, err := r.BindSeries(g, in.Volumes)
	if err != nil {
		return denoise.SeriesResult{}, err
	}
	return p.Run(ctx, in, slab, progress)
}

// The next recipe cancels the preview of the last one, the answer to which is not shown.
func TestPreviewOf4DSeriesGivesWay(t *testing.T) {
	b := newBench(t)
	b.open4D(t, 8)
	r := b.lowRank(t)
	b.loop.until("the slice is filtered", func() bool { return b.status() == preview.Slice })
	w := waiting{engines.CPU(), make(chan context.Context, 9), make(chan struct{})}
	b.SetEngine(w)
	b.Tuning.Set(r.With("limit", denoise.Number(4)), false)
	first := <-w.begun
	b.Tuning.Set(r.With("limit", denoise.Number(3)), false)
	<-first.Done()
	second := <-w.begun
	if b.status() != preview.Stale || !b.Preview.Running() || second.Err() != nil {
		t.Errorf("status %v", b.status())
	}
	close(w.let)
	b.loop.until("the newest is filtered", func() bool { return b.status() == preview.Slice })
	b.settle()
	if made, _ := b.Preview.Resolved(); made.Get("limit").Float() != 3 || len(b.errors) > 0 {
		t.Errorf("%v, %v", made, b.errors)
	}
}

package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// disc is a bright ellipse with a hole on a dark ground: edges and even parts.
func disc(n, nz int) *series.Series {
	v := volume.New(volume.NewGeometry([3]int{n, n, nz}, [3]float64{1, 1, 1}))
	for z := range nz {
		for y := range n {
			for x := range n {
				dx, dy := float64(x)-float64(n)/2, float64(y)-float64(n)/2
				r := math.Hypot(dx, dy*1.2)
				if r < 0.45*float64(n) && math.Hypot(dx-4, dy) > 0.1*float64(n) {
					v.Data[v.Index(x, y, z)] = 200
				}
			}
		}
	}
	return &series.Series{Meta: series.Meta{Format: "NIfTI-1"}, Volume: v, Sources: []series.Source{{}}}
}

// TestVerdictsOfRealFilters: on an image with known noise, the verdicts agree with
// what the pictures show.
func TestVerdictsOfRealFilters(t *testing.T) {
	clean := disc(64, 3)
	noisy, err := AddNoise(t.Context(), clean, Noise{Model: noise.Gaussian, Sigma: 10, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	eng, err := PickEngine("cpu")
	if err != nil {
		t.Fatal(err)
	}
	tuned, err := Tune(t.Context(), eng, TuneRequest{Series: noisy, Recipe: mustRecipe("nlm", 3)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		recipe denoise.Recipe
		want   tune.Verdict
	}{
		{"nlm, tuned", tuned.Recipe, tune.Matched},
		{"nlm, weak", mustRecipe("nlm", 3).With("h", denoise.Number(2)), tune.Under},
		{"a heavy blur", mustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(3)), tune.Over},
	} {
		run, err := Denoise(t.Context(), eng, RunRequest{Series: noisy, Recipe: c.recipe}, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := MeasureRun(t.Context(), nil, run, clean)
		if err != nil {
			t.Fatal(err)
		}
		if m.Verdict != c.want {
			t.Errorf("%s: %s (residual SD %.2f of sigma %.2f, structure %.3f), want %s",
				c.name, m.Verdict, float64(m.ResidualSD), m.Sigma, m.Structure, c.want)
		}
		if m.Truth == nil || m.Start == nil || m.Truth.Max != measure.Float(200) || m.Start.Max != measure.Float(200) {
			t.Fatalf("%s: truth %v, start %v", c.name, m.Truth, m.Start)
		}
		if alone, err := MeasureRun(t.Context(), nil, run, nil); err != nil || alone.Change.Max != m.Change.Max || alone.Change.PSNR != m.Change.PSNR || alone.Change.SSIM != m.Change.SSIM {
			t.Errorf("%s: against the original %+v, and without a reference %+v; %v", c.name, m.Change, alone.Change, err)
		}
		if better := m.Truth.MSE < m.Start.MSE; better != (c.want != tune.Over) {
			t.Errorf("%s: MSE %v from %v", c.name, m.Truth.MSE, m.Start.MSE)
		}
	}
}

func TestMeasurePreviewIsTheSlice(t *testing.T) {
	s := wavy(20, 18, 16)
	ref := wavy(20, 18, 16)
	for i := range ref.Volume.Data {
		ref.Volume.Data[i] += float32(i % 3)
	}
	eng, err := PickEngine("cpu")
	if err != nil {
		t.Fatal(err)
	}
	q := PreviewRequest{Series: s, Recipe: mustRecipe("gaussian", 3), Facts: foundFacts(t, s.Volume), Index: 7}
	for q.Plane = volume.Axial; q.Plane <= volume.Sagittal; q.Plane++ {
		pv := filterSlice(t.Context(), eng, q)
		m, err := MeasurePreview(t.Context(), pv, ref)
		if err != nil {
			t.Fatalf("%v: %v", q.Plane, err)
		}
		before := s.Volume.Crop(q.Region())
		sum, n := 0.0, 0
		for i, x := range before.Data {
			d := float64(x) - float64(pv.Part.Data[i])
			sum += d * d
			n++
		}
		if want := sum / float64(n); math.Abs(float64(m.Change.MSE)-want) > 1e-9*want {
			t.Errorf("%v: MSE %v, want %v", q.Plane, m.Change.MSE, want)
		}
		if alone, err := MeasurePreview(t.Context(), pv, nil); err != nil || alone.Change.Max != m.Change.Max || alone.Change.PSNR != m.Change.PSNR || alone.Change.SSIM != m.Change.SSIM {
			t.Errorf("%v: against the original %+v, and without a reference %+v; %v", q.Plane, m.Change, alone.Change, err)
		}
		if math.IsNaN(float64(m.Change.SSIM)) || m.Truth == nil {
			t.Errorf("%v: SSIM %v, truth %v", q.Plane, m.Change.SSIM, m.Truth)
		}
	}
	broken := errors.New("broken")
	if _, err := MeasurePreview(context.Background(), Preview{Err: broken}, nil); !errors.Is(err, broken) {
		t.Errorf("a failed preview was measured: %v", err)
	}
}

// Of a slice of padding nothing is measured, and the numbers say so instead of an error.
func TestMeasuresOfAnEmptySlice(t *testing.T) {
	s := disc(32, 3)
	v := s.Volume
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = i < 2*v.SliceVoxels()
	}
	eng, err := PickEngine("cpu")
	if err != nil {
		t.Fatal(err)
	}
	q := PreviewRequest{Series: s, Recipe: mustRecipe("median", 2), Facts: foundFacts(t, v), Index: 2}
	m, err := MeasurePreview(t.Context(), filterSlice(t.Context(), eng, q), s)
	if err != nil || m.Why.String() != "It holds nothing but padding: there is nothing to measure." || m.Verdict != tune.Unknown {
		t.Errorf("%q, verdict %s, %v", m.Why, m.Verdict, err)
	}
	if m.Change.MSE.Finite() || m.Change.PSNR.Finite() || m.Change.SSIM.Finite() || m.ResidualSD.Finite() || !m.Change.Max.Finite() || m.Truth != nil {
		t.Errorf("%+v", m.Change)
	}
}

// blurred is a noisy disc that a Gaussian filter ran on, with the engine.
func blurred(t *testing.T) (denoise.Engine, *Run) {
	t.Helper()
	noisy, err := AddNoise(t.Context(), disc(48, 2), Noise{Model: noise.Gaussian, Sigma: 10, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	eng, err := PickEngine("cpu")
	if err != nil {
		t.Fatal(err)
	}
	run, err := Denoise(t.Context(), eng, RunRequest{Series: noisy, Recipe: mustRecipe("gaussian", 2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return eng, run
}

// judgeRun returns the verdict of [Judge] on a run.
func judgeRun(ctx context.Context, eng denoise.Engine, run *Run) (Assessment, error) {
	made := &Made{Source: run.Source, Region: run.Region, Result: run.Result, Run: run, Engine: eng}
	report := VolumeReport{Measures: &Measures{}}
	err := new(Judge).Slab(ctx, &Slab{From: run.Region.Min[2], Whole: made, Part: made, First: true, Last: true, Report: &report})
	return report.Measures.Assessment, err
}

// TestJudgeRun: the verdict is that of MeasureRun, and what a run did not need is found once.
func TestJudgeRun(t *testing.T) {
	_, run := blurred(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, known := range []bool{false, true} {
		if run.Facts != nil || (run.later.facts != nil) != known {
			t.Fatalf("facts known: %v, later %v; want %v", run.Facts != nil, run.later.facts != nil, known)
		}
		if _, err := judgeRun(cancelled, nil, run); !errors.Is(err, context.Canceled) {
			t.Errorf("facts known %v: %v after a cancel", known, err)
		}
		measured, err := MeasureRun(t.Context(), nil, run, nil)
		if err != nil {
			t.Fatal(err)
		}
		first := run.later.facts
		a, err := judgeRun(t.Context(), nil, run)
		if err != nil || !a.Why.Same(measured.Why) || a.Sigma != measured.Sigma || a.Verdict != tune.Over || a.Sigma == 0 {
			t.Errorf("%+v, %v; measured %+v", a.Judgement, err, measured.Judgement)
		}
		if measured.Map == nil || a.Map != nil || a.Place == nil || *a.Place != *measured.Place || a.Structure != measured.Structure {
			t.Errorf("map %v, most structure %v; measured map %v, %v; want the same without a map", a.Map != nil, a.Place, measured.Map != nil, measured.Place)
		}
		if run.later.facts != first {
			t.Error("the facts were found again")
		}
	}
}

// deviceEngine is the CPU's as a device: its runs are few and large, and fail with fails where
// that is set.
type deviceEngine struct {
	denoise.Engine
	runs  atomic.Int32
	fails error
}

func (e *deviceEngine) Info() denoise.Info {
	return denoise.Info{Name: "device", Cores: 2, Overhead: time.Millisecond}
}

func (e *deviceEngine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	if e.runs.Add(1); e.fails != nil {
		return nil, e.fails
	}
	return e.Engine.Run(ctx, r, in, region, progress)
}

// A run is judged on the engine that is given. After a failure of its device the CPU judges;
// every other error ends the work.
func TestJudgeRunOnADevice(t *testing.T) {
	eng, run := blurred(t)
	want, err := judgeRun(t.Context(), nil, run)
	if err != nil {
		t.Fatal(err)
	}
	other := errors.New("something else")
	for _, fails := range []error{nil, fmt.Errorf("the GPU worker died: %w", ErrEngineFailed), other} {
		device := &deviceEngine{Engine: eng, fails: fails}
		got, err := judgeRun(t.Context(), device, run)
		switch {
		case device.runs.Load() == 0:
			t.Errorf("fails with %v: the engine was not used", fails)
		case fails == other:
			if !errors.Is(err, other) {
				t.Errorf("error %v; want %v", err, other)
			}
		case err != nil || got.Verdict != want.Verdict || got.Sigma != want.Sigma:
			t.Errorf("fails with %v: %+v, %v; want %+v", fails, got.Judgement, err, want.Judgement)
		case fails != nil && !got.Why.Same(want.Why):
			t.Errorf("%q on the CPU after a failure; want %q", got.Why, want.Why)
		}
	}
}

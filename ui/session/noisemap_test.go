package session_test

import (
	"context"
	"strings"
	"testing"

	"quell/app/job"
	"quell/denoise/noise"
	"quell/series"
	"quell/ui/language"
	"quell/ui/session/desk"
	"quell/ui/viewer"
	"quell/volume"
)

// tissueSeries is even tissue with noise of sigma 4 HU, large enough to measure it.
func tissueSeries(t *testing.T) *series.Series {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{64, 64, 2}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = 40
	}
	noisy, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	noisy.Unit = "HU"
	return &series.Series{Meta: series.Meta{Format: "test", Modality: "CT"}, Volume: noisy}
}

// show opens another series in the bench.
func (b *bench) show(s *series.Series) {
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return s, nil })
	b.loop.until("the series is open", func() bool { return b.Series() == s })
	b.settle()
}

func (b *bench) tint(role viewer.Role) *viewer.Tint { return b.frames[role].Tint }

func TestTheNoiseMapIsFoundOnceAndSwitched(t *testing.T) {
	b := newBench(t)
	b.show(tissueSeries(t))
	b.Noise.ToggleMap()
	if !b.Noise.Mapping() || !b.Tasks.Busy() || b.Noise.Map() != nil || !b.Noise.CanMap() {
		t.Fatal("want the map to be computed as a task that the command can cancel")
	}
	if p := b.Tasks.Progress(); p.Kind != desk.Mapping || p.Text != "Mapping the noise …" {
		t.Errorf("progress %+v", p)
	}
	b.settle()
	m := b.Noise.Map()
	if m == nil || b.Tasks.Busy() {
		t.Fatalf("map %v, busy %v; errors %v", m, b.Tasks.Busy(), b.errors)
	}
	if !strings.HasPrefix(b.Tasks.Message(), "The noise is mapped: σ is mostly ") || !strings.HasSuffix(b.Tasks.Message(), " HU.") {
		t.Errorf("message %q", b.Tasks.Message())
	}
	tint := b.tint(viewer.Original)
	if tint == nil || tint.Values != m.Values || tint.Unit != "HU" || b.tint(viewer.Denoised) != nil || b.tint(viewer.Residual) != nil {
		t.Errorf("tints %v, %v, %v; want the map over the original alone", tint, b.tint(viewer.Denoised), b.tint(viewer.Residual))
	}
	if c := tint.Colors; c.Lo != m.Lo || c.Hi < 1.5*m.Lo || c.Hi < m.Hi {
		t.Errorf("the scale is %g to %g for a map of %g to %g; want half as much again at least", c.Lo, c.Hi, m.Lo, m.Hi)
	}
	b.Noise.ToggleMap()
	b.settle()
	if b.Noise.Map() != nil || b.tint(viewer.Original) != nil {
		t.Error("the command does not take the map off")
	}
	b.engine.holdRuns()
	b.Results.Apply()
	b.Noise.ToggleMap() // while a task is in progress, as nothing is computed
	if b.Noise.Map() != m || b.Tasks.Progress().Kind != desk.Applying {
		t.Error("the map was computed again, or is not shown during a run")
	}
}

func TestTheNoiseMapWaitsForNoTask(t *testing.T) {
	b := newBench(t)
	b.show(tissueSeries(t))
	b.engine.holdRuns()
	b.Results.Apply()
	if b.Noise.CanMap() {
		t.Error("the map can be computed while a run is in progress, which it would replace")
	}
	b.Noise.ToggleMap()
	if b.Tasks.Progress().Kind != desk.Applying {
		t.Error("the map replaced a run")
	}
}

func TestALateNoiseMapIsDropped(t *testing.T) {
	for name, leave := range map[string]func(b *bench){
		"cancelled":               func(b *bench) { b.Tasks.Cancel() },
		"the same command":        func(b *bench) { b.Noise.ToggleMap() },
		"another series":          func(b *bench) { b.show(rampSeries(b.loop.t)) },
		"noise added to a series": func(b *bench) { b.Tasks.Cancel(); b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 3}) },
	} {
		b := anotherBench(t)
		b.show(tissueSeries(t))
		gate := make(chan struct{})
		b.gate = gate
		b.Noise.ToggleMap()
		b.gate = nil
		close(gate)
		b.Wait() // the answer is queued
		leave(b)
		b.settle()
		if b.Noise.Map() != nil || b.tint(viewer.Original) != nil || len(b.errors) != 0 {
			t.Errorf("%s: map %v, errors %v; want neither", name, b.Noise.Map(), b.errors)
		}
	}
}

func TestTheNoiseMapEndsWithItsVoxels(t *testing.T) {
	b := newBench(t)
	b.show(tissueSeries(t))
	b.Noise.ToggleMap()
	b.settle()
	b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 3})
	b.settle()
	if b.Noise.Map() != nil || b.tint(viewer.Original) != nil {
		t.Fatal("the map of other voxels is shown")
	}
	b.Noise.ToggleMap()
	b.settle()
	if m := b.Noise.Map(); m == nil || m.Lo < 4 {
		t.Errorf("the map of the noisier voxels is %+v; want sigma 5 or so", m)
	}
}

func TestANoiseMapThatIsImpossibleSaysWhy(t *testing.T) {
	b := newBench(t)
	ct := rampSeries(t) // 16 x 12 pixels
	ct.Volume.Unit = "HU"
	b.show(ct)
	b.settle()
	b.Noise.ToggleMap()
	b.settle()
	if len(b.errors) != 1 || !strings.Contains(b.errors[0].Error(), "cannot be mapped") || b.Noise.Map() != nil {
		t.Errorf("errors %v", b.errors)
	}
	if !b.Noise.CanMap() {
		t.Error("the command is disabled after it failed")
	}
}

func TestQuantitiesHaveThreeDigitsAndTheirUnit(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{{3.456, "HU", "3.46 HU"}, {0.01234, "", "0.0123"}, {999.4, "HU", "999 HU"}, {1234.5, "HU", "1234 HU"}, {-2345, "", "-2345"}} {
		if got := language.Quantity(c.x, c.unit); got != c.want {
			t.Errorf("%g %q is %q; want %q", c.x, c.unit, got, c.want)
		}
	}
}

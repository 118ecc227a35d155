package session_test

import (
	"context"
	"slices"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/job"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/phantom"
	"quell/series"
	"quell/ui/session/desk"
)

// scanned is a phantom with slices of a thickness in mm and even noise, of pixels of 1.5 mm.
func scanned(t *testing.T, kind, modality string, thickness, sigma float64) *series.Series {
	t.Helper()
	p, err := phantom.New(kind, phantom.Size{Dims: [3]int{96, 96, 6}, Spacing: [3]float64{1.5, 1.5, thickness}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Data {
		v.Data[i] += float32(sigma * noise.Normal(3, uint64(i), 0))
	}
	v.Modality = modality
	return &series.Series{Meta: series.Meta{Format: "test", Modality: modality}, Volume: v}
}

// TestOneWordOneDefault: a filter's name alone gives the voxels of quell denoise --filter NAME in the window too, by the
// same dims and the same automatic strengths; so does a multiple of sigma.
func TestOneWordOneDefault(t *testing.T) {
	for name, s := range map[string]*series.Series{
		"CT, thin":    scanned(t, "ct", "CT", 2, 12),
		"CT, thick":   scanned(t, "ct", "CT", 6, 12),
		"MR, thin":    scanned(t, "mr", "MR", 2, 10),
		"MR, thick":   scanned(t, "mr", "MR", 6, 10),
		"MR, rising":  risingSeries(t, 14),
		"no modality": scanned(t, "mr", "", 2, 10),
	} {
		for _, asked := range []job.Asked{
			{Filter: "nlm"}, {Filter: "prinlm"}, {Filter: "bilateral"}, {Filter: "slab"},
			{Filter: "nlm", Parameters: map[string]denoise.Value{"h": denoise.Sigmas(1.2)}},
		} {
			if testing.Short() && asked.Filter != "nlm" {
				continue // full tier
			}
			t.Run(name+", "+asked.Filter, func(t *testing.T) {
				r, auto, err := asked.Answer()
				if err != nil {
					t.Fatal(err)
				}
				outcome, err := app.DoOn(t.Context(), app.On{Series: s, Engine: engines.CPU()}, job.Job{Recipe: &r, AutoDims: auto, NoiseMap: job.GivenMap("")}, job.Events{})
				if err != nil {
					t.Fatal(err)
				}
				want := outcome.Run
				p := &proposer{none: true}
				b := newBenchWith(t, func(d *desk.Deps) {
					do := d.Do
					d.Engine, d.Propose, p.counted = engines.CPU(), p.propose, func() { do(func() {}) }
				})
				b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return s, nil })
				b.settle()
				b.Tuning.Set(apptest.MustRecipe(asked.Filter, want.Recipe.Dims).SetAll(asked.Parameters), true)
				b.settle()
				b.Results.Apply()
				b.settle()
				got := b.Results.Exportable()
				if got == nil {
					t.Fatalf("no run: %v", b.errors)
				}
				if !got.Resolved.Equal(want.Resolved) || (got.Maps.Noise == nil) != (want.Maps.Noise == nil) {
					t.Errorf("the window ran %s, a job %s; maps %t, %t", got.Resolved, want.Resolved, got.Maps.Noise != nil, want.Maps.Noise != nil)
				}
				if !slices.Equal(got.Result.Data, want.Result.Data) {
					t.Error("the voxels differ")
				}
			})
		}
	}
}

package run_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/volume"
)

// planless is an engine that can plan nothing.
type planless struct{ apptest.EngineFunc }

func (planless) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	return denoise.Plan{}, errors.New("too large to plan")
}

// TestRunsThatAreRefused: the fault of a request is named before the engine runs,
// and the engine's own errors are returned as they are.
func TestRunsThatAreRefused(t *testing.T) {
	s := apptest.Wavy(6, 5, 4)
	ran := false
	same := apptest.EngineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
		ran = true
		return v.Crop(r), nil
	})
	bad := apptest.MustRecipe("median", 2)
	bad.Dims = 5
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for what, c := range map[string]struct {
		ctx  context.Context
		q    run.Request
		eng  denoise.Engine
		code int
		want string
	}{
		"a region outside":  {t.Context(), run.Request{Region: volume.Slices(s.Volume.Geometry, 2, 5), Recipe: apptest.MustRecipe("median", 2)}, same, job.ExitUsage, "reaches outside"},
		"a wrong recipe":    {t.Context(), run.Request{Recipe: bad}, same, job.ExitUsage, "5"},
		"no plan":           {t.Context(), run.Request{Recipe: apptest.MustRecipe("median", 2)}, planless{same}, job.ExitFailed, "too large to plan"},
		"cancelled":         {ended, run.Request{Recipe: apptest.MustRecipe("bilateral", 2)}, same, job.ExitCancelled, ""},
		"a wrong value":     {t.Context(), run.Request{Recipe: apptest.MustRecipe("median", 2).With("radius", denoise.Percent(5))}, same, job.ExitUsage, "radius"},
		"none for the auto": {t.Context(), run.Request{Recipe: apptest.MustRecipe("bilateral", 2).With("sigma-range", denoise.Number(-3))}, same, job.ExitUsage, "sigma-range"},
	} {
		c.q.Series = s
		run, err := run.Denoise(c.ctx, c.eng, c.q, nil)
		if run != nil || ran || job.ExitCode(err) != c.code || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, ran %v, error %v (%d)", what, run, ran, err, job.ExitCode(err))
		}
		ran = false
	}
	run, err := run.Denoise(t.Context(), same, run.Request{Series: s, Recipe: apptest.MustRecipe("median", 2)}, nil)
	if err != nil || !run.Whole() || run.Region != s.Volume.Bounds() || run.Started.IsZero() || run.Filter <= 0 || run.Source != s || run.Engine.Name != "fake" {
		t.Errorf("%+v, %v", run, err)
	}
}

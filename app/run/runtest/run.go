// Package runtest filters series for tests.
package runtest

import (
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/run"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// Filtered runs the bilateral filter over a series.
func Filtered(t *testing.T, s *series.Series, region volume.Region) *run.Run {
	t.Helper()
	eng, err := engines.Pick("cpu")
	if err != nil {
		t.Fatal(err)
	}
	run, err := run.Denoise(t.Context(), eng, run.Request{Series: s, Recipe: apptest.MustRecipe("bilateral", 3).With("sigma-range", denoise.Percent(15)), Region: region}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

package executor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// TestASlowStartIsAWarning of the run, and one in time is none.
func TestASlowStartIsAWarning(t *testing.T) {
	for took, want := range map[time.Duration]int{time.Second: 0, 4 * time.Second: 1} {
		synctest.Test(t, func(t *testing.T) {
			r := apptest.MustRecipe("median", 2)
			said := 0
			out, err := executor.Do(t.Context(), job.Job{Recipe: &r}, executor.InMemory(&series.Series{Volume: volume.New(volume.NewGeometry([3]int{8, 8, 2}, [3]float64{1, 1, 1}))}),
				executor.Means{Engine: func() (denoise.Engine, error) { time.Sleep(took); return engines.CPU(), nil }}, nil,
				job.Events{Message: func(series.Severity, string) { said++ }})
			if err != nil || len(out.Warnings) != want || said != want || want > 0 && out.Warnings[0].String() != "the GPU has not answered for 3s; it is given up after 10s" {
				t.Errorf("%v: %q, said %d times, %v", took, out.Warnings, said, err)
			}
		})
	}
}

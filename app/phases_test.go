package app_test

import (
	"math"
	"testing"

	"quell/app"
	"quell/app/job"
	"quell/denoise"
)

// TestPhases: what decides how to filter is booked as the estimate, whether a filter is proposed, a strength is automatic or
// a map is estimated; the phases make up the total.
func TestPhases(t *testing.T) {
	for name, change := range map[string]func(j *job.Job){
		"a proposal":            func(j *job.Job) { j.AutoFilter, j.AutoDims = true, true },
		"an automatic strength": func(*job.Job) {},
		"slabs":                 func(j *job.Job) { j.Memory = 20000 },
	} {
		j := medianJob(t)
		r, err := denoise.NewRecipe("nlm", 2)
		if err != nil {
			t.Fatal(err)
		}
		j.Recipe = &r
		change(&j)
		o, err := app.Do(t.Context(), j, job.Events{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := o.Seconds
		if s.Estimate <= 0 || s.Filter < 0 || s.Load < 0 {
			t.Errorf("%s: %+v", name, s)
		}
		if sum := s.Start + s.Load + s.Estimate + s.Filter + s.Measure + s.Write; sum > s.Total+1e-9 || math.IsNaN(sum) {
			t.Errorf("%s: the phases %+v are more than the total", name, s)
		}
	}
}

package executor_test

import (
	"math"
	"testing"

	"quell/app/apptest"
	"quell/app/executor"
	"quell/app/job"
	"quell/volume"
)

// A series that is open is never too large for memory: it is there already, and cannot be read in slabs.
func TestPlanWithoutALimit(t *testing.T) {
	r := apptest.MustRecipe("nlm", 3)
	g := volume.NewGeometry([3]int{1 << 12, 1 << 12, 1 << 12}, [3]float64{1, 1, 1})
	p := executor.Plan(job.Job{Recipe: &r, Memory: math.MaxInt64}, g, 1)
	if p.Slabs || p.Judged != 1<<12 || p.Peak < p.Whole || p.Whole < 8<<36 {
		t.Errorf("%+v", p)
	}
	if p := executor.Plan(job.Job{Recipe: &r, Memory: p.Whole - 1}, g, 1); !p.Slabs {
		t.Errorf("below what it takes: %+v", p)
	}
}

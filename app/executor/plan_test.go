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

// TestRoom: of a limit some is for the process, but for tiny ones.
func TestRoom(t *testing.T) {
	g := volume.NewGeometry([3]int{64, 64, 64}, [3]float64{1, 1, 1})
	for limit, room := range map[int64]int64{1000: 1000, 64e6 + 7: 64e6 + 7, 64e6 + 8: 64e6 + 7, 576e6: 512e6, 577e6: 513e6, 1e9: 936e6} {
		if p := executor.Plan(job.Job{Memory: limit}, g, 1); p.Room != room || p.Limit != limit {
			t.Errorf("of %d: %d", limit, p.Room)
		}
	}
}

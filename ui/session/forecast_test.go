package session_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quell/app/executor"
	"quell/ui/session/desk"
)

// A run for which there is no memory is refused with its reason, and a result for which there
// is none to judge it is shown without one. The free memory is read again after a while, and
// before every run.
func TestMemoryOfARun(t *testing.T) {
	var free, asked, ahead atomic.Int64
	now := time.Now()
	b := newBenchWith(t, func(d *desk.Deps) {
		d.Available = func() int64 { asked.Add(1); return free.Load() }
		d.Now = func() time.Time { return now.Add(time.Duration(ahead.Load())) }
	})
	b.settle()
	need, judge := 4*int64(b.Series().Volume.Voxels()), executor.JudgeMemory(b.Series().Volume)
	f, ok := b.Results.Forecast()
	if !ok || f.Filter != need || f.Judge != judge {
		t.Errorf("forecast %+v, %v; want %d bytes", f, ok, need)
	}
	before := asked.Load()
	free.Store(need - 1)
	ahead.Store(int64(2*time.Second) - 1)
	if b.Results.Forecast(); asked.Load() != before {
		t.Error("what is free is asked for at every call")
	}
	ahead.Store(int64(2 * time.Second))
	if f, _ := b.Results.Forecast(); asked.Load() != before+1 || f.Free != need-1 {
		t.Errorf("forecast %+v after a while", f)
	}
	b.Results.Apply()
	if b.Tasks.Busy() || len(b.errors) != 1 || !strings.Contains(b.errors[0].Error(), "is free; close a series") {
		t.Fatalf("busy %v, errors %v; want the run refused", b.Tasks.Busy(), b.errors)
	}
	free.Store(judge - 1) // at once
	b.Results.Apply()
	b.settle()
	if !b.Results.Applied() || len(b.errors) != 1 {
		t.Fatalf("applied %v, errors %v", b.Results.Applied(), b.errors)
	}
	if m := b.Measures.Volume(); m.Known || m.Err == nil || !strings.HasPrefix(m.Err.Error(), "the result is not judged as a whole") {
		t.Errorf("measures %+v", m)
	}
	if _, ok := b.Results.Forecast(); ok {
		t.Error("a forecast of what was done")
	}
	free.Store(judge)
	b.Tuning.Set(b.tuned(3), true)
	b.Results.Apply()
	b.settle()
	if m := b.Measures.Volume(); !m.Known {
		t.Errorf("measures %+v; want numbers", m)
	}
}

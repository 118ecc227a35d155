package executor_test

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"quell/app/executor"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/series"
	"quell/volume"
)

// resident returns a line of /proc/self/status in bytes: VmRSS, or VmHWM, its peak.
func resident(t *testing.T, name string) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skipf("the resident memory is unknown: %v", err)
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); f[0] == name+":" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n << 10
		}
	}
	t.Skipf("/proc/self/status has no %s", name)
	return 0
}

// peak returns by how many bytes the resident memory rises at most during work.
func peak(t *testing.T, work func()) int64 {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	before := resident(t, "VmRSS")
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // resets VmHWM
		t.Skipf("the peak of the resident memory cannot be reset: %v", err)
	}
	work()
	return resident(t, "VmHWM") - before
}

// The forecast holds against the memory that the system counted: see Forecast for the bounds.
// The scratch memory of the cores, which is forecast by the largest tile, counts much here, and
// 4 MB are for the pages of the runtime, which may be huge ones.
func TestForecastIsRight(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector takes memory of its own")
	}
	v := volume.New(volume.NewGeometry([3]int{256, 256, 32}, [3]float64{1, 1, 1}))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range v.Data {
		v.Data[i] = float32(100*(i/32%2)) + float32(10*random.NormFloat64())
	}
	facts, err := denoise.FactsOf(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	const cores, mb = 2, 1e6
	eng := cpu.New(cpu.Threads(cores))
	for _, c := range []struct {
		filter  string
		dims    int
		scratch float64 // MB for a core, by which the forecast may be too high
		judged  bool
	}{
		{"gaussian", 3, 1, true}, {"median", 3, 1, false}, {"nlm", 2, 7, false}, {"bnlm", 2, 5, false}, {"prinlm", 3, 16, false},
	} {
		r, err := denoise.NewRecipe(c.filter, c.dims)
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.Resolve(v.Geometry, facts); err != nil {
			t.Fatal(err)
		}
		forecast := executor.ForecastOf(eng, r, v, 0)
		run := &run.Run{Recipe: r, Resolved: r, Source: &series.Series{Volume: v}, Region: v.Bounds(), Facts: &facts}
		took := peak(t, func() { run.Result, err = eng.Run(context.Background(), r, denoise.Input{Volume: v}, v.Bounds(), nil) })
		if err != nil {
			t.Fatal(err)
		}
		used, said := float64(took)/mb, float64(forecast.Filter)/mb
		t.Logf("%s %d-D: %.1f MB, forecast %.1f", c.filter, c.dims, used, said)
		if used > 1.05*said+4 || used < said-cores*c.scratch-2 {
			t.Errorf("%s %d-D takes %.1f MB; the forecast is %.1f", c.filter, c.dims, used, said)
		}
		if !c.judged {
			continue
		}
		used = float64(peak(t, func() { _, err = judge.Measure(context.Background(), nil, run, nil) })) / mb
		if said = float64(forecast.Judge) / mb; err != nil || used > said || used < 0.15*said {
			t.Errorf("judging %s takes %.1f MB; the forecast is up to %.1f (%v)", c.filter, used, said, err)
		}
		t.Logf("judged: %.1f MB, forecast %.1f", used, said)
	}
}

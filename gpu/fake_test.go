package gpu

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"quell/denoise"
	"quell/volume"
)

// builtDir is the folder of what buildFake built.
var builtDir string

// buildFake builds the worker and a driver without a GPU, once for all tests.
var buildFake = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "quell-fakecuda-")
	if err != nil {
		return "", err
	}
	builtDir = dir
	if out, err := exec.Command("sh", "fakecuda/build.sh", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("fakecuda/build.sh: %w\n%s", err, out)
	}
	return dir, nil
})

// shared is the engine of all tests that need no settings of their own.
var (
	shared  *Engine
	sharing sync.Mutex // guards shared
)

func TestMain(m *testing.M) {
	backOff = [lossLimit]time.Duration{} // the pauses are for users, not for tests
	code := m.Run()
	if shared != nil {
		shared.Close()
	}
	if builtDir != "" {
		os.RemoveAll(builtDir)
	}
	os.Exit(code)
}

// fakeOptions returns the options that run the worker on the fake driver. The
// settings are environment variables of the driver, see fakecuda.
func fakeOptions(t testing.TB, settings ...string) Options {
	t.Helper()
	if why := noFake(); why != "" {
		// In CI these tests must run.
		if os.Getenv("QUELL_NEED_FAKE_GPU") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	dir, err := buildFake()
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Worker: filepath.Join(dir, "quell-gpu"),
		// Idle OpenMP threads must not take cores from other tests.
		Env:   append([]string{"LD_LIBRARY_PATH=" + dir, "OMP_WAIT_POLICY=passive", "OMP_NUM_THREADS=1", "GOMAXPROCS=1"}, settings...),
		Stall: 5 * time.Minute, // longer than any pause of a busy machine
	}
}

// noFake returns why the fake driver cannot be used here, or "".
func noFake() string {
	if runtime.GOOS != "linux" {
		return "the fake driver is built for Linux"
	}
	if _, err := os.Stat("fakecuda/build.sh"); err != nil {
		return "the fake driver's sources are not here"
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		return "no gcc to build the fake driver with"
	}
	if _, err := exec.LookPath("go"); err != nil {
		return "no go to build the worker with"
	}
	if !hasHeader() {
		return "no cuda.h (package nvidia-cuda-dev) to build the worker with"
	}
	return ""
}

func hasHeader() bool {
	for _, path := range []string{"/usr/include/cuda.h", "/usr/local/cuda/include/cuda.h"} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}

// fakeEngine returns an engine of its own on the fake driver.
func fakeEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	e, err := New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// sharedEngine returns the engine on the fake driver that tests share.
func sharedEngine(t testing.TB) *Engine {
	t.Helper()
	o := fakeOptions(t)
	sharing.Lock()
	defer sharing.Unlock()
	if shared == nil {
		o.Idle = -1
		e, err := New(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		shared = e
	}
	return shared
}

// ramp returns a volume of whole numbers with an edge and some texture. No two
// slices are alike.
func ramp(dims [3]int) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 2}))
	for i := range v.Data {
		x, y, z := i%dims[0], i/dims[0]%dims[1], i/(dims[0]*dims[1])
		n := uint32(i+1) * 2654435761 >> 24
		v.Data[i] = float32(3*x - 2*y + 5*z + int(n%32))
		if x > dims[0]/2 {
			v.Data[i] += 200
		}
	}
	return v
}

func recipe(t testing.TB, filter string, dims int, params map[string]denoise.Value) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range params {
		r = r.With(name, v)
	}
	return r
}

func smallNLM(t testing.TB) denoise.Recipe {
	return recipe(t, "nlm", 3, map[string]denoise.Value{
		"h": denoise.Number(20), "search-radius": denoise.Number(1), "patch-radius": denoise.Number(1),
	})
}

// resolved returns the recipe as an engine resolves it.
func resolved(t testing.TB, r denoise.Recipe, in *volume.Volume) denoise.Recipe {
	t.Helper()
	r, err := r.ResolveFor(t.Context(), denoise.Input{Volume: in})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// program returns the passes of r on in.
func program(t testing.TB, r denoise.Recipe, in *volume.Volume) denoise.Program {
	t.Helper()
	p, err := resolved(t, r, in).Bind(in.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// expected returns the result of a run without faults.
func expected(t testing.TB, r denoise.Recipe, in *volume.Volume) *volume.Volume {
	t.Helper()
	return mustRun(t, sharedEngine(t), r, in)
}

func mustRun(t testing.TB, e *Engine, r denoise.Recipe, in *volume.Volume) *volume.Volume {
	t.Helper()
	return mustRunInput(t, e, r, denoise.Input{Volume: in})
}

func mustRunInput(t testing.TB, e *Engine, r denoise.Recipe, in denoise.Input) *volume.Volume {
	t.Helper()
	out, err := e.Run(context.Background(), r, in, in.Volume.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// await waits for a condition that another process or goroutine brings about. A
// condition that never holds ends with the test binary's time limit.
func await(condition func() bool) {
	for !condition() {
		time.Sleep(time.Millisecond)
	}
}

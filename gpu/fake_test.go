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

// builtDir is where built put what it built.
var builtDir string

// built is the real worker and a driver without a GPU, made once for all tests.
var built = sync.OnceValues(func() (string, error) {
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

func TestMain(m *testing.M) {
	code := m.Run()
	if builtDir != "" {
		os.RemoveAll(builtDir)
	}
	os.Exit(code)
}

// fakeOptions returns the options that run the real worker on the fake driver;
// settings are fake.c's.
func fakeOptions(t *testing.T, settings ...string) Options {
	t.Helper()
	if why := noFake(); why != "" {
		// Where the tests must run, as in CI, a skip would hide that they did not.
		if os.Getenv("QUELL_NEED_FAKE_GPU") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Worker: filepath.Join(dir, "quell-gpu"),
		Env:    append([]string{"LD_LIBRARY_PATH=" + dir}, settings...),
		Stall:  10 * time.Second,
	}
	return o
}

// noFake says why the fake driver cannot be used here; "" where it can.
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

// fakeEngine returns an engine on the fake driver.
func fakeEngine(t *testing.T, o Options) *Engine {
	t.Helper()
	e, err := New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// ramp is a volume of whole numbers with an edge and some texture; no two
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

func recipe(t *testing.T, filter string, dims int, params map[string]denoise.Value) denoise.Recipe {
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

func smallNLM(t *testing.T) denoise.Recipe {
	return recipe(t, "nlm", 3, map[string]denoise.Value{
		"h": denoise.Number(20), "search-radius": denoise.Number(1), "patch-radius": denoise.Number(1),
	})
}

// expected is the fault-free result.
func expected(t *testing.T, r denoise.Recipe, in *volume.Volume) *volume.Volume {
	t.Helper()
	return mustRun(t, fakeEngine(t, fakeOptions(t)), r, in)
}

func mustRun(t *testing.T, e *Engine, r denoise.Recipe, in *volume.Volume) *volume.Volume {
	t.Helper()
	out, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

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
	run := func(name string, args ...string) error {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1",
			"CGO_LDFLAGS=-g -O2 -L/usr/lib/x86_64-linux-gnu/stubs -L/usr/local/cuda/lib64/stubs")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, out)
		}
		return nil
	}
	sources, err := filepath.Glob("fakecuda/*.c")
	if err != nil {
		return "", err
	}
	library := filepath.Join(dir, "libcuda.so.1")
	flags := []string{"-O3", "-fopenmp", "-shared", "-fPIC", "-I/usr/local/cuda/include", "-Wl,-soname,libcuda.so.1", "-o", library}
	if err := run("gcc", append(append(flags, sources...), "-lm")...); err != nil {
		return "", err
	}
	return dir, run("go", "build", "-tags", "cuda", "-o", filepath.Join(dir, "quell-gpu"), "quell/cmd/quell-gpu")
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
	if runtime.GOOS != "linux" {
		t.Skip("the fake driver is built for Linux")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc to build the fake driver with")
	}
	if !hasHeader() {
		t.Skip("no cuda.h (package nvidia-cuda-dev) to build the worker with")
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
	out, err := e.Run(context.Background(), r, in, in.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

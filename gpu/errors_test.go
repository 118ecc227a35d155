package gpu

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every state in which the driver cannot be used has its sentence.
func TestReasonsOfTheDriver(t *testing.T) {
	for settings, want := range map[string]string{
		"no-device":                 "the NVIDIA driver finds no device",
		"init=803":                  "library and kernel module are of different versions",
		"init=999":                  "the NVIDIA driver does not start (Unknown)",
		"driver=10020":              "the NVIDIA driver speaks CUDA 10.2 and the kernels need 11.0; update the driver",
		"compute=61":                "Fake GPU 0 has compute capability 6.1 and the kernels need 7.5",
		"no-kernels":                "kernels do not load on this driver: the provided PTX was compiled with an unsupported toolchain",
		"memory=1000000,compute=90": "Fake GPU 0 has no 128 MB of memory free",
		"devices=0":                 "the NVIDIA driver finds no device",
	} {
		t.Run(settings, func(t *testing.T) {
			e, err := New(context.Background(), fakeOptions(t, "QUELL_FAKE_CUDA="+settings))
			if err == nil {
				e.Close()
				t.Fatal("no error")
			}
			if !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), want) {
				t.Errorf("%q; want an ErrDevice that says %q", err, want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is more than one sentence", err)
			}
		})
	}
}

// Programs that are not a working worker.
func TestReasonsOfTheWorker(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	for name, c := range map[string]struct {
		script, want string
		start        time.Duration // 0: the case ends by itself
	}{
		"no driver": {
			"echo 'quell-gpu: error while loading shared libraries: libcuda.so.1: cannot open shared object file' >&2; exit 127",
			"no NVIDIA driver is installed (libcuda is missing)",
			0,
		},
		"other release": {
			`echo 'QUELL-GPU {"version":99}'; cat >/dev/null`,
			"the GPU worker speaks version 99 of the protocol",
			0,
		},
		"silent":         {"exec sleep 1000", "the GPU worker gave no answer when it was started; the driver may hang", time.Millisecond},
		"dies":           {"exit 3", "the GPU worker died (exit status 3)", 0},
		"ends":           {"exit 0", "the GPU worker ended", 0},
		"only talks":     {"echo hello; echo more; exit 0", "the GPU worker ended", 0},
		"endless line":   {"exec tr '\\0' x </dev/zero", "the GPU worker's answers cannot be read", 0},
		"not executable": {"", "cannot be started", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "quell-gpu")
			mode := os.FileMode(0o755)
			if c.script == "" {
				mode = 0o644
			}
			writeScript(t, path, c.script, mode)
			limit := c.start
			if limit == 0 {
				limit = time.Hour
			}
			_, err := New(context.Background(), Options{Worker: path, Start: limit})
			if err == nil || !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want an ErrDevice that says %q", err, c.want)
			}
		})
	}
}

// writeScript writes a shell script. A process started by another test between the
// opening and the closing of the file would inherit it, and a file that is open for
// writing cannot be executed.
func writeScript(t *testing.T, path, script string, mode os.FileMode) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), mode)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLocateWorkerNamesTheVariable(t *testing.T) {
	t.Setenv(WorkerVariable, filepath.Join(t.TempDir(), "nothing"))
	if _, err := LocateWorker(); err == nil || !strings.Contains(err.Error(), WorkerVariable) {
		t.Errorf("%v does not name %s", err, WorkerVariable)
	}
	if _, err := New(context.Background(), Options{}); !errors.Is(err, ErrDevice) {
		t.Errorf("%v; want an ErrDevice", err)
	}
}

// TestExitsHaveTheirReasons checks the sentences about a worker's exit that need no worker.
func TestExitsHaveTheirReasons(t *testing.T) {
	for _, c := range []struct {
		output, want string
		lost         bool
	}{
		{"noise\nError in initialization: NoDevice\nmore", "the NVIDIA driver finds no device", false},
		{"Error in initialization, SystemNotReady", "the NVIDIA driver is not ready", false},
		{"Error in initialization, the code is Odd", "the NVIDIA driver does not start (Odd)", false},
		{"x: error while loading shared libraries: libcuda.so.1: no", "no NVIDIA driver is installed (libcuda is missing)", false},
		{"  x: error while loading shared libraries: libm.so  ", "the GPU worker does not start: x: error while loading shared libraries: libm.so", false},
		{"the end", "the GPU worker ended", true},
	} {
		err := exitReason(nil, c.output)
		var lost *lostError
		if err.Error() != c.want || errors.As(err, &lost) != c.lost {
			t.Errorf("%q: %v; want %q", c.output, err, c.want)
		}
		if c.lost && lost.output != c.output {
			t.Errorf("output %q; want %q", lost.output, c.output)
		}
	}
}

// TestTheWorkerIsOnThePath checks the second and the last place, and the error that lists
// them.
func TestTheWorkerIsOnThePath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	if program, err := os.Executable(); err == nil {
		if _, err := os.Stat(filepath.Join(filepath.Dir(program), "quell-gpu")); err == nil {
			t.Skip("a worker lies beside the test program, which comes first")
		}
	}
	dir := t.TempDir()
	t.Setenv(WorkerVariable, "")
	t.Setenv("PATH", dir)
	if _, err := LocateWorker(); err == nil || !strings.Contains(err.Error(), WorkerVariable) || !strings.Contains(err.Error(), "neither beside this program nor on the PATH") {
		t.Errorf("%v; want the places", err)
	}
	path := filepath.Join(dir, "quell-gpu")
	writeScript(t, path, "exit 0", 0o755)
	if got, err := LocateWorker(); err != nil || got != path {
		t.Errorf("%q, %v; want %q", got, err, path)
	}
	other := filepath.Join(t.TempDir(), "other")
	writeScript(t, other, "exit 0", 0o755)
	t.Setenv(WorkerVariable, other)
	if got, err := LocateWorker(); err != nil || got != other {
		t.Errorf("%q, %v; want the variable's", got, err)
	}
	o, err := Options{}.withDefaults()
	if err != nil || o.Worker != other || o.Start != StartLimit || o.Stall != 10*time.Second || o.Idle != time.Minute {
		t.Errorf("%+v, %v; want the documented defaults", o, err)
	}
	if o, err := (Options{Worker: "w", Start: 1, Stall: 2, Idle: -3}).withDefaults(); err != nil || o.Worker != "w" || o.Start != 1 || o.Stall != 2 || o.Idle != -3 {
		t.Errorf("%+v, %v; want the settings kept", o, err)
	}
}

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

// Every way in which a GPU can be missing has its sentence.
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

// What may stand where the worker should.
func TestReasonsOfTheWorker(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	const soon, long = 2 * time.Second, time.Minute // a case that must end by itself gets the patience of a busy machine
	for name, c := range map[string]struct {
		script, want string
		patience     time.Duration
	}{
		"no driver": {
			"echo 'quell-gpu: error while loading shared libraries: libcuda.so.1: cannot open shared object file' >&2; exit 127",
			"no NVIDIA driver is installed (libcuda is missing)",
			long,
		},
		"other release": {
			`echo 'QUELL-GPU {"version":99}'; cat >/dev/null`,
			"the GPU worker speaks version 99 of the protocol",
			long,
		},
		"silent":         {"exec sleep 60", "the GPU worker did not start in time", soon},
		"dies":           {"exit 3", "the GPU worker died (exit status 3)", long},
		"ends":           {"exit 0", "the GPU worker ended", long},
		"only talks":     {"echo hello; echo more; exit 0", "the GPU worker ended", long},
		"endless line":   {"exec tr '\\0' x </dev/zero", "the GPU worker's answers cannot be read", long},
		"not executable": {"", "cannot be started", long},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "quell-gpu")
			mode := os.FileMode(0o755)
			if c.script == "" {
				mode = 0o644
			}
			// A worker that another case starts between the opening and the closing of this file inherits it, and a
			// file that is open for writing cannot be executed.
			syscall.ForkLock.RLock()
			err := os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), mode)
			syscall.ForkLock.RUnlock()
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, err = New(context.Background(), Options{Worker: path, Start: c.patience})
			if err == nil || !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want an ErrDevice that says %q", err, c.want)
			}
			if d := time.Since(start); c.patience == soon && d > 10*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

func TestFindNamesWhereItLooked(t *testing.T) {
	t.Setenv(WorkerVariable, filepath.Join(t.TempDir(), "nothing"))
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), WorkerVariable) {
		t.Errorf("%v does not name %s", err, WorkerVariable)
	}
	if _, err := New(context.Background(), Options{}); !errors.Is(err, ErrDevice) {
		t.Errorf("%v is no ErrDevice", err)
	}
}

package gpu

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"quell/gpu/wire"
	"quell/internal/message"
)

// script returns the path of a worker that is a shell script, and of a file to which it adds a line for
// every start.
func script(t *testing.T, text string) (path, starts string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("workers that are shell scripts do not run on Windows")
	}
	dir := t.TempDir()
	path, starts = filepath.Join(dir, "quell-gpu"), filepath.Join(dir, "starts")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho started >>"+starts+"\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path, starts
}

func countStarts(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(data), "started")
}

// TestAWorkerThatDiesAtItsStartIsStartedOnceMore, and not a third time; one that says why it cannot
// work is started once.
func TestAWorkerThatDiesAtItsStartIsStartedOnceMore(t *testing.T) {
	for text, want := range map[string]struct {
		starts int
		absent bool
		reason string
	}{
		"kill -9 $$": {2, false, "the GPU worker died (signal: killed)"},
		"exit 0":     {2, false, "the GPU worker ended"},
		"echo 'Error in initialization, err = NoDevice' >&2; exit 1":                                              {1, true, "the NVIDIA driver finds no device"},
		"echo 'Error in initialization, err = SystemNotReady' >&2; exit 1":                                        {1, false, "the NVIDIA driver is not ready"},
		"echo 'error while loading shared libraries: libcuda.so.1: cannot open shared object file' >&2; exit 127": {1, true, "no NVIDIA driver is installed (libcuda is missing)"},
	} {
		path, starts := script(t, text)
		_, err := New(t.Context(), Options{Worker: path})
		if !errors.Is(err, ErrDevice) || Reason(err).Error() != want.reason || Absent(err) != want.absent {
			t.Errorf("%s: %v, absent: %t; want %s, %t", text, err, Absent(err), want.reason, want.absent)
		}
		if n := countStarts(t, starts); n != want.starts {
			t.Errorf("%s: %d starts; want %d", text, n, want.starts)
		}
	}
}

// A worker that dies at its first start alone is used.
func TestAWorkerThatDiesOnceIsUsed(t *testing.T) {
	o := fakeOptions(t)
	path, starts := script(t, "")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n[ -e "+starts+" ] && exec "+o.Worker+" \"$@\"\necho started >"+starts+"\nkill -9 $$\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	o.Worker = path
	e, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
}

// A machine without a worker or a device has no GPU; one with a busy device or a driver that is too old has.
func TestAbsent(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(WorkerVariable, "")
	_, missing := LocateWorker()
	if missing == nil {
		t.Skip("a worker lies beside this program")
	}
	t.Setenv(WorkerVariable, "/nothing")
	_, wrong := LocateWorker()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{unusable(missing), true}, {unusable(wrong), false}, {unusable(errHung), false}, {unusable(&faultError{Fault: &wire.Fault{Kind: wire.Memory}}), false},
		{unusable(&absentError{message.Verbatim("x")}), true}, {context.Canceled, false}, {nil, false},
	} {
		if got := Absent(c.err); got != c.want {
			t.Errorf("%v: absent %t; want %t", c.err, got, c.want)
		}
	}
}

//go:build unix

package queue

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"quell/app/batch"
	"quell/app/job"
)

// workerEnv names the server of a worker in a child process.
const workerEnv = "QUELL_TEST_WORKER"

// childWorker is how a child process finds the server, and at which series it kills itself; 0 is
// never.
type childWorker struct {
	URL, Token string
	Die        int64
}

func TestMain(m *testing.M) {
	if text := os.Getenv(workerEnv); text != "" {
		os.Exit(child(text))
	}
	os.Exit(m.Run())
}

func child(text string) int {
	var c childWorker
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	nc, err := Connect(c.URL, c.Token, "")
	if err != nil {
		panic(err)
	}
	var n atomic.Int64
	err = Work(context.Background(), nc, WorkerOptions{Timing: quick, Drain: true}, batch.Events{Result: func(batch.SeriesResult) {
		if n.Add(1) == c.Die {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}})
	return job.ExitCode(err)
}

// TestKilledWorkers: workers that are killed lose no series, and none is done by halves.
func TestKilledWorkers(t *testing.T) {
	s := newSite(t, 12)
	s.server.Close()
	s.start("127.0.0.1:0")
	var killed atomic.Int64
	o := s.options(s.connect())
	plain := o.Distribute
	o.Distribute = func(ctx context.Context, spec batch.Spec, units []batch.Unit, progress func(batch.Left)) error {
		var wg sync.WaitGroup
		defer wg.Wait()
		var begun sync.Once
		return plain(ctx, spec, units, func(left batch.Left) {
			begun.Do(func() { // when the units are queued
				for range 2 {
					wg.Go(func() {
						for die := int64(2); die > 0; die-- { // a worker that is killed has a successor
							if !s.child(childWorker{s.server.URL(), s.server.Token(), die}) {
								return
							}
							killed.Add(1)
						}
						s.child(childWorker{s.server.URL(), s.server.Token(), 0})
					})
				}
			})
			progress(left)
		})
	}
	sum, err := batch.Run(t.Context(), o, batch.Events{})
	s.must(err)
	if sum.Done != 12 || sum.Failed != 0 || killed.Load() < 2 {
		t.Errorf("%+v after %d kills", sum.Progress, killed.Load())
	}
	if again, err := batch.Run(t.Context(), optionsOf(s.in, s.out), batch.Events{}); err != nil || again.Reused != 12 {
		t.Errorf("%v, %+v", err, again.Progress)
	}
}

// child runs a worker and reports whether it was killed.
func (s *site) child(c childWorker) bool {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Errorf("a worker: %v", err)
	}
	return exit != nil && exit.Sys().(syscall.WaitStatus).Signaled()
}

// TestSupervise: a process that dies is started again; all end with the context, and their
// standard input is closed for that.
func TestSupervise(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	var starts [2]atomic.Int64
	err := Supervise(ctx, 2, func(ctx context.Context, i int) *exec.Cmd {
		n := starts[i].Add(1)
		switch {
		case i == 0 && n == 1:
			return exec.CommandContext(ctx, "sh", "-c", "kill -9 $$")
		case i == 0:
			cancel() // the second start has come
		}
		return exec.CommandContext(ctx, "sh", "-c", "cat; touch "+filepath.Join(dir, "ended"))
	})
	if !errors.Is(err, context.Canceled) || starts[0].Load() != 2 || starts[1].Load() != 1 {
		t.Errorf("%v, %d and %d starts", err, starts[0].Load(), starts[1].Load())
	}
	if _, err := os.Stat(filepath.Join(dir, "ended")); err != nil {
		t.Errorf("a process was not ended by its standard input: %v", err)
	}
	// One that refuses the work ends all.
	for _, command := range []string{"exit 2", ""} {
		err := Supervise(t.Context(), 2, func(ctx context.Context, i int) *exec.Cmd {
			if i == 0 {
				if command == "" {
					return exec.CommandContext(ctx, filepath.Join(dir, "no-program"))
				}
				return exec.CommandContext(ctx, "sh", "-c", command)
			}
			return exec.CommandContext(ctx, "cat")
		})
		if err == nil || !strings.Contains(err.Error(), "a worker cannot do the work") {
			t.Errorf("%q: %v", command, err)
		}
	}
}

func TestDevice(t *testing.T) {
	for _, chosen := range []string{"3", ""} {
		t.Setenv("CUDA_VISIBLE_DEVICES", chosen)
		if env := Device(1); env != nil {
			t.Errorf("the choice %q was changed: %v", chosen, env)
		}
	}
	if err := os.Unsetenv("CUDA_VISIBLE_DEVICES"); err != nil { // until Setenv restores it
		t.Fatal(err)
	}
	first, second := filepath.Join(t.TempDir(), "*"), filepath.Join(t.TempDir(), "nvidia[0-9]*")
	if env := deviceOf(1, first, second); env != nil {
		t.Errorf("no devices: %v", env)
	}
	for _, name := range []string{"nvidia0", "nvidia1", "nvidiactl"} {
		touch(t, filepath.Join(filepath.Dir(second), name))
	}
	if env := deviceOf(3, first, second); !slices.Equal(env, []string{"CUDA_VISIBLE_DEVICES=1"}) {
		t.Errorf("the fourth process of two devices: %v", env)
	}
	touch(t, filepath.Join(filepath.Dir(first), "0000:04:00.0"))
	if env := deviceOf(3, first, second); !slices.Equal(env, []string{"CUDA_VISIBLE_DEVICES=0"}) {
		t.Errorf("the fourth process of one device: %v", env)
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

//go:build unix

package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// childWorker is how a child process finds the server, "" for its parent, and at which series it sends itself a signal;
// 0 is never.
type childWorker struct {
	URL, Token string
	Die        int64
	Signal     syscall.Signal
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
	var n atomic.Int64
	events := batch.Events{Result: func(batch.SeriesResult) {
		if n.Add(1) == c.Die {
			_ = syscall.Kill(os.Getpid(), c.Signal)
			select {}
		}
	}}
	o := WorkerOptions{Timing: quick, Drain: true}
	if c.URL == "" {
		return job.ExitCode(WorkForParent(context.Background(), os.Stdin, os.Stdout, o, events))
	}
	nc, err := Connect(c.URL, c.Token, "")
	if err != nil {
		panic(err)
	}
	return job.ExitCode(Work(context.Background(), nc, o, events))
}

// TestKilledWorkers: workers that are killed lose no series, and none is done by halves.
func TestKilledWorkers(t *testing.T) {
	s := newSite(t, 12)
	s.server.Close()
	s.start("127.0.0.1")
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
							if !s.child(childWorker{s.server.URL(), s.server.Token(), die, syscall.SIGKILL}) {
								return
							}
							killed.Add(1)
						}
						s.child(childWorker{s.server.URL(), s.server.Token(), 0, 0})
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

// command runs a worker.
func command(ctx context.Context, c childWorker) *exec.Cmd {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
	return cmd
}

// child runs a worker and reports whether it was killed.
func (s *site) child(c childWorker) bool {
	err := command(s.t.Context(), c).Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Errorf("a worker: %v", err)
	}
	return exit != nil && exit.Sys().(syscall.WaitStatus).Signaled()
}

// TestChildren: children that are killed lose no series, nor do those that are paused without end.
func TestChildren(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "paused": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &site{t: t, in: filepath.Join(t.TempDir(), "in"), out: filepath.Join(t.TempDir(), "out")}
			for i := range 8 {
				s.series(fmt.Sprintf("p%02d/s.nii", i))
			}
			var starts [2]atomic.Int64
			var most batch.Left
			o := optionsOf(s.in, s.out)
			o.Distribute = func(ctx context.Context, spec batch.Spec, units []batch.Unit, progress func(batch.Left)) error {
				return Children(ctx, 2, func(ctx context.Context, i int) *exec.Cmd {
					die := int64(0)
					if starts[i].Add(1) == 1 {
						die = 2
					}
					return command(ctx, childWorker{Die: die, Signal: signal})
				}, quick, spec, units, func(left batch.Left) {
					most.InWork = max(most.InWork, left.InWork)
					progress(left)
				})
			}
			sum, err := batch.Run(t.Context(), o, batch.Events{})
			s.must(err)
			if sum.Done != 8 || sum.Failed != 0 || starts[0].Load()+starts[1].Load() < 3 || most.InWork < 1 {
				t.Errorf("%+v after %d and %d starts, %+v at most", sum.Progress, starts[0].Load(), starts[1].Load(), most)
			}
			if again, err := batch.Run(t.Context(), optionsOf(s.in, s.out), batch.Events{}); err != nil || again.Reused != 8 {
				t.Errorf("%v, %+v", err, again.Progress)
			}
		})
	}
}

// TestUnitsThatComeBack: a unit that is not finished goes to the next child that is free, after those that wait.
func TestUnitsThatComeBack(t *testing.T) {
	l := newList([]batch.Unit{{Name: "a"}, {Name: "b"}})
	take := func(want int, left batch.Left) {
		t.Helper()
		n := <-l.waiting
		l.begin(n)
		if got := l.progress(); n != want || got != left {
			t.Errorf("unit %d, %+v; want %d, %+v", n, got, want, left)
		}
	}
	take(0, batch.Left{Units: 2, InWork: 1})
	l.end(0, batch.GivenBack)
	take(1, batch.Left{Units: 2, InWork: 1})
	take(0, batch.Left{Units: 2, InWork: 2, Redelivered: 1})
	l.end(0, batch.Taken)
	l.end(1, batch.Finished)
	take(0, batch.Left{Units: 1, InWork: 1, Redelivered: 1})
	l.end(0, batch.Finished)
	<-l.finished
	<-newList(nil).finished
}

// TestSupervise: a process that dies is started again; all end with the context, and their
// standard input is closed for that.
func TestSupervise(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	var starts [2]atomic.Int64
	start := func(ctx context.Context, i int) *exec.Cmd {
		n := starts[i].Add(1)
		switch {
		case i == 0 && n == 1:
			return exec.CommandContext(ctx, "sh", "-c", "kill -9 $$")
		case i == 0:
			cancel() // the second start has come
		}
		return exec.CommandContext(ctx, "sh", "-c", "cat; touch "+filepath.Join(dir, "ended"))
	}
	one := []batch.Unit{{Name: "a"}} // of which no process ever asks for work
	err := Children(ctx, 2, start, quick, batch.Spec{}, one, func(batch.Left) {})
	if !errors.Is(err, context.Canceled) || starts[0].Load() != 2 || starts[1].Load() != 1 {
		t.Errorf("%v, %d and %d starts", err, starts[0].Load(), starts[1].Load())
	}
	if _, err := os.Stat(filepath.Join(dir, "ended")); err != nil {
		t.Errorf("a process was not ended by its standard input: %v", err)
	}
	// One that refuses the work ends all.
	for _, command := range []string{"exit 2", ""} {
		err := Children(t.Context(), 2, func(ctx context.Context, i int) *exec.Cmd {
			if i == 0 {
				if command == "" {
					return exec.CommandContext(ctx, filepath.Join(dir, "no-program"))
				}
				return exec.CommandContext(ctx, "sh", "-c", command)
			}
			return exec.CommandContext(ctx, "cat")
		}, quick, batch.Spec{}, one, func(batch.Left) {})
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

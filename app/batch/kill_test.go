//go:build unix

package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"quell/app/job"
	"quell/app/journal"
)

// killEnv holds the killed batch of a child process.
const killEnv = "QUELL_TEST_BATCH"

// doomed is a batch in a child process that sends itself a signal, SIGKILL unless another is
// given, at the nth time that a stage ends.
type doomed struct {
	In, Out string
	At      stage
	Nth     int64
	Workers int
	Signal  syscall.Signal
	Worker  *Spec // do the units as a worker of this batch
}

func TestMain(m *testing.M) {
	if text := os.Getenv(killEnv); text != "" {
		os.Exit(die(text))
	}
	os.Exit(m.Run())
}

// die runs the batch of a child process.
func die(text string) int {
	var d doomed
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		panic(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var times atomic.Int64
	stopped := func(s stage) {
		if s != d.At || times.Add(1) != d.Nth {
			return
		}
		_ = syscall.Kill(os.Getpid(), cmp.Or(d.Signal, syscall.SIGKILL))
		switch d.Signal {
		case syscall.SIGSTOP: // goes on when it is continued
		case syscall.SIGTERM:
			<-ctx.Done()
		default:
			select {}
		}
	}
	if d.Worker != nil {
		return job.ExitCode(d.work(ctx, stopped))
	}
	o := optionsOf(d.In, d.Out)
	o.Workers = d.Workers
	b, err := newBatch(o, Events{})
	if err != nil {
		panic(err)
	}
	b.stopped = stopped
	s, err := b.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return job.ExitCode(errors.Join(err, s.Err()))
}

// work does all units as a worker.
func (d doomed) work(ctx context.Context, stopped func(stage)) error {
	w, err := NewWorker(*d.Worker, d.Workers, 0, Events{})
	if err != nil {
		panic(err)
	}
	w.b.stopped = stopped
	units, err := List(ctx, []string{d.In}, d.Out)
	if err != nil {
		panic(err)
	}
	return w.Work(ctx, newLocal(w.b.store, units))
}

// start starts a doomed batch.
func (d doomed) start(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killEnv+"="+string(text))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func killed(err error) bool {
	exit, ok := err.(*exec.ExitError)
	return ok && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
}

// TestKilledAtEveryStage: after SIGKILL the next run does what has no result, and nothing else.
func TestKilledAtEveryStage(t *testing.T) {
	for _, x := range []struct {
		at       stage
		finished int // results when the process died at the second time, with one worker
	}{{loaded, 1}, {filtered, 1}, {written, 1}, {recorded, 2}} {
		c := newCohort(t)
		for i := range 4 {
			c.nii(fmt.Sprintf("s%d.nii", i), i)
		}
		if err := (doomed{In: c.in, Out: c.out, At: x.at, Nth: 2, Workers: 1}).start(t).Wait(); !killed(err) {
			t.Fatalf("%s: the process was to be killed: %v", x.at, err)
		}
		if exists(c.out + "/report.csv") {
			t.Errorf("%s: a report", x.at)
		}
		if s := c.run(c.options()); s.Done != 4 || s.Reused != x.finished {
			t.Errorf("%s: %d done, %d of them before; want 4, %d", x.at, s.Done, s.Reused, x.finished)
		}
		equal(t, "rows", len(c.rows()), 4)
	}
}

// TestOnlyCrashesCount: a process that ends on SIGTERM gives back what it has in work, however
// often. One that is killed counts, also if it is the scheduler that kills.
func TestOnlyCrashesCount(t *testing.T) {
	for sig, want := range map[syscall.Signal]SeriesState{syscall.SIGTERM: Done, syscall.SIGKILL: Failed} {
		c := newCohort(t)
		c.nii("a.nii", 1)
		for range maxAttempts + 1 {
			err := doomed{In: c.in, Out: c.out, At: filtered, Nth: 1, Workers: 1, Signal: sig}.start(t).Wait()
			exit, ok := err.(*exec.ExitError)
			if sig == syscall.SIGTERM && (!ok || exit.ExitCode() != job.ExitCancelled) {
				t.Errorf("after SIGTERM: %v", err)
			}
			if n := journal.Ended(store{c.out}.attempts(Unit{Name: "a.nii"})); sig == syscall.SIGTERM && n != 0 {
				t.Errorf("%d processes count", n)
			}
			if !killed(err) && sig == syscall.SIGKILL { // the attempt that states the failure
				break
			}
		}
		rows := map[string]string{}
		if sig == syscall.SIGKILL {
			for _, row := range c.rows() {
				rows[row["input"]] = row["state"]
				if !strings.Contains(row["problem"], "ended 3 times") {
					t.Errorf("problem %q", row["problem"])
				}
			}
		} else {
			rows["a.nii"] = string(resultsOf(c.run(c.options()))[0].State)
		}
		equal(t, sig.String(), rows, map[string]string{"a.nii": string(want)})
	}
}

// TestPausedWorkerDoesNotWrite: a worker that is stopped before the commit, while another one does
// its unit meanwhile, changes neither the output nor its result when it goes on.
func TestPausedWorkerDoesNotWrite(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	var spec Spec
	o := c.options()
	o.Distribute = func(_ context.Context, s Spec, _ []Unit, _ func(Left)) error {
		spec = s
		return context.Canceled
	}
	_, _ = Run(t.Context(), o, Events{})
	cmd := doomed{In: c.in, Out: c.out, At: filtered, Nth: 1, Workers: 1, Signal: syscall.SIGSTOP, Worker: &spec}.start(t)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("the worker was to stop: %v, %v", err, status)
	}
	if err := (doomed{In: c.in, Out: c.out, Worker: &spec, Workers: 1}).start(t).Wait(); err != nil {
		t.Fatal(err)
	}
	before := c.stamps("a.nii")
	c.must(cmd.Process.Signal(syscall.SIGCONT))
	if err := cmd.Wait(); err != nil {
		t.Errorf("the paused worker: %v", err)
	}
	equal(t, "stamps", c.stamps("a.nii"), before)
	if s := c.run(c.options()); s.Done != 1 || s.Reused != 1 {
		t.Errorf("%+v", s.Progress)
	}
}

// stamps are the stamps of an output, its record and its result.
func (c cohort) stamps(name string) (all []string) {
	c.t.Helper()
	results, err := filepath.Glob(filepath.Join(store{c.out}.dir(), "results", "*.json"))
	c.must(err)
	for _, path := range append(results, filepath.Join(c.out, name), filepath.Join(c.out, name+".recipe.json")) {
		info, err := os.Stat(path)
		c.must(err)
		all = append(all, fmt.Sprint(filepath.Base(path), info.Size(), info.ModTime(), info.Sys().(*syscall.Stat_t).Ino))
	}
	return all
}

// TestKilledAtRandom kills processes at random times until everything is done, with poisoned and
// duplicated series. QUELL_BATCH_SERIES sets the number of series.
func TestKilledAtRandom(t *testing.T) {
	n := 24
	if text := os.Getenv("QUELL_BATCH_SERIES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	c := newCohort(t)
	poisoned, copies := max(1, n/30), max(1, n/60)
	poison := map[string]bool{}
	for i := range n - copies {
		name := fmt.Sprintf("p%03d/s.nii", i)
		switch {
		case i < copies:
			c.must(os.CopyFS(c.in+fmt.Sprintf("/copy%d", i), os.DirFS(c.dicom(fmt.Sprintf("p%03d", i), i))))
		case i < copies+poisoned:
			c.must(os.Truncate(c.nii(name, i), 600))
			poison[name] = true
		default:
			c.nii(name, i)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	const workers = 4
	kills := 0
	for range 8 {
		cmd := doomed{In: c.in, Out: c.out, Workers: workers}.start(t)
		limit := time.AfterFunc(time.Duration(random.IntN(900)+100)*time.Millisecond, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		limit.Stop()
		if !killed(err) {
			break
		}
		kills++
	}
	s := c.run(c.options())
	t.Logf("%d kills; %d of %d were done before the last run", kills, s.Reused, s.Done)
	// On a slow machine the kills may hit one series three times, which ends the attempts at it.
	struck := 0
	for _, r := range resultsOf(s) {
		if r.State == Failed && !poison[r.Unit] && r.Problem == errEnded.Error() {
			struck++
		}
	}
	if struck*3 > kills*workers {
		t.Errorf("%d series were given up after %d kills of %d workers", struck, kills, workers)
	}
	equal(t, "states", []int{s.Done, s.Failed, s.Duplicates}, []int{n - copies - poisoned - struck, poisoned + struck, copies})
	equal(t, "rows", len(c.rows()), n)
	// Another run does nothing but what was given up.
	if again := c.run(c.options()); again.Reused != s.Done || again.Done != s.Done+struck {
		t.Errorf("another run: %+v", again.Progress)
	}
}

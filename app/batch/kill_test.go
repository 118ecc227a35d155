//go:build unix

package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"quell/app"
)

// killEnv holds the killed batch of a child process.
const killEnv = "QUELL_TEST_BATCH"

// doomed is a batch in a child process that kills itself at the nth time that a stage ends.
type doomed struct {
	In, Out string
	At      stage
	Nth     int64
	Workers int
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
	o := optionsOf(d.In, d.Out)
	o.Workers = d.Workers
	b, err := newBatch(o, Events{})
	if err != nil {
		panic(err)
	}
	var times atomic.Int64
	b.stopped = func(s stage) {
		if s == d.At && times.Add(1) == d.Nth {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	s, err := b.run(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return app.ExitCode(s.Err())
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
		if err := (doomed{c.in, c.out, x.at, 2, 1}).start(t).Wait(); !killed(err) {
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
		cmd := doomed{c.in, c.out, "", 0, workers}.start(t)
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
	for _, r := range s.Results {
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
		t.Errorf("another run: %+v", again.Status)
	}
}

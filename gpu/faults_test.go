//go:build unix

package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"quell/denoise"
	"quell/gpu/shm"
	"quell/gpu/wire"
	"quell/kernels"
	"quell/volume"
)

// trap is a fault of the fake driver at the n-th filter kernel of a worker.
type trap struct {
	file string // exists while the trap is set
	env  string
}

// newTrap sets a trap for one worker, or for every one if always is true. Kinds are
// the kinds of fakecuda/trap.c.
func newTrap(t *testing.T, kind string, n int, always bool) trap {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trap")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stays := ""
	if always {
		stays = "/"
	}
	return trap{file: file, env: fmt.Sprintf("QUELL_FAKE_CUDA_TRAP=%s:%d%s:%s", kind, n, stays, file)}
}

// reached reports whether a kernel waits in a trap of kind wait.
func (p trap) reached() bool { return exists(p.file + ".reached") }

// sprung reports whether a trap for one worker has caused its fault.
func (p trap) sprung() bool { return !exists(p.file) }

func (p trap) remove(t *testing.T) {
	t.Helper()
	if err := os.Remove(p.file); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// current returns the process of the engine's first device.
func current(e *Engine) *process {
	d := e.devices[0]
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.session.process
}

// start runs a recipe over a whole volume in the background. The function that
// it returns waits for the result.
func start(ctx context.Context, e *Engine, r denoise.Recipe, in *volume.Volume) func() (*volume.Volume, error) {
	type result struct {
		out *volume.Volume
		err error
	}
	c := make(chan result, 1)
	go func() {
		out, err := e.Run(ctx, r, denoise.Input{Volume: in}, in.Bounds(), nil)
		c <- result{out, err}
	}()
	return func() (*volume.Volume, error) {
		r := <-c
		return r.out, r.err
	}
}

// A fault during a run costs one worker and changes no voxel.
func TestRunSurvivesOneFault(t *testing.T) {
	t.Parallel()
	in := ramp([3]int{40, 30, 12})
	r := smallNLM(t)
	want := expected(t, r, in)
	before := in.Clone()
	for _, kind := range []string{"crash", "die", "hang"} {
		t.Run(kind, func(t *testing.T) {
			fault := newTrap(t, kind, 1, false)
			o := fakeOptions(t, fault.env)
			e := fakeEngine(t, o)
			if kind == "hang" {
				first := current(e)
				go func() {
					await(fault.sprung)
					first.stopIfStalled(time.Now().Add(2*o.Stall), o.Stall)
				}()
			}
			var last int64
			got, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), func(done, total int64) {
				if done < last {
					t.Errorf("progress fell from %d to %d", last, done)
				}
				last = done
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Data, want.Data) {
				t.Error("the result differs from that without the fault")
			}
			if last != int64(in.Voxels()) {
				t.Errorf("progress ended at %d of %d", last, in.Voxels())
			}
			if s := e.Status(); s.Starts != 2 || s.Off || s.PID == 0 {
				t.Errorf("status %+v; want the second worker running", s)
			}
			if !slices.Equal(in.Data, before.Data) {
				t.Error("the input changed")
			}
		})
	}
}

// A fault that occurs in every worker fails the run with a sentence, and switches
// the engine off at the third loss.
func TestRepeatedFaultSwitchesOff(t *testing.T) {
	in := ramp([3]int{16, 16, 4})
	r := smallNLM(t)
	fault := newTrap(t, "crash", 1, true)
	e := fakeEngine(t, fakeOptions(t, fault.env))
	run := func() error {
		_, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), nil)
		return err
	}
	err := run()
	if !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), "the GPU failed twice at this run: the GPU failed: an illegal memory access was encountered") {
		t.Fatalf("%v; want an ErrDevice with the driver's error", err)
	}
	err = run()
	if !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), "switched off after 3 failures within 5 minutes") {
		t.Fatalf("%v; want the engine off", err)
	}
	if s := e.Status(); !s.Off || s.Starts != 3 || s.Reason == "" {
		t.Errorf("status %+v; want it off after three workers, with the reason", s)
	}
	fault.remove(t)
	if err := run(); !errors.Is(err, ErrDevice) {
		t.Fatalf("%v; want it to stay off", err)
	}
	e.Enable()
	if err := run(); err != nil {
		t.Errorf("after Enable: %v", err)
	}
}

// The worker is killed from outside during a run.
func TestRunSurvivesKilledWorker(t *testing.T) {
	in := ramp([3]int{40, 30, 24})
	r := smallNLM(t)
	want := expected(t, r, in)
	pause := newTrap(t, "wait", 1, false)
	e := fakeEngine(t, fakeOptions(t, pause.env))
	wait := start(context.Background(), e, r, in)
	await(pause.reached)
	pid := e.Status().PID
	pause.remove(t)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	got, err := wait()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Data, want.Data) {
		t.Error("the result differs from that without the kill")
	}
}

// A worker that is stopped sends no replies, like one that is stuck in the driver.
func TestStalledWorkerIsReplaced(t *testing.T) {
	in := ramp([3]int{16, 16, 4})
	o := fakeOptions(t)
	e := fakeEngine(t, o)
	p := current(e)
	// It owes nothing yet.
	p.stopIfStalled(time.Now().Add(2*o.Stall), o.Stall)
	if !p.alive() {
		t.Fatal("an idle worker was stopped")
	}
	if err := syscall.Kill(e.Status().PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	wait := start(context.Background(), e, smallNLM(t), in)
	await(func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.waiting) > 0
	})
	p.stopIfStalled(time.Now(), o.Stall)
	if !p.alive() {
		t.Fatal("the worker was stopped before the stall time")
	}
	p.stopIfStalled(time.Now().Add(2*o.Stall), o.Stall)
	if _, err := wait(); err != nil {
		t.Fatal(err)
	}
	if s := e.Status(); s.Starts != 2 {
		t.Errorf("%d workers; want two", s.Starts)
	}
}

// TestSilenceBeginsWithTheRequest checks that a pause without requests does not count as
// silence, and that further requests do not hide the silence of a worker that owes a
// reply.
func TestSilenceBeginsWithTheRequest(t *testing.T) {
	long := time.Now().Add(-time.Hour)
	p := &process{out: wire.NewWriter(io.Discard), waiting: map[uint64]*future{}, next: 7, heard: long}
	if _, err := p.request(&wire.Request{Op: wire.Ping}); err != nil {
		t.Fatal(err)
	}
	if !p.heard.After(long) {
		t.Error("the pause before the request counts as silence")
	}
	p.heard = long
	if _, err := p.request(&wire.Request{Op: wire.Ping}); err != nil {
		t.Fatal(err)
	}
	if !p.heard.Equal(long) {
		t.Error("a second request ended the silence")
	}
}

// watch calls stopIfStalled without help.
func TestWatchFindsTheStall(t *testing.T) {
	o := fakeOptions(t)
	o.Stall = 100 * time.Millisecond
	segment, err := shm.Create(segmentBytes)
	if err != nil {
		t.Fatal(err)
	}
	defer segment.Close()
	p, err := startProcess(context.Background(), o.Worker, o.Env, segment, o.Stall)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := p.call(wire.Request{Op: wire.Ping}); err == nil || !strings.Contains(err.Error(), "gave no answer") {
		t.Errorf("%v; want the stall", err)
	}
}

// A request to a worker that reads no more ends without the help of watch.
func TestRequestAfterClosedInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quell-gpu")
	hello := fmt.Sprintf(`%s{"version":%d}`, wire.Magic, wire.Version)
	writeScript(t, path, "exec <&-; echo '"+hello+"'; exec sleep 1000", 0o755)
	segment, err := shm.Create(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer segment.Close()
	p, err := startProcess(context.Background(), path, nil, segment, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.call(wire.Request{Op: wire.Ping}); err == nil || !strings.Contains(err.Error(), "the GPU worker died") {
		t.Errorf("%v; want the worker's end", err)
	}
}

// When its input ends, the worker exits even while a kernel hangs.
func TestHungWorkerExitsWithItsInput(t *testing.T) {
	in := ramp([3]int{16, 16, 4})
	hang := newTrap(t, "hang", 1, false)
	e := fakeEngine(t, fakeOptions(t, hang.env))
	ctx, cancel := context.WithCancel(context.Background())
	p := current(e)
	wait := start(ctx, e, smallNLM(t), in)
	await(hang.sprung)
	cancel()
	if _, err := wait(); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v; want the cancel", err)
	}
	p.stdin.Close()
	<-p.exited
}

// A cancelled run returns while the device is still at work, and only the blocks
// that were queued are finished.
func TestCancelledRunLeavesTheDevice(t *testing.T) {
	in := ramp([3]int{64, 64, 16})
	r := smallNLM(t)
	pause := newTrap(t, "wait", 3, false)
	count := filepath.Join(t.TempDir(), "kernels")
	e := fakeEngine(t, fakeOptions(t, pause.env, "QUELL_FAKE_CUDA_COUNT="+count))
	started := func() int {
		b, err := os.ReadFile(count)
		if err != nil {
			t.Fatal(err)
		}
		return len(b)
	}
	// The device of the model is slow, so that there are many blocks.
	d := e.devices[0]
	d.mu.Lock()
	d.hello.Device.ClockKHz = 1
	d.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	wait := start(ctx, e, r, in)
	await(pause.reached)
	cancel()
	if out, err := wait(); out != nil || !errors.Is(err, context.Canceled) {
		t.Fatalf("%v; want the cancel", err)
	}
	pause.remove(t)
	// The next run waits for the work on the device, and is right.
	small := ramp([3]int{9, 8, 3})
	got := mustRun(t, e, r, small)
	if !slices.Equal(got.Data, expected(t, r, small).Data) {
		t.Error("the run after a cancel differs")
	}
	// Every block has two kernels.
	run, err := newRun(program(t, r, small), kernels.Rung{}, small.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	blocks := len(blocks(small.Bounds(), d.demand(run, small.Bounds()).block))
	if n, most := started(), 2*(1+maxQueued+blocks); n > most {
		t.Errorf("%d kernels; want at most %d", n, most)
	}
}

func TestIdleWorkerIsStopped(t *testing.T) {
	o := fakeOptions(t)
	o.Idle = time.Millisecond
	e := fakeEngine(t, o)
	in := ramp([3]int{8, 8, 3})
	for range 2 {
		mustRun(t, e, smallNLM(t), in)
		await(func() bool { return e.Status().PID == 0 })
	}
	if s := e.Status(); s.Off || s.Reason != "" {
		t.Errorf("status %+v after an idle stop", s)
	}
}

func TestOutputTailKeepsTheEnd(t *testing.T) {
	var k outputTail
	for range 1000 {
		_, _ = k.Write(bytes.Repeat([]byte("x"), 100))
	}
	_, _ = k.Write([]byte("end\n"))
	if s := k.String(); len(s) > tailBytes || !strings.HasSuffix(s, "xend") {
		t.Errorf("%d bytes ending in %q", len(s), s[len(s)-4:])
	}
}

// A start continues when the run that began it is cancelled.
func TestStartContinuesAfterACancel(t *testing.T) {
	o := fakeOptions(t)
	closed := filepath.Join(t.TempDir(), "closed")
	script := filepath.Join(t.TempDir(), "quell-gpu")
	writeScript(t, script, fmt.Sprintf("while [ -e %s ]; do sleep 0.01; done; exec %s \"$@\"", closed, o.Worker), 0o755)
	o.Worker = script
	e := fakeEngine(t, o)
	d := e.devices[0]
	d.stopIdle()
	if err := os.WriteFile(closed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	wait := start(ctx, e, smallNLM(t), ramp([3]int{8, 8, 3}))
	await(func() bool { return len(d.startToken) == 0 })
	cancel()
	if _, err := wait(); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v; want the cancel", err)
	}
	if err := os.Remove(closed); err != nil {
		t.Fatal(err)
	}
	await(func() bool { return e.Status().PID != 0 })
}

// TestAHungStartIsNotRepeatedSoon: a driver that hangs costs one wait; then runs fail at once, so
// that the CPU does them, until it is tried again.
func TestAHungStartIsNotRepeatedSoon(t *testing.T) {
	o := fakeOptions(t)
	hangs := filepath.Join(t.TempDir(), "hangs")
	script := filepath.Join(t.TempDir(), "quell-gpu")
	writeScript(t, script, fmt.Sprintf("[ -e %s ] && exec sleep 1000; exec %s \"$@\"", hangs, o.Worker), 0o755)
	o.Worker = script
	e := fakeEngine(t, o)
	d := e.devices[0]
	d.stopIdle()
	if err := os.WriteFile(hangs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func() error {
		_, err := start(t.Context(), e, smallNLM(t), ramp([3]int{8, 8, 3}))()
		return err
	}
	d.options.Start = time.Millisecond
	for range 3 {
		if err := run(); !errors.Is(err, ErrDevice) || !errors.Is(err, errHung) {
			t.Fatalf("%v; want an ErrDevice of a hung start", err)
		}
		if devices, states := e.usable(); len(devices) != 1 || states[0].usable {
			t.Error("it takes part in runs")
		}
		d.options.Start = 24 * time.Hour // which a further start would take
		e.Enable()
	}
	if err := os.Remove(hangs); err != nil {
		t.Fatal(err)
	}
	d.failed = time.Now().Add(time.Minute - hungRest)
	if err := run(); !errors.Is(err, errHung) {
		t.Errorf("%v a minute before it is tried again", err)
	}
	d.failed = time.Now().Add(-hungRest)
	if err := run(); err != nil {
		t.Error(err)
	}
}

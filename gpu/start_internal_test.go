package gpu

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"quell/denoise"
	"quell/gpu/wire"
	"quell/kernels"
)

// pauses are the pauses of backOff as the program has them; TestMain clears
// backOff.
var pauses = backOff

// TestStartsPauseAfterLosses: a worker is started at once, and later the more were lost.
func TestStartsPauseAfterLosses(t *testing.T) {
	if pauses != [lossLimit]time.Duration{0, 200 * time.Millisecond, 2 * time.Second} {
		t.Errorf("pauses %v", pauses)
	}
	synctest.Test(t, func(t *testing.T) {
		defer func(old [lossLimit]time.Duration) { backOff = old }(backOff)
		backOff = pauses
		for losses, want := range map[int]time.Duration{0: 0, 1: 200 * time.Millisecond, 2: 2 * time.Second, 5: 2 * time.Second} {
			d := newDevice(Options{Worker: filepath.Join(t.TempDir(), "nothing"), Start: time.Second})
			d.losses = make([]time.Time, losses)
			begin := time.Now()
			err := d.start()
			if waited := time.Since(begin); waited != want || err == nil || d.reason != err || d.starts != 0 || d.session != nil {
				t.Errorf("%d losses: %v, %v after %v; want the start to fail after %v", losses, err, d.reason, waited, want)
			}
		}
	})
}

// TestAWorkerThatIsNoProgramIsNotReplacedByAnother: the variable names it, and it alone.
func TestAWorkerThatIsNoProgramIsNotReplacedByAnother(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "quell-gpu"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv(WorkerVariable, filepath.Join(dir, "nothing"))
	if path, err := LocateWorker(); path != "" || err == nil || !strings.Contains(err.Error(), WorkerVariable+" is set to "+filepath.Join(dir, "nothing")+", which is not a program") {
		t.Errorf("%q, %v", path, err)
	}
}

// TestAMachineWithADriverWithoutAWorkerIsNotOneWithoutAGPU, so that those who filter on the CPU there are told.
func TestAMachineWithADriverWithoutAWorkerIsNotOneWithoutAGPU(t *testing.T) {
	defer func(old []string) { driverPlaces = old }(driverPlaces)
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv(WorkerVariable, "")
	driverPlaces = []string{filepath.Join(dir, "nothing"), filepath.Join(dir, "gpus")}
	_, err := New(t.Context(), Options{})
	if !Absent(err) {
		t.Errorf("without a driver: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "gpus"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err = New(t.Context(), Options{}); err == nil || Absent(err) || !strings.Contains(Reason(err).Error(), "this machine has an NVIDIA driver, but the GPU worker quell-gpu is neither beside") {
		t.Errorf("with one: %v", err)
	}
}

// TestStartLimit: a driver that hangs costs ten seconds.
func TestStartLimit(t *testing.T) {
	if o, err := (Options{Worker: "w"}).withDefaults(); err != nil || o.Start != 10*time.Second {
		t.Errorf("%v, %v", o.Start, err)
	}
}

// TestACancelledVolumeReturnsItsTurn: a run that is cancelled while another volume is
// filtered leaves neither a slot nor a user behind.
func TestACancelledVolumeReturnsItsTurn(t *testing.T) {
	w, e := testEngine(t)
	d := e.devices[0]
	d.hello.Device.Processors, d.hello.Device.ClockKHz = 1, 1000 // so slow that blocks are small
	s := d.session
	<-s.volumeTurn // another volume is being filtered
	v := ramp([3]int{64, 64, 30})
	run, err := newRun(program(t, recipe(t, "median", 2, nil), v), kernels.Rung{}, v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	run.read(denoise.Input{Volume: v})
	if l, err := planSlabs(d.demand(run, v.Bounds())); err != nil || len(l.slabs) == 1 && len(l.slabs[0].blocks) == 1 {
		t.Fatalf("%d slabs, %v; the test needs a volume of several blocks", len(l.slabs), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- d.try(ctx, attempt{divisor: 1}, run, v.Bounds(), &partOutput{}) }()
	await(func() bool { // until it has its slot
		free := s.slots.TryAcquire(exclusive)
		if free {
			s.slots.Release(exclusive)
		}
		return !free
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || w.count(wire.Run) != 0 {
		t.Errorf("%v after %d runs", err, w.count(wire.Run))
	}
	s.volumeTurn <- struct{}{}
	checkReturned(t, s)
}

// TestSlotsOfACancelledRun: a run that waits for others to end, and is cancelled, gives its
// session back.
func TestSlotsOfACancelledRun(t *testing.T) {
	_, e := testEngine(t)
	s := e.devices[0].session
	if !s.slots.TryAcquire(exclusive) {
		t.Fatal("the session is in use")
	}
	d := e.devices[0]
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- d.try(ctx, attempt{divisor: 1, alone: true}, nil, ramp([3]int{4, 4, 4}).Bounds(), &partOutput{})
	}()
	await(func() bool { // until it has the session
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.users == 1
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	s.slots.Release(exclusive)
	if d.users != 0 {
		t.Errorf("the device has %d users", d.users)
	}
	checkReturned(t, s)
}

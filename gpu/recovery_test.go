package gpu

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/denoise"
	"quell/gpu/wire"
	"quell/internal/message"
	"quell/kernels"
	"quell/volume"
)

// testEngine returns an engine on a testWorker with a gigabyte of free memory.
func testEngine(t *testing.T) (*testWorker, *Engine) {
	t.Helper()
	w, s := testSession(t, 1<<30)
	d := newDevice(Options{Idle: -1})
	d.session = s
	d.hello = wire.Hello{Free: 1 << 30, Device: wire.Device{Name: "test", Processors: 132, ClockKHz: 1.98e6}}
	return w, &Engine{devices: []*device{d}}
}

// copyRun filters v with a filter of radius 0. The testWorker's result is zeros.
func copyRun(t *testing.T, e *Engine, v *volume.Volume) (*volume.Volume, error) {
	t.Helper()
	r := recipe(t, "median", 3, map[string]denoise.Value{"radius": denoise.List(0)})
	return e.Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil)
}

// TestFaultsHaveTheirRemedies checks how often a run is tried after each kind of fault, and
// what its error says.
func TestFaultsHaveTheirRemedies(t *testing.T) {
	v := ramp([3]int{8, 8, 4})
	for name, c := range map[string]struct {
		kind        wire.FaultKind
		faults      int // of the first runs
		runs        int
		want        string // part of the error, "" for none
		unsupported bool
	}{
		"none":                   {wire.Memory, 0, 1, "", false},
		"memory once":            {wire.Memory, 1, 2, "", false},
		"memory seven times":     {wire.Memory, 7, 8, "", false}, // alone, then 1/2 to 1/64 of the memory
		"memory always":          {wire.Memory, 8, 8, "the GPU failed at this run: full", false},
		"an invalid request":     {wire.Broken, 1, 1, "the GPU failed at this run: full", false},
		"a recipe it cannot run": {wire.Unsupported, 1, 1, "full: ", true},
	} {
		t.Run(name, func(t *testing.T) {
			w, e := testEngine(t)
			runs := 0
			w.fault = func(q wire.Request) *wire.Fault {
				if q.Op != wire.Run {
					return nil
				}
				if runs++; runs > c.faults {
					return nil
				}
				return &wire.Fault{Kind: c.kind, Text: "full"}
			}
			_, err := copyRun(t, e, v)
			if runs != c.runs {
				t.Errorf("%d runs; want %d", runs, c.runs)
			}
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (!errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v; want an ErrDevice that says %q", err, c.want)
			case errors.Is(err, denoise.ErrUnsupported) != c.unsupported:
				t.Errorf("%v; want an ErrUnsupported: %v", err, c.unsupported)
			}
			checkReturned(t, e.devices[0].session)
		})
	}
}

// checkReturned checks that a run has returned what it took.
func checkReturned(t *testing.T, s *session) {
	t.Helper()
	if len(s.uploads) != uploadBuffers || len(s.downloads) != downloadBuffers || len(s.volumeTurn) != 1 {
		t.Errorf("%d and %d staging buffers and %d tokens are free; want all", len(s.uploads), len(s.downloads), len(s.volumeTurn))
	}
	if !s.slots.TryAcquire(exclusive) {
		t.Error("the run still counts as active")
	}
	for _, slab := range s.slabs {
		if slab.users != 0 {
			t.Errorf("a slab has %d users", slab.users)
		}
	}
	if s.users != 0 {
		t.Errorf("the segment has %d users", s.users)
	}
}

// TestNotFiniteResultsAreTriedOnce checks that a second run follows values that are no
// numbers, and no third.
func TestNotFiniteResultsAreTriedOnce(t *testing.T) {
	for bad, runs := range map[int]int{1: 2, 2: 2} {
		w, e := testEngine(t)
		n := 0
		w.fault = func(q wire.Request) *wire.Fault {
			if q.Op == wire.Run {
				n++
			}
			return nil
		}
		w.spoil = func(b []byte) {
			if n <= bad {
				b[len(b)-1], b[len(b)-2] = 0x7f, 0x80
			}
		}
		_, err := copyRun(t, e, ramp([3]int{8, 8, 4}))
		if n != runs || (err == nil) != (bad < 2) {
			t.Errorf("%d bad results: %d runs, %v", bad, n, err)
		}
		if err != nil && !strings.Contains(err.Error(), "the GPU failed twice at this run: the GPU returned values that are no numbers") {
			t.Errorf("%v; want both failures", err)
		}
		checkReturned(t, e.devices[0].session)
	}
}

// TestTheSecondAttemptHasHalfOfTheMemory checks that a run that is repeated on its device
// has it to itself, and smaller slabs.
func TestTheSecondAttemptHasHalfOfTheMemory(t *testing.T) {
	w, e := testEngine(t)
	v := ramp([3]int{64, 64, 48})
	bytes := int64(2 * 4 * v.Voxels()) // input and result
	w.free = reserved + bytes*3/2
	e.devices[0].session.deviceMemory.budget = bytes * 3 / 2
	runs := 0
	w.fault = func(q wire.Request) *wire.Fault {
		if q.Op == wire.Run {
			runs++
		}
		return nil
	}
	w.spoil = func(b []byte) {
		if runs == 1 {
			b[len(b)-1], b[len(b)-2] = 0x7f, 0x80
		}
	}
	if _, err := copyRun(t, e, v); err != nil {
		t.Fatal(err)
	}
	if runs < 3 || w.count(wire.Ping) != 1 {
		t.Errorf("%d runs, %d pings; want several slabs, and the free memory asked for", runs, w.count(wire.Ping))
	}
}

// TestAChangedInputIsUploadedAgain checks that the slab of a volume that was changed in
// place is replaced, and that an unchanged one is used again.
func TestAChangedInputIsUploadedAgain(t *testing.T) {
	w, e := testEngine(t)
	v := ramp([3]int{8, 8, 4})
	for i, want := range []int{1, 1, 2} {
		if i == 2 {
			v.Data[0]++
		}
		if _, err := copyRun(t, e, v); err != nil {
			t.Fatal(err)
		}
		if n := w.count(wire.Put); n != want {
			t.Errorf("%d uploads after run %d; want %d", n, i+1, want)
		}
		checkReturned(t, e.devices[0].session)
		e.devices[0].session.slots.Release(exclusive)
	}
	if slabs := e.devices[0].session.slabs; len(slabs) != 1 || slabs[0].stale {
		t.Errorf("%d slabs; want the fresh one", len(slabs))
	}
}

// TestAFailedUploadStopsTheWorker checks that no run uses voxels that did not reach the
// device, and that staging buffers come back.
func TestAFailedUploadStopsTheWorker(t *testing.T) {
	w, e := testEngine(t)
	d := e.devices[0]
	s := d.session
	w.fault = func(q wire.Request) *wire.Fault {
		if q.Op == wire.Put {
			return &wire.Fault{Kind: wire.Broken, Text: "no such buffer"}
		}
		return nil
	}
	d.options.Worker = t.TempDir() // a folder does not start
	if _, err := copyRun(t, e, ramp([3]int{8, 8, 4})); !errors.Is(err, ErrDevice) {
		t.Errorf("%v; want an ErrDevice", err)
	}
	if s.alive() || len(d.losses) != 1 {
		t.Fatalf("%d losses; want the worker stopped", len(d.losses))
	}
	if err := s.lost; !strings.Contains(err.Error(), "voxels did not reach the GPU (no such buffer)") {
		t.Errorf("lost because %v", err)
	}
	if len(s.uploads) != uploadBuffers || len(s.downloads) != downloadBuffers {
		t.Errorf("%d and %d staging buffers are free; want all", len(s.uploads), len(s.downloads))
	}
}

// TestALostWorkerTakesNoRequests checks that pending and later requests fail with the first
// reason, and that a reply to nothing is ignored.
func TestALostWorkerTakesNoRequests(t *testing.T) {
	w := newTestWorker()
	pending := &future{ready: make(chan struct{})}
	w.p.waiting[99] = pending
	w.p.deliver(wire.Reply{ID: 5})
	first := errors.New("first")
	w.p.fail(first)
	w.p.fail(errors.New("second"))
	if _, err := pending.wait(t.Context()); !errors.Is(err, first) {
		t.Errorf("the pending request ended with %v; want the first reason", err)
	}
	if _, err := w.p.call(wire.Request{Op: wire.Ping}); !errors.Is(err, first) || len(w.log) != 0 {
		t.Errorf("%v after %d requests; want the first reason and nothing sent", err, len(w.log))
	}
	<-w.p.exited
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&future{ready: make(chan struct{})}).wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want the cancel", err)
	}
}

// TestAStickyFaultLosesTheWorker checks that the other pending requests fail with it, and
// that any other fault concerns its request alone.
func TestAStickyFaultLosesTheWorker(t *testing.T) {
	for kind, alive := range map[wire.FaultKind]bool{wire.Sticky: false, wire.Memory: true, wire.Broken: true} {
		w := newTestWorker()
		other, own := &future{ready: make(chan struct{})}, &future{ready: make(chan struct{})}
		w.p.waiting[1], w.p.waiting[2] = other, own
		w.p.deliver(wire.Reply{ID: 2, Fault: &wire.Fault{Kind: kind, Text: "illegal address"}})
		_, err := own.wait(t.Context())
		var lost *lostError
		if err == nil || err.Error() != "illegal address" || errors.As(err, &lost) == alive || w.p.alive() != alive {
			t.Errorf("%s: %v, alive %v", kind, err, w.p.alive())
		}
		if alive {
			w.p.deliver(wire.Reply{ID: 1})
			if _, err := other.wait(t.Context()); err != nil {
				t.Errorf("%s: another request ended with %v", kind, err)
			}
		} else if _, otherErr := other.wait(t.Context()); !errors.Is(otherErr, err) {
			t.Errorf("%s: another request ended with %v", kind, otherErr)
		}
	}
}

// TestLayoutOfRunsOnSmallDevices checks the error of a device on which no slice fits.
func TestLayoutOfRunsOnSmallDevices(t *testing.T) {
	w, e := testEngine(t)
	e.devices[0].session.deviceMemory.budget = 100
	_, err := copyRun(t, e, ramp([3]int{8, 8, 4}))
	if !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), "the GPU has too little memory: one slice") {
		t.Errorf("%v; want an ErrDevice that says so", err)
	}
	if w.count(wire.Run) != 0 {
		t.Error("the run was tried")
	}
	checkReturned(t, e.devices[0].session)
}

// TestARunThatIsOverSendsNothing checks a context that has ended.
func TestARunThatIsOverSendsNothing(t *testing.T) {
	w, e := testEngine(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := ramp([3]int{4, 4, 4})
	if _, err := e.Run(ctx, smallNLM(t), denoise.Input{Volume: v}, v.Bounds(), nil); !errors.Is(err, context.Canceled) || len(w.log) > 0 {
		t.Errorf("%v after %d requests; want the cancel", err, len(w.log))
	}
}

// lose ends the worker of a device's session.
func lose(d *device, reason error) {
	w := newTestWorker()
	d.session = &session{process: w.p, deviceMemory: &deviceMemory{p: w.p}}
	w.p.fail(reason)
}

// TestLossesAreCountedWithinThePeriod checks that the third loss within the period switches
// a device off, that older ones and shutdowns do not count, and what enable clears.
func TestLossesAreCountedWithinThePeriod(t *testing.T) {
	cause := &lostError{Message: message.Verbatim("crashed")}
	d := newDevice(Options{})
	check := func(losses int, off bool) {
		t.Helper()
		d.mu.Lock()
		d.reap()
		d.mu.Unlock()
		if len(d.losses) != losses || (d.off != nil) != off || d.session != nil {
			t.Errorf("%d losses, off: %v; want %d, %v", len(d.losses), d.off, losses, off)
		}
	}
	lose(d, errShutdown)
	check(0, false)
	if d.reason != nil {
		t.Errorf("reason %v after a shutdown", d.reason)
	}
	old := time.Now().Add(-time.Hour)
	d.losses = []time.Time{old, old, time.Now().Add(-time.Minute)}
	lose(d, cause)
	check(2, false)
	if d.reason != cause {
		t.Errorf("reason %v; want the loss", d.reason)
	}
	lose(d, cause)
	check(3, true)
	if _, err := d.acquire(t.Context()); !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), "switched off after 3 failures within 5 minutes, the last: crashed") || !errors.Is(err, cause) {
		t.Errorf("%v; want the reason", err)
	}
	if len(d.startToken) != 1 {
		t.Error("the start token was not returned")
	}
	if want := "crashed"; Reason(&deviceError{Message: message.Verbatim("the GPU cannot be used: crashed"), cause: cause}).Error() != want || Reason(errStale).Error() != errStale.Error() {
		t.Errorf("the reason is not %q", want)
	}
	d.enable()
	if d.off != nil || d.losses != nil || d.reason != nil {
		t.Errorf("off %v, %d losses, reason %v after enable", d.off, len(d.losses), d.reason)
	}
}

// TestStatusOfALostWorker checks the displayed status.
func TestStatusOfALostWorker(t *testing.T) {
	a, b := newDevice(Options{}), newDevice(Options{})
	a.hello = wire.Hello{Driver: 12020, Kernels: "hash", Device: wire.Device{Name: "A"}}
	b.hello.Device.Name = "B"
	a.starts, b.starts = 2, 3
	lose(b, &lostError{Message: message.Verbatim("crashed"), output: "last words"})
	e := &Engine{options: Options{Worker: "path"}, devices: []*device{a, b}}
	s := e.Status()
	if s.Off || s.Reason != "crashed" || s.Output != "last words" || s.PID != 0 || s.Starts != 5 || s.Driver != "12.2" || s.Worker != "path" || s.Kernels != "hash" {
		t.Errorf("status %+v", s)
	}
	if s.Device.Name != "A" || len(s.Others) != 1 || s.Others[0].Name != "B" {
		t.Errorf("devices %v and %v", s.Device, s.Others)
	}
	b.off = errors.New("off")
	if e.Status().Off {
		t.Error("a second device that is off counts as the engine's")
	}
	a.off, a.reason = errors.New("off"), errors.New("first")
	if s := e.Status(); !s.Off || s.Reason != "first" {
		t.Errorf("status %+v; want off, by the first reason", s)
	}
}

// TestUsersOfASession checks that a lost worker gets no more users, that the last one
// unmaps the segment, and that a session in use is not idle.
func TestUsersOfASession(t *testing.T) {
	_, s := testSession(t, 1<<30)
	d := newDevice(Options{Idle: time.Hour})
	d.session = s
	one, err := d.acquire(t.Context())
	if err != nil || one != s {
		t.Fatal(err)
	}
	if _, err := d.acquire(t.Context()); err != nil || d.users != 2 || s.users != 2 {
		t.Fatalf("%v, %d users; want 2", err, d.users)
	}
	d.release(s)
	if d.idle != nil {
		t.Error("the idle timer runs while the worker is used")
	}
	d.stopIdle()
	if d.session != s || !s.alive() {
		t.Error("a worker in use was stopped")
	}
	d.release(s)
	if d.idle == nil {
		t.Fatal("no idle timer after the last use")
	}
	if _, err := d.acquire(t.Context()); err != nil || d.idle != nil {
		t.Errorf("%v; want the timer stopped by the next use", err)
	}
	s.mutex.Lock()
	s.ended = true
	s.unmapIfUnused()
	s.mutex.Unlock()
	if s.segment.Bytes == nil || s.retain() {
		t.Error("the segment of a lost worker was unmapped under its user, or has another user")
	}
	s.release()
	if s.segment.Bytes != nil {
		t.Error("the last user left the segment mapped")
	}
}

// TestIdleOff checks that a worker is kept if the idle time is negative.
func TestIdleOff(t *testing.T) {
	_, e := testEngine(t)
	d := e.devices[0]
	s, err := d.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.release(s); d.idle != nil || d.users != 0 || s.users != 0 {
		t.Errorf("timer %v, %d users; want none", d.idle, d.users)
	}
}

// TestStallIsLongerThanTheLimit checks both sides of the stall time.
func TestStallIsLongerThanTheLimit(t *testing.T) {
	now := time.Now()
	for silence, alive := range map[time.Duration]bool{time.Minute: true, time.Minute + 1: false} {
		w := newTestWorker()
		w.p.heard, w.p.waiting[1] = now, &future{ready: make(chan struct{})}
		w.p.stopIfStalled(now.Add(silence), time.Minute)
		if w.p.alive() != alive {
			t.Errorf("silent for %v: alive %v; want %v", silence, w.p.alive(), alive)
		}
	}
}

// TestTheModelOfADevice checks that rates grow with processors and clock, that passes add
// up, and estimates with and without a measurement.
func TestTheModelOfADevice(t *testing.T) {
	g := volume.NewGeometry([3]int{64, 64, 8}, [3]float64{1, 1, 1})
	r, err := newRun(program(t, smallNLM(t), ramp(g.Dims)), kernels.Rung{}, g)
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*b }
	h200 := wire.Device{Processors: 132, ClockKHz: 1.98e6}
	rate := modelRate(h200, r.program)
	if want := 8e11 / r.program.Passes[0].Work; !near(rate, want) {
		t.Errorf("%g voxels per second on the reference device; want %g", rate, want)
	}
	if half := modelRate(wire.Device{Processors: 66, ClockKHz: 1.98e6}, r.program); !near(half, rate/2) {
		t.Errorf("%g voxels per second with half the processors; want %g", half, rate/2)
	}
	if none := modelRate(wire.Device{}, r.program); !near(none, rate*1e-6) {
		t.Errorf("%g voxels per second on a device without a speed; want %g", none, rate*1e-6)
	}
	twice := r.program
	twice.Passes = slices.Repeat(r.program.Passes, 2)
	if both := modelRate(h200, twice); !near(both, rate/2) {
		t.Errorf("%g voxels per second for both passes; want %g", both, rate/2)
	}

	d := newDevice(Options{})
	d.hello.Device = wire.Device{Processors: 1, ClockKHz: 1}
	region := g.Bounds()
	modelled := d.modelled(r, region)
	if got := modelled.Seconds() * modelRate(d.hello.Device, r.program); math.Abs(got-64*64*8) > 1 {
		t.Errorf("modelled %v", modelled)
	}
	if d.estimate(r, region) != modelled {
		t.Errorf("estimate %v without a measurement; want %v", d.estimate(r, region), modelled)
	}
	block := time.Duration(float64(blockTime) / 10)
	d.observe(r, 1000, block-1)
	if len(d.speed) != 0 || d.busy != block-1 {
		t.Errorf("a short block was measured: %v, busy for %v", d.speed, d.busy)
	}
	n := int(modelRate(d.hello.Device, r.program)*block.Seconds()*2) + 1 // twice the modelled rate
	d.observe(r, n, block)
	want := float64(n) / block.Seconds() / modelRate(d.hello.Device, r.program)
	if !near(d.speed["nlm"], want) || d.busy != 2*block-1 {
		t.Errorf("speed %v, busy for %v; want %g", d.speed, d.busy, want)
	}
	if got := d.estimate(r, region); !near(got.Seconds(), modelled.Seconds()/want) {
		t.Errorf("estimate %v; want %g s", got, modelled.Seconds()/want)
	}
	// A later block counts a quarter.
	d.observe(r, 3*n, block)
	if want *= 0.75 + 0.25*3; !near(d.speed["nlm"], want) {
		t.Errorf("speed %v after a block three times as fast; want %g", d.speed, want)
	}
	// The copies of input and result bound the estimate of a fast device.
	d.hello.Device, d.speed = h200, map[string]float64{"nlm": 1e9}
	if got := d.estimate(r, region).Seconds(); math.Abs(got-2*4*64*64*8/8e9) > 1e-9 {
		t.Errorf("estimate %g s; want the time of the copies", got)
	}
}

// TestDemandBeforeTheFirstWorker checks the memory that is planned for a device with
// a worker that has not started, and that blocks are never empty.
func TestDemandBeforeTheFirstWorker(t *testing.T) {
	v := ramp([3]int{8, 8, 4})
	r, err := newRun(program(t, smallNLM(t), v), kernels.Rung{}, v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(Options{})
	d.hello.Device.Memory = 1 << 30
	need := d.demand(r, v.Bounds())
	if want := int64(1<<30 - 128<<20 - 64<<20 - 2*256<<20); need.budget != want || need.block < 1 || need.inputs != 1 {
		t.Errorf("demand %+v; want a budget of %d", need, want)
	}
	d.first = newDevice(Options{}) // its segment is half as large
	if want := int64(1<<30 - 64<<20 - 64<<20 - 2*256<<20); d.demand(r, v.Bounds()).budget != want {
		t.Errorf("budget %d of a further device; want %d", d.demand(r, v.Bounds()).budget, want)
	}
	d.hello.Free = 300 << 20
	if got := d.demand(r, v.Bounds()).budget; got != 44<<20 {
		t.Errorf("budget %d; want what was free without the reserve", got)
	}
	d.options.Memory = 1 << 20
	if got := d.demand(r, v.Bounds()).budget; got != 1<<20 {
		t.Errorf("budget %d; want the limit", got)
	}
}

// TestShortRunsAreNotShared checks both sides of the modelled time from which devices share
// a region, and that the parts cover it at the grain.
func TestShortRunsAreNotShared(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{32, 32, 60}, [3]float64{1, 1, 1}))
	r, err := newRun(program(t, smallNLM(t), v), kernels.Rung{}, v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{devices: []*device{newDevice(Options{}), newDevice(Options{}), newDevice(Options{})}}
	seconds := func(clock int) time.Duration {
		for _, d := range e.devices {
			d.hello.Device = wire.Device{Processors: 1, ClockKHz: clock}
		}
		return e.devices[0].modelled(r, v.Bounds())
	}
	clock := int(float64(seconds(1000)) / float64(worthSharing) * 1000)
	count := func() int {
		parts, _ := e.share(r, v.Bounds())
		return len(parts)
	}
	if seconds(clock + 10); count() != 1 {
		t.Errorf("a run of %v is shared", seconds(clock+10))
	}
	if seconds(clock - 10); count() != 3 {
		t.Errorf("a run of %v is not shared", seconds(clock-10))
	}
	seconds(1)
	for _, region := range []volume.Region{v.Bounds(), volume.Slices(v.Geometry, 7, 9), volume.Slices(v.Geometry, 5, 6)} {
		parts, _ := e.share(r, region)
		if len(parts) > min(3, region.Dims()[2]) {
			t.Errorf("%d parts of %d slices", len(parts), region.Dims()[2])
		}
		next := region.Min[2]
		for _, p := range parts {
			if p.region.Min[2] != next || p.region.Voxels() == 0 {
				t.Errorf("part %v after slice %d", p.region, next)
			}
			next = p.region.Max[2]
		}
		if next != region.Max[2] {
			t.Errorf("the parts end at slice %d; want %d", next, region.Max[2])
		}
	}
}

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quell/denoise"
	"quell/gpu/wire"
	"quell/kernels"
	"quell/volume"
)

// TestShares checks the parts of devices that end together.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		n                   float64
		rates, delays, want []float64
	}{
		{10, []float64{5}, []float64{0}, []float64{1}},
		{10, []float64{5, 5}, []float64{0, 0}, []float64{0.5, 0.5}},
		{10, []float64{1, 3}, []float64{0, 0}, []float64{0.25, 0.75}},
		{1, []float64{1, 1}, []float64{0, 0.5}, []float64{0.75, 0.25}}, // both end at 0.75
		{1, []float64{1, 1}, []float64{0.5, 0}, []float64{0.25, 0.75}},
		{1, []float64{1, 1}, []float64{0, 1}, []float64{1, 0}}, // the first ends when the second starts
		{1, []float64{1, 1}, []float64{0, 1.5}, []float64{1, 0}},
		{1, []float64{1, 1}, []float64{2, 2}, []float64{0.5, 0.5}}, // no worker runs
		{6, []float64{1, 1, 2}, []float64{0, 1, 5}, []float64{3.5 / 6, 2.5 / 6, 0}},
	} {
		got := shares(c.n, c.rates, c.delays)
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("%v voxels by %v after %v: %v; want %v", c.n, c.rates, c.delays, got, c.want)
				break
			}
		}
	}
}

// TestIdleDevice checks to which device previews go.
func TestIdleDevice(t *testing.T) {
	ready := func(volumes int) availability { return availability{usable: true, ready: true, volumes: volumes} }
	for _, c := range []struct {
		states []availability
		want   int
	}{
		{[]availability{ready(0), ready(0)}, 0},
		{[]availability{ready(1), ready(0)}, 1},
		{[]availability{ready(1), ready(1)}, 0},
		{[]availability{ready(2), ready(1), ready(1)}, 1},
		{[]availability{ready(1), {usable: true}}, 0}, // the other one has no worker yet
		{[]availability{{usable: true}, ready(1)}, 1},
		{[]availability{{usable: true}, {usable: true}}, 0},
	} {
		if got := idle(c.states); got != c.want {
			t.Errorf("%+v: device %d; want %d", c.states, got, c.want)
		}
	}
}

// TestDelays checks the time until a worker runs.
func TestDelays(t *testing.T) {
	got := delays([]availability{
		{ready: true, took: time.Second, pause: time.Minute}, {took: 2 * time.Second}, {pause: 200 * time.Millisecond},
	})
	if want := []float64{0, 2, 2.2}; !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}

// testEngines returns an engine of n devices on testWorkers.
func testEngines(t *testing.T, n int) ([]*testWorker, *Engine) {
	t.Helper()
	var workers []*testWorker
	all := &Engine{}
	for i := range n {
		w, e := testEngine(t)
		d := e.devices[0]
		if i > 0 {
			d.first = all.devices[0]
		}
		d.hello.Device.UUID = fmt.Sprint(i)
		workers, all.devices = append(workers, w), append(all.devices, d)
	}
	return workers, all
}

// pace sets the clock of all devices so that a run is modelled to take some time on one.
func pace(t *testing.T, e *Engine, p denoise.Program, v *volume.Volume, took time.Duration) *run {
	t.Helper()
	run, err := newRun(p, kernels.Rung{}, v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	const processors = 2
	rate := modelRate(wire.Device{Processors: processors, ClockKHz: 1e6}, run.program)
	kHz := int(1e6 * float64(v.Voxels()) / took.Seconds() / rate)
	for _, d := range e.devices {
		d.mu.Lock()
		d.hello.Device.Processors, d.hello.Device.ClockKHz = processors, kHz
		d.mu.Unlock()
	}
	if got := e.devices[0].modelled(run, v.Bounds()); math.Abs(got.Seconds()/took.Seconds()-1) > 0.02 {
		t.Fatalf("the run is modelled to take %v, not %v", got, took)
	}
	return run
}

// ends returns the slices at which the parts end, -1 for a device without one.
func ends(e *Engine, parts []part) (ends []int) {
	for _, d := range e.devices {
		i := slices.IndexFunc(parts, func(p part) bool { return p.device == d })
		if i < 0 {
			ends = append(ends, -1)
			continue
		}
		ends = append(ends, parts[i].region.Max[2])
	}
	return ends
}

// TestPartsFollowTheSpeeds checks at which slice a run is divided: by measured speed, at
// the grain, in halves if the speeds hardly differ.
func TestPartsFollowTheSpeeds(t *testing.T) {
	_, e := testEngines(t, 2)
	v := volume.New(volume.NewGeometry([3]int{64, 64, 240}, [3]float64{1, 1, 1}))
	r := pace(t, e, program(t, smallNLM(t), v), v, 100*blockTime) // blocks of 2 slices
	region := volume.Slices(v.Geometry, 40, 240)
	for _, c := range []struct {
		first, second float64 // measured; 0: not
		want          int     // where the first part ends
	}{
		{0, 0, 140},
		{0.7, 0, 140}, // the other is as fast as far as is known
		{0, 0.7, 140},
		{1, 1.049, 140},
		{1, 1.051, 138}, // 97.5 slices
		{1, 3, 90},
		{3, 1, 190},
		{1, 1e9, -1},
	} {
		clear(e.devices[0].speed)
		clear(e.devices[1].speed)
		if c.first > 0 {
			e.devices[0].speed["nlm"] = c.first
		}
		if c.second > 0 {
			e.devices[1].speed["nlm"] = c.second
		}
		parts, later := e.share(r, region)
		if got := ends(e, parts); got[0] != c.want || got[1] != 240 || len(later) != 0 {
			t.Errorf("speeds %g and %g: parts end at %v, %d devices to start; want %d and 240", c.first, c.second, got, len(later), c.want)
		}
	}
	// A measured speed decides whether sharing pays.
	e.devices[0].speed["nlm"], e.devices[1].speed["nlm"] = 1000, 1000
	if parts, _ := e.share(r, region); len(parts) != 1 {
		t.Errorf("%d parts of a run of 3 ms", len(parts))
	}
	// Half of the processors have half of the speed; the blocks are as on the first.
	clear(e.devices[0].speed)
	clear(e.devices[1].speed)
	block := e.devices[0].demand(r, region).block
	e.devices[1].hello.Device.Processors /= 2
	if parts, _ := e.share(r, region); ends(e, parts)[0] != 174 {
		t.Errorf("parts end at %v; want 174 on the faster device", ends(e, parts))
	}
	if got := e.devices[1].demand(r, region).block; got != block {
		t.Errorf("blocks of %d voxels on the second device; want %d", got, block)
	}
}

// TestDevicesWithoutAWorker checks that a device gets a part if the run outlasts its
// start, and is started for later runs if it does not.
func TestDevicesWithoutAWorker(t *testing.T) {
	_, e := testEngines(t, 2)
	v := volume.New(volume.NewGeometry([3]int{64, 64, 240}, [3]float64{1, 1, 1}))
	r := pace(t, e, program(t, smallNLM(t), v), v, 100*blockTime)
	second := e.devices[1]
	second.session = nil
	for took, want := range map[time.Duration]int{0: 120, time.Second: 160, 99 * blockTime: 238, 101 * blockTime: 240} {
		e.devices[0].took = took
		parts, later := e.share(r, v.Bounds())
		shared := want < 240
		if got := ends(e, parts); got[0] != want || (got[1] == 240) != shared || slices.Contains(later, second) == shared {
			t.Errorf("a start takes %v: parts end at %v, %d to start; want %d", took, got, len(later), want)
		}
	}
	// A preview, however long, leaves it alone, unless the first is filtering a volume.
	preview := volume.Slices(v.Geometry, 5, 6)
	e.devices[0].speed["nlm"], second.speed["nlm"] = 0.5, 0.5 // 25 ms a slice
	for volumes, want := range []int{0, 1} {
		e.devices[0].volumes = volumes
		if parts, later := e.share(r, preview); len(parts) != 1 || parts[0].device != e.devices[0] || len(later) != want {
			t.Errorf("%d volumes: %d parts, %d devices to start; want one on the first and %d", volumes, len(parts), len(later), want)
		}
	}
	_, other := testEngines(t, 1)
	second.session = other.devices[0].session
	if parts, later := e.share(r, preview); len(parts) != 1 || parts[0].device != second || later != nil {
		t.Error("the preview is not on the idle device")
	}
}

// TestUsableDevices checks which devices get parts: not devices that are off, closed or
// did not start lately; and the first one, for its error, if there is none.
func TestUsableDevices(t *testing.T) {
	_, e := testEngines(t, 2)
	second := e.devices[1]
	usable := func() int {
		devices, _ := e.usable()
		return len(devices)
	}
	for _, c := range []struct {
		change func()
		want   int
	}{
		{func() {}, 2},
		{func() { second.failed = time.Now() }, 2}, // a worker runs all the same
		{func() { second.session = nil }, 1},
		{func() { second.failed = time.Now().Add(-startRest + time.Minute/4) }, 1},
		{func() { second.failed = time.Now().Add(-startRest) }, 2},
		{func() { second.off = errors.New("off") }, 1},
		{func() { second.losses = []time.Time{time.Now().Add(-lossPeriod + time.Minute)} }, 1},
		{func() { second.losses = []time.Time{time.Now().Add(-lossPeriod)} }, 2},
		{func() { second.closed = true }, 1},
		{func() { e.devices[0].off = errors.New("off") }, 1},
	} {
		if c.change(); usable() != c.want {
			t.Fatalf("%d devices; want %d", usable(), c.want)
		}
	}
	if devices, _ := e.usable(); devices[0] != e.devices[0] {
		t.Error("the first device does not give its error")
	}
	if second.off != nil || second.losses != nil {
		t.Error("a device that has rested is not on again")
	}
}

// TestEnableLeavesADeviceResting checks that a device is switched on again at once only
// if no other can do its work.
func TestEnableLeavesADeviceResting(t *testing.T) {
	_, e := testEngines(t, 2)
	first, second := e.devices[0], e.devices[1]
	lossesOf := func() (n [2]int) {
		for i, d := range []*device{first, second} {
			if n[i] = len(d.losses); d.off != nil {
				n[i] = 9
			}
		}
		return n
	}
	now := []time.Time{time.Now()}
	off := errors.New("off")
	for _, c := range []struct {
		offs [2]error
		want [2]int
	}{
		{[2]error{nil, nil}, [2]int{1, 1}},
		{[2]error{nil, off}, [2]int{0, 9}},
		{[2]error{off, nil}, [2]int{9, 0}},
		{[2]error{off, off}, [2]int{0, 0}},
	} {
		first.losses, second.losses = slices.Clone(now), slices.Clone(now)
		first.off, second.off = c.offs[0], c.offs[1]
		if e.Enable(); lossesOf() != c.want {
			t.Errorf("off %v: losses %v (9 is off); want %v", c.offs, lossesOf(), c.want)
		}
	}
}

// puts returns the voxels that a worker received.
func puts(w *testWorker) (n int64) {
	for _, q := range w.log {
		if q.Op == wire.Put {
			n += q.Count
		}
	}
	return n
}

// TestEachDeviceHasItsPart checks that a device gets the slices of its part with the halo,
// and memory for no more; alone it has room for all.
func TestEachDeviceHasItsPart(t *testing.T) {
	workers, e := testEngines(t, 2)
	v := ramp([3]int{64, 64, 48})
	r := recipe(t, "median", 3, map[string]denoise.Value{"radius": denoise.List(1, 1, 3)})
	pace(t, e, program(t, r, v), v, 48*blockTime)
	e.devices[0].speed["median"], e.devices[1].speed["median"] = 1, 3
	ctx, log := denoise.LogDevices(t.Context())
	if _, err := e.Run(ctx, r, denoise.Input{Volume: v}, v.Bounds(), nil); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{12 + 3, 36 + 3} {
		w := workers[i]
		if got := puts(w); got != want*64*64 {
			t.Errorf("device %d: %d slices; want %d", i, got/4096, want)
		}
		// The slab, and the result, which is in a buffer of those reserved or in its own.
		s := e.devices[i].session
		if got := s.slabs[0].voxels.bytes; got != want*64*64*4 {
			t.Errorf("device %d: %d bytes for the slices; want %d", i, got, want*64*64*4)
		}
		checkReturned(t, s)
		s.slots.Release(exclusive)
	}
	all := log.All()
	slices.SortFunc(all, func(a, b denoise.DeviceUse) int { return strings.Compare(a.ID, b.ID) })
	if len(all) != 2 || all[0].Voxels != 12*4096 || all[1].Voxels != 36*4096 || all[0].Device != "test" || all[1].Seconds <= 0 || all[0].Failures != 0 {
		t.Errorf("log %+v", all)
	}
	// A run that is not shared keeps room for the whole volume.
	if _, err := e.Run(t.Context(), r, denoise.Input{Volume: ramp([3]int{64, 64, 48})}, volume.Slices(v.Geometry, 0, 1), nil); err != nil {
		t.Fatal(err)
	}
	if s := e.devices[0].session.slabs[1]; s.z0 != 0 || s.z1 != 48 || len(s.prints) != 4 {
		t.Errorf("slab %d-%d with %d slices; want room for 48 and four", s.z0, s.z1, len(s.prints))
	}
}

// TestFailuresMoveToAnotherDevice checks on which device a part is repeated after each
// failure, and how often.
func TestFailuresMoveToAnotherDevice(t *testing.T) {
	v := ramp([3]int{64, 64, 24})
	r := recipe(t, "median", 3, map[string]denoise.Value{"radius": denoise.List(0)})
	notFinite := func(b []byte) { b[len(b)-1], b[len(b)-2] = 0x7f, 0x80 }
	for name, c := range map[string]struct {
		devices int
		prepare func(w []*testWorker, e *Engine)
		want    string // part of the error
		runs    []int  // at least one: 1, none: 0
		log     []denoise.DeviceUse
	}{
		"none": {2, func([]*testWorker, *Engine) {}, "", []int{1, 1}, []denoise.DeviceUse{{Voxels: 12 * 4096}, {Voxels: 12 * 4096}}},
		"wrong values of the second": {
			2, func(w []*testWorker, e *Engine) { w[1].spoil = notFinite }, "", []int{1, 1},
			[]denoise.DeviceUse{{Voxels: 24 * 4096}, {Failures: 1}},
		},
		"wrong values of the first": {
			2, func(w []*testWorker, e *Engine) { w[0].spoil = notFinite }, "", []int{1, 1},
			[]denoise.DeviceUse{{Failures: 1}, {Voxels: 24 * 4096}},
		},
		"wrong values of all": {
			3, func(w []*testWorker, e *Engine) { w[0].spoil, w[1].spoil, w[2].spoil = notFinite, notFinite, notFinite },
			"the GPU failed twice at this run: the GPU returned values that are no numbers", nil, nil, // the place depends on which fails first
		},
		"too little memory on the second": {
			2, func(w []*testWorker, e *Engine) { e.devices[1].session.deviceMemory.budget = 100 }, "", []int{1, 0},
			[]denoise.DeviceUse{{Voxels: 24 * 4096}, {Failures: 1}},
		},
		"too little memory on both": {
			2, func(w []*testWorker, e *Engine) {
				e.devices[0].session.deviceMemory.budget, e.devices[1].session.deviceMemory.budget = 100, 100
			}, "the GPU has too little memory: one slice", []int{0, 0}, nil,
		},
		"wrong values of the first of three, and a volume on the second": {
			3, func(w []*testWorker, e *Engine) {
				w[0].spoil = notFinite
				e.devices[1].countVolumes(5)
			}, "", []int{1, 1, 1}, []denoise.DeviceUse{{Failures: 1}, {Voxels: 8 * 4096}, {Voxels: 16 * 4096}},
		},
		"a request that is no device's fault": {
			2, func(w []*testWorker, e *Engine) {
				w[1].fault = func(q wire.Request) *wire.Fault {
					if q.Op == wire.Run {
						return &wire.Fault{Kind: wire.Unsupported, Text: "no such kernel"}
					}
					return nil
				}
			}, "no such kernel", []int{0, 1}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			workers, e := testEngines(t, c.devices)
			pace(t, e, program(t, r, v), v, 24*blockTime)
			c.prepare(workers, e)
			ctx, log := denoise.LogDevices(t.Context())
			_, err := e.Run(ctx, r, denoise.Input{Volume: v}, v.Bounds(), nil)
			if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v; want %q", err, c.want)
			}
			for _, d := range e.devices { // after an error of one the others stop later
				await(func() bool { return unused(d) })
				checkReturned(t, d.session)
				if d.volumes%5 != 0 {
					t.Errorf("%d volumes are left", d.volumes)
				}
			}
			for i, want := range c.runs {
				if n := workers[i].count(wire.Run); n == 0 && want == 1 || n > 0 && want == 0 && i > 0 {
					t.Errorf("device %d ran %d blocks; want some: %d", i, n, want)
				}
			}
			if c.log == nil {
				return
			}
			all := log.All()
			for i, want := range c.log {
				at := slices.IndexFunc(all, func(u denoise.DeviceUse) bool { return u.ID == fmt.Sprint(i) })
				if at < 0 || all[at].Voxels != want.Voxels || all[at].Failures != want.Failures {
					t.Errorf("log %+v; device %d: want %+v", all, i, want)
				}
			}
		})
	}
}

// unused reports whether nothing uses the worker of a device, as some time after a cancel.
func unused(d *device) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.users == 0
}

// TestVolumesAreCounted checks that a device counts the volumes that wait, and that a
// cancel ends the wait on all devices.
func TestVolumesAreCounted(t *testing.T) {
	_, e := testEngines(t, 2)
	v := ramp([3]int{64, 64, 24})
	r := recipe(t, "median", 3, map[string]denoise.Value{"radius": denoise.List(0)})
	pace(t, e, program(t, r, v), v, 24*blockTime)
	for _, d := range e.devices {
		<-d.session.volumeTurn // another volume is being filtered
	}
	ctx, cancel := context.WithCancel(t.Context())
	wait := start(ctx, e, r, v)
	for _, d := range e.devices {
		await(func() bool { return d.availability().volumes == 1 })
	}
	cancel()
	if out, err := wait(); out != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want the cancel", err)
	}
	for _, d := range e.devices {
		d.session.volumeTurn <- struct{}{}
		if d.availability().volumes != 0 {
			t.Error("a cancelled volume still counts")
		}
		checkReturned(t, d.session)
	}
}

// TestVoxelsArriveWhileOthersAreComputed checks that final voxels are the voxels that
// the run returns, on one device and on two.
func TestVoxelsArriveWhileOthersAreComputed(t *testing.T) {
	v := ramp([3]int{64, 64, 48})
	r := recipe(t, "median", 3, map[string]denoise.Value{"radius": denoise.List(0)})
	for _, n := range []int{1, 2} {
		_, e := testEngines(t, n)
		pace(t, e, program(t, r, v), v, 48*blockTime)
		begun, early := 0, make([]float32, len(v.Data))
		var read sync.WaitGroup
		ctx := denoise.FollowArrival(t.Context(), func(out *volume.Volume, a *volume.Arrival) {
			begun++
			for z := range 48 {
				from, to := z*4096, (z+1)*4096
				read.Go(func() {
					if err := a.Read(t.Context(), from, to, func() error { copy(early[from:to], out.Data[from:to]); return nil }); err != nil {
						t.Error(err)
					}
				})
			}
		})
		for i := range early {
			early[i] = -1
		}
		out, err := e.Run(ctx, r, denoise.Input{Volume: v}, v.Bounds(), nil)
		read.Wait()
		if err != nil || begun != 1 || !slices.Equal(early, out.Data) {
			t.Errorf("%d devices: begun %d times, %v; or other voxels arrived", n, begun, err)
		}
	}
}

// TestArrivalEndsWithASecondAttempt checks that voxels which are computed again are not final any
// more, and that an arrival does not begin after the end of its run.
func TestArrivalEndsWithASecondAttempt(t *testing.T) {
	v := ramp([3]int{8, 4, 2})
	var arrival *volume.Arrival
	ctx := denoise.FollowArrival(t.Context(), func(_ *volume.Volume, a *volume.Arrival) { arrival = a })
	read := func(from, to int) error {
		return arrival.Read(t.Context(), from, to, func() error { return nil })
	}
	o := newOutput(ctx, &volume.Volume{Geometry: v.Geometry})
	done := int64(0)
	p := &partOutput{output: o, from: 32, to: 64, report: func(n int64) { done = n }}
	p.attempt()(0, 10)
	if err := read(32, 42); err != nil || done != 10 {
		t.Fatalf("%d voxels done, %v", done, err)
	}
	final := p.attempt()
	if err := read(32, 42); !errors.Is(err, errRepeated) {
		t.Errorf("voxels that are computed again: %v", err)
	}
	if final(0, 4); done != 4 {
		t.Errorf("%d voxels done in the second attempt", done)
	}
	arrival = nil
	none := &volume.Volume{Geometry: v.Geometry}
	o = newOutput(ctx, none)
	o.end(errRepeated)
	if o.final(0, 1); arrival != nil {
		t.Error("an arrival begins after the end of its run")
	}
	if none.Data != nil {
		t.Error("voxels were allocated that no device sent")
	}
}

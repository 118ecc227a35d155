//go:build unix

package gpu

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"quell/denoise"
	"quell/volume"
)

// twoDevices returns an engine on a fake driver with two devices, with running
// workers.
func twoDevices(t *testing.T, settings string, env ...string) *Engine {
	t.Helper()
	e := fakeEngine(t, fakeOptions(t, append(env, "QUELL_FAKE_CUDA=devices=2"+settings)...))
	if len(e.devices) != 2 {
		t.Fatalf("%d devices; want two", len(e.devices))
	}
	for _, d := range e.devices {
		s, err := d.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d.release(s)
	}
	return e
}

// shareTime is the modelled time of a run that is to be shared: whatever is measured on the
// fake driver, at most ten times the modelled speed (observe), the run stays long enough.
const shareTime = 600 * time.Millisecond

// logged runs a recipe over a region and returns the log by the ID of the device.
func logged(t *testing.T, e *Engine, r denoise.Recipe, in denoise.Input, region volume.Region) (*volume.Volume, map[string]denoise.DeviceUse) {
	t.Helper()
	ctx, log := denoise.LogDevices(t.Context())
	out, err := e.Run(ctx, r, in, region, nil)
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]denoise.DeviceUse{}
	for _, u := range log.All() {
		uses[u.ID] = u
	}
	return out, uses
}

// The UUIDs of the fake driver's devices.
const (
	firstID  = "GPU-10101010-1010-1010-1010-101010101010"
	secondID = "GPU-11111111-1111-1111-1111-111111111111"
)

// Two devices give the bits of one, for filters of one pass and of several, with a mask, a
// noise map and a guide, on a volume and on a region, whichever device is faster.
func TestTwoDevicesGiveTheSameBits(t *testing.T) {
	e := twoDevices(t, ",ms@1=18,ms@0=6")
	plain := denoise.Input{Volume: ramp([3]int{40, 40, 49})}
	mapped := maps(ramp([3]int{40, 40, 49}))
	mapped.Mask = make([]bool, mapped.Volume.Voxels())
	for i := range mapped.Mask {
		mapped.Mask[i] = i%11 != 0
	}
	noMaps := mapped
	noMaps.Noise, noMaps.Guide = nil, nil
	noGuide := mapped
	noGuide.Guide = nil
	number := denoise.Number
	for name, c := range map[string]struct {
		r  denoise.Recipe
		in denoise.Input
	}{
		"nlm":               {smallNLM(t), plain},
		"nlm, mask":         {smallNLM(t), noMaps},
		"nlm, noise map":    {smallNLM(t), noGuide},
		"median 2-D":        {recipe(t, "median", 2, nil), plain},
		"gaussian":          {recipe(t, "gaussian", 3, nil), noMaps},
		"bnlm":              {recipe(t, "bnlm", 3, map[string]denoise.Value{"h": number(20), "search-radius": number(1)}), plain},
		"odct":              {recipe(t, "odct", 3, map[string]denoise.Value{"sigma": number(10)}), plain},
		"prinlm":            {recipe(t, "prinlm", 3, map[string]denoise.Value{"sigma": number(10), "h": number(5), "search-radius": number(1)}), plain},
		"two passes, guide": {twoPasses(t), mapped},
	} {
		t.Run(name, func(t *testing.T) {
			for _, region := range []volume.Region{c.in.Volume.Bounds(), volume.Slices(c.in.Volume.Geometry, 3, 45)} {
				want, err := sharedEngine(t).Run(t.Context(), c.r, c.in, region, nil)
				if err != nil {
					t.Fatal(err)
				}
				pace(t, e, program(t, c.r, c.in.Volume), c.in.Volume, 500*time.Millisecond)
				got, uses := logged(t, e, c.r, c.in, region)
				if !slices.Equal(got.Data, want.Data) || !slices.Equal(got.Mask, want.Mask) {
					t.Errorf("%v differs", region)
				}
				if uses[firstID].Voxels == 0 || uses[secondID].Voxels == 0 || uses[firstID].Voxels+uses[secondID].Voxels != int64(region.Voxels()) {
					t.Errorf("%v: log %+v; want a part on each", region, uses)
				}
			}
		})
	}
	// By the events of the driver the second takes three times as long.
	r := smallNLM(t)
	if _, uses := logged(t, e, r, plain, plain.Volume.Bounds()); uses[firstID].Voxels < 2*uses[secondID].Voxels {
		t.Errorf("log %+v; want about three times as much on the first", uses)
	}
}

// A device that fails in the middle costs its part, which the other one repeats; its worker
// is started again for the next run.
func TestOneOfTwoDevicesFails(t *testing.T) {
	in := denoise.Input{Volume: ramp([3]int{40, 40, 49})}
	r := smallNLM(t)
	want := expected(t, r, in.Volume)
	for _, kind := range []string{"crash", "die", "wait"} {
		t.Run(kind, func(t *testing.T) {
			fault := newTrap(t, kind, 3, false)
			e := twoDevices(t, ",trap@0=0", fault.env)
			pace(t, e, program(t, r, in.Volume), in.Volume, shareTime)
			second := e.devices[1]
			if kind == "wait" { // and is killed from outside
				pid := second.session.cmd.Process.Pid
				go func() {
					await(fault.reached)
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}()
			}
			got, uses := logged(t, e, r, in, in.Volume.Bounds())
			if !slices.Equal(got.Data, want.Data) {
				t.Error("the result differs from that without the fault")
			}
			if uses[firstID].Voxels != int64(in.Volume.Voxels()) || uses[secondID].Failures != 1 || uses[firstID].Failures != 0 {
				t.Errorf("log %+v; want everything on the first device", uses)
			}
			if kind == "wait" {
				fault.remove(t)
			}
			if s := e.Status(); s.Off || s.Starts != 2 || s.Reason == "" {
				t.Errorf("status %+v; want the first device at work, and the reason", s)
			}
			// The run after finds no worker, starts one, and the next one shares again.
			if got, _ := logged(t, e, r, in, in.Volume.Bounds()); !slices.Equal(got.Data, want.Data) {
				t.Error("the next result differs")
			}
			await(func() bool { return second.availability().ready })
			if _, uses := logged(t, e, r, in, in.Volume.Bounds()); uses[secondID].Voxels == 0 || len(second.losses) != 1 {
				t.Errorf("log %+v, %d losses; want the second device back", uses, len(second.losses))
			}
		})
	}
}

// A fault of both devices fails the run, after two attempts.
func TestBothDevicesFail(t *testing.T) {
	in := ramp([3]int{40, 40, 49})
	fault := newTrap(t, "crash", 2, true)
	e := twoDevices(t, "", fault.env)
	pace(t, e, program(t, smallNLM(t), in), in, shareTime)
	_, err := e.Run(t.Context(), smallNLM(t), denoise.Input{Volume: in}, in.Bounds(), nil)
	if !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), "the GPU failed twice at this run: the GPU failed: an illegal memory access") {
		t.Errorf("%v; want an ErrDevice with the driver's error", err)
	}
	fault.remove(t)
	if got := mustRun(t, e, smallNLM(t), in); !slices.Equal(got.Data, expected(t, smallNLM(t), in).Data) {
		t.Error("the result after the faults differs")
	}
}

// A device with a worker that does not start leaves the work to the other, and is left
// alone for a while.
func TestADeviceThatDoesNotStart(t *testing.T) {
	in := denoise.Input{Volume: ramp([3]int{40, 40, 49})}
	e := fakeEngine(t, fakeOptions(t, "QUELL_FAKE_CUDA=devices=2,no-kernels@1"))
	pace(t, e, program(t, smallNLM(t), in.Volume), in.Volume, shareTime)
	e.devices[0].took = 0 // so that the second gets a part at once
	got, uses := logged(t, e, smallNLM(t), in, in.Volume.Bounds())
	if !slices.Equal(got.Data, expected(t, smallNLM(t), in.Volume).Data) {
		t.Error("the result differs")
	}
	if uses[firstID].Voxels != int64(in.Volume.Voxels()) || uses[secondID].Failures != 1 {
		t.Errorf("log %+v; want a failure of the second", uses)
	}
	if _, uses := logged(t, e, smallNLM(t), in, in.Volume.Bounds()); len(uses) != 1 || e.devices[1].availability().usable {
		t.Errorf("log %+v; want the second left alone", uses)
	}
	if s := e.Status(); !strings.Contains(s.Reason, "kernels do not load") {
		t.Errorf("reason %q", s.Reason)
	}
}

// If the first device cannot be used, the next one that can takes its place; the others
// are tried again after startRest.
func TestTheFirstDeviceDoesNotStart(t *testing.T) {
	const thirdID = "GPU-12121212-1212-1212-1212-121212121212"
	in := denoise.Input{Volume: ramp([3]int{40, 40, 49})}
	r := smallNLM(t)
	want := expected(t, r, in.Volume)
	for name, c := range map[string]struct {
		settings string
		limit    int
		working  string
		others   []string // the devices after it
		resting  int      // of those
	}{
		"its kernels do not load":  {"devices=2,no-kernels@0", 0, secondID, []string{firstID}, 1},
		"it does not answer":       {"devices=2,silent@0", 0, secondID, nil, 0},
		"it is too old":            {"devices=2,compute@0=70", 0, secondID, nil, 0},
		"the second does not, too": {"devices=3,no-kernels@0,no-kernels@1", 0, thirdID, []string{firstID, secondID}, 2},
		"the third works":          {"devices=3,no-kernels@0", 0, secondID, []string{thirdID, firstID}, 1},
		"one is allowed":           {"devices=3,no-kernels@0", 1, secondID, nil, 0},
		"of the others one is old": {"devices=3,no-kernels@0,compute@1=70", 0, thirdID, []string{firstID}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			o := fakeOptions(t, "QUELL_FAKE_CUDA="+c.settings)
			o.Devices = c.limit
			e := fakeEngine(t, o)
			var others []string
			resting := 0
			for _, d := range e.devices[1:] {
				others = append(others, d.model().UUID)
				if !d.availability().usable {
					resting++
				}
			}
			if id := e.devices[0].model().UUID; id != c.working || !slices.Equal(others, c.others) || resting != c.resting {
				t.Fatalf("the device %s, then %v, of which %d rest; want %s, %v, %d", id, others, resting, c.working, c.others, c.resting)
			}
			// A further device that works may repeat a part of the run.
			got, uses := logged(t, e, r, in, in.Volume.Bounds())
			if !slices.Equal(got.Data, want.Data) || uses[c.working].Voxels == 0 {
				t.Errorf("log %+v; want work on %s, and the bits of another device", uses, c.working)
			}
			for _, id := range c.others[len(c.others)-c.resting:] {
				if _, used := uses[id]; used {
					t.Errorf("log %+v; want nothing on %s, which rests", uses, id)
				}
			}
			if s := e.Status(); s.PID == 0 || strings.Contains(s.Reason, "kernels do not load") != (c.resting > 0) {
				t.Errorf("status %+v", s)
			}
		})
	}
}

// If no device can be used, the error is the error of the first one.
func TestNoDeviceStarts(t *testing.T) {
	for settings, want := range map[string]string{
		"devices=2,silent":                      "device 0 does not answer",
		"devices=2,silent@0,no-kernels@1":       "device 0 does not answer",
		"devices=2,no-kernels":                  "kernels do not load",
		"devices=2,no-kernels@0,compute@1=70":   "kernels do not load",
		"devices=2,compute@0=70,no-kernels@1":   "Fake GPU 0 has compute capability 7.0",
		"devices=2,driver=10000,no-kernels@0=0": "update the driver",
	} {
		e, err := New(t.Context(), fakeOptions(t, "QUELL_FAKE_CUDA="+settings))
		if e != nil || !errors.Is(err, ErrDevice) || !strings.Contains(Reason(err).Error(), want) {
			t.Errorf("%s: %v; want %q", settings, err, want)
		}
	}
}

// A cancel ends the parts on both devices, which work afterwards.
func TestACancelEndsBothParts(t *testing.T) {
	in := ramp([3]int{40, 40, 49})
	r := smallNLM(t)
	pause := newTrap(t, "wait", 3, false)
	e := twoDevices(t, ",trap@0=0", pause.env)
	pace(t, e, program(t, r, in), in, shareTime)
	ctx, cancel := context.WithCancel(t.Context())
	wait := start(ctx, e, r, in)
	await(pause.reached)
	cancel()
	if out, err := wait(); out != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want the cancel", err)
	}
	pause.remove(t)
	for _, d := range e.devices {
		await(func() bool { return d.availability().volumes == 0 })
	}
	got, uses := logged(t, e, r, denoise.Input{Volume: in}, in.Bounds())
	if !slices.Equal(got.Data, expected(t, r, in).Data) || len(uses) != 2 || e.Status().Starts != 2 {
		t.Errorf("log %+v, status %+v; want the result by the same workers", uses, e.Status())
	}
}

// While one device filters a volume, previews are on the other.
func TestPreviewsAreOnTheIdleDevice(t *testing.T) {
	in := denoise.Input{Volume: ramp([3]int{40, 40, 49})}
	slice := volume.Slices(in.Volume.Geometry, 7, 8)
	r := smallNLM(t)
	e := twoDevices(t, "")
	for _, d := range e.devices { // a slice is a block
		d.mu.Lock()
		d.hello.Device.ClockKHz = 1e6
		d.mu.Unlock()
	}
	want := expected(t, r, in.Volume).Crop(slice)
	for volumes, id := range []string{firstID, secondID} {
		e.devices[0].countVolumes(volumes)
		out, uses := logged(t, e, r, in, slice)
		if len(uses) != 1 || uses[id].Voxels != int64(slice.Voxels()) || !slices.Equal(out.Data, want.Data) {
			t.Errorf("%d volumes on the first: log %+v; want the preview on %s", volumes, uses, id)
		}
	}
}

// Only devices with the machine code of the first take part, and each with its share of
// the staging memory.
func TestDevicesOfTheEngine(t *testing.T) {
	e := fakeEngine(t, fakeOptions(t, "QUELL_FAKE_CUDA=devices=3,compute@1=86"))
	if i := e.Info(); i.Device != "2 x Fake GPU 0" || i.Cores != 8 {
		t.Errorf("info %+v", i)
	}
	one := fakeOptions(t, "QUELL_FAKE_CUDA=devices=2")
	one.Devices = 1
	if i := fakeEngine(t, one).Info(); i.Device != "Fake GPU 0" {
		t.Errorf("info %+v with one device allowed", i)
	}
	if len(e.devices) != 2 || e.devices[1].model().UUID != "GPU-12121212-1212-1212-1212-121212121212" {
		t.Fatalf("devices %+v", e.Status().Others)
	}
	d := e.devices[1]
	d.warm()
	await(func() bool { return d.availability().ready })
	d.warm() // it runs already
	s := d.session
	if len(s.segment.Bytes) != segmentBytes/2 || cap(s.uploads) != uploadBuffers/2 || cap(s.downloads) != downloadBuffers/2 {
		t.Errorf("%d bytes, %d and %d staging buffers; want half of the first's", len(s.segment.Bytes), cap(s.uploads), cap(s.downloads))
	}
	offsets := map[int64]bool{}
	for range uploadBuffers / 2 {
		offsets[<-s.uploads], offsets[<-s.downloads] = true, true
	}
	for i := range int64(uploadBuffers) {
		if !offsets[i*stagingBytes] {
			t.Errorf("no buffer at %d", i*stagingBytes)
		}
	}
	if d.hello.Device.UUID != d.model().UUID || !strings.HasPrefix(d.hello.Device.UUID, "GPU-12") || d.took <= 0 {
		t.Errorf("the worker is on %+v, started in %v", d.hello.Device, d.took)
	}
}

package gpu

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"quell/denoise"
	"quell/internal/message"
	"quell/volume"
)

// A run that takes long enough is shared: every device filters a part of the region
// along z, on its own worker, and reads the halo of its part itself, so that devices
// exchange nothing. The parts begin at slices at which slabs may (demand.grain), all
// devices have the compute capability of the first, which selects the machine code, and
// the blocks and launch shapes of the first: the result has the same bits on any number
// of devices. Every filter qualifies, since all passes have a finite reach.

// part is a part of a region and the device that is to filter it.
type part struct {
	device *device
	region volume.Region
}

// worthSharing is the expected time from which a run is shared. Below it the halos, the
// upload of slices that are on another device and the last download take most of what the
// second device gains: two H200s take 9 ms where one takes 15, 16 for 27, and 64 for 126
// (BenchmarkDevices, which changes it).
var worthSharing = 20 * time.Millisecond

// evenSpeed is the ratio of speeds up to which devices count as equally fast: a run that
// is repeated is then divided as before, and finds its slices on the devices.
const evenSpeed = 1.05

// usable returns the devices that work, with their states: the first one if none
// does, for its error.
func (e *Engine) usable() ([]*device, []availability) {
	var devices []*device
	var states []availability
	for _, d := range e.devices {
		if s := d.availability(); s.usable {
			devices, states = append(devices, d), append(states, s)
		}
	}
	if len(devices) == 0 {
		return e.devices[:1], []availability{{}}
	}
	return devices, states
}

// idle returns the index of the device with the fewest volumes among the ones with
// running workers, or the first: previews and short runs go there.
func idle(states []availability) int {
	best := -1
	for i, s := range states {
		if s.ready && (best < 0 || s.volumes < states[best].volumes) {
			best = i
		}
	}
	return max(best, 0)
}

// share divides a region among the devices. One without a running worker gets a part
// if the run outlasts the start; else it is in later, to be started for later runs.
func (e *Engine) share(r *run, region volume.Region) (parts []part, later []*device) {
	devices, states := e.usable()
	rates := speeds(r, devices)
	step := e.devices[0].demand(r, region).grain()
	depth := region.Dims()[2]
	count := (depth + step - 1) / step
	if len(devices) == 1 || count == 1 || float64(region.Voxels())/rates[0] < worthSharing.Seconds() {
		i := idle(states)
		if states[i].volumes > 0 {
			later = stopped(devices, states)
		}
		return []part{{devices[i], region}}, later
	}
	begin, sum := 0, 0.0
	for i, share := range shares(float64(region.Voxels()), rates, delays(states)) {
		sum += share
		end := min(int(math.Round(sum*float64(count)))*step, depth)
		if end > begin {
			p := part{devices[i], region}
			p.region.Min[2], p.region.Max[2] = region.Min[2]+begin, region.Min[2]+end
			parts = append(parts, p)
		}
		begin = max(begin, end)
	}
	for _, d := range stopped(devices, states) {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.device == d }) {
			later = append(later, d)
		}
	}
	return parts, later
}

// stopped returns the devices without a running worker.
func stopped(devices []*device, states []availability) (all []*device) {
	for i, d := range devices {
		if !states[i].ready {
			all = append(all, d)
		}
	}
	return all
}

// speeds returns the voxels per second that each device is expected to filter: modelled,
// corrected by what was measured, on that device or on the others.
func speeds(r *run, devices []*device) []float64 {
	measured := make([]float64, len(devices))
	sum, n := 0.0, 0.0
	for i, d := range devices {
		if measured[i] = d.measured(r); measured[i] > 0 {
			sum, n = sum+measured[i], n+1
		}
	}
	rates := make([]float64, len(devices))
	for i, d := range devices {
		rates[i] = modelRate(d.model(), r.program)
		switch {
		case measured[i] > 0:
			rates[i] *= measured[i]
		case n > 0:
			rates[i] *= sum / n
		}
	}
	if least := slices.Min(rates); slices.Max(rates) <= evenSpeed*least {
		for i := range rates {
			rates[i] = least
		}
	}
	return rates
}

// delays returns the seconds until each device can work. A start that was never measured
// takes as long as the longest of the others.
func delays(states []availability) []float64 {
	var took time.Duration
	for _, s := range states {
		took = max(took, s.took)
	}
	delays := make([]float64, len(states))
	for i, s := range states {
		if !s.ready {
			delays[i] = (cmp.Or(s.took, took) + s.pause).Seconds()
		}
	}
	return delays
}

// shares returns the parts of n voxels, of a sum of 1, with which devices of these rates,
// in voxels per second, that begin after these delays, in seconds, end together and as
// soon as possible. A device that would begin after the end has none.
func shares(n float64, rates, delays []float64) []float64 {
	order := make([]int, len(rates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(delays[a], delays[b]) })
	// At the time t all have filtered the sum of rate * (t - delay).
	end, rate, lead := math.Inf(1), 0.0, 0.0
	for _, i := range order {
		if delays[i] >= end {
			break
		}
		rate += rates[i]
		lead += rates[i] * delays[i]
		end = (n + lead) / rate
	}
	shares := make([]float64, len(rates))
	for i := range shares {
		shares[i] = max(rates[i]*(end-delays[i]), 0) / n
	}
	return shares
}

// filter filters a part of a run into out, on the device that it was given or, after a
// failure of that, on another. A run that loses its worker is tried once more: on another
// device if there is one, else on a new worker with half of the memory.
func (e *Engine) filter(ctx context.Context, r *run, p part, out *partOutput) error {
	d, a, lost := p.device, attempt{divisor: 1}, false
	var given []*device // up
	log := denoise.DeviceLogOf(ctx)
	for {
		began := time.Now()
		err := d.filter(ctx, a, r, p.region, out)
		use := denoise.DeviceUse{Device: d.model().Name, ID: d.model().UUID}
		switch {
		case err == nil:
			use.Seconds, use.Voxels = time.Since(began).Seconds(), int64(p.region.Voxels())
			log.Add(use)
			return nil
		case transient(err):
			if lost {
				return &deviceError{message.Text("the GPU failed twice at this run: %v", err), err}
			}
			lost = true
		case !errors.Is(err, ErrDevice) || errors.Is(err, denoise.ErrUnsupported):
			return err
		default:
			given = append(given, d)
		}
		use.Failures, use.Reason = 1, Reason(err).Error()
		log.Add(use)
		next := e.instead(d, given)
		if next == nil {
			return err
		}
		if a = (attempt{divisor: 1}); next == d {
			a = attempt{divisor: 2, alone: true}
		}
		d = next
	}
}

// instead returns the device on which to repeat what failed on d: the one of the others
// with the fewest volumes, or d itself; nil if all were given up.
func (e *Engine) instead(d *device, given []*device) *device {
	devices, states := e.usable()
	best := -1
	for i, o := range devices {
		if o != d && !slices.Contains(given, o) && (best < 0 || states[i].volumes < states[best].volumes) {
			best = i
		}
	}
	switch {
	case best >= 0:
		return devices[best]
	case !slices.Contains(given, d):
		return d
	}
	return nil
}

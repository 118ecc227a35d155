package gpu

import (
	"context"
	"fmt"
	"slices"
	"time"

	"quell/denoise"
	"quell/kernels"
	"quell/volume"
)

// Workload is a run on which the launch shapes of kernels are tried.
type Workload struct {
	Name   string         // "nlm 3-D, one slice"
	Recipe denoise.Recipe // resolved
	Input  denoise.Input
	Region volume.Region
	Check  func(out *volume.Volume) error // says why a result is wrong
}

// ShapeTrial is one shape of a kernel.
type ShapeTrial struct {
	Value   int           `json:"value"`
	Time    time.Duration `json:"nanoseconds"`       // the median of the kernels' times; 0 if it is refused
	Refused string        `json:"refused,omitempty"` // why it is not used
}

// ShapeSearch is the result of the search for a kernel.
type ShapeSearch struct {
	Work   string       `json:"work"`
	Kernel string       `json:"kernel"` // its key in kernels.Shapes
	Unit   string       `json:"unit"`   // of the values
	Trials []ShapeTrial `json:"trials"` // the usual shape first
	Best   int          `json:"best"`   // the usual shape if no other one is faster by leastGain
	Gain   float64      `json:"gain"`   // time with the usual shape over that with the best, less 1
}

// leastGain is the gain below which the usual shape stays: repeated measurements of one
// shape differ by as much.
const leastGain = 0.02

// Tune searches the shapes of the kernels of each workload that are the fastest on the first
// device. Every shape is checked before it is timed. The times of all shapes alternate
// rounds times; the best one and the usual one then alternate as often again, since the
// best of several measurements is partly luck, and that gives the gain. begin is called
// before each workload. The error is from a cancel or from the device.
func (e *Engine) Tune(ctx context.Context, works []Workload, rounds int, begin func(name string, n, of int)) ([]ShapeSearch, error) {
	var all []ShapeSearch
	for i, w := range works {
		begin(w.Name, i+1, len(works))
		g := w.Input.Volume.Geometry
		p, err := w.Recipe.Bind(g)
		if err != nil {
			return nil, err
		}
		choices, err := kernels.ShapesOf(p, g.Dims, w.Region)
		if err != nil {
			return nil, unsupported(err)
		}
		for _, c := range choices {
			found, err := e.search(ctx, w, c, rounds)
			if err != nil {
				return nil, err
			}
			all = append(all, found)
		}
	}
	return all, nil
}

// search tries the shapes of one kernel.
func (e *Engine) search(ctx context.Context, w Workload, c kernels.ShapeChoice, rounds int) (ShapeSearch, error) {
	f := ShapeSearch{Work: w.Name, Kernel: c.Key, Unit: c.Unit, Best: c.Values[0]}
	var right []int // the shapes that compute rightly
	for _, value := range c.Values {
		t := ShapeTrial{Value: value}
		out, _, err := e.try(ctx, w, c.Key, value)
		if err != nil && (ctx.Err() != nil || value == c.Values[0]) {
			return f, err
		}
		if err == nil {
			err = w.Check(out)
		}
		if err != nil {
			t.Refused = err.Error()
		} else {
			right = append(right, value)
		}
		f.Trials = append(f.Trials, t)
	}
	if f.Trials[0].Refused != "" {
		return f, nil // there is nothing to compare with
	}
	times, err := e.alternate(ctx, w, c.Key, right, rounds)
	if err != nil {
		return f, err
	}
	for i, t := range f.Trials {
		f.Trials[i].Time = times[t.Value]
	}
	best := slices.MinFunc(right, func(a, b int) int { return int(times[a] - times[b]) })
	if gain(times, f.Best, best) < leastGain {
		return f, nil
	}
	if times, err = e.alternate(ctx, w, c.Key, []int{f.Best, best}, rounds); err != nil {
		return f, err
	}
	if gained := gain(times, f.Best, best); gained >= leastGain {
		f.Best, f.Gain = best, gained
	}
	return f, nil
}

func gain(times map[int]time.Duration, usual, best int) float64 {
	return float64(times[usual])/float64(max(times[best], 1)) - 1
}

// alternate runs a work with each shape in turn, and returns the median times.
func (e *Engine) alternate(ctx context.Context, w Workload, key string, values []int, rounds int) (map[int]time.Duration, error) {
	all := map[int][]time.Duration{}
	for range rounds {
		for _, value := range values {
			_, took, err := e.try(ctx, w, key, value)
			if err != nil {
				return nil, err
			}
			all[value] = append(all[value], took)
		}
	}
	medians := map[int]time.Duration{}
	for value, times := range all {
		slices.Sort(times)
		medians[value] = times[len(times)/2]
	}
	return medians, nil
}

// try runs a work with one shape and returns the time of its kernels.
func (e *Engine) try(ctx context.Context, w Workload, key string, value int) (*volume.Volume, time.Duration, error) {
	before := e.Status().Busy
	out, err := e.With(kernels.Shapes{key: value}).Run(ctx, w.Recipe, w.Input, w.Region, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("%s with %d: %w", key, value, err)
	}
	return out, e.Status().Busy - before, nil
}

// TunedTo returns the shapes of a search, for the first device. Shapes that stay are not
// named.
func (e *Engine) TunedTo(all []ShapeSearch) TunedShapes {
	d := e.devices[0]
	d.mu.Lock()
	defer d.mu.Unlock()
	t := TunedShapes{Device: d.hello.Device.Name, Driver: d.hello.Driver, Kernels: d.hello.Kernels, Shapes: kernels.Shapes{}}
	for _, f := range all {
		if f.Gain > 0 {
			t.Shapes[f.Kernel] = f.Best
		}
	}
	return t
}

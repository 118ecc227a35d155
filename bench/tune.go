package bench

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"quell/app/engines"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/gpu"
	"quell/volume"
)

// Tuning is what Tune found. It is what quell bench --tune prints.
type Tuning struct {
	Device  string            `json:"device"`
	Driver  string            `json:"driver"`  // "12.2"
	Kernels string            `json:"kernels"` // the start of the hash of the kernels
	Seconds float64           `json:"seconds"`
	Found   []gpu.ShapeSearch `json:"found"`
	Others  []string          `json:"others,omitempty"` // other devices, which keep the usual shapes
	Saved   string            `json:"saved,omitempty"`  // the file that keeps the shapes
}

// TuneOptions say how launch shapes are searched.
type TuneOptions struct {
	Quick bool   // fewer repeats
	Save  string // the file that keeps the shapes, see engines.ShapesPath; "" for none

	// pick and sizes are as in the program unless a test sets them.
	pick  func(name string, threads int) (denoise.Engine, string)
	sizes *tuneSizes
}

// tuneSizes are the volume that is filtered whole, and the one from which a slice
// is.
type tuneSizes struct{ whole, sliced [3]int }

var usualSizes = tuneSizes{whole: [3]int{256, 256, 60}, sliced: [3]int{512, 512, 9}}

// tuneRecipes are recipes of the kernels that have several shapes (kernels.ShapesOf), with
// the sizes that are used most.
var tuneRecipes = []struct {
	name, filter string
	dims         int
	set          string
}{
	{"median 3-D", "median", 3, "radius=1"},
	{"median 2-D", "median", 2, "radius=1"},
	{"median 2-D, 5x5", "median", 2, "radius=2"},
	{"lpa", "lpa", 2, "sigma=10"},
	{"lpa, other scales", "lpa", 2, "sigma=10 scales=1,2,4,6"},
}

// The rounds of a search, see gpu.Engine.Tune.
const (
	tuneRounds      = 15
	tuneRoundsQuick = 5
)

// tuner is a *gpu.Engine.
type tuner interface {
	denoise.Engine
	Status() gpu.Status
	Tune(ctx context.Context, works []gpu.Workload, rounds int, begin func(name string, n, of int)) ([]gpu.ShapeSearch, error)
	TunedTo(found []gpu.ShapeSearch) gpu.TunedShapes
}

// Tune searches the launch shapes that are the fastest on this machine's GPU and keeps
// them for later runs of the program. Without a GPU the error says why there is none.
// After a cancel the error is the context's, and nothing is kept.
func Tune(ctx context.Context, o TuneOptions, events Events) (Tuning, error) {
	started := time.Now()
	pick, sizes := o.pick, usualSizes
	if pick == nil {
		pick = pickEngine
	}
	if o.sizes != nil {
		sizes = *o.sizes
	}
	engine, why := pick("cuda", 0)
	if engine == nil {
		return Tuning{}, fmt.Errorf("launch shapes are those of a GPU, and there is no CUDA device: %s", why)
	}
	e, ok := engine.(tuner)
	if !ok {
		return Tuning{}, fmt.Errorf("the engine %s has no launch shapes", engine.Info().Name)
	}
	works, err := tuneWorks(ctx, sizes)
	if err != nil {
		return Tuning{}, err
	}
	rounds := tuneRounds
	if o.Quick {
		rounds = tuneRoundsQuick
	}
	found, err := e.Tune(ctx, works, rounds, func(name string, n, of int) {
		if events.Row != nil {
			events.Row("launch shapes", name, n, of)
		}
	})
	if err != nil {
		return Tuning{}, err
	}
	tuned, status := e.TunedTo(found), e.Status()
	t := Tuning{Device: tuned.Device, Driver: status.Driver, Kernels: tuned.Kernels[:min(len(tuned.Kernels), 12)], Found: found}
	for _, d := range status.Others {
		if d.Name != t.Device {
			t.Others = append(t.Others, d.Name)
		}
	}
	if o.Save != "" {
		if err := engines.SaveShapes(o.Save, tuned); err != nil {
			return t, err
		}
		t.Saved = o.Save
	}
	t.Seconds = time.Since(started).Seconds()
	return t, nil
}

// tuneWorks returns the runs that shapes are tried on: each recipe on a volume and on a
// slice.
func tuneWorks(ctx context.Context, sizes tuneSizes) ([]gpu.Workload, error) {
	whole, err := tuneVolume(ctx, sizes.whole)
	if err != nil {
		return nil, err
	}
	sliced, err := tuneVolume(ctx, sizes.sliced)
	if err != nil {
		return nil, err
	}
	middle := sizes.sliced[2] / 2
	var works []gpu.Workload
	for _, q := range tuneRecipes {
		for _, place := range []struct {
			name   string
			in     denoise.Input
			region volume.Region
		}{
			{"a volume", denoise.Input{Volume: whole}, whole.Bounds()},
			{"a slice", denoise.Input{Volume: sliced}, volume.Slices(sliced.Geometry, middle, middle+1)},
		} {
			f, err := denoise.FilterByName(q.filter)
			if err != nil {
				return nil, err
			}
			r, err := f.Recipe(denoise.Case{Dims: q.dims, Set: q.set})
			if err == nil {
				r, err = r.ResolveFor(ctx, place.in)
			}
			if err != nil {
				return nil, err
			}
			works = append(works, gpu.Workload{
				Name: q.name + ", " + place.name, Recipe: r, Input: place.in, Region: place.region, Check: agreesWithReference(ctx, r, place.in, place.region),
			})
		}
	}
	return works, nil
}

// tuneVolume returns a noisy head.
func tuneVolume(ctx context.Context, dims [3]int) (*volume.Volume, error) {
	clean, err := phantomVoxels(ctx, "mr", Input{}, dims)
	if err != nil {
		return nil, err
	}
	return noise.AddNoise(ctx, clean, noise.Gaussian, 10, seed)
}

// agreesWithReference returns the check of results over a region: against the float64
// reference in parts of it, and everywhere against the CPU engine, so that no block of
// threads goes unseen.
func agreesWithReference(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region) func(out *volume.Volume) error {
	right := map[volume.Region]*volume.Volume{} // results by the part of the volume
	return func(out *volume.Volume) error {
		lo, hi, err := in.Volume.Range(ctx)
		if err != nil {
			return err
		}
		if len(right) == 0 {
			for _, box := range checkBoxes(region) {
				if right[box], err = cpu.Reference(ctx, r, in, box); err != nil {
					return err
				}
			}
			if right[region], err = cpu.New().Run(ctx, r, in, region, nil); err != nil {
				return err
			}
		}
		for box, want := range right {
			c := newCheck(lo, hi)
			c.add(out.Crop(box.Offset(region.Min)), want)
			if err := c.err(); err != nil {
				return err
			}
		}
		return nil
	}
}

// WriteText writes a table for a terminal.
func (t Tuning) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s, CUDA %s: the launch shapes of %d kernels were searched in %.0f s. Every shape agreed with the float64 reference before it was timed.\n\n",
		t.Device, t.Driver, len(t.Found), t.Seconds)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "work\tshapes and their times\tresult")
	for _, f := range t.Found {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", f.Work, shapesTried(f), verdict(f))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if len(t.Others) > 0 {
		fmt.Fprintf(w, "Not searched, and with the usual shapes: %s. CUDA_VISIBLE_DEVICES selects a device.\n", strings.Join(t.Others, ", "))
	}
	if t.Saved != "" {
		fmt.Fprintf(w, "Runs that begin from now on use this on every %s with this driver and these kernels. It is kept in %s.\n", t.Device, t.Saved)
	}
	return nil
}

// shapesTried returns "4 warps 0.69 ms, 2: 0.71 ms", the usual shape first.
func shapesTried(f gpu.ShapeSearch) string {
	var all []string
	for i, trial := range f.Trials {
		s := fmt.Sprintf("%d:", trial.Value)
		if i == 0 {
			s = fmt.Sprintf("%d %s", trial.Value, f.Unit)
		}
		switch {
		case trial.Refused != "":
			s += " refused"
		case trial.Time > 0:
			s += fmt.Sprintf(" %s ms", significant(trial.Time.Seconds()*1e3))
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

// verdict states the gain of a search, and why a shape was refused.
func verdict(f gpu.ShapeSearch) string {
	s := "stays: no other shape is faster by 2 %"
	switch {
	case f.Trials[0].Refused != "":
		return "the usual shape is refused: " + f.Trials[0].Refused
	case f.Gain > 0:
		s = fmt.Sprintf("gained %.0f %% on %s: %d %s", 100*f.Gain, f.Work, f.Best, f.Unit)
	}
	for _, trial := range f.Trials {
		if trial.Refused != "" {
			s += fmt.Sprintf("; %d refused: %s", trial.Value, trial.Refused)
		}
	}
	return s
}

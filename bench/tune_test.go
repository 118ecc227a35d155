package bench

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/gpu"
	"quell/gpu/wire"
	"quell/kernels"
)

// tuned is a fake device with a search that returns preset results.
type tuned struct {
	device
	found  []gpu.ShapeSearch
	err    error
	rounds int
	works  []gpu.Workload
}

func (d *tuned) Status() gpu.Status {
	return gpu.Status{Driver: "12.2", Others: []wire.Device{{Name: "A"}, {Name: "B"}}}
}

func (d *tuned) Tune(_ context.Context, works []gpu.Workload, rounds int, begin func(string, int, int)) ([]gpu.ShapeSearch, error) {
	d.works, d.rounds = works, rounds
	begin(works[0].Name, 1, len(works))
	return d.found, d.err
}

func (d *tuned) TunedTo(found []gpu.ShapeSearch) gpu.TunedShapes {
	return gpu.TunedShapes{Device: "A", Driver: 12020, Kernels: "0123456789abcdef", Shapes: kernels.Shapes{found[0].Kernel: found[0].Best}}
}

// tune runs Tune on a device, on small volumes.
func tune(t *testing.T, engine denoise.Engine, quick bool) (Tuning, string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shapes.json")
	r, err := Tune(t.Context(), TuneOptions{
		Quick: quick, Save: path, sizes: &tuneSizes{whole: [3]int{12, 11, 10}, sliced: [3]int{13, 12, 3}},
		pick: func(string, int) (denoise.Engine, string) { return engine, "it is not there" },
	}, Events{Row: func(what, name string, n, of int) {
		if what != "launch shapes" || name != "median 3-D, a volume" || n != 1 || of != 10 {
			t.Errorf("%s, %s: %d of %d", what, name, n, of)
		}
	}})
	return r, path, err
}

func TestTuneReports(t *testing.T) {
	ms := time.Millisecond
	d := &tuned{device: *newDevice(), found: []gpu.ShapeSearch{
		{Work: "nlm 3-D, a slice", Kernel: "k", Unit: "warps", Best: 2, Gain: 0.0834, Trials: []gpu.ShapeTrial{{Value: 4, Time: 2 * ms}, {Value: 2, Time: ms}, {Value: 8, Refused: "it is wrong"}}},
		{Work: "lpa, a volume", Kernel: "l", Unit: "rows of threads", Best: 8, Trials: []gpu.ShapeTrial{{Value: 8, Time: ms}, {Value: 4, Time: ms}}},
		{Work: "median, a volume", Kernel: "m", Unit: "rows of threads", Best: 8, Trials: []gpu.ShapeTrial{{Value: 8, Refused: "too far off"}, {Value: 4}}},
	}}
	for quick, rounds := range map[bool]int{false: 15, true: 5} {
		r, path, err := tune(t, d, quick)
		if err != nil || d.rounds != rounds || r.Kernels != "0123456789ab" || r.Saved != path || len(r.Others) != 1 {
			t.Fatalf("%+v, %d rounds, %v", r, d.rounds, err)
		}
		var text strings.Builder
		if err := r.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"A, CUDA 12.2: the launch shapes of 3 kernels",
			"4 warps 2.00 ms, 2: 1.00 ms, 8: refused",
			"gained 8 % on nlm 3-D, a slice: 2 warps; 8 refused: it is wrong",
			"8 rows of threads 1.00 ms, 4: 1.00 ms",
			"stays: no other shape is faster by 2 %\n",
			"8 rows of threads refused, 4:  ",
			"the usual shape is refused: too far off",
			"the usual shapes: B. CUDA_VISIBLE_DEVICES",
			"use this on every A with this driver and these kernels. It is kept in " + path,
		} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%q is not in\n%s", want, &text)
			}
		}
		data, err := os.ReadFile(path)
		var kept struct{ Tuned []gpu.TunedShapes }
		if err != nil || json.Unmarshal(data, &kept) != nil || len(kept.Tuned) != 1 || kept.Tuned[0].Shapes["k"] != 2 {
			t.Errorf("kept: %s, %v", data, err)
		}
	}
}

// Nothing is kept after a cancel or if there is no GPU.
func TestTuneFails(t *testing.T) {
	cancelled := &tuned{device: *newDevice(), err: context.Canceled}
	for want, engine := range map[string]denoise.Engine{
		"launch shapes are those of a GPU, and there is no CUDA device: it is not there": nil,
		"the engine cpu has no launch shapes":                                            cpu.New(),
		"context canceled":                                                               cancelled,
	} {
		_, path, err := tune(t, engine, false)
		if err == nil || err.Error() != want {
			t.Errorf("%v; want %q", err, want)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something is kept: %v", want, err)
		}
	}
}

// Each kernel that has several shapes is tried once on a volume and once on a slice, and
// one voxel that is wrong is noticed wherever it lies.
func TestTuneWorks(t *testing.T) {
	works, err := tuneWorks(t.Context(), tuneSizes{whole: [3]int{14, 11, 10}, sliced: [3]int{13, 12, 3}})
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{}
	for i, w := range works {
		g := w.Input.Volume.Geometry
		p, err := w.Recipe.Bind(g)
		if err != nil {
			t.Fatal(err)
		}
		choices, err := kernels.ShapesOf(p, g.Dims, w.Region)
		if err != nil || len(choices) != 1 || keys[choices[0].Key] != "" {
			t.Fatalf("%s: %+v, %v", w.Name, choices, err)
		}
		keys[choices[0].Key] = w.Name
		if slice := strings.HasSuffix(w.Name, "a slice"); slice != strings.HasSuffix(choices[0].Key, "on a slice") || slice != (w.Region.Dims()[2] == 1) {
			t.Errorf("%s tries %s on %v", w.Name, choices[0].Key, w.Region)
		}
		if i > 1 {
			continue
		}
		out, err := cpu.New().Run(t.Context(), w.Recipe, w.Input, w.Region, nil)
		if err != nil || w.Check(out) != nil {
			t.Fatalf("%s: %v, %v", w.Name, err, w.Check(out))
		}
		for _, at := range []int{0, 5, len(out.Data) / 2, len(out.Data) - 1} {
			kept := out.Data[at]
			out.Data[at] += 1
			if err := w.Check(out); err == nil || !strings.Contains(err.Error(), "differs from the reference by up to 1") {
				t.Errorf("%s, voxel %d: %v", w.Name, at, err)
			}
			out.Data[at] = kept
		}
	}
	if len(keys) != 10 {
		t.Errorf("%d kernels", len(keys))
	}
}

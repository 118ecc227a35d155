package bench

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/gpu"
	"quell/kernels"
	"quell/volume"
)

// device is the CPU engine with the clock of a GPU: each run keeps it busy for a
// step more than the one before. It has ladders.
type device struct {
	counted
	step, busy time.Duration
	on         []kernels.Rung
}

func (d *device) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, p denoise.Progress) (*volume.Volume, error) {
	out, err := d.counted.Run(ctx, r, in, region, p)
	d.busy += time.Duration(d.runs) * d.step
	return out, err
}

func (d *device) Status() gpu.Status {
	return gpu.Status{Driver: "12.2", Kernels: "0123456789abcdef", Busy: d.busy, Tuned: kernels.Shapes{"a": 1, "b": 2}}
}

func (d *device) On(rung kernels.Rung) denoise.Engine {
	d.on = append(d.on, rung)
	return d
}

func newDevice() *device { return &device{counted: counted{Engine: cpu.New()}, step: time.Second} }

// onDevice runs experiments on the device alone.
func onDevice(t *testing.T, d *device, quick bool, e ...Experiment) Report {
	t.Helper()
	o := Options{Quick: quick, pick: func(string, int) (denoise.Engine, string) { return d, "" }}
	report, err := run(context.Background(), e, o, Events{})
	if err != nil || report.Failures() != "" {
		t.Fatal(err, report.Failures())
	}
	return report
}

// The time on a GPU is the time of its kernels; the first run, which sends the
// volume, is not counted, and neither are the runs of the check.
func TestTimeOnAGPU(t *testing.T) {
	for _, quick := range []bool{true, false} {
		e := three()
		e[0].Rows = e[0].Rows[:1]
		report := onDevice(t, newDevice(), quick, e...)
		r := report.Experiments[0].Rows[0].Result
		// Runs 1 and 2 are the check, run 3 is not counted.
		want := 4 + float64(r.Repeats-1)/2
		if r.Repeats < 1 || r.Repeats > most || math.Abs(r.Figures[Time]-want) > 1e-9 {
			t.Errorf("quick %v: %d repeats of %g s, want %g s", quick, r.Repeats, r.Figures[Time], want)
		}
		if x := r.Figures[EndToEnd]; !(x > 0 && x < 1) {
			t.Errorf("end to end %g s", x)
		}
		if !strings.HasSuffix(report.Engines[0].Driver, "CUDA 12.2") || report.Engines[0].Kernels != "0123456789ab" ||
			!strings.HasSuffix(report.Engines[0].sentence(), ", kernels 0123456789ab, 2 launch shapes of quell bench --tune") {
			t.Errorf("engines: %+v", report.Engines)
		}
	}
}

func TestRepeats(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		quick       bool
		n           int
		last, total time.Duration
		enough      bool
	}{
		{true, 1, 31 * ms, 31 * ms, true}, {true, 1, 30 * ms, 30 * ms, false}, {true, 19, ms, 29 * ms, false}, {true, 20, ms, 20 * ms, true},
		{false, 2, 1500 * ms, 3000 * ms, false}, {false, 3, 170 * ms, 501 * ms, true}, {false, 3, 170 * ms, 500 * ms, false}, {false, 20, ms, 20 * ms, true},
		{false, 1, 2000 * ms, 2000 * ms, false}, {false, 1, 2001 * ms, 2001 * ms, true},
	} {
		m := measurement{quick: c.quick}
		if got := m.repeated(c.n, c.last, c.total); got != c.enough {
			t.Errorf("%+v: enough is %v", c, got)
		}
	}
	for _, c := range []struct {
		quick  bool
		n      int
		took   time.Duration
		warmUp bool
	}{{false, 0, 2000 * ms, true}, {false, 0, 2001 * ms, false}, {false, 1, ms, false}, {true, 0, 250 * ms, true}, {true, 0, 251 * ms, false}, {true, 1, ms, false}} {
		if got := (&measurement{quick: c.quick}).warmsUp(c.n, c.took); got != c.warmUp {
			t.Errorf("%+v: warms up: %v", c, got)
		}
	}
}

// What Linux says about NVIDIA's driver.
func TestDriverNumber(t *testing.T) {
	for text, want := range map[string]string{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc version 12.2.0": "535.104.05",
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65  Release Build":                                             "580.65",
		"GCC version:  gcc version 12.2.0": "",
	} {
		if got := driverNumber.FindString(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTransfer(t *testing.T) {
	e := bethelTransfer()
	e.Rows[0].Input.Dims = [3]int{12, 12, 4}
	for quick, repeats := range map[bool]int{true: fewest, false: most} {
		d := newDevice()
		r := onDevice(t, d, quick, e).Experiments[0].Rows[0].Result
		// Three runs for each repeat; the second is timed. Kernels take seconds more than the runs.
		if r.Repeats != repeats || d.runs != 2+3*repeats || math.Abs(r.Figures[Time]-(4+3*float64(repeats-1)/2)) > 1e-9 || r.Figures[Download] != 0 || !(r.Figures[Upload] >= 0) || !(r.Figures[EndToEnd] > 0) {
			t.Errorf("quick %v: %d runs, %+v", quick, d.runs, r)
		}
	}
	e.Rows[0].Engine = "cpu"
	report, err := run(context.Background(), []Experiment{e}, newCounted().options(Options{}), Events{})
	if err != nil || report.Experiments[0].Rows[0].Status != Failed {
		t.Errorf("transfers without a device: %+v, %v", report.Experiments, err)
	}
}

func TestRungs(t *testing.T) {
	e := three()
	e[0].Rows = e[0].Rows[:2]
	e[0].Rows[1].Rung = kernels.Rung{Name: "nlm_formula", Block: [3]int{4, 24, 3}}
	d := newDevice()
	onDevice(t, d, true, e...)
	if len(d.on) != 1 || d.on[0] != e[0].Rows[1].Rung {
		t.Errorf("rungs %+v", d.on)
	}
	if _, err := run(context.Background(), e, newCounted().options(Options{}), Events{}); err == nil {
		t.Error("an engine without ladders runs a rung")
	}
}

// A quick run filters as many middle slices as its time allows.
func TestPart(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{200, 200, 40}, [3]float64{1, 1, 1}))
	row := Row{Filter: "nlm", Dims: 3}
	recipe := func(set string) denoise.Recipe {
		r, err := row.recipe(set)
		if err == nil {
			r, err = r.Resolve(v.Geometry, denoise.Facts{Hi: 1})
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	large, small, huge := recipe("h=10 search-radius=5"), recipe("h=10 search-radius=1"), recipe("h=10 search-radius=20")
	for _, c := range []struct {
		quick, whole bool
		recipe       denoise.Recipe
		least, most  int
	}{
		{false, false, large, 40, 40}, {true, true, large, 40, 40}, {true, false, small, 40, 40}, {true, false, large, 2, 39}, {true, false, huge, 1, 1},
	} {
		row.Whole, row.Engine = c.whole, "cpu"
		m := measurement{row: row, image: &sample{noisy: v}, quick: c.quick}
		region, err := m.part(c.recipe)
		n := region.Dims()[2]
		if err != nil || n < c.least || n > c.most || region.Dims()[0] != 200 || region.Min[2] != (40-n)/2 {
			t.Errorf("quick %v, %s: %v, %v", c.quick, c.recipe, region, err)
		}
	}
}

// A GPU filters 15 times as many, if images are not compared with the CPU's.
func TestPartOnAGPU(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{100, 100, 400}, [3]float64{1, 1, 1}))
	n := map[string]int{}
	for _, engine := range []string{"cpu", "cuda"} {
		for _, images := range []bool{false, true} {
			m := measurement{row: Row{Filter: "nlm", Dims: 3, Engine: engine}, image: &sample{noisy: v}, quick: true, images: images}
			r, err := m.row.recipe("h=10 search-radius=8")
			if err == nil {
				r, err = r.Resolve(v.Geometry, denoise.Facts{Hi: 1})
			}
			if err != nil {
				t.Fatal(err)
			}
			region, err := m.part(r)
			if err != nil {
				t.Fatal(err)
			}
			n[fmt.Sprint(engine, images)] = region.Dims()[2]
		}
	}
	few := n["cputrue"]
	if n["cpufalse"] != few || n["cudatrue"] != few || n["cudafalse"] < 15*few || n["cudafalse"] > 15*few+14 || few < 2 {
		t.Errorf("slices: %v", n)
	}
}

func TestMedian(t *testing.T) {
	for want, x := range map[float64][]float64{2: {3, 1, 2}, 2.5: {4, 1, 3, 2}, 7: {7}} {
		if got := median(x); got != want {
			t.Errorf("%v: %g, want %g", x, got, want)
		}
	}
	if finite(math.NaN()) || finite(math.Inf(1)) || !finite(1) {
		t.Error("finite")
	}
}

// Small volumes are checked once if the corner is the middle.
func TestCheckBoxes(t *testing.T) {
	boxes := checkBoxes(volume.Region{Min: [3]int{0, 0, 1}, Max: [3]int{20, 10, 3}})
	if len(boxes) != 2 || boxes[0].Min != [3]int{0, 0, 1} || boxes[0].Max != [3]int{4, 4, 3} || boxes[1].Min != [3]int{8, 3, 1} || boxes[1].Max != [3]int{12, 7, 3} {
		t.Errorf("boxes %v", boxes)
	}
	if boxes := checkBoxes(volume.Region{Max: [3]int{4, 4, 3}}); len(boxes) != 1 {
		t.Errorf("boxes %v", boxes)
	}
}

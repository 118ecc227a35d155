package executor_test

import (
	"errors"
	"fmt"
	"testing"

	"quell/app/engines"
	"quell/app/executor"
	"quell/denoise"
	"quell/volume"
)

// A forecast is silent if there is twice as much memory, and says what happens if there is
// too little.
func TestForecastText(t *testing.T) {
	const gb = 1e9
	for i, c := range []struct {
		f             executor.Forecast
		filter, judge bool
		want          string
	}{
		{executor.Forecast{Filter: 1 * gb, Judge: 4 * gb, Free: 10 * gb}, true, true, ""},
		{executor.Forecast{Filter: 1 * gb, Judge: 4 * gb}, true, true, ""}, // the free memory is not known
		{executor.Forecast{Filter: 1 * gb, Judge: 4 * gb, Free: 10*gb - 1}, true, true, "Filtering needs 1.0 GB of memory, judging the result up to 4.0 GB more; 10.0 GB is free."},
		{executor.Forecast{Filter: 1 * gb, Judge: 4 * gb, Free: 5 * gb}, true, true, "Filtering needs 1.0 GB of memory, judging the result up to 4.0 GB more; 5.0 GB is free."},
		{
			executor.Forecast{Filter: 1 * gb, Judge: 4 * gb, Free: 5*gb - 1}, true, false,
			"Filtering needs 1.0 GB of memory, judging the result up to 4.0 GB more; 5.0 GB is free, so the result will not be judged as a whole.",
		},
		{executor.Forecast{Filter: 1 * gb, Judge: 4 * gb, Free: 1 * gb}, true, false, "Filtering needs 1.0 GB of memory, judging the result up to 4.0 GB more; 1.0 GB is free, so the result will not be judged as a whole."},
		{executor.Forecast{Filter: 1.1 * gb, Judge: 4 * gb, Free: 1 * gb}, false, false, "Filtering needs 1.1 GB of memory and 1.0 GB is free: the run would be refused. Close a series or another program."},
		{executor.Forecast{Device: 8 * gb, Has: 16 * gb, Slabs: 1}, true, true, ""},
		{executor.Forecast{Device: 2 * gb, Has: 16 * gb, Slabs: 2}, true, true, ""}, // two devices share it
		{executor.Forecast{Device: 9 * gb, Has: 16 * gb, Slabs: 1}, true, true, "The GPU needs 9.0 GB of its 16.0 GB."},
		{executor.Forecast{Device: 9 * gb, Has: 16 * gb, Slabs: 3}, true, true, "The GPU filters the volume in 3 slabs, 9.0 GB of its 16.0 GB at a time."},
		{executor.Forecast{Refused: errors.New("no kernel")}, true, true, "The run would be refused: no kernel."},
		{executor.Forecast{Refused: fmt.Errorf("too large: %w", engines.ErrFailed)}, true, true, "too large: the GPU engine is not usable: the run would be offered to the processor."},
	} {
		if got := c.f.Text(); got.String() != c.want {
			t.Errorf("%d: %q; want %q", i, got, c.want)
		}
		if filter, judge := c.f.Fits(); filter != c.filter || judge != c.judge || (c.f.Err() == nil) != c.filter {
			t.Errorf("%d: fits %v and %v, error %v; want %v and %v", i, filter, judge, c.f.Err(), c.filter, c.judge)
		}
	}
}

// planned is an engine that plans what it holds.
type planned struct {
	denoise.Engine
	plan denoise.Plan
	info denoise.Info
	err  error
}

func (p planned) Info() denoise.Info { return p.info }

func (p planned) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) { return p.plan, p.err }

// The plan of an engine with memory of its own is about that memory.
func TestForecastOfEngines(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{10, 10, 10}, [3]float64{1, 1, 1}))
	masked := v.Clone()
	masked.Mask = make([]bool, 1000)
	plan := denoise.Plan{Memory: 500, Slabs: 3}
	refused := errors.New("no")
	judge := executor.JudgeMemory(v)
	for i, c := range []struct {
		eng  denoise.Engine
		of   *volume.Volume
		want executor.Forecast
	}{
		{planned{plan: plan}, v, executor.Forecast{Filter: 4500, Judge: judge, Free: 7, Slabs: 3}},
		{planned{plan: plan}, masked, executor.Forecast{Filter: 5500, Judge: judge, Free: 7, Slabs: 3}},
		{planned{plan: plan, info: denoise.Info{Memory: 900}}, v, executor.Forecast{Filter: 4000, Judge: judge, Free: 7, Slabs: 3, Device: 500, Has: 900}},
		{planned{plan: plan, err: refused}, v, executor.Forecast{Filter: 4000, Judge: judge, Free: 7, Refused: refused}},
	} {
		if got := executor.ForecastOf(c.eng, denoise.Recipe{}, c.of, 7); got != c.want {
			t.Errorf("%d: %+v; want %+v", i, got, c.want)
		}
	}
}

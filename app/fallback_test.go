package app

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/denoise"
	"quell/gpu"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// timedEngine is expected to take so long for any run.
type timedEngine struct {
	denoise.Engine
	takes time.Duration
}

func (e timedEngine) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	if e.takes < 0 {
		return denoise.Plan{}, errors.New("no plan")
	}
	return denoise.Plan{Estimate: e.takes}, nil
}

func TestFallbackText(t *testing.T) {
	died := errors.New("the GPU worker died")
	for _, c := range []struct {
		failed denoise.Engine
		cpu    time.Duration
		n      int
		want   string
	}{
		{nil, 90 * time.Second, 2, "the GPU worker died; the CPU filters instead, which is expected to take 3.0 min"},
		{timedEngine{takes: time.Second}, 90 * time.Second, 1, "the GPU worker died; the CPU filters instead, which is expected to take 1.5 min, about 90 times as long as on the GPU"},
		{timedEngine{takes: time.Second}, 2 * time.Second, 1, "the GPU worker died; the CPU filters instead, which is expected to take 2.0 s, about 2 times as long as on the GPU"},
		{timedEngine{takes: time.Second}, 1999 * time.Millisecond, 1, "the GPU worker died; the CPU filters instead, which is expected to take 2.0 s"},
		{timedEngine{takes: -1}, 12 * time.Second, 1, "the GPU worker died; the CPU filters instead, which is expected to take 12 s"},
		{timedEngine{takes: time.Second}, -1, 1, "the GPU worker died; the CPU filters instead"},
	} {
		if got := FallbackText(died, c.failed, timedEngine{takes: c.cpu}, denoise.Recipe{}, volume.Geometry{}, c.n); got.String() != c.want {
			t.Errorf("%q; want %q", got, c.want)
		}
	}
}

// TestLostGPUIsHeard: a job that leaves the engine open says once, as a message and in its report, that
// the GPU of the machine did not start. A machine without a GPU is no reason for a warning, nor is a
// job that asks for the CPU.
func TestLostGPUIsHeard(t *testing.T) {
	set := stateOfGPU(t)
	died := errors.New("the GPU worker died (signal: killed)")
	for _, c := range []struct {
		engine string
		err    error
		heard  bool
	}{{"auto", died, true}, {"", died, true}, {"cpu", died, false}, {"auto", absentGPU(t), false}} {
		set(nil, c.err)
		job := medianJob(t)
		job.Engine.Name = c.engine
		var heard []string
		report, err := Do(t.Context(), job, Events{Message: func(severity series.Severity, text string) {
			if severity == series.Warning {
				heard = append(heard, text)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		found := slices.DeleteFunc(slices.Clone(report.Warnings), func(text message.Message) bool {
			return !strings.HasPrefix(text.String(), died.Error()+"; the CPU filters instead, which is expected to take ")
		})
		if c.heard != (len(found) == 1) || c.heard && !slices.Contains(heard, found[0].String()) || !c.heard && len(heard) > len(report.Warnings) {
			t.Errorf("engine %q, %v: warnings %q, messages %q", c.engine, c.err, report.Warnings, heard)
		}
	}
}

// absentGPU is the error of a machine without a worker.
func absentGPU(t *testing.T) error {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(gpu.WorkerVariable, "")
	_, err := gpu.New(t.Context(), gpu.Options{})
	if !gpu.Absent(err) {
		t.Fatalf("%v is not of an absent GPU", err)
	}
	return err
}

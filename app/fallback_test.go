package app_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quell/app"
	"quell/app/engines"
	"quell/app/job"
	"quell/gpu"
	"quell/internal/message"
	"quell/series"
)

// TestLostGPUIsHeard: a job that leaves the engine open says once, as a message and in its report, that
// the GPU of the machine did not start. A machine without a GPU is no reason for a warning, nor is a
// job that asks for the CPU.
func TestLostGPUIsHeard(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the worker of this test is a shell script")
	}
	died := filepath.Join(t.TempDir(), "quell-gpu")
	if err := os.WriteFile(died, []byte("#!/bin/sh\nkill -9 $$\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv(gpu.WorkerVariable, "")
	defer engines.UseGPUWorker("")
	for _, c := range []struct {
		engine, worker string
		heard          bool
	}{{"auto", died, true}, {"", died, true}, {"cpu", died, false}, {"auto", "", false}} {
		engines.UseGPUWorker(c.worker)
		j := medianJob(t)
		j.Engine.Name = c.engine
		var heard []string
		report, err := app.Do(t.Context(), j, job.Events{Message: func(severity series.Severity, text string) {
			if severity == series.Warning {
				heard = append(heard, text)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		found := slices.DeleteFunc(slices.Clone(report.Warnings), func(text message.Message) bool {
			return !strings.HasPrefix(text.String(), "the GPU cannot be used: the GPU worker died (signal: killed); the CPU filters instead, which is expected to take ")
		})
		if c.heard != (len(found) == 1) || c.heard && !slices.Contains(heard, found[0].String()) || !c.heard && len(heard) > len(report.Warnings) {
			t.Errorf("engine %q, worker %q: warnings %q, messages %q", c.engine, c.worker, report.Warnings, heard)
		}
	}
}

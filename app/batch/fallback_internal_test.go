package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sync/semaphore"

	"quell/app/engines"
)

// TestGPUThatFailsOnASeries: the CPU filters it if auto was asked for; if nothing was asked for, the batch
// stops; a batch on CUDA alone has a failure.
func TestGPUThatFailsOnASeries(t *testing.T) {
	broken := fmt.Errorf("the GPU worker died: %w", engines.ErrFailed)
	for _, c := range []struct {
		policy string
		err    error
		tries  int
		stops  bool
	}{
		{"auto", broken, 2, false}, {"", broken, 1, true}, {"cuda", broken, 1, false}, {"", errors.New("wrong recipe"), 1, false},
	} {
		var stopped error
		b := &batch{engine: "cpu", filter: semaphore.NewWeighted(1), stop: func(err error) { stopped = err }}
		b.o.Job.Engine.Name = c.policy
		var r SeriesResult
		tries := 0
		err := b.withEngine(task{}, &r, func(turns) error {
			if tries++; tries > 1 {
				return nil
			}
			return c.err
		})
		if tries != c.tries || (stopped != nil) != c.stops || (err == nil) != (c.tries == 2) || len(r.Warnings) != c.tries-1 {
			t.Errorf("policy %q after %v: %d tries, %v, stopped by %v, warnings %q", c.policy, c.err, tries, err, stopped, r.Warnings)
		}
		if c.stops && (!errors.Is(stopped, broken) || !strings.Contains(stopped.Error(), "--engine auto")) {
			t.Errorf("stopped by %v", stopped)
		}
	}
}

// TestBatchThatStops: finished series stay, a series that was in work has no row, and the error says why.
func TestBatchThatStops(t *testing.T) {
	c := newCohort(t)
	for i := range 6 {
		c.nii(fmt.Sprintf("s%d.nii", i), i)
	}
	o := c.options()
	o.Workers = 1
	n := 0
	var b *batch
	b = c.hooked(o, func(s stage) {
		if s == loaded {
			if n++; n == 3 {
				b.stop(&engineChange{cause: engines.ErrFailed, text: "the GPU failed"})
			}
		}
	})
	s, err := b.run(t.Context())
	var change *engineChange
	if !errors.As(err, &change) || !errors.Is(err, engines.ErrFailed) || errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want the reason of the stop", err)
	}
	done := 0
	for r := range s.Results() {
		if r.State != Done {
			t.Errorf("%s: %s, %s", r.Unit, r.State, r.Problem)
		}
		done++
	}
	if done < 2 || done > 3 {
		t.Errorf("%d series are done; want those before the stop", done)
	}
}

// TestLostGPUIsInTheReport: each series that the CPU filtered because the GPU did not start says so, and
// the engine of the batch stays open.
func TestLostGPUIsInTheReport(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the worker of this test is a shell script")
	}
	worker := filepath.Join(t.TempDir(), "quell-gpu")
	if err := os.WriteFile(worker, []byte("#!/bin/sh\nkill -9 $$\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	engines.UseGPUWorker(worker)
	defer engines.UseGPUWorker("")
	c := newCohort(t)
	c.nii("a.nii", 1)
	o := c.options()
	for policy, want := range map[string]bool{"": true, "cpu": false} {
		o.Job.Engine.Name = policy
		o.Output = c.out + policy
		var heard []string
		s, err := Run(t.Context(), o, Events{Warning: func(text string) { heard = append(heard, text) }})
		if err != nil {
			t.Fatal(err)
		}
		if want != (len(heard) == 1 && heard[0] == "the GPU cannot be used: the GPU worker died (signal: killed); the CPU filters instead") {
			t.Errorf("policy %q: heard %q", policy, heard)
		}
		text := ""
		for r := range s.Results() {
			text += strings.Join(r.Warnings, " ")
		}
		if strings.Contains(text, "the GPU worker died (signal: killed); the CPU filters instead, which is expected to take") != want {
			t.Errorf("policy %q: warnings %q", policy, text)
		}
		pins, err := filepath.Glob(filepath.Join(o.Output, ".quell-batch", "engine-*"))
		if err != nil || len(pins) != 0 {
			t.Errorf("policy %q: engines %q, %v", policy, pins, err)
		}
	}
}

// TestEngineOfABatchIsKept: a batch that names no engine goes on with the one it was begun with.
func TestEngineOfABatchIsKept(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	o := c.options()
	o.Job.Engine.Name = ""
	b, err := newBatch(o, Events{})
	c.must(err)
	b.engine = "cuda"
	c.must(os.MkdirAll(b.store.dir(), 0o777))
	c.must(b.pin())
	if _, err := Run(t.Context(), o, Events{}); err == nil || !strings.Contains(err.Error(), "this batch was begun on cuda") || !strings.Contains(err.Error(), "--engine auto") {
		t.Errorf("error %v", err)
	}
	o.Job.Engine.Name = "auto"
	if _, err := Run(t.Context(), o, Events{}); err != nil {
		t.Errorf("with auto: %v", err)
	}
}

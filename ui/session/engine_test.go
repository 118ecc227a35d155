package session_test

import (
	"context"
	"fmt"
	"testing"

	"quell/app/engines"
	"quell/denoise"
	"quell/ui/session/preview"
	"quell/volume"
)

// lostEngine stands for a GPU with a worker that does not start again.
type lostEngine struct{ fakeEngine }

func (e *lostEngine) Run(context.Context, denoise.Recipe, denoise.Input, volume.Region, denoise.Progress) (*volume.Volume, error) {
	return nil, fmt.Errorf("the GPU worker ended: %w", engines.ErrFailed)
}

func TestAFailedEngineIsReportedAndAnotherContinues(t *testing.T) {
	b := newBench(t)
	b.loop.until("the slice is previewed", func() bool { return b.status() == preview.Slice })
	before := b.Series()

	b.SetEngine(&lostEngine{})
	b.Results.Apply()
	b.loop.until("the failure is reported", func() bool { return len(b.errors) == 1 })
	if b.Series() != before || b.Results.Applied() {
		t.Fatal("a failed engine must leave the series as it is, unfiltered")
	}
	b.settle()
	if b.Results.Applied() {
		t.Fatal("another engine continued without a request")
	}

	b.ContinueWith(b.engine)
	b.loop.until("the volume is filtered by the other engine", b.Results.Applied)
	b.settle()
	if len(b.errors) != 1 {
		t.Errorf("errors reported: %v", b.errors)
	}
}

func TestAPreviewThatTheEngineFailedAtIsReportedOnce(t *testing.T) {
	b := newBench(t)
	b.loop.until("the slice is previewed", func() bool { return b.status() == preview.Slice })
	b.SetEngine(&lostEngine{})
	b.Tuning.Set(b.Tuning.Recipe().With("h", denoise.Number(9)), true)
	b.loop.until("the failure is reported", func() bool { return len(b.errors) > 0 })
	b.settle()
	if len(b.errors) != 1 {
		t.Fatalf("reported %d times", len(b.errors))
	}
	b.ContinueWith(b.engine)
	b.loop.until("the other engine previews", func() bool {
		_, problem := b.Preview.Text()
		return !problem && !b.Preview.Running()
	})
}

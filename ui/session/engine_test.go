package session_test

import (
	"context"
	"fmt"
	"testing"

	"quell/app"
	"quell/denoise"
	"quell/ui/session"
	"quell/volume"
)

// lostEngine stands for a GPU whose worker is gone for good.
type lostEngine struct{ fakeEngine }

func (e *lostEngine) Run(context.Context, denoise.Recipe, *volume.Volume, volume.Region, denoise.Progress) (*volume.Volume, error) {
	return nil, fmt.Errorf("the GPU worker died: %w", app.ErrEngineFailed)
}

func TestALostEngineIsToldAndAnotherGoesOn(t *testing.T) {
	b := newBench(t)
	b.loop.until("the slice is previewed", func() bool { return b.status() == session.Slice })
	before := b.Series()

	b.SetEngine(&lostEngine{})
	b.Apply()
	b.loop.until("the loss is told", func() bool { return len(b.errors) == 1 })
	if b.Series() != before || b.Applied() {
		t.Fatal("a lost engine must leave the series as it is, unfiltered")
	}
	b.loop.settle()
	if b.Applied() {
		t.Fatal("another engine took over without being asked")
	}

	b.GoOnWith(b.engine)
	b.loop.until("the volume is filtered by the other engine", b.Applied)
	b.loop.settle()
	if len(b.errors) != 1 {
		t.Errorf("errors told: %v", b.errors)
	}
}

func TestALostPreviewIsToldOnce(t *testing.T) {
	b := newBench(t)
	b.loop.until("the slice is previewed", func() bool { return b.status() == session.Slice })
	b.SetEngine(&lostEngine{})
	b.SetRecipe(b.Recipe().With("h", denoise.Number(9)), true)
	b.loop.until("the loss is told", func() bool { return len(b.errors) > 0 })
	b.loop.settle()
	if len(b.errors) != 1 {
		t.Fatalf("told %d times", len(b.errors))
	}
	b.GoOnWith(b.engine)
	b.loop.until("the other engine previews", func() bool {
		_, problem := b.PreviewText()
		return !problem && !b.Previewing()
	})
}

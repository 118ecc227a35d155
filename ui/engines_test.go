package ui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"quell/app/engines"
	"quell/denoise"
	"quell/ui/control"
	"quell/ui/session/desk"
	"quell/volume"
)

// lostGPU stands for a GPU with a worker that does not start again.
type lostGPU struct{ denoise.Engine }

func (lostGPU) Info() denoise.Info { return denoise.Info{Name: "cuda"} }

func (lostGPU) Run(context.Context, denoise.Recipe, denoise.Input, volume.Region, denoise.Progress) (*volume.Volume, error) {
	return nil, fmt.Errorf("the GPU worker ended: %w", engines.ErrFailed)
}

// A preview and a run that the GPU fails at are one question. After the CPU took
// over, no error is left.
func TestTheCPUIsOfferedOnce(t *testing.T) {
	b := newBench(t, large)
	cpu, err := engines.Pick("cpu")
	if err != nil {
		t.Fatal(err)
	}
	open := func() int { return len(b.canvas().Overlays().List()) }
	b.session().SetEngine(lostGPU{cpu})
	b.session().Tuning.Set(b.session().Tuning.Recipe().With("h", denoise.Number(9)), true)
	b.until("the preview fails", func() bool { return open() == 1 })
	b.session().Results.Apply()
	b.until("the run fails", func() bool { return b.session().Tasks.Progress().Kind == desk.Idle })
	b.drain()
	if n := open(); n != 1 {
		t.Fatalf("%d dialogs are open; want the last offer alone", n)
	}
	if text := b.session().Results.Expected(cpu); !strings.HasPrefix(text, "On the CPU the volume is expected to take ") || strings.Contains(text, "times as long") {
		t.Errorf("the dialog says %q; both engines are expected to take as long", text)
	}
	for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
		if button, ok := o.(*control.Button); ok && button.Text == "Continue with the CPU" {
			test.Tap(button)
		}
	}
	b.until("the volume is filtered", b.session().Results.Applied)
	if text, problem := b.session().Preview.Text(); problem || open() != 0 {
		t.Errorf("%d dialogs are open and the panel says %q", open(), text)
	}
}

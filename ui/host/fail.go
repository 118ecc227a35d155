package host

import (
	"context"
	"errors"
	"fmt"

	"fyne.io/fyne/v2/lang"

	"quell/app/engines"
	"quell/internal/parallel"
	"quell/ui/dialogs"
	"quell/ui/language"
)

// Fail shows an error. A cancelled task is none.
func (h *Host) Fail(err error) {
	var panicked *parallel.Panic
	switch {
	case errors.Is(err, context.Canceled):
	case errors.As(err, &panicked):
		text := lang.L("a fault in Quell stopped this task; the series and all other work are unchanged")
		if path := h.crashLog.Load(); path != nil {
			text += lang.L(". A report without names or paths of your data is in ") + *path
		}
		h.ShowDialog(dialogs.Error(fmt.Errorf("%s (%s)", text, language.Error(err)), h.Window))
	case errors.Is(err, engines.ErrFailed) && h.Session.Engine().Name != "cpu":
		h.offerCPU(err)
	default:
		h.ShowDialog(dialogs.Error(err, h.Window))
	}
}

// offerCPU shows why the GPU failed and offers to continue with the CPU, with the time that is
// expected to take; the GPU stays the engine of the next start. A preview and a run that fail
// together are one question.
func (h *Host) offerCPU(err error) {
	if h.offer != nil {
		h.offer.Hide()
	}
	cpu, pickErr := engines.Pick("cpu")
	if pickErr != nil {
		h.Fail(err)
		return
	}
	h.offer = dialogs.Offer(err, h.Session.Results.Expected(cpu), lang.L("Continue with the CPU"), func() { h.Session.ContinueWith(cpu) }, h.Window)
	h.ShowDialog(h.offer)
}

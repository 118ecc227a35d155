// Package autosave keeps the work of the workbench for the next start after a crash.
package autosave

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app/run"
	"quell/app/workbench"
	"quell/series"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/newest"
	"quell/ui/panel"
)

// Saver keeps the work of this process for the next start, if the user does not quit
// it. The work names paths, so nothing is kept if the settings keep none.
type Saver struct {
	panel.Base
	h      *host.Host
	kept   atomic.Pointer[workbench.Autosave] // nil: nothing is kept
	last   []byte                             // that was saved, or is being saved
	worker newest.Worker[workbench.Workspace, error]

	offered     *workbench.Autosave // of an ended process; nil for none
	stopWaiting func()              // for processes that are ending; nil for none
}

// New returns a saver for a workbench, which is not asked for anything before the host has a session.
func New(h *host.Host) *Saver {
	a := &Saver{h: h}
	a.worker = newest.Worker[workbench.Workspace, error]{
		Go: h.Go, Do: h.Do, Done: func(error) {}, // the workbench is usable without
		Work: func(work workbench.Workspace) error {
			if kept := a.kept.Load(); kept != nil {
				return kept.Save(work)
			}
			return nil
		},
	}
	if h.AutosaveDir != "" && h.Settings.KeepRecent {
		if kept, err := workbench.NewAutosave(h.AutosaveDir); err == nil {
			a.kept.Store(kept)
		}
	}
	return a
}

// SaveRun keeps a run for the next start. It may be called from any goroutine.
func (a *Saver) SaveRun(ctx context.Context, run *run.Run) (workbench.SavedRun, bool, error) {
	if kept := a.kept.Load(); kept != nil {
		return kept.SaveRun(ctx, run)
	}
	return workbench.SavedRun{}, false, nil
}

// LoadRun returns a run that SaveRun kept, in this process or in the one whose work was
// opened again. It may be called from any goroutine.
func (a *Saver) LoadRun(ctx context.Context, saved workbench.SavedRun, of *series.Series) (*run.Run, error) {
	if kept := a.kept.Load(); kept != nil {
		return kept.LoadRun(ctx, saved, of)
	}
	return nil, errors.New("no results are kept")
}

// Show implements panel.Panel: it saves the work in the background if it has changed.
func (a *Saver) Show(now panel.Snapshot) {
	if a.kept.Load() == nil {
		return
	}
	if !now.Settings.KeepRecent {
		a.end(nil)
		return
	}
	work, open := a.h.Workspace()
	if !open && a.last == nil {
		return
	}
	if data, err := json.Marshal(work); err == nil && !bytes.Equal(data, a.last) {
		a.last = data
		a.worker.Request(work)
	}
}

// Close ends all work of the session. Unless forget is true, the next start offers it.
func (a *Saver) Close(forget bool) {
	var last *workbench.Workspace
	if work, open := a.h.Workspace(); open && !forget {
		last = &work
	}
	a.h.Session.Close()
	a.end(last)
}

// end stops saving the work. It saves last as the work of an orderly end, which the
// next start offers; nil removes what was saved.
func (a *Saver) end(last *workbench.Workspace) {
	if a.stopWaiting != nil {
		a.stopWaiting()
	}
	if a.offered != nil && a.offered != a.kept.Load() {
		a.offered.Release()
	}
	kept := a.kept.Swap(nil)
	switch {
	case kept == nil:
	case last == nil:
		_ = kept.Remove() // what stays is removed by a later start
	default:
		last.Orderly = true
		_ = kept.Save(*last) // else what was saved before is offered
		kept.Release()
	}
}

// ending is how long a process that was killed may take to end.
const ending = 20 * time.Second

// Start implements panel.Starter: it asks whether to open the work of a process that its user did not quit. One that is
// still ending is waited for in the background.
func (a *Saver) Start() {
	dir := a.h.AutosaveDir
	if dir == "" {
		return
	}
	running := workbench.Running(dir)
	if kept, work := workbench.Abandoned(dir, a.h.Now()); kept != nil {
		a.offerWork(kept, work)
		return
	}
	if len(running) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), ending)
	a.stopWaiting = stop
	a.h.Go(func() {
		if kept, work := workbench.Await(ctx, running, a.h.Now); kept != nil {
			a.h.Do(func() {
				if errors.Is(ctx.Err(), context.Canceled) { // the window was closed meanwhile
					kept.Release()
					return
				}
				a.offerWork(kept, work)
			})
		}
	})
}

// offerWork asks whether to open work of an ended process.
func (a *Saver) offerWork(kept *workbench.Autosave, work workbench.Workspace) {
	if !a.h.Settings.KeepRecent {
		_ = kept.Remove()
		return
	}
	a.offered = kept // unless it is opened or discarded, the next start asks again
	restore := func() { a.restore(kept, work) }
	discard := func() { _ = kept.Remove() }
	// Exported files may lie on a server that does not answer soon, or at all.
	count := newest.Worker[workbench.Workspace, int]{Go: a.h.Go, Do: a.h.Do, Work: workbench.Workspace.Unexported, Done: func(lost int) {
		a.h.ShowDialog(dialogs.Restore(a.restoreText(work, lost), restore, discard, a.h.Window))
	}}
	count.Request(work)
	const soon = 3 * time.Second
	count.Await(time.After(soon))
}

// restore opens the work of an ended process, and keeps it from then on as its own.
// Before the question is answered there is no work of this process.
func (a *Saver) restore(kept *workbench.Autosave, work workbench.Workspace) {
	a.h.ConfirmTask(func() {
		if own := a.kept.Swap(kept); own != nil {
			_ = own.Remove()
		}
		a.h.RestoreDisplay(work)
		a.h.Session.Reader.Restore(work)
		a.h.Session.Exports.Check(func() {}) // what was exported may have been replaced since
	})
}

// savedName is the name by which a person knows a kept series.
func savedName(w workbench.SavedSeries) string {
	if w.Path == "" {
		return lang.L("the bundled series")
	}
	return cmp.Or(w.Name, filepath.Base(w.Path))
}

// restoreText says what was open, with how many results that are nowhere else.
func (a *Saver) restoreText(work workbench.Workspace, results int) string {
	open := work.Open[min(max(work.Shown, 0), len(work.Open)-1)]
	how := lang.L("Quell was not closed properly. It had %s open (%d slices)")
	if work.Orderly {
		how = lang.L("Quell was closed by the system. It had %s open (%d slices)")
	}
	text := fmt.Sprintf(how, savedName(open), open.Dims[2])
	switch more := len(work.Open) - 1; {
	case more == 1:
		text += lang.L(" and another series")
	case more > 1:
		text += fmt.Sprintf(lang.L(" and %d other series"), more)
	}
	switch {
	case results == 1:
		text += lang.L(", with a result that was not exported")
	case results > 1:
		text += fmt.Sprintf(lang.L(", with %d results that were not exported"), results)
	}
	text += "."
	for _, one := range work.Open {
		if one.Running != nil {
			text += fmt.Sprintf(lang.L(" A run on %s was not finished: %s."), savedName(one), one.Running)
		}
	}
	return text + a.h.Offered(work)
}

package ui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/series"
	"quell/ui/dialogs"
	"quell/ui/newest"
	"quell/ui/viewer"
)

// autosaver keeps the work of this process for the next start, if the user does not quit
// it. The work names paths, so nothing is kept where the settings keep none.
type autosaver struct {
	kept   atomic.Pointer[app.Autosave] // nil: nothing is kept
	last   []byte                       // that was saved, or is being saved
	worker newest.Worker[app.Workspace, error]

	offered     *app.Autosave // of an ended process; nil for none
	stopWaiting func()        // for processes that are ending; nil for none
}

// startAutosave begins to keep the work.
func (w *Workbench) startAutosave() {
	w.auto.worker = newest.Worker[app.Workspace, error]{
		Go: w.options.Go, Do: w.options.Do, Done: func(error) {}, // the workbench is usable without
		Work: func(work app.Workspace) error {
			if kept := w.auto.kept.Load(); kept != nil {
				return kept.Save(work)
			}
			return nil
		},
	}
	if w.options.AutosaveDir == "" || !w.settings.KeepRecent {
		return
	}
	if kept, err := app.NewAutosave(w.options.AutosaveDir); err == nil {
		w.auto.kept.Store(kept)
	}
}

// saveRun keeps a run for the next start. It may be called from any goroutine.
func (w *Workbench) saveRun(ctx context.Context, run *app.Run) (app.SavedRun, bool, error) {
	if kept := w.auto.kept.Load(); kept != nil {
		return kept.SaveRun(ctx, run)
	}
	return app.SavedRun{}, false, nil
}

// loadRun returns a run that saveRun kept, in this process or in the one whose work was
// opened again. It may be called from any goroutine.
func (w *Workbench) loadRun(ctx context.Context, saved app.SavedRun, of *series.Series) (*app.Run, error) {
	if kept := w.auto.kept.Load(); kept != nil {
		return kept.LoadRun(ctx, saved, of)
	}
	return nil, errors.New("no results are kept")
}

// autosave saves the work in the background where it has changed.
func (w *Workbench) autosave() {
	if w.auto.kept.Load() == nil {
		return
	}
	work, open := w.workspace()
	if !open && w.auto.last == nil {
		return
	}
	if data, err := json.Marshal(work); err == nil && !bytes.Equal(data, w.auto.last) {
		w.auto.last = data
		w.auto.worker.Request(work)
	}
}

// workspace returns the work to keep, false where nothing is open that is worth it.
func (w *Workbench) workspace() (work app.Workspace, open bool) {
	work, open = w.session.Documents.Workspace()
	work.Display, _ = json.Marshal(w.displayed())
	return work, open
}

// endAutosave stops saving the work. It saves last as the work of an orderly end, which the
// next start offers; nil removes what was saved.
func (w *Workbench) endAutosave(last *app.Workspace) {
	if w.auto.stopWaiting != nil {
		w.auto.stopWaiting()
	}
	if w.auto.offered != nil && w.auto.offered != w.auto.kept.Load() {
		w.auto.offered.Release()
	}
	kept := w.auto.kept.Swap(nil)
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

// OfferRestore asks whether to open the work of a process that its user did not quit. One that is
// still ending is waited for in the background.
func (w *Workbench) OfferRestore() {
	dir := w.options.AutosaveDir
	if dir == "" {
		return
	}
	running := app.RunningWork(dir)
	if kept, work := app.AbandonedWork(dir, w.options.Now()); kept != nil {
		w.offerWork(kept, work)
		return
	}
	if len(running) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), ending)
	w.auto.stopWaiting = stop
	w.options.Go(func() {
		if kept, work := app.AwaitWork(ctx, running, w.options.Now); kept != nil {
			w.options.Do(func() {
				if errors.Is(ctx.Err(), context.Canceled) { // the window was closed meanwhile
					kept.Release()
					return
				}
				w.offerWork(kept, work)
			})
		}
	})
}

// offerWork asks whether to open work of an ended process.
func (w *Workbench) offerWork(kept *app.Autosave, work app.Workspace) {
	if !w.settings.KeepRecent {
		_ = kept.Remove()
		return
	}
	w.auto.offered = kept // unless it is opened or discarded, the next start asks again
	restore := func() { w.restore(kept, work) }
	discard := func() { _ = kept.Remove() }
	// Exported files may lie on a server that does not answer soon, or at all.
	count := newest.Worker[app.Workspace, int]{Go: w.options.Go, Do: w.options.Do, Work: app.Workspace.Unexported, Done: func(lost int) {
		w.show(dialogs.Restore(restoreText(work, lost), restore, discard, w.main))
	}}
	count.Request(work)
	const soon = 3 * time.Second
	count.Await(time.After(soon))
}

// restore opens the work of an ended process, and keeps it from then on as its own.
// Before the question is answered there is no work of this process.
func (w *Workbench) restore(kept *app.Autosave, work app.Workspace) {
	w.confirmTask(func() {
		if own := w.auto.kept.Swap(kept); own != nil {
			_ = own.Remove()
		}
		how, known := displayedIn(work)
		if known {
			w.displayAs(how)
		}
		w.session.Reader.Restore(work)
		if how.Blind != nil && how.Blind.Test != nil && w.reader.ended == nil {
			w.reader.ended = how.Blind
			w.reader.showResult()
		}
	})
}

// displayed is how the workbench shows every series.
type displayed struct {
	Layout    string  `json:"layout"`
	Column    string  `json:"column,omitempty"` // as in the settings
	Mode      string  `json:"mode"`             // of the comparison
	Share     float64 `json:"share"`
	Crosshair bool    `json:"crosshair,omitempty"`
	// Blind is a blind comparison whose answers were not saved. It is not continued, but its
	// answers can be saved.
	Blind *comparison `json:"blind,omitempty"`
}

// displayedIn returns how saved work was shown; false where it does not say.
func displayedIn(work app.Workspace) (how displayed, known bool) {
	err := json.Unmarshal(work.Display, &how)
	return how, err == nil
}

func (w *Workbench) displayed() displayed {
	state := w.session.State()
	compared := state.Comparison()
	_, crosshair := state.Crosshair()
	return displayed{Layout: w.layoutName(), Column: w.settings.Column, Mode: compared.Mode.String(), Share: compared.Share, Crosshair: crosshair, Blind: w.reader.unsaved()}
}

// displayAs shows every series as was saved; what is not known stays as it is.
func (w *Workbench) displayAs(how displayed) {
	w.settings.Column = how.Column
	if slices.Contains(layoutNames, how.Layout) {
		w.setLayout(how.Layout)
	}
	state := w.session.State()
	for m := range viewer.Modes {
		if m.String() == how.Mode && m != state.Comparison().Mode {
			w.compare(m)
		}
	}
	state.SetShare(how.Share)
	state.MarkCrosshair(how.Crosshair)
}

// savedName is what a person knows a kept series by.
func savedName(w app.Work) string {
	if w.Path == "" {
		return lang.L("the bundled series")
	}
	return cmp.Or(w.Name, filepath.Base(w.Path))
}

// restoreText says what was open, with how many results that are nowhere else.
func restoreText(work app.Workspace, results int) string {
	open := work.Open[min(max(work.Shown, 0), len(work.Open)-1)]
	how := lang.L("Quell was not closed properly. It had %s open (%d slices)")
	if work.Orderly {
		how = lang.L("Quell was ended by the system, as at a log-out. It had %s open (%d slices)")
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
	if shown, known := displayedIn(work); known && shown.Blind != nil {
		text += lang.L(" The answers of a blind comparison can be saved.")
	}
	return text
}

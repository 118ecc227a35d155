package session

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"quell/app"
	"quell/series"
	"quell/ui/viewer"
)

// Work describes what is open, for the next start after a crash; false where nothing
// is.
func (s *Session) Work() (w app.Work, ok bool) {
	if s.doc == nil {
		return w, false
	}
	shown := s.doc.Series()
	w = app.Work{Name: shown.Description, Dims: shown.Volume.Dims, Recipe: s.recipe, Reference: s.reference}
	if s.catalog != nil {
		w.Path, w.Entry = s.catalog.Path, s.entry
		if abs, err := filepath.Abs(w.Path); err == nil {
			w.Path = abs
		}
	}
	if n, noisy := s.doc.Noise(); noisy {
		w.Noise, w.Reference = &n, ""
	}
	w.View, _ = json.Marshal(s.state.Look())
	for _, r := range s.results {
		if r.saved != nil {
			saved := *r.saved
			saved.Exported = r.exported
			w.Runs = append(w.Runs, saved)
		}
	}
	return w, true
}

// saveResult keeps a result for the next start, in the background. It is no task: the
// user need not know, and an error means that the result is not kept.
func (s *Session) saveResult(r *result) {
	if s.deps.SaveRun == nil {
		return
	}
	ctx := s.voxels
	var saved app.SavedRun
	var ok bool
	s.background(func() (err error) {
		saved, ok, err = s.deps.SaveRun(ctx, r.run)
		return err
	}, func(err error) {
		if err == nil && ok {
			r.saved = &saved
			s.listener.Changed()
		}
	})
}

// restored is what is read again of a Work.
type restored struct {
	catalog   *app.Catalog
	series    *series.Series
	noisy     *series.Series // nil where no noise was added
	reference *series.Series // nil for none
	results   []*result
}

// Restore opens the work of a process that has ended: the series, noise that was
// added, the reference, recipe and view, and the finished runs that load returns.
// bundled loads the series that has no path. done is called when the work is shown.
func (s *Session) Restore(w app.Work, bundled func(ctx context.Context) (*series.Series, error),
	load func(ctx context.Context, saved app.SavedRun, of *series.Series) (*app.Run, error), done func()) {
	t := s.start(Loading, "Reading", "files")
	var found restored
	s.background(func() error {
		return s.readAgain(t, w, bundled, load, &found)
	}, func(err error) {
		if !s.finish(t, err) {
			closeCatalog(found.catalog)
			return
		}
		s.show(found.series, found.catalog, w.Entry)
		if found.noisy != nil {
			s.doc.SetNoisy(found.noisy, *w.Noise)
			s.changedVoxels("")
		}
		if found.reference != nil && s.doc.SetReference(found.reference) == nil {
			s.reference = w.Reference
		}
		s.keepResults(found.results)
		var look viewer.Look
		if json.Unmarshal(w.View, &look) == nil {
			s.state.SetLook(look)
		}
		s.TakeRecipe(w.Recipe)
		s.message = "The work of the last session is open again."
		if lost := len(w.Runs) - len(found.results); lost > 0 {
			s.message += fmt.Sprintf(" %d of its results could not be read.", lost)
		}
		s.listener.Opened(w.Path)
		s.listener.Changed()
		done()
	})
}

// readAgain reads what w describes, on another goroutine. A result or a reference that
// cannot be read is left out.
func (s *Session) readAgain(t *task, w app.Work, bundled func(ctx context.Context) (*series.Series, error),
	load func(ctx context.Context, saved app.SavedRun, of *series.Series) (*app.Run, error), found *restored) (err error) {
	if w.Path == "" {
		found.series, err = bundled(t.ctx)
	} else if found.catalog, err = s.deps.Scan(t.ctx, w.Path); err == nil {
		report := s.reporter(t)
		found.series, err = found.catalog.Load(t.ctx, w.Entry, func(done, total int) { report(int64(done), int64(total)) })
	}
	if err != nil {
		return err
	}
	if found.series.Volume.Dims != w.Dims {
		return fmt.Errorf("%s holds another series than before: %s voxels, not %s", w.Path, app.DimsText(found.series.Volume.Dims), app.DimsText(w.Dims))
	}
	filtered := found.series
	if w.Noise != nil {
		if found.noisy, err = app.AddNoise(t.ctx, found.series, *w.Noise); err != nil {
			return err
		}
		filtered = found.noisy
	}
	if w.Reference != "" {
		if in, err := app.Open(t.ctx, app.Input{Path: w.Reference}, app.Events{}); err == nil {
			closeCatalog(in.Catalog)
			found.reference = in.Series
		}
	}
	for _, saved := range w.Runs {
		if run, err := load(t.ctx, saved, filtered); err == nil {
			found.results = append(found.results, &result{run: run, exported: saved.Exported, saved: &saved})
		}
	}
	return t.ctx.Err()
}

package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/series"
	"quell/ui/viewer"
	"quell/volume"
)

// Workspace describes what is open, for the next start after a crash; false where that is
// nothing, or the series of the start alone, on which nothing was done: it is not to be
// offered in the place of older work.
func (s *Session) Workspace() (w app.Workspace, ok bool) {
	if !slices.ContainsFunc(s.documents, func(d *document) bool { return !d.spare() || s.running(d) }) {
		return w, false
	}
	for i, d := range s.documents {
		switch {
		case d.away != nil:
			away := *d.away
			away.Runs = slices.Clone(away.Runs) // it is saved in the background
			w.Open = append(w.Open, away)
		case d == s.document:
			w.Shown = i
			w.Open = append(w.Open, d.work(s.state))
		default:
			w.Open = append(w.Open, d.work(d.view))
		}
		if s.running(d) {
			recipe := s.task.recipe
			w.Open[i].Running = &recipe
		}
	}
	return w, true
}

// saveResult keeps a result for the next start, in the background. It is no task: the
// user need not know, and an error means that the result is not kept.
func (s *Session) saveResult(d *document, r *result) {
	if s.deps.SaveRun == nil {
		return
	}
	ctx := d.voxels
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
	files     string // fingerprint
	series    *series.Series
	noisy     *series.Series // nil where no noise was added
	reference *series.Series // nil for none
	results   []*result
}

// Restore lists the series of a process that has ended as documents that were put away,
// and opens the one that was shown.
func (s *Session) Restore(w app.Workspace) {
	var shown *document
	for i, work := range w.Open {
		if open := s.readFrom(work.Files); open >= 0 && s.documents[open].untouched() {
			s.CloseDocument(open) // as it was opened again since
		}
		work.Running = nil // the question told of it
		d := newDocument()
		d.path, d.entry, d.files, d.reference, d.recipe = work.Path, work.Entry, work.Files, work.Reference, work.Recipe
		d.name, d.dims, d.away = work.Name, work.Dims, &work
		if picture, err := png.Decode(bytes.NewReader(work.Picture)); err == nil {
			d.small, d.png = picture, work.Picture
		}
		s.documents = append(s.documents, d)
		if shown == nil || i == w.Shown {
			shown = d
		}
	}
	if shown != nil {
		s.wake(shown, lang.L("The work of the last session is open again."))
	}
}

// wake reads a document again that was put away: series, noise that was added, reference,
// recipe and view, and the finished runs; and shows it.
func (s *Session) wake(d *document, message string) {
	w := *d.away
	if err := s.room(4 * int64(w.Dims[0]) * int64(w.Dims[1]) * int64(w.Dims[2]) * int64(1+len(w.Runs))); err != nil {
		s.listener.Failed(err)
		return
	}
	t := s.start(Loading, lang.L("Reading"), lang.L("files"))
	t.document = d // the reading ends where it is closed
	var found restored
	s.background(func() error {
		return s.readAgain(t, w, &found)
	}, func(err error) {
		if !s.finish(t, err) {
			closeCatalog(found.catalog)
			return
		}
		undo := d.undo
		d.away, d.undo = nil, app.History{}
		s.begin(d, found.series, found.catalog, w.Entry)
		if _, ok := undo.Present(); ok {
			*d.doc.Edits() = undo
		}
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
			s.doc.Edits().Amend(s.withView(s.edit()))
		}
		s.doc.Edits().Rebind(d.standIn, s.doc.Series().Volume)
		s.TakeRecipe(w.Recipe)
		if _, ok := undo.Present(); !ok {
			s.restoreEdit(w)
		}
		s.CompareWith(slices.IndexFunc(s.results, func(r *result) bool { return w.Base != "" && r.saved.File == w.Base }))
		if d.files = found.files; w.Files != "" && d.files != w.Files {
			message = strings.TrimSpace(message + lang.L(" Its files have changed since."))
		}
		s.message = message
		if lost := len(w.Runs) - len(found.results); lost > 0 {
			s.message = strings.TrimSpace(fmt.Sprintf(lang.L("%s %d of its results could not be read."), message, lost))
		}
		s.makeRoom(0)
		s.listener.Opened(w.Path)
		s.listener.Changed()
	})
}

// restoreEdit draws the marks of a work, and takes its noise where one was given.
func (s *Session) restoreEdit(w app.Work) {
	v := s.doc.Series().Volume
	e := s.edit()
	e.Marks = slices.DeleteFunc(slices.Clone(w.Marks), func(m app.Mark) bool { return !m.On(v.Geometry) })
	e.Noise = w.Given.For(v)
	if e.Ground = w.Ground; len(e.Marks) > 0 || e.Noise != nil {
		s.doc.Edits().Push(e)
		s.viewChanged()
	}
}

// readAgain reads what w describes, on another goroutine. A result or a reference that
// cannot be read is left out.
func (s *Session) readAgain(t *task, w app.Work, found *restored) (err error) {
	if w.Path == "" {
		found.series, err = s.deps.Bundled(t.ctx)
	} else if found.catalog, err = s.deps.Scan(t.ctx, w.Path); err == nil {
		if w.Entry < 0 || w.Entry >= len(found.catalog.Entries) {
			return fmt.Errorf(lang.L("%s holds another series than before"), w.Path)
		}
		if rest, entry := found.catalog.Rest(w.Entry); rest != nil { // as the user chose when it was opened
			found.catalog, w.Entry = rest, entry
		}
		found.files = found.catalog.Fingerprint(t.ctx, w.Entry)
		found.series, err = s.read(t, found.catalog, w.Entry)
	}
	if err != nil {
		return err
	}
	if found.series.Volume.Dims != w.Dims {
		return fmt.Errorf(lang.L("%s holds another series than before: %s voxels, not %s"), w.Path, app.DimsText(found.series.Volume.Dims), app.DimsText(w.Dims))
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
		if run, err := s.deps.LoadRun(t.ctx, saved, filtered); err == nil {
			found.results = append(found.results, &result{run: run, given: saved.Given.For(filtered.Volume), exports: saved.Exports, saved: &saved})
		}
	}
	if given := func(r *result) bool { return r.given != nil }; w.Given != nil || slices.ContainsFunc(found.results, given) {
		err = found.factsOfRuns(t.ctx, filtered.Volume)
	}
	return errors.Join(err, t.ctx.Err())
}

// factsOfRuns finds by what facts each run was made, where some followed given noise and
// others the estimate.
func (r *restored) factsOfRuns(ctx context.Context, v *volume.Volume) error {
	facts, err := denoise.FactsOf(ctx, v)
	for _, one := range r.results {
		own := facts
		if one.given != nil {
			own = facts.WithNoise(one.given.Sigma, one.given.Voxels)
		}
		one.run.Facts = &own
	}
	return err
}

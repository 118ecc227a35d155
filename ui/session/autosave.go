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
func (ds *Documents) Workspace() (w app.Workspace, ok bool) {
	if !slices.ContainsFunc(ds.open, func(d *document) bool { return !d.spare() || ds.running(d) }) {
		return w, false
	}
	for i, d := range ds.open {
		switch {
		case d.away != nil:
			away := *d.away
			away.Runs = slices.Clone(away.Runs) // it is saved in the background
			w.Open = append(w.Open, away)
		case d == ds.s.document:
			w.Shown = i
			w.Open = append(w.Open, d.work(ds.s.state))
		default:
			w.Open = append(w.Open, d.work(d.view))
		}
		if ds.running(d) {
			recipe := ds.s.Tasks.now.recipe
			w.Open[i].Running = &recipe
		}
	}
	return w, true
}

// save keeps a result for the next start, in the background. It is no task: the
// user need not know, and an error means that the result is not kept.
func (rs *Results) save(d *document, r *result) {
	if rs.s.deps.SaveRun == nil {
		return
	}
	ctx := d.voxels
	var saved app.SavedRun
	var ok bool
	rs.s.background(func() (err error) {
		saved, ok, err = rs.s.deps.SaveRun(ctx, r.run)
		return err
	}, func(err error) {
		if err == nil && ok {
			r.saved = &saved
			rs.s.listener.Changed()
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
func (rd *Reader) Restore(w app.Workspace) {
	var shown *document
	for i, work := range w.Open {
		if open := rd.readFrom(work.Files); open >= 0 && rd.s.Documents.open[open].untouched() {
			rd.s.Documents.Close(open) // as it was opened again since
		}
		work.Running = nil // the question told of it
		d := newDocument()
		d.path, d.entry, d.files, d.reference, d.recipe = work.Path, work.Entry, work.Files, work.Reference, work.Recipe
		d.name, d.dims, d.away = work.Name, work.Dims, &work
		if picture, err := png.Decode(bytes.NewReader(work.Picture)); err == nil {
			d.small, d.png = picture, work.Picture
		}
		rd.s.Documents.open = append(rd.s.Documents.open, d)
		if shown == nil || i == w.Shown {
			shown = d
		}
	}
	if shown != nil {
		rd.wake(shown, lang.L("The work of the last session is open again."))
	}
}

// wake reads a document again that was put away: series, noise that was added, reference,
// recipe and view, and the finished runs; and shows it.
func (rd *Reader) wake(d *document, message string) {
	w := *d.away
	if err := rd.s.Documents.room(4 * int64(w.Dims[0]) * int64(w.Dims[1]) * int64(w.Dims[2]) * int64(1+len(w.Runs))); err != nil {
		rd.s.listener.Failed(err)
		return
	}
	t := rd.s.Tasks.start(Loading, lang.L("Reading"), lang.L("files"))
	t.document = d // the reading ends where it is closed
	var found restored
	rd.s.background(func() error {
		return rd.readAgain(t, w, &found)
	}, func(err error) {
		if !rd.s.Tasks.finish(t, err) {
			closeCatalog(found.catalog)
			return
		}
		undo := d.undo
		d.away, d.undo = nil, app.History{}
		rd.begin(d, found.series, found.catalog, w.Entry)
		if _, ok := undo.Present(); ok {
			*d.doc.Edits() = undo
		}
		if found.noisy != nil {
			rd.s.doc.SetNoisy(found.noisy, *w.Noise)
			rd.changedVoxels("")
		}
		if found.reference != nil && rd.s.doc.SetReference(found.reference) == nil {
			rd.s.reference = w.Reference
		}
		rd.s.keepResults(found.results)
		var look viewer.Look
		if json.Unmarshal(w.View, &look) == nil {
			rd.s.state.SetLook(look)
			rd.s.doc.Edits().Amend(rd.s.History.withView(rd.s.edit()))
		}
		rd.s.doc.Edits().Rebind(d.standIn, rd.s.doc.Series().Volume)
		rd.s.Tuning.Take(w.Recipe)
		if _, ok := undo.Present(); !ok {
			rd.restoreEdit(w)
		}
		rd.s.Results.CompareWith(slices.IndexFunc(rd.s.results, func(r *result) bool { return w.Base != "" && r.saved.File == w.Base }))
		if d.files = found.files; w.Files != "" && d.files != w.Files {
			message = strings.TrimSpace(message + lang.L(" Its files have changed since."))
		}
		rd.s.Tasks.message = message
		if lost := len(w.Runs) - len(found.results); lost > 0 {
			rd.s.Tasks.message = strings.TrimSpace(fmt.Sprintf(lang.L("%s %d of its results could not be read."), message, lost))
		}
		rd.s.Documents.makeRoom(0)
		rd.s.listener.Opened(w.Path)
		rd.s.listener.Changed()
	})
}

// restoreEdit draws the marks of a work, and takes its noise where one was given.
func (rd *Reader) restoreEdit(w app.Work) {
	v := rd.s.doc.Series().Volume
	e := rd.s.edit()
	e.Marks = slices.DeleteFunc(slices.Clone(w.Marks), func(m app.Mark) bool { return !m.On(v.Geometry) })
	e.Noise = w.Given.For(v)
	if e.Ground = w.Ground; len(e.Marks) > 0 || e.Noise != nil {
		rd.s.doc.Edits().Push(e)
		rd.s.viewChanged()
	}
}

// readAgain reads what w describes, on another goroutine. A result or a reference that
// cannot be read is left out.
func (rd *Reader) readAgain(t *task, w app.Work, found *restored) (err error) {
	if w.Path == "" {
		found.series, err = rd.s.deps.Bundled(t.ctx)
	} else if found.catalog, err = rd.s.deps.Scan(t.ctx, w.Path); err == nil {
		if w.Entry < 0 || w.Entry >= len(found.catalog.Entries) {
			return fmt.Errorf(lang.L("%s holds another series than before"), w.Path)
		}
		if rest, entry := found.catalog.Rest(w.Entry); rest != nil { // as the user chose when it was opened
			found.catalog, w.Entry = rest, entry
		}
		found.files = found.catalog.Fingerprint(t.ctx, w.Entry)
		found.series, err = rd.read(t, found.catalog, w.Entry)
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
		if run, err := rd.s.deps.LoadRun(t.ctx, saved, filtered); err == nil {
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

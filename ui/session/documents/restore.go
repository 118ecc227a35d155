package documents

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

	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/ui/language"
	"quell/ui/session/desk"
	"quell/ui/session/tuning"
	"quell/ui/viewer"
	"quell/volume"
)

// Workspace describes the open series, for the next start after a crash; false if that is
// nothing, or the series of the start alone, on which nothing was done: it is not to be
// offered in the place of older work.
func (ds *Documents) Workspace() (w workbench.Workspace, ok bool) {
	if !slices.ContainsFunc(ds.open, func(d *document) bool { return !d.spare() || ds.desk.Tasks.Runs(d.Document) }) {
		return w, false
	}
	for i, d := range ds.open {
		switch {
		case d.away != nil:
			away := *d.away
			away.Runs = slices.Clone(away.Runs) // it is saved in the background
			w.Open = append(w.Open, away)
		case d.Document == ds.desk.Document:
			w.Shown = i
			w.Open = append(w.Open, d.work(ds.desk.State.Shown))
		default:
			w.Open = append(w.Open, d.work(d.view))
		}
		if ds.desk.Tasks.Runs(d.Document) {
			recipe := ds.desk.Tasks.On(d.Document).Recipe
			w.Open[i].Running = &recipe
		}
	}
	return w, true
}

// restored holds the parts of a Work that are read again.
type restored struct {
	catalog   *open.Catalog
	entry     int    // of the catalog
	files     string // fingerprint
	voxels    string // hash of series; "" if that was not asked for
	series    *series.Series
	noisy     *series.Series    // nil if no noise was added
	reference *series.Series    // nil for none
	beside    *workbench.Beside // nil for none
	lost      error             // why the series that stood beside is not there; nil if it is, or none did
	results   []*desk.Result
	mapped    *tuning.Mapped // nil if nothing followed a noise map
}

// Restore lists the series of a process that has ended as documents that were put away,
// and opens the one that was shown.
func (rd *Reader) Restore(w workbench.Workspace) {
	var shown *document
	var listed []*document
	for i, work := range w.Open {
		if open := rd.documents.readFrom(work.Files); open >= 0 && rd.documents.open[open].Untouched() {
			rd.documents.Close(open) // as it was opened again since
		}
		work.Running = nil // the question named it
		d := rd.list(work)
		listed = append(listed, d)
		if shown == nil || i == w.Shown {
			shown = d
		}
	}
	if shown != nil {
		rd.wake(shown, lang.L("The work of the last session is open again."))
		rd.describe(slices.DeleteFunc(listed, func(d *document) bool { return d == shown }), nil)
	}
}

// list adds a saved series to the documents, as one that was put away.
func (rd *Reader) list(work workbench.SavedSeries) *document {
	d := &document{Document: desk.NewDocument()}
	d.path, d.entry, d.files, d.reference, d.Recipe = work.Path, work.Entry, work.Files, work.Reference, work.Recipe
	d.name, d.dims, d.away = work.Name, work.Dims, &work
	if picture, err := png.Decode(bytes.NewReader(work.Picture)); err == nil {
		d.small, d.png = picture, work.Picture
	}
	rd.documents.open = append(rd.documents.open, d)
	return d
}

// wake reads a document again that was put away: series, noise that was added, reference,
// recipe and view, and the finished runs; and shows it.
func (rd *Reader) wake(d *document, message string) {
	w := *d.away
	kept := slices.DeleteFunc(slices.Clone(w.Runs), func(r workbench.SavedRun) bool { return !r.Kept() })
	if err := rd.documents.room(4 * int64(w.Dims[0]) * int64(w.Dims[1]) * int64(w.Dims[2]) * int64(1+len(kept))); err != nil {
		rd.desk.Failed(err)
		return
	}
	t := rd.desk.Tasks.Start(desk.Loading, lang.L("Reading"), lang.L("files"))
	t.Document = d.Document // the reading ends if it is closed
	var found restored
	rd.desk.Background(func() error {
		return rd.readAgain(t, w, &found)
	}, func(err error) {
		if rd.altered(t, d, err, found) {
			return
		}
		if !rd.desk.Tasks.Finish(t, err) {
			closeCatalog(found.catalog)
			return
		}
		undo := d.undo
		d.away, d.undo = nil, workbench.History{}
		rd.begin(d, found.series, found.catalog, found.entry)
		d.hash, d.unmade = voxelHash{found.series.Volume, found.voxels}, w.Unmade()
		if _, ok := undo.Present(); ok {
			*d.Doc.Edits() = undo
		}
		if found.noisy != nil {
			rd.desk.Doc.SetNoisy(found.noisy, *w.Noise)
			rd.changedVoxels("")
		}
		if found.reference != nil && rd.desk.Doc.SetReference(found.reference) == nil {
			rd.documents.shown().reference = w.Reference
		}
		rd.desk.KeepResults(found.results)
		if found.mapped != nil {
			if rd.desk.Noise = found.mapped.Noise; w.Mapped {
				rd.desk.Maps = found.mapped.Maps
			}
		}
		rd.desk.Steered = true // as it was saved
		var look viewer.Look
		if json.Unmarshal(w.View, &look) == nil {
			rd.desk.State.SetLook(look)
			rd.desk.Doc.Edits().Amend(rd.desk.WithView(rd.desk.Edit()))
		}
		rd.desk.Doc.Edits().Rebind(d.standIn, rd.desk.Doc.Series().Volume)
		rd.tuning.Restore(w.Recipe)
		if _, ok := undo.Present(); !ok {
			rd.restoreEdit(w)
		}
		rd.results.CompareWith(slices.IndexFunc(rd.desk.Results, func(r *desk.Result) bool { return w.Base != "" && r.Saved.File == w.Base }))
		rd.desk.AsIs = w.Beside.AsIs
		if rd.desk.Beside = found.beside; found.beside != nil && found.beside.Opened.Compared {
			rd.results.CompareWithOther()
		}
		if d.files = found.files; w.Files != "" && d.files != w.Files {
			message = strings.TrimSpace(message + lang.L(" Its files have changed since."))
		}
		rd.desk.Tasks.Say(message)
		if lost := len(kept) - len(found.results); lost > 0 {
			rd.desk.Tasks.Say(strings.TrimSpace(fmt.Sprintf(lang.L("%s %d of its results could not be read."), message, lost)))
		}
		if found.lost != nil {
			rd.desk.Tasks.Say(strings.TrimSpace(fmt.Sprintf(lang.L("%s The other series is not beside it: %s."), rd.desk.Tasks.Message(), language.Error(found.lost))))
		}
		rd.documents.makeRoom(0)
		rd.desk.Opened(w.Path)
		rd.desk.Changed()
	})
}

// restoreEdit draws the marks of a work, and takes its noise if one was given.
func (rd *Reader) restoreEdit(w workbench.SavedSeries) {
	v := rd.desk.Doc.Series().Volume
	e := rd.desk.Edit()
	e.Marks = slices.DeleteFunc(slices.Clone(w.Marks), func(m workbench.Mark) bool { return !m.On(v.Geometry) })
	e.Noise = w.Given.For(v)
	if e.Ground = w.Ground; len(e.Marks) > 0 || e.Noise != nil {
		rd.desk.Doc.Edits().Push(e)
		rd.desk.ViewChanged()
	}
}

// readAgain reads what w describes, on another goroutine. A result or a reference that
// cannot be read is left out.
func (rd *Reader) readAgain(t *desk.Task, w workbench.SavedSeries, found *restored) (err error) {
	if w.Path == "" {
		found.series, err = rd.desk.Bundled(t.Ctx)
	} else if found.catalog, err = rd.desk.Scan(t.Ctx, w.Path); err == nil {
		var c *open.Catalog
		if c, found.entry, err = entryOf(found.catalog, w); err != nil {
			return err
		}
		found.catalog, found.files = c, filesOf(t.Ctx, c, found.entry)
		found.series, err = rd.read(t, c, found.entry)
	}
	if err != nil {
		return err
	}
	if found.series.Volume.Dims != w.Dims {
		return fmt.Errorf(lang.L("%s contains another series than before: %s voxels, not %s"), w.Path, open.DimsText(found.series.Volume.Dims), open.DimsText(w.Dims))
	}
	if found.voxels = w.Voxels; w.Voxels != "" && w.Files != found.files {
		if found.voxels = run.HashOf(found.series.Volume); found.voxels != w.Voxels {
			return &changed{w.Path}
		}
	}
	filtered := found.series
	if w.Noise != nil {
		if found.noisy, err = run.AddNoise(t.Ctx, found.series, *w.Noise); err != nil {
			return err
		}
		filtered = found.noisy
	}
	if w.Reference != "" {
		if in, err := open.Open(t.Ctx, job.Input{Path: w.Reference}, job.Events{}); err == nil {
			closeCatalog(in.Catalog)
			found.reference = in.Series
		}
	}
	if w.Beside.Path != "" {
		found.beside, found.lost = rd.readBeside(t.Ctx, w.Beside, filtered)
	}
	for _, saved := range w.Runs {
		if !saved.Kept() {
			continue
		}
		if run, err := rd.desk.LoadRun(t.Ctx, saved, filtered); err == nil {
			found.results = append(found.results, &desk.Result{Run: run, Given: saved.Given.For(filtered.Volume), Exports: saved.Exports, Saved: &saved})
		}
	}
	if err := found.followMap(t.Ctx, w, filtered); err != nil {
		return err
	}
	if given := func(r *desk.Result) bool { return r.Given != nil }; w.Given != nil || slices.ContainsFunc(found.results, given) {
		err = found.factsOfRuns(t.Ctx, filtered.Volume)
	}
	return errors.Join(err, t.Ctx.Err())
}

// followMap maps the noise again, if the filter follows that or runs did: the map of the same voxels is the same.
func (r *restored) followMap(ctx context.Context, w workbench.SavedSeries, s *series.Series) error {
	followed := func(one *desk.Result) bool { return one.Saved.Mapped }
	if !w.Mapped && !slices.ContainsFunc(r.results, followed) {
		return nil
	}
	m, err := tuning.MapNoise(ctx, s, nil)
	if err != nil {
		return err
	}
	r.mapped = &m
	for _, one := range r.results {
		if followed(one) {
			one.Maps, one.Run.Maps, one.Run.Facts = m.Maps, m.Maps, &m.Noise.Facts
		}
	}
	return nil
}

// factsOfRuns finds by what facts each run was made, if some followed given noise and
// others the estimate.
func (r *restored) factsOfRuns(ctx context.Context, v *volume.Volume) error {
	facts, err := denoise.FactsOf(ctx, v)
	for _, one := range r.results {
		if one.Saved.Mapped {
			continue // it has those of its map
		}
		own := facts
		if one.Given != nil {
			own = facts.WithNoise(one.Given.Sigma, one.Given.Voxels)
		}
		one.Run.Facts = &own
	}
	return err
}

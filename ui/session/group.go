package session

import (
	"fmt"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/series"
)

// Group returns the 4-D series that the series on the screen is a volume of, and the index
// of that volume; nil where there is none.
func (s *Session) Group() (g *series.Group, index int) {
	if s.doc == nil || s.catalog == nil {
		return nil, 0
	}
	e := s.catalog.Entries[s.entry]
	return e.Group, e.GroupIndex
}

// ShowVolume shows volume k of the 4-D series in the place of the one on the screen: at the
// same slice and window, with the same recipe and marks. Results, added noise and the
// reference belong to the volume that is left, and are dropped. A volume that is still being
// read gives way.
func (s *Session) ShowVolume(k int) {
	g, now := s.Group()
	loading := s.task != nil && s.task.kind == Loading
	if g == nil || k < 0 || k >= g.Len() || k == now && !loading || s.Busy() && !loading {
		return
	}
	if k == now {
		s.Cancel()
		return
	}
	d, catalog, entry := s.document, s.catalog, s.catalog.Members(s.entry)[k]
	t := s.start(Loading, lang.L("Reading"), lang.L("files"))
	t.document = d
	report := s.reporter(t)
	var loaded *series.Series
	s.background(func() (err error) {
		loaded, err = catalog.Load(t.ctx, entry, func(done, total int) { report(int64(done), int64(total)) })
		return err
	}, func(err error) {
		if !s.finish(t, err) || s.document != d {
			return
		}
		edits := *d.doc.Edits()
		d.doc = app.NewDocument(loaded)
		*d.doc.Edits() = edits
		d.entry, d.meta, d.reference = entry, loaded.Meta, ""
		s.changedVoxels(g.Places[k].String())
		s.drawPicture()
		s.listener.Changed()
	})
}

// CanExportAll says whether the recipe of the run can be applied to all volumes of the 4-D
// series: maps that steered it are of one volume.
func (s *Session) CanExportAll() bool {
	g, _ := s.Group()
	run := s.Exportable()
	return g != nil && run != nil && run.Maps.Noise == nil && run.Maps.Mask == nil
}

// ExportAll filters every volume of the 4-D series by the recipe of the run and writes them
// to one output, as app.Do does, and passes the report to done. Errors go to the listener.
// It does nothing while a task is in progress.
func (s *Session) ExportAll(out string, o app.ExportOptions, done func(app.ExportReport)) {
	if !s.CanExportAll() || s.Busy() {
		return
	}
	run, catalog, entry, engine := s.Exportable(), s.catalog, s.entry, s.deps.Engine
	t := s.start(Exporting, lang.L("Filtering all volumes"), "")
	job := app.Job{Recipe: &run.Recipe, Engine: app.EnginePolicy{Name: engine.Info().Name}, Output: app.Output{Path: out, ExportOptions: o}}
	var report app.Report
	var files *app.Exported
	s.background(func() (err error) {
		report, err = catalog.DoGroup(t.ctx, entry, engine, job, s.events(t), nil)
		files = writtenBy(report, err)
		return err
	}, func(err error) {
		s.noteExport(run, files) // also where the cancel came too late
		if !s.finish(t, err) {
			return
		}
		s.message = fmt.Sprintf(lang.L("All %d volumes are filtered and written."), len(report.Volumes))
		s.listener.Changed()
		done(report.Written)
	})
}

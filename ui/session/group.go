package session

import (
	"fmt"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/series"
)

// Group returns the 4-D series that the series on the screen is a volume of, and the index
// of that volume; nil where there is none.
func (rd *Reader) Group() (g *series.Group, index int) {
	if rd.s.doc == nil || rd.s.catalog == nil {
		return nil, 0
	}
	e := rd.s.catalog.Entries[rd.s.entry]
	return e.Group, e.GroupIndex
}

// ShowVolume shows volume k of the 4-D series in the place of the one on the screen: at the
// same slice and window, with the same recipe and marks. Results, added noise and the
// reference belong to the volume that is left, and are dropped. A volume that is still being
// read gives way.
func (rd *Reader) ShowVolume(k int) {
	g, now := rd.Group()
	loading := rd.s.Tasks.now != nil && rd.s.Tasks.now.kind == Loading
	if g == nil || k < 0 || k >= g.Len() || k == now && !loading || rd.s.Tasks.Busy() && !loading {
		return
	}
	if k == now {
		rd.s.Tasks.Cancel()
		return
	}
	d, catalog, entry := rd.s.document, rd.s.catalog, rd.s.catalog.Members(rd.s.entry)[k]
	t := rd.s.Tasks.start(Loading, lang.L("Reading"), lang.L("files"))
	t.document = d
	report := rd.s.Tasks.reporter(t)
	var loaded *series.Series
	rd.s.background(func() (err error) {
		loaded, err = catalog.Load(t.ctx, entry, func(done, total int) { report(int64(done), int64(total)) })
		return err
	}, func(err error) {
		if !rd.s.Tasks.finish(t, err) || rd.s.document != d {
			return
		}
		edits := *d.doc.Edits()
		d.doc = app.NewDocument(loaded)
		*d.doc.Edits() = edits
		d.entry, d.meta, d.reference = entry, loaded.Meta, ""
		rd.changedVoxels(g.Places[k].String())
		rd.drawPicture()
		rd.s.listener.Changed()
	})
}

// CanWriteAll says whether the recipe of the run can be applied to all volumes of the 4-D
// series: maps that steered it are of one volume.
func (ex *Exports) CanWriteAll() bool {
	g, _ := ex.s.Reader.Group()
	run := ex.s.Results.Exportable()
	return g != nil && run != nil && run.Maps.Noise == nil && run.Maps.Mask == nil
}

// WriteAll filters every volume of the 4-D series by the recipe of the run and writes them
// to one output, as app.Do does, and passes the report to done. Errors go to the listener.
// It does nothing while a task is in progress.
func (ex *Exports) WriteAll(out string, o app.ExportOptions, done func(app.ExportReport)) {
	if !ex.CanWriteAll() || ex.s.Tasks.Busy() {
		return
	}
	run, catalog, entry, engine := ex.s.Results.Exportable(), ex.s.catalog, ex.s.entry, ex.s.deps.Engine
	t := ex.s.Tasks.start(Exporting, lang.L("Filtering all volumes"), "")
	job := app.Job{Recipe: &run.Recipe, Engine: app.EnginePolicy{Name: engine.Info().Name}, Output: app.Output{Path: out, ExportOptions: o}}
	var report app.Report
	var files *app.Exported
	ex.s.background(func() (err error) {
		report, err = catalog.DoGroup(t.ctx, entry, engine, job, ex.s.Tasks.events(t), nil)
		files = writtenBy(report, err)
		return err
	}, func(err error) {
		ex.note(run, files) // also where the cancel came too late
		if !ex.s.Tasks.finish(t, err) {
			return
		}
		ex.s.Tasks.message = fmt.Sprintf(lang.L("All %d volumes are filtered and written."), len(report.Volumes))
		ex.s.listener.Changed()
		done(report.Written)
	})
}

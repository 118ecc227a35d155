package session

import (
	"fmt"

	"fyne.io/fyne/v2/lang"

	"quell/app"
)

// Apply filters the whole volume with the current recipe. It does nothing while
// a task is in progress, so that no second request restarts a run. A run for which there is
// no memory is refused: it would end the workbench, and with it other work.
func (rs *Results) Apply() {
	if rs.s.doc == nil || rs.s.Tasks.Busy() || rs.Applied() {
		return
	}
	rs.foreseen = foreseen{}
	if f, ok := rs.Forecast(); ok && f.Err() != nil {
		rs.s.listener.Failed(f.Err())
		return
	}
	d, recipe, next := rs.s.document, rs.s.recipe, &result{steering: rs.s.steering, given: rs.s.doc.GivenNoise()}
	on := app.On{Series: rs.s.doc.Series(), Engine: rs.s.deps.Engine, Maps: rs.s.steering.maps}
	if facts, known := rs.s.doc.Facts(); known {
		on.Facts = &facts
	}
	t := rs.s.Tasks.start(Applying, lang.L("Filtering"), lang.L("slices"))
	t.recipe, t.slices = recipe, int64(rs.s.doc.Series().Volume.Dims[2])
	var report app.Report
	rs.s.background(func() (err error) {
		report, err = app.DoOn(t.ctx, on, app.Job{Recipe: &recipe}, rs.s.Tasks.events(t))
		return err
	}, func(err error) {
		run := report.Run
		next.run = run
		if !rs.s.Tasks.finish(t, err) || !rs.add(d, next) {
			return
		}
		rs.s.Tasks.message = fmt.Sprintf(lang.L("Filtered %d slices in %s on %s."), run.Result.Dims[2], Duration(run.Filter), run.Engine.Name)
		if d != rs.s.document {
			rs.s.listener.Changed()
			return
		}
		rs.s.retry = nil
		rs.s.viewChanged()
	})
}

// Applied says whether the run of the whole volume has the current recipe.
func (rs *Results) Applied() bool { return rs.s.doc != nil && rs.s.Tuning.made(rs.s.doc.Run()) }

// Exportable returns the run that an export would write, or nil.
func (rs *Results) Exportable() *app.Run {
	if rs.s.doc == nil {
		return nil
	}
	return rs.s.doc.Run()
}

// Write writes the run, whatever the current recipe is, and passes the report
// to done. Errors go to the listener. It does nothing while a task is in
// progress.
func (ex *Exports) Write(out string, o app.ExportOptions, done func(app.ExportReport)) {
	run := ex.s.Results.Exportable()
	if run == nil || ex.s.Tasks.Busy() {
		return
	}
	t := ex.s.Tasks.start(Exporting, lang.L("Writing"), lang.L("files"))
	job := app.Job{Recipe: &run.Recipe, Output: app.Output{Path: out, ExportOptions: o}}
	var report app.Report
	var files *app.Exported
	ex.s.background(func() (err error) {
		report, err = app.DoOn(t.ctx, app.On{Series: run.Source, Run: run}, job, ex.s.Tasks.events(t))
		files = writtenBy(report, err)
		return err
	}, func(err error) {
		ex.note(run, files) // also where the cancel came too late
		if !ex.s.Tasks.finish(t, err) {
			return
		}
		ex.s.Tasks.message = lang.L("The export is done.")
		ex.s.listener.Changed()
		done(report.Written)
	})
}

// events passes the progress of a task's job on.
func (ts *Tasks) events(t *task) app.Events {
	report := ts.reporter(t)
	return app.Events{Progress: func(_ app.Step, done, total int64) { report(done, total) }}
}

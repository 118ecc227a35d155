package session

import (
	"fmt"

	"fyne.io/fyne/v2/lang"

	"quell/app"
)

// Apply filters the whole volume with the current recipe. It does nothing while
// a task is in progress, so that no second request restarts a run. A run for which there is
// no memory is refused: it would end the workbench, and with it other work.
func (s *Session) Apply() {
	if s.doc == nil || s.Busy() || s.Applied() {
		return
	}
	s.foreseen = foreseen{}
	if f, ok := s.Forecast(); ok && f.Err() != nil {
		s.listener.Failed(f.Err())
		return
	}
	d, recipe, next := s.document, s.recipe, &result{steering: s.steering, given: s.doc.GivenNoise()}
	on := app.On{Series: s.doc.Series(), Engine: s.deps.Engine, Maps: s.steering.maps}
	if facts, known := s.doc.Facts(); known {
		on.Facts = &facts
	}
	t := s.start(Applying, lang.L("Filtering"), lang.L("slices"))
	t.recipe, t.slices = recipe, int64(s.doc.Series().Volume.Dims[2])
	var report app.Report
	s.background(func() (err error) {
		report, err = app.DoOn(t.ctx, on, app.Job{Recipe: &recipe}, s.events(t))
		return err
	}, func(err error) {
		run := report.Run
		next.run = run
		if !s.finish(t, err) || !s.addResult(d, next) {
			return
		}
		s.message = fmt.Sprintf(lang.L("Filtered %d slices in %s on %s."), run.Result.Dims[2], Duration(run.Filter), run.Engine.Name)
		if d != s.document {
			s.listener.Changed()
			return
		}
		s.retry = nil
		s.viewChanged()
	})
}

// Applied says whether the run of the whole volume has the current recipe.
func (s *Session) Applied() bool { return s.doc != nil && s.made(s.doc.Run()) }

// Exportable returns the run that an export would write, or nil.
func (s *Session) Exportable() *app.Run {
	if s.doc == nil {
		return nil
	}
	return s.doc.Run()
}

// Export writes the run, whatever the current recipe is, and passes the report
// to done. Errors go to the listener. It does nothing while a task is in
// progress.
func (s *Session) Export(out string, o app.ExportOptions, done func(app.ExportReport)) {
	run := s.Exportable()
	if run == nil || s.Busy() {
		return
	}
	t := s.start(Exporting, lang.L("Writing"), lang.L("files"))
	job := app.Job{Recipe: &run.Recipe, Output: app.Output{Path: out, ExportOptions: o}}
	var report app.Report
	var files *app.Exported
	s.background(func() (err error) {
		report, err = app.DoOn(t.ctx, app.On{Series: run.Source, Run: run}, job, s.events(t))
		files = writtenBy(report, err)
		return err
	}, func(err error) {
		s.noteExport(run, files) // also where the cancel came too late
		if !s.finish(t, err) {
			return
		}
		s.message = lang.L("The export is done.")
		s.listener.Changed()
		done(report.Written)
	})
}

// events passes the progress of a task's job on.
func (s *Session) events(t *task) app.Events {
	report := s.reporter(t)
	return app.Events{Progress: func(_ app.Step, done, total int64) { report(done, total) }}
}

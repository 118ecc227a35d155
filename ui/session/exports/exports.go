// Package exports writes what the window shows to files, sends them to other systems, and knows
// which of the files still stand.
package exports

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/pacs"
	"quell/app/run"
	"quell/app/workbench"
	"quell/internal/message"
	"quell/ui/language"
	"quell/ui/session/desk"
	"quell/ui/session/documents"
	"quell/ui/session/marks"
	"quell/ui/session/results"
)

// Exports writes results and sends them, and knows which of the files still stand.
type Exports struct {
	desk      *desk.Desk
	documents *documents.Documents
	results   *results.Results
	marks     *marks.Marks
	pending   int       // checks that were not answered
	since     time.Time // of the first of them
}

// New returns the exports of some documents.
func New(d *desk.Desk, ds *documents.Documents, rs *results.Results, mk *marks.Marks) *Exports {
	return &Exports{desk: d, documents: ds, results: rs, marks: mk}
}

// SlowCheck is how long a check of exported files may take before another one does not wait:
// the share of a server that is gone answers in minutes, or never.
const SlowCheck = 2 * time.Second

// Check looks in the background whether the files stand that results were exported to,
// and calls then. An export that is gone, or was replaced, counts as not exported from then on. Files that
// an earlier check did not answer about for some seconds count as gone.
func (ex *Exports) Check(then func()) {
	all := ex.documents.Exports()
	if len(all) == 0 {
		then()
		return
	}
	if ex.pending > 0 && ex.desk.Now().Sub(ex.since) > SlowCheck {
		ex.found(all, make([]bool, len(all)))
		then()
		return
	}
	if ex.pending == 0 {
		ex.since = ex.desk.Now()
	}
	ex.pending++
	ex.desk.Go(func() {
		stand := make([]bool, len(all))
		for i, e := range all {
			stand[i] = e.Stands()
		}
		ex.desk.Do(func() {
			ex.pending--
			ex.found(all, stand)
			then()
		})
	})
}

// found notes which exports stand.
func (ex *Exports) found(all []*workbench.Exported, stand []bool) {
	changed := false
	for i, e := range all {
		if ex.results.Files.Gone(e) == stand[i] {
			changed = true
			ex.results.Files.SetGone(e, !stand[i])
		}
	}
	if changed {
		ex.desk.Changed()
	}
}

// Any says whether a result of an open series was exported.
func (ex *Exports) Any() bool { return len(ex.documents.Exports()) > 0 }

// Of returns the exports of a run, the last one last.
func (ex *Exports) Of(run *run.Run) []*workbench.Exported {
	if r := ex.desk.ResultOf(run); r != nil {
		return slices.Clone(r.Exports)
	}
	return nil
}

// Write writes the run, whatever the current recipe is, and passes the report to done. Errors go
// to the listener. It does nothing while a task is in progress.
func (ex *Exports) Write(out string, o job.Options, done func(job.Written)) {
	run := ex.results.Exportable()
	if run == nil || ex.desk.Tasks.Busy() {
		return
	}
	t := ex.desk.Tasks.Start(desk.Exporting, lang.L("Writing"), lang.L("files"))
	job := job.Job{Recipe: &run.Recipe, Output: job.Output{Path: out, Options: o}}.Judged()
	engine := ex.desk.Engine
	ex.write(t, run, func() (executor.Outcome, error) {
		return app.DoOn(t.Ctx, app.On{Series: run.Source, Run: run, Engine: engine}, job, ex.desk.Tasks.Events(t))
	}, func(report executor.Outcome) {
		ex.desk.Tasks.Show(lang.L("The export is done."))
		done(report.Written)
	})
}

// CanWriteAll says whether the recipe of the run can be applied to all volumes of the 4-D series:
// maps that steered it are of one volume, unless the filter takes all volumes together.
func (ex *Exports) CanWriteAll() bool {
	g, _ := ex.documents.Group()
	run := ex.results.Exportable()
	return g != nil && run != nil && (run.Recipe.SeriesFilter() != nil || run.Maps.Noise == nil && run.Maps.Mask == nil)
}

// WriteAll filters every volume of the 4-D series by the recipe of the run and writes them to one
// output, as app.Do does, and passes the report to done. Errors go to the listener. It does
// nothing while a task is in progress.
func (ex *Exports) WriteAll(out string, o job.Options, done func(job.Written)) {
	if !ex.CanWriteAll() || ex.desk.Tasks.Busy() {
		return
	}
	run, engine := ex.results.Exportable(), ex.desk.Engine
	catalog, entry := ex.documents.Catalog()
	t := ex.desk.Tasks.Start(desk.Exporting, lang.L("Filtering all volumes"), "")
	j := job.Job{Recipe: &run.Recipe, Engine: job.EnginePolicy{Name: engine.Info().Name}, Output: job.Output{Path: out, Options: o}}.Judged()
	if run.Recipe.SeriesFilter() != nil {
		j.NoiseMap = job.MapIfVaries // as the volume was filtered
	}
	ex.write(t, run, func() (executor.Outcome, error) {
		return app.DoGroup(t.Ctx, catalog, entry, engine, j, ex.desk.Tasks.Events(t))
	}, func(report executor.Outcome) {
		ex.desk.Tasks.Show(fmt.Sprintf(lang.L("All %d volumes are filtered and written."), len(report.Volumes)))
		done(report.Written)
	})
}

// write exports a run in the background, and notes to what files.
func (ex *Exports) write(t *desk.Task, run *run.Run, do func() (executor.Outcome, error), done func(executor.Outcome)) {
	of := ex.desk.ResultOf(run)
	var report executor.Outcome
	var files *workbench.Exported
	ex.desk.Background(func() (err error) {
		if report, err = do(); err == nil {
			files, _ = workbench.ExportedBy(report.Written) // nil: they are gone already
		}
		return err
	}, func(err error) {
		ex.note(of, files) // also if the cancel came too late
		if ex.desk.Tasks.Finish(t, err) {
			done(report)
		}
	})
}

// note notes to what files a result was exported. What stood there before is gone.
func (ex *Exports) note(r *desk.Result, files *workbench.Exported) {
	if files == nil {
		return
	}
	for _, e := range ex.documents.Exports() {
		if e.Output == files.Output {
			ex.results.Files.SetGone(e, true)
		}
	}
	if r != nil {
		again := func(e *workbench.Exported) bool { return e.Output == files.Output }
		r.Exports = append(slices.DeleteFunc(slices.Clone(r.Exports), again), files)
	}
}

// PlanSend reads which instances a folder of DICOM would send and passes it to done. Errors go to the
// listener. It makes no connection, and does nothing while a task is in progress.
func (ex *Exports) PlanSend(folder string, done func(pacs.Plan)) {
	if ex.desk.Tasks.Busy() {
		return
	}
	t := ex.desk.Tasks.Start(desk.Preparing, lang.L("Reading the files to send"), "")
	var plan pacs.Plan
	ex.desk.Tasks.Do(t, func() (err error) {
		plan, err = pacs.PlanSend(t.Ctx, folder)
		return err
	}, func() {
		ex.desk.Changed()
		done(plan)
	})
}

// Send stores the files of a plan on a node. done receives the report and, if a file is not
// stored, the error, which does not go to the listener. It does nothing while a task is in
// progress.
func (ex *Exports) Send(plan pacs.Plan, target pacs.Place, done func(pacs.Report, error)) {
	if ex.desk.Tasks.Busy() {
		return
	}
	t := ex.desk.Tasks.Start(desk.Sending, lang.L("Sending"), lang.L("files"))
	count := ex.desk.Tasks.Reporter(t)
	var report pacs.Report
	ex.desk.Background(func() (err error) {
		report, err = pacs.Send(t.Ctx, plan, target, 0, func(n, total int) { count(int64(n), int64(total)) })
		return err
	}, func(err error) {
		if !ex.desk.Tasks.Goes(t) { // cancelled: what the node has stays there
			if err != nil && !ex.desk.Tasks.Busy() {
				ex.desk.Tasks.Show(language.Of(message.Of(err).Sentence()))
			}
			return
		}
		ex.desk.Tasks.Finish(t, nil)
		if err == nil {
			ex.desk.Tasks.Say(lang.L("The series is sent."))
		}
		ex.desk.Changed()
		done(report, err)
	})
}

// Echo asks a node whether it answers; the context ends the wait. It is no task.
func (ex *Exports) Echo(ctx context.Context, target pacs.Place, done func(error)) {
	ex.desk.Background(func() error { return pacs.Echo(ctx, target) }, done)
}

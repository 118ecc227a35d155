package session

import (
	"context"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/ui/language"
)

// PlanSend reads what a folder of DICOM would send and passes it to done. Errors go to the
// listener. It makes no connection, and does nothing while a task is in progress.
func (ex *Exports) PlanSend(folder string, done func(app.SendPlan)) {
	if ex.s.Tasks.Busy() {
		return
	}
	t := ex.s.Tasks.start(Preparing, lang.L("Reading the files to send"), "")
	var plan app.SendPlan
	ex.s.background(func() (err error) {
		plan, err = app.PlanSend(t.ctx, folder)
		return err
	}, func(err error) {
		if ex.s.Tasks.finish(t, err) {
			ex.s.listener.Changed()
			done(plan)
		}
	})
}

// Send stores the files of a plan on a node. done receives the report and, where a file is not
// stored, the error, which does not go to the listener. It does nothing while a task is in
// progress.
func (ex *Exports) Send(plan app.SendPlan, target app.SendTarget, done func(app.SendReport, error)) {
	if ex.s.Tasks.Busy() {
		return
	}
	t := ex.s.Tasks.start(Sending, lang.L("Sending"), lang.L("files"))
	count := ex.s.Tasks.reporter(t)
	var report app.SendReport
	ex.s.background(func() (err error) {
		report, err = app.Send(t.ctx, plan, target, 0, func(n, total int) { count(int64(n), int64(total)) })
		return err
	}, func(err error) {
		if ex.s.Tasks.now != t { // cancelled: what the node has stays there
			if err != nil && ex.s.Tasks.now == nil {
				ex.s.Tasks.message = language.Sentence(sentence(err))
				ex.s.listener.Changed()
			}
			return
		}
		ex.s.Tasks.finish(t, nil)
		if err == nil {
			ex.s.Tasks.message = lang.L("The series is sent.")
		}
		ex.s.listener.Changed()
		done(report, err)
	})
}

// Echo asks a node whether it answers; the context ends the wait. It is no task.
func (ex *Exports) Echo(ctx context.Context, target app.SendTarget, done func(error)) {
	ex.s.background(func() error { return app.Echo(ctx, target) }, done)
}

package exports

import (
	"context"

	"fyne.io/fyne/v2/lang"

	"quell/app/pacs"
	"quell/internal/message"
	"quell/ui/language"
	"quell/ui/session/desk"
)

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

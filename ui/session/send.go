package session

import (
	"context"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/ui/language"
)

// PlanSend reads what a folder of DICOM would send and passes it to done. Errors go to the
// listener. It makes no connection, and does nothing while a task is in progress.
func (s *Session) PlanSend(folder string, done func(app.SendPlan)) {
	if s.Busy() {
		return
	}
	t := s.start(Preparing, lang.L("Reading the files to send"), "")
	var plan app.SendPlan
	s.background(func() (err error) {
		plan, err = app.PlanSend(t.ctx, folder)
		return err
	}, func(err error) {
		if s.finish(t, err) {
			s.listener.Changed()
			done(plan)
		}
	})
}

// Send stores the files of a plan on a node. done receives the report and, where a file is not
// stored, the error, which does not go to the listener. It does nothing while a task is in
// progress.
func (s *Session) Send(plan app.SendPlan, target app.SendTarget, done func(app.SendReport, error)) {
	if s.Busy() {
		return
	}
	t := s.start(Sending, lang.L("Sending"), lang.L("files"))
	count := s.reporter(t)
	var report app.SendReport
	s.background(func() (err error) {
		report, err = app.Send(t.ctx, plan, target, 0, func(n, total int) { count(int64(n), int64(total)) })
		return err
	}, func(err error) {
		if s.task != t { // cancelled: what the node has stays there
			if err != nil && s.task == nil {
				s.message = language.Sentence(sentence(err))
				s.listener.Changed()
			}
			return
		}
		s.finish(t, nil)
		if err == nil {
			s.message = lang.L("The series is sent.")
		}
		s.listener.Changed()
		done(report, err)
	})
}

// Echo asks a node whether it answers; the context ends the wait. It is no task.
func (s *Session) Echo(ctx context.Context, target app.SendTarget, done func(error)) {
	s.background(func() error { return app.Echo(ctx, target) }, done)
}

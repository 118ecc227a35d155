package ui

import (
	"quell/app"
	"quell/ui/dialogs"
)

// askSend asks where the last export is sent to. Nothing is sent before the answer.
func (w *Workbench) askSend() {
	w.session.PlanSend(w.sendable, func(plan app.SendPlan) {
		w.show(dialogs.Send(dialogs.SendRequest{
			Plan: plan, Nodes: w.settings.Nodes, Hide: w.settings.HideIdentity, Echo: w.session.Echo,
			Send: func(t app.SendTarget) {
				w.settings.SentTo(t)
				w.saveSettings()
				w.send(plan, t)
			},
		}, w.main))
	})
}

// send sends a plan and shows what became of it.
func (w *Workbench) send(plan app.SendPlan, t app.SendTarget) {
	w.session.Send(plan, t, func(r app.SendReport, err error) {
		w.show(dialogs.Sent(r, err, func() { w.send(plan.Only(r), t) }, w.main))
	})
}

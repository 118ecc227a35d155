package ui

import (
	"quell/app"
	"quell/ui/dialogs"
)

// askSend asks where the last export is sent to. Nothing is sent before the answer.
func (w *Workbench) askSend() {
	w.session.Exports.PlanSend(w.sendable, func(plan app.SendPlan) { w.askTarget(plan, app.SendTarget{}) })
}

// askTarget asks where a plan is sent to; at is proposed, unless it is empty.
func (w *Workbench) askTarget(plan app.SendPlan, at app.SendTarget) {
	w.show(dialogs.Send(dialogs.SendRequest{
		Plan: plan, Nodes: w.settings.Nodes, At: at, Hide: w.settings.HideIdentity, Echo: w.session.Exports.Echo,
		Send: func(t app.SendTarget) { w.send(plan, t) },
	}, w.main))
}

// send sends a plan and shows what became of it. A node that stored nothing is not kept in the
// settings, and is asked for again before the next try: its address may be wrong.
func (w *Workbench) send(plan app.SendPlan, t app.SendTarget) {
	w.session.Exports.Send(plan, t, func(r app.SendReport, err error) {
		again := func() { w.askTarget(plan, t) }
		if r.Stored > 0 {
			w.settings.SentTo(t)
			w.saveSettings()
			again = func() { w.send(plan.Only(r), t) }
		}
		w.show(dialogs.Sent(r, err, again, w.main))
	})
}

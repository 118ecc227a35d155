package exporting

import (
	"quell/app"
	"quell/ui/dialogs"
)

// askSend asks where the last export is sent to. Nothing is sent before the answer.
func (p *Panel) askSend() {
	p.h.Session.Exports.PlanSend(p.sendable, func(plan app.SendPlan) { p.askTarget(plan, app.SendTarget{}) })
}

// askTarget asks where a plan is sent to; at is proposed, unless it is empty.
func (p *Panel) askTarget(plan app.SendPlan, at app.SendTarget) {
	p.h.ShowDialog(dialogs.Send(dialogs.SendRequest{
		Plan: plan, Nodes: p.h.Settings.Nodes, At: at, Hide: p.h.Settings.HideIdentity, Echo: p.h.Session.Exports.Echo,
		Send: func(t app.SendTarget) { p.send(plan, t) },
	}, p.h.Window))
}

// send sends a plan and shows what became of it. A node that stored nothing is not kept in the
// settings, and is asked for again before the next try: its address may be wrong.
func (p *Panel) send(plan app.SendPlan, t app.SendTarget) {
	p.h.Session.Exports.Send(plan, t, func(r app.SendReport, err error) {
		again := func() { p.askTarget(plan, t) }
		if r.Stored > 0 {
			p.h.Settings.SentTo(t)
			p.h.SaveSettings()
			again = func() { p.send(plan.Only(r), t) }
		}
		p.h.ShowDialog(dialogs.Sent(r, err, again, p.h.Window))
	})
}

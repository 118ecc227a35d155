package filterpanel

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"quell/denoise/verdict"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
)

// Quick is the line that stands for the column if that is hidden: strength, run, and the
// verdict on the slice.
type Quick struct {
	panel.Base
	h       *host.Host
	Verdict *widget.Label
	Dial    *Dial
	content *fyne.Container
}

// NewQuick returns the line that stands for the column of a workbench.
func NewQuick(h *host.Host) panel.Panel {
	q := &Quick{h: h, Verdict: widget.NewLabel("")}
	q.Dial = NewDial((&Panel{h: h}).hooks(), func() {
		h.Tip.Hide()
		h.Run(h.Command("strip"))
	}, func(o fyne.CanvasObject, in bool) {
		if in {
			h.Tip.Show(o, h.Command("strip").Hint())
		} else {
			h.Tip.Hide()
		}
	})
	q.content = container.NewHBox(container.NewCenter(q.Verdict), q.Dial)
	return q
}

// Dock implements panel.Panel.
func (q *Quick) Dock() panel.Dock { return panel.Dock{Area: panel.Quick, Object: q.content} }

// Show implements panel.Panel.
func (q *Quick) Show(now panel.Snapshot) {
	q.Dial.Display(snapshot(now.Session))
	text, importance := "", widget.LowImportance
	if m := now.Session.Measures.Slice(); m.Known && m.Current && !panel.Arrives(now.Session) {
		text, importance = language.Of(m.Judgement.Message()), verdictImportance[m.Judgement]
	}
	if q.Verdict.Text != text || q.Verdict.Importance != importance {
		q.Verdict.Importance = importance
		q.Verdict.SetText(text)
	}
}

// verdictImportance gives verdicts their colours.
var verdictImportance = map[verdict.Word]widget.Importance{
	verdict.Good: widget.SuccessImportance, verdict.Fades: widget.WarningImportance, verdict.Texture: widget.WarningImportance,
}

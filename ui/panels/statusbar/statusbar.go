// Package statusbar is the line at the bottom of the workbench.
package statusbar

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/job"
	"quell/denoise"
	"quell/series"
	"quell/ui/control"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/ui/wording"
)

// Panel is the line at the bottom: the task in progress or how the last one
// ended, the findings, the engine, and the notice on clinical use. Create it with New.
type Panel struct {
	panel.Base
	h        *host.Host
	Text     *widget.Label
	bar      *widget.ProgressBar
	cancel   *control.Button
	findings *control.Button
	engine   *widget.Label
	memory   *widget.Label // that the process takes
	content  fyne.CanvasObject
	noted    string
	said     string          // of tasks
	worst    series.Severity // of the findings shown
}

// New returns the status bar.
func New(h *host.Host) panel.Panel {
	b := &Panel{
		h:    h,
		Text: control.Caption(""), bar: widget.NewProgressBar(), engine: control.Caption(""), memory: control.Caption(""),
		cancel:   control.IconButton(theme.CancelIcon(), lang.L("Cancel"), h.Session.Tasks.Cancel),
		findings: control.IconButton(theme.WarningIcon(), "", func() { h.Run(h.Command("findings")) }),
	}
	b.Text.Truncation = fyne.TextTruncateEllipsis
	clinical := control.Caption(lang.L(wording.NotClinical))
	clinical.Importance = widget.WarningImportance
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(140, 0))
	right := container.NewHBox(container.NewStack(ground, b.bar), b.cancel, b.findings, b.engine, b.memory, widget.NewSeparator(), clinical)
	b.content = container.New(layout.NewCustomPaddedVBoxLayout(0), widget.NewSeparator(), container.NewBorder(nil, nil, nil, right, b.Text))
	return b
}

// Dock implements panel.Panel.
func (b *Panel) Dock() panel.Dock { return panel.Dock{Area: panel.Status, Object: b.content} }

// Note implements panel.Noter: it shows a line until the next task.
func (b *Panel) Note(text string) {
	b.noted = text
	control.SetText(b.Text, text)
}

// Show implements panel.Panel. While the column is shown, that has the progress of a run.
func (b *Panel) Show(now panel.Snapshot) {
	s, column := now.Session, now.Column
	p := s.Tasks.Progress()
	running := p.Kind != desk.Idle
	elsewhere := column && p.Kind == desk.Applying
	b.cancel.Hidden = !running || elsewhere
	b.bar.Hidden = b.cancel.Hidden || p.Fraction == 0
	if !b.bar.Hidden {
		b.bar.SetValue(p.Fraction)
	}
	if text := s.Tasks.Message(); text != b.said { // of the two the later one is shown
		b.said, b.noted = text, ""
	}
	switch {
	case elsewhere:
		control.SetText(b.Text, "")
	case running:
		b.noted = ""
		control.SetText(b.Text, p.Text)
	case !column && warning(s) != "":
		control.SetText(b.Text, warning(s))
	case b.noted != "":
		control.SetText(b.Text, b.noted)
	case b.said != "":
		control.SetText(b.Text, b.said)
	case s.Series() == nil:
		control.SetText(b.Text, lang.L("Open a series, or drop a file or folder here."))
	case !factsKnown(s):
		control.SetText(b.Text, lang.L("Measuring the noise of the series, on which automatic values depend …"))
	case s.Documents.Example():
		control.SetText(b.Text, lang.L("This is the bundled series. Open your own, or drop a file or folder here."))
	default:
		control.SetText(b.Text, "")
	}
	control.SetText(b.engine, engineText(s.Engine()))
	used, limit := s.Documents.Memory()
	control.SetText(b.memory, memoryText(job.ProcessMemory(), used, limit))
	if panel.Arrives(s) {
		b.showFindings(nil)
	} else {
		b.showFindings(s.Series())
	}
}

// warning is what the filter column says in orange, for a workbench without it.
func warning(s *session.Session) string {
	if text, problem := s.Preview.Text(); problem {
		return text
	}
	if _, err := s.Tuning.Resolved(); err != nil {
		return language.Error(err)
	}
	if f, ok := s.Results.Forecast(); ok && !f.Text().IsZero() {
		return language.Of(f.Text())
	}
	return wording.Origin(s.Tuning.Carried())
}

// factsKnown says whether range and noise of the series are known.
func factsKnown(s *session.Session) bool {
	_, known := s.Document().Facts()
	return known
}

func (b *Panel) showFindings(s *series.Series) {
	n, worst := 0, series.Note
	if s != nil {
		n = len(s.Findings)
		for _, f := range s.Findings {
			worst = max(worst, f.Severity)
		}
	}
	b.findings.Hidden = n == 0
	text := wording.Counted(n, lang.L("1 finding"), lang.L("%d findings"))
	icon := theme.InfoIcon()
	if worst > series.Note {
		icon = theme.NewWarningThemedResource(theme.WarningIcon())
	}
	if b.findings.Text != text || b.worst != worst {
		b.worst, b.findings.Icon = worst, icon
		b.findings.SetText(text)
	}
}

// memoryText says how much memory the process takes, to 10 MB so that the text does not change all
// the time, and how much of it the open series may take, if they are near their limit.
func memoryText(process, used, limit int64) string {
	const step = 10e6
	text := fmt.Sprintf(lang.L("memory %s"), job.Bytes((process+step/2)/step*step))
	if used > 0 && 10*used > 7*limit {
		text += fmt.Sprintf(lang.L(", series %s of %s"), job.Bytes(used), job.Bytes(limit))
	}
	return text
}

func engineText(i denoise.Info) string {
	text := i.Name
	if i.Device != "" {
		text += " · " + i.Device
	}
	if i.Cores > 0 {
		text += fmt.Sprintf(lang.L(" · %d cores"), i.Cores)
	}
	return text
}

// longWork is how long a run or export must have taken for Escape to ask before it
// cancels it.
const longWork = 10 * time.Second

// Cancel implements panel.Canceller: it cancels the task in progress, after a question if that loses work of
// some length.
func (b *Panel) Cancel() bool {
	h := b.h
	p, text := h.Session.Tasks.Progress(), ""
	if p.Kind == desk.Idle {
		return false
	}
	if p.Elapsed >= longWork && (p.Kind == desk.Applying || p.Kind == desk.Exporting || p.Kind == desk.Sending) {
		text = h.Losses(h.Session.Documents.TaskLoss())
	}
	h.Ask(text, func() {
		// The task may have ended while the question was open.
		if h.Session.Tasks.Progress().Kind == p.Kind {
			h.Session.Tasks.Cancel()
		}
	})
	return true
}

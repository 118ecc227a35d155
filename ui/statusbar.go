package ui

import (
	"fmt"

	"quell/app"
	"quell/denoise"
	"quell/series"
	"quell/ui/control"
	"quell/ui/filterpanel"
	"quell/ui/language"
	"quell/ui/session"
	"quell/ui/session/desk"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// statusBar is the line at the bottom: the task in progress or how the last one
// ended, the findings, the engine, and the notice on clinical use.
type statusBar struct {
	widget.BaseWidget
	text     *widget.Label
	bar      *widget.ProgressBar
	cancel   *control.Button
	findings *control.Button
	engine   *widget.Label
	memory   *widget.Label // that the process takes
	content  fyne.CanvasObject
	noted    string
	worst    series.Severity // of the findings shown
}

// notClinical is the notice on clinical use; in full screen, without the bar, it is on the
// picture.
const notClinical = "Not for clinical use"

func newStatusBar(w *Workbench) *statusBar {
	b := &statusBar{
		text: caption(""), bar: widget.NewProgressBar(), engine: caption(""), memory: caption(""),
		cancel:   iconButton(theme.CancelIcon(), lang.L("Cancel"), w.session.Tasks.Cancel),
		findings: iconButton(theme.WarningIcon(), "", w.showFindings),
	}
	b.text.Truncation = fyne.TextTruncateEllipsis
	clinical := caption(lang.L(notClinical))
	clinical.Importance = widget.WarningImportance
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(140, 0))
	right := container.NewHBox(container.NewStack(ground, b.bar), b.cancel, b.findings, b.engine, b.memory, widget.NewSeparator(), clinical)
	b.content = container.New(layout.NewCustomPaddedVBoxLayout(0), widget.NewSeparator(), container.NewBorder(nil, nil, nil, right, b.text))
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer implements fyne.Widget.
func (b *statusBar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(b.content) }

// note shows a line until the next task.
func (b *statusBar) note(text string) {
	b.noted = text
	setText(b.text, text)
}

// display follows the session; column says whether the filter column is shown, which has the
// progress of a run.
func (b *statusBar) display(s *session.Session, column bool) {
	p := s.Tasks.Progress()
	running := p.Kind != desk.Idle
	elsewhere := column && p.Kind == desk.Applying
	b.cancel.Hidden = !running || elsewhere
	b.bar.Hidden = b.cancel.Hidden || p.Fraction == 0
	if !b.bar.Hidden {
		b.bar.SetValue(p.Fraction)
	}
	switch {
	case elsewhere:
		setText(b.text, "")
	case running:
		b.noted = ""
		setText(b.text, p.Text)
	case !column && warning(s) != "":
		setText(b.text, warning(s))
	case s.Tasks.Message() != "":
		setText(b.text, s.Tasks.Message())
	case b.noted != "":
		setText(b.text, b.noted)
	case s.Series() == nil:
		setText(b.text, lang.L("Open a series, or drop a file or folder here."))
	case !factsKnown(s):
		setText(b.text, lang.L("Measuring the noise of the series, on which automatic values depend …"))
	case s.Documents.Example():
		setText(b.text, lang.L("This is the bundled series. Open your own, or drop a file or folder here."))
	default:
		setText(b.text, "")
	}
	setText(b.engine, engineText(s.Engine()))
	used, limit := s.Documents.Memory()
	setText(b.memory, memoryText(app.ProcessMemory(), used, limit))
	if arrives(s) {
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
		return language.Sentence(err.Error())
	}
	if f, ok := s.Results.Forecast(); ok && f.Text() != "" {
		return language.Sentence(f.Text())
	}
	return filterpanel.Origin(s.Tuning.Carried())
}

// factsKnown says whether range and noise of the series are known.
func factsKnown(s *session.Session) bool {
	_, known := s.Document().Facts()
	return known
}

func (b *statusBar) showFindings(s *series.Series) {
	n, worst := 0, series.Note
	if s != nil {
		n = len(s.Findings)
		for _, f := range s.Findings {
			worst = max(worst, f.Severity)
		}
	}
	b.findings.Hidden = n == 0
	text := counted(n, lang.L("1 finding"), lang.L("%d findings"))
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
	text := fmt.Sprintf(lang.L("memory %s"), app.Bytes((process+step/2)/step*step))
	if used > 0 && 10*used > 7*limit {
		text += fmt.Sprintf(lang.L(", series %s of %s"), app.Bytes(used), app.Bytes(limit))
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

package physicspanel

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/internal/message"
	"quell/measure"
	"quell/measure/detect"
	"quell/measure/physics"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
	"quell/ui/session"
)

// Panel opens the dialog of the figures of TG-233. Create it with New.
type Panel struct {
	panel.Base
	h      *host.Host
	Widget *Widget // in the open dialog, or nil
}

// New returns what opens the figures of a workbench.
func New(h *host.Host) panel.Panel { return &Panel{h: h} }

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	return []command.Command{{
		ID: "physics", Title: "Spectrum, resolution, d′ …", Menu: command.MeasureMenu, Enabled: p.h.IsOpen, Run: p.open,
		Help: "noise power spectrum, task transfer function and d′ of AAPM TG-233 on this slice, before and after: of homogeneous regions and discs that are found, or of your ROIs",
	}}
}

func (p *Panel) open() {
	s := p.h.Session
	p.Widget = NewWidget(p.h.Go, p.h.Do, Hooks{Start: s.Physics.Start, Stop: s.Physics.Stop})
	size := p.h.Window.Canvas().Size()
	d := dialogs.NewLive(lang.L("Spectrum, resolution, d′"), p.Widget, fyne.NewSize(min(size.Width*0.95, 1180), min(size.Height*0.92, 680)), func() {
		p.Widget = nil
		s.Physics.Watch(false)
	}, p.h.Window)
	s.Physics.Watch(true)
	p.Widget.Display(snapshot(s))
	p.h.ShowDialog(d)
}

// Show implements panel.Panel.
func (p *Panel) Show(now panel.Snapshot) {
	if p.Widget != nil {
		p.Widget.Display(snapshot(now.Session))
	}
}

// snapshot returns what the dialog shows: figures of the slice and the result on the screen, or none.
func snapshot(s *session.Session) Snapshot {
	now := s.Physics.Now()
	snap := Snapshot{Measuring: now.Measuring, Stopped: now.Stopped}
	switch {
	case now.Measuring:
		snap.Text = lang.L("Homogeneous regions and discs are searched for on this slice, and measured …")
	case now.Stopped:
		snap.Text = lang.L("The measurement was cancelled.")
	case !now.Problem.IsZero():
		snap.Text, snap.Warns = language.Of(now.Problem), true
	case now.Figures == nil:
		snap.Text = lang.L("The slice is measured once it is filtered.")
	default:
		snap.Figures, snap.Picture, snap.Window, snap.Unit = now.Figures, now.Picture, s.State().Windows.Current(), s.Series().Volume.Unit
		snap.describe(*now.Figures, now.Drawn, s.State().Cut().Index())
	}
	return snap
}

// describe fills in the texts of figures.
func (s *Snapshot) describe(f physics.Figures, drawn bool, index int) {
	how := lang.L("found by themselves; draw rectangles or ellipses on the slice to choose them")
	if drawn {
		how = lang.L("with your ROIs: rectangles for the noise, ellipses around discs")
	}
	lines := []string{fmt.Sprintf(lang.L("Slice %d. Homogeneous regions (green): %d, discs (orange): %d, %s."), index+1, len(f.Regions), len(f.Rods), how)}
	for _, why := range []message.Message{f.Why, f.NoTask} {
		if !why.IsZero() {
			lines = append(lines, language.Of(why.Sentence()))
		}
	}
	s.Text = strings.Join(lines, "\n")
	unit := cmp.Or(s.Unit, lang.L("value"))
	if n := f.Spectra; n != nil {
		pair := func(of func(*measure.NPS) float64) Row { return numbers(of(&n.Original), of(n.Result)) }
		s.add(language.Sprintf(lang.L("Noise σ, %s"), unit), pair(func(n *measure.NPS) float64 { return math.Sqrt(n.Variance) }))
		s.add(lang.L("Mean frequency of the noise, 1/mm"), pair(func(n *measure.NPS) float64 { return float64(n.Mean) }))
		s.add(lang.L("Peak frequency of the noise, 1/mm"), pair(func(n *measure.NPS) float64 { return float64(n.Peak) }))
	}
	for k, r := range f.Rods {
		if k == mostRods {
			break
		}
		name := language.Sprintf(lang.L("disc of %.3g mm, %.4g %s"), 2*r.Radius, r.Contrast, unit)
		for i, what := range []string{"f50", "f10"} {
			row := Row{Before: fallText(fallOf(&r.Original, i)), After: "–"}
			if r.Result != nil {
				row.After = fallText(fallOf(r.Result, i))
			}
			s.add(fmt.Sprintf(lang.L("TTF %s, 1/mm: %s"), what, name), row)
		}
	}
	for _, t := range f.Tasks {
		disc := language.Sprintf(lang.L("disc of %.3g mm, %.4g %s"), t.Diameter, t.Contrast, unit)
		row := func(of func(physics.Index) detect.TaskIndex) Row {
			out := Row{Before: indexText(of(t.Before)), After: "–"}
			if t.After != nil {
				out.After = indexText(of(*t.After))
			}
			return out
		}
		s.add(fmt.Sprintf(lang.L("d′ without the eye: %s"), disc), row(func(i physics.Index) detect.TaskIndex { return i.NPW }))
		s.add(fmt.Sprintf(lang.L("d′ with the eye: %s"), disc), row(func(i physics.Index) detect.TaskIndex { return i.Eye }))
		if !t.Why.IsZero() {
			s.add(language.Of(t.Why.Sentence()), Row{})
		}
	}
}

// mostRods are the discs in the table; the charts show all.
const mostRods = 5

func (s *Snapshot) add(name string, r Row) {
	r.Name = name
	s.Rows = append(s.Rows, r)
}

func numbers(before, after float64) Row {
	r := Row{Before: short(before), After: short(after)}
	if ratio := after / before; ratio-ratio == 0 {
		r.Change = language.Sprintf("× %.2f", ratio)
	}
	return r
}

func short(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return language.Sprintf("%.3g", x)
}

func fallOf(m *measure.MTF, i int) measure.Fall { return [2]measure.Fall{m.F50, m.F10}[i] }

func fallText(f measure.Fall) string {
	if !f.Why.IsZero() {
		return "– (" + language.Of(f.Why) + ")"
	}
	return language.Sprintf("%.3f ± %.3f", float64(f.At), float64(f.Error))
}

func indexText(i detect.TaskIndex) string {
	if !i.Value.Finite() {
		return "–"
	}
	return language.Sprintf("%.3g ± %.1g", float64(i.Value), float64(i.Error))
}

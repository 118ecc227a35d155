package plotpanel

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/denoise"
	"quell/measure"
	"quell/ui/command"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
	"quell/ui/session"
	"quell/ui/viewer"
	"quell/ui/wording"
	"quell/volume"
)

// The tabs of plots, and their kinds.
var (
	tabs  = []string{"Histogram", "Profile", "Strength"}
	kinds = []Kind{Histogram, Profile, Strength}
)

// Panel is the tabs of plots in the workbench.
type Panel struct {
	h      *host.Host
	Widget *Widget
}

// New returns the tabs of plots of a workbench.
func New(h *host.Host) panel.Panel {
	find := func() { h.Run(h.Command("best-strength")) }
	return &Panel{h, NewWidget(h.Go, h.Do, Hooks{Take: h.Session.Strength.Take, Find: find})}
}

// Dock implements panel.Panel.
func (p *Panel) Dock() panel.Dock {
	return panel.Dock{Area: panel.Card, Object: p.Widget, Tabs: tabs}
}

// SelectTab implements panel.Tabbed.
func (p *Panel) SelectTab(title string) { p.Widget.Select(kinds[slices.Index(tabs, title)]) }

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	roi := func() bool {
		m, ok := p.h.Session.Marks.Selected()
		return ok && m.Shape != measure.Line
	}
	return []command.Command{{
		ID: "spectrum", Title: "Noise power spectrum, MTF", Menu: command.MeasureMenu, Enabled: roi,
		Help: "in a homogeneous rectangle the spectrum; across a straight edge or in an ellipse around a disc the MTF, with f50 and f10",
		Run: func() {
			p.h.Frame.ShowColumn(true)
			p.h.Frame.SelectTab(tabs[0])
			p.Widget.ShowSpectrum()
		},
	}}
}

// Show implements panel.Panel.
func (p *Panel) Show(now panel.Snapshot) {
	s := now.Session
	if s.Series() == nil || panel.Arrives(s) {
		p.Widget.Display(nil, [3]int{}, volume.Window{}, Marked{})
		p.Widget.DisplayCurve(nil, false, false)
		return
	}
	if picture := s.Screen.Settled(); picture != nil {
		p.Widget.Display(picture, s.State().Focus(), s.State().Windows.Current(), markedOn(s, picture))
	}
	p.Widget.DisplayCurve(CurveOf(s), s.Strength.Searching(), s.Strength.CanFind())
}

// CurveOf returns the curve of the strength as the plot shows it, nil without
// one.
func CurveOf(s *session.Session) *Curve {
	found := s.Strength.Curve()
	if found == nil {
		return nil
	}
	f, err := denoise.FilterByName(s.Tuning.Recipe().Filter)
	if err != nil {
		return nil
	}
	param, _ := f.Param(found.Param)
	unit := map[string]string{"value": "σ", "mm": lang.L("voxels")}[param.Unit]
	if unit == "" {
		unit = param.Unit
	}
	volumeUnit := s.Series().Volume.Unit
	c := &Curve{
		XLabel: lang.L(param.Label), YLabel: lang.L("estimated error"), Best: -1, Present: found.Present, Without: found.Sigma, Old: !found.Current,
	}
	if unit != "" {
		c.XLabel += ", " + unit
	}
	if found.Gain {
		c.Best = found.Best
	}
	if volumeUnit != "" {
		c.YLabel += ", " + volumeUnit
	}
	for i, p := range found.Points {
		rms := found.Sigma * p.RMSE()
		c.X, c.Y = append(c.X, p.Strength), append(c.Y, rms)
		label := strings.TrimSpace(wording.Short(p.Strength)+" "+unit) + ": " + fmt.Sprintf(lang.L("error %s"), language.Quantity(rms, volumeUnit))
		if i == c.Best {
			label += lang.L(", the least")
		}
		c.Labels = append(c.Labels, label)
	}
	return c
}

// markedOn returns what plots of a picture take from the selected mark.
func markedOn(s *session.Session, p *viewer.Picture) Marked {
	var out Marked
	if facts, known := s.Document().Facts(); known {
		out.Sigma = facts.Noise.Sigma
	}
	m, chosen := s.Marks.Selected()
	var outline measure.Outline
	if chosen && m.Plane == p.View.Plane {
		outline = m.In(p.View, p.Source.Geometry)
	}
	switch {
	case !chosen || m.Plane != p.View.Plane || m.Index != p.Index:
	case m.Shape == measure.Line:
		f := s.Marks.Figures(m)
		out.Line, out.LineName = &outline, wording.MarkName(m)
		out.LineNote = language.Sprintf("%.1f mm", f.Length)
		a, b := f.Edge[viewer.Original], f.Edge[viewer.Denoised]
		if a.Why.IsZero() {
			out.LineNote += lang.L(", edge ") + wording.Edge(a.Edge)
		}
		if b.Why.IsZero() {
			out.LineNote += lang.L(", denoised ") + wording.Edge(b.Edge)
		}
	default:
		out.Region, out.RegionName = &outline, wording.MarkName(m)
		for _, other := range s.Marks.List() {
			if m.Shape == measure.Box && other.Shape == measure.Box && other.Plane == m.Plane && other.Index == m.Index {
				out.Rectangles = append(out.Rectangles, other.In(p.View, p.Source.Geometry))
			}
		}
	}
	return out
}

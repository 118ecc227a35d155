package measurepanel

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
	"quell/ui/session"
	"quell/ui/session/measures"
	"quell/ui/session/preview"
	"quell/ui/wording"
)

// Panel is the tab of the measures in the workbench.
type Panel struct {
	panel.Base
	h      *host.Host
	widget *Widget
}

// New returns the tab of the measures of a workbench.
func New(h *host.Host) panel.Panel {
	p := &Panel{h: h}
	p.widget = NewWidget(Hooks{Jump: p.ShowPlace, Seen: func() { h.Run(h.Command("lesions")) }, Hover: func(o fyne.CanvasObject, text string) {
		if h.Tip.Hide(); text != "" {
			h.Tip.Beside(o, text)
		}
	}})
	return p
}

// Dock implements panel.Panel.
func (p *Panel) Dock() panel.Dock {
	return panel.Dock{Area: panel.Card, Object: p.widget, Tabs: []string{"Metrics"}}
}

// Show implements panel.Panel.
func (p *Panel) Show(now panel.Snapshot) {
	if !panel.Arrives(now.Session) {
		now.Session.Within.Want()
	}
	p.widget.Display(snapshot(now.Session))
}

// height is that of the measures with sentences on confidence, without what is folded.
const height = 420

// Needs implements panel.Needing.
func (p *Panel) Needs() float32 { return height }

// ShowPlace shows the slice in which the residual of the slice, or of the volume,
// has the most structure.
func (p *Panel) ShowPlace(volume bool) {
	m := p.h.Session.Measures.Slice()
	if volume {
		m = p.h.Session.Measures.Volume()
	}
	if place, ok := measures.PlaceOf(m.Measures); m.Known && ok {
		p.h.Session.State().ShowVoxel([3]int{place.X, place.Y, place.Slice})
	}
}

// measuring says why there are no measures of what is filtered.
func measuring() string { return lang.L("it is being measured.") }

func snapshot(s *session.Session) Snapshot {
	var snap Snapshot
	series := s.Series()
	if series == nil || panel.Arrives(s) {
		return snap
	}
	column := func(m measures.Numbers, missing string) Column {
		if m.Err != nil {
			snap.Problem = language.Error(m.Err)
		}
		c := Column{Known: m.Known, Current: m.Current, Missing: missing}
		if m.Known {
			c.Measures = m.Measures
			c.Map, c.Slices, c.Inspection.Slices = nil, nil, nil
			if place, ok := measures.PlaceOf(m.Measures); ok {
				c.Place = wording.Place(place)
			}
		}
		return c
	}
	cut := s.State().Cut()
	slice := s.Measures.Slice()
	index := cut.Index()
	if slice.Known {
		index = slice.Index
	}
	snap.Name, snap.Unit, snap.Filtered = fmt.Sprintf(lang.L("Slice %d"), index+1), series.Volume.Unit, series.Filtered
	missing := lang.L("it has not been filtered with these parameters yet.")
	if _, status, _ := s.Preview.Recipe(); status == preview.Whole || status == preview.Slice {
		missing = measuring()
	}
	snap.Slice = column(slice, missing)
	if index != cut.Index() {
		snap.Slice.Old = fmt.Sprintf(lang.L("the grey numbers stay until slice %d is measured."), cut.Index()+1)
	}
	snap.Within, snap.Slice.Clipped = s.Within.Now()
	missing = lang.L("apply the filter to the volume to judge it as a whole.")
	if s.Results.Applied() {
		missing = measuring()
	}
	whole := s.Measures.Volume()
	snap.Volume, snap.Run = column(whole, missing), whole.Run
	if facts, known := s.Document().Facts(); known {
		snap.Volume.Noise = facts.Noise.Figure
		snap.Slice.Noise, snap.Acquired = facts.Noise.Figure, facts.Noise.Acquired
		// The noise is estimated in slices along the third axis of the volume.
		if view := cut.View(); view.Axis[2] == 2 {
			if z := view.Voxel(0, 0, index)[2]; z < len(facts.Noise.PerSlice) {
				snap.Slice.Noise = facts.Noise.PerSlice[z]
			}
		}
	}
	if ref := s.Document().Reference(); ref != nil {
		snap.Reference = lang.L("the reference")
		if n, noisy := s.Document().Noise(); noisy {
			snap.Reference = language.Sprintf(lang.L("the original (σ %g added)"), n.Sigma)
		}
	}
	snap.Bars = bars(snap)
	return snap
}

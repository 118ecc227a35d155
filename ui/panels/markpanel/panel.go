package markpanel

import (
	"fmt"
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/workbench"
	"quell/measure"
	"quell/ui/command"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
	"quell/ui/session"
	"quell/ui/session/marks"
	"quell/ui/viewer"
	"quell/ui/wording"
)

// Panel is the tab of ROIs and lines in the workbench, with the commands on them.
type Panel struct {
	h      *host.Host
	widget *Widget
}

// New returns the tab of ROIs and lines of a workbench.
func New(h *host.Host) panel.Panel {
	return &Panel{h, NewWidget(Hooks{Select: h.Session.Marks.Select, Button: h.Button})}
}

// Dock implements panel.Panel.
func (p *Panel) Dock() panel.Dock {
	return panel.Dock{Area: panel.Card, Object: p.widget, Tabs: []string{"ROI"}}
}

// Show implements panel.Panel.
func (p *Panel) Show(now panel.Snapshot) { p.widget.Display(snapshot(now.Session)) }

// Cancel implements panel.Canceller: it puts the tool in use away.
func (p *Panel) Cancel() bool {
	if p.h.Session.Marks.Tool() == marks.NoTool {
		return false
	}
	p.h.Session.Marks.SetTool(marks.NoTool)
	return true
}

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	s := p.h.Session
	tool := func(t marks.Tool, id, title, help string, chords []command.Chord) command.Command {
		return command.Command{
			ID: id, Title: title, Help: help, Menu: command.MeasureMenu, Chords: chords, Enabled: p.h.IsOpen,
			Checked: func() bool { return s.Marks.Tool() == t },
			Run: func() {
				if s.Marks.Tool() == t {
					s.Marks.SetTool(marks.NoTool)
					return
				}
				s.Marks.SetTool(t)
				p.h.Frame.SelectTab("ROI")
			},
		}
	}
	selected := func() bool {
		_, ok := s.Marks.Selected()
		return ok
	}
	roi := func() bool {
		m, ok := s.Marks.Selected()
		return ok && m.Shape != measure.Line
	}
	some := func() bool { return len(s.Marks.List()) > 0 }
	const drag = "drag on a picture; "
	return []command.Command{
		tool(marks.EllipseTool, "tool-ellipse", "Elliptical ROI", drag+"mean, SD, SNR and CNR in every pane", command.Key(fyne.KeyE)),
		tool(marks.RectangleTool, "tool-rectangle", "Rectangular ROI", drag+"mean, SD, SNR and CNR in every pane", command.With(fyne.KeyModifierShift, fyne.KeyE)),
		tool(marks.FreehandTool, "tool-freehand", "Freehand ROI", drag+"mean, SD, SNR and CNR in every pane", command.Key(fyne.KeyU)),
		tool(marks.LineTool, "tool-line", "Line", drag+"its length, the profile along it and the width of an edge across it", command.Key(fyne.KeyL)),
		{ID: Window, Title: "Window of the ROI", Menu: command.MeasureMenu, Gap: true, Run: s.Marks.SetWindow, Enabled: roi, Chords: command.Key(fyne.KeyV),
			Help: "window width and level that contain the values in it"},
		{ID: Ground, Title: "Contrast to the ROI", Menu: command.MeasureMenu, Run: s.Marks.SetGround, Enabled: roi,
			Help: "the CNR of the others is measured against it"},
		{ID: Noise, Title: "Use the noise in the ROI", Menu: command.MeasureMenu, Run: s.Marks.UseNoise, Enabled: roi,
			Help: "for strengths that count in sigmas, in the place of the estimate"},
		{ID: Estimate, Title: "Use the estimated noise", Menu: command.MeasureMenu, Run: s.Marks.EstimateNoise,
			Enabled: func() bool { return p.h.IsOpen() && s.Document().GivenNoise() != nil }},
		{ID: Delete, Title: "Delete the ROI or line", Menu: command.MeasureMenu, Gap: true, Run: s.Marks.Delete, Enabled: selected,
			Chords: command.Key(fyne.KeyDelete, fyne.KeyBackspace)},
		{ID: "marks-delete", Title: "Delete all ROIs and lines", Menu: command.MeasureMenu, Run: s.Marks.DeleteAll, Enabled: some},
		{ID: Copy, Title: "Copy the table (CSV)", Menu: command.MeasureMenu, Run: p.copyMarks, Enabled: some,
			Help: "all ROIs and lines in every pane, for a spreadsheet"},
	}
}

// copyMarks puts the table of all marks on the clipboard.
func (p *Panel) copyMarks() {
	p.h.App.Clipboard().SetContent(p.h.Session.Marks.CSV())
	p.h.Note(fmt.Sprintf(lang.L("The figures of the marks (%d) are on the clipboard, as CSV."), len(p.h.Session.Marks.List())))
}

// snapshot returns what the panel of marks shows.
func snapshot(s *session.Session) Snapshot {
	if s.Series() == nil || panel.Arrives(s) {
		return Snapshot{Note: lang.L("Open a series to measure in it.")}
	}
	snap := Snapshot{Ready: true, Given: s.Document().GivenNoise() != nil}
	selected, chosen := s.Marks.Selected()
	unit := s.Series().Volume.Unit
	for _, m := range s.Marks.List() {
		f := s.Marks.Figures(m)
		where := fmt.Sprintf(lang.L(", slice %d: "), m.Index+1)
		if m.Plane != s.State().Cut().View().Plane {
			where = fmt.Sprintf(", %s %d: ", strings.ToLower(lang.L(wording.Plane(m.Plane))), m.Index+1)
		}
		text := language.Sprintf("%.1f mm", f.Length)
		if m.Shape != measure.Line {
			st := s.Marks.Own(m).Stats[viewer.Original]
			text = wording.Rounded(float64(st.Mean), st.SD, "") + " ± " + wording.Rounded(float64(st.SD), st.SD, unit)
		}
		snap.Entries = append(snap.Entries, Entry{ID: m.ID, Text: wording.MarkName(m) + where + text, Selected: chosen && m.ID == selected.ID})
	}
	switch {
	case chosen && selected.Shape == measure.Line:
		snap.Rows, snap.Note = lineRows(s, selected, unit)
	case chosen:
		snap.Rows, snap.Note = regionRows(s, selected, unit)
		ground, _ := s.Marks.Ground()
		snap.ROI, snap.Ground = true, ground.ID != selected.ID
	case len(snap.Entries) == 0:
		snap.Note = lang.L("Choose a shape in the tool bar or the menu Measure, and drag on a picture: " +
			"E draws an ellipse, Shift+E a rectangle, U freehand, L a line. Drag its edge to move it, a corner to change it.")
	default:
		snap.Note = lang.L("Click the edge of a mark, or its name below, for its figures.")
	}
	return snap
}

// regionRows returns the table of an ROI.
func regionRows(s *session.Session, m workbench.Mark, unit string) (rows []Row, note string) {
	f, cnr := s.Marks.Figures(m), s.Marks.CNR(s.Marks.Figures(m))
	rows = append(rows, Row{Label: unit, Values: wording.PaneNames(s)})
	write := wording.Rounded
	add := func(label string, value func(st measure.Stats, role viewer.Role) float64) {
		r := Row{Label: label}
		for role := range viewer.Roles {
			r.Values[role] = write(value(f.Stats[role], role), f.Stats[role].SD, "")
		}
		rows = append(rows, r)
	}
	add(lang.L("Mean"), func(st measure.Stats, _ viewer.Role) float64 { return float64(st.Mean) })
	add("SD", func(st measure.Stats, _ viewer.Role) float64 { return float64(st.SD) })
	add(lang.L("Least"), func(st measure.Stats, _ viewer.Role) float64 { return float64(st.Min) })
	add(lang.L("Most"), func(st measure.Stats, _ viewer.Role) float64 { return float64(st.Max) })
	write = func(x float64, _ measure.Float, unit string) string { return wording.Figure(x, unit) }
	add("SNR", func(st measure.Stats, role viewer.Role) float64 {
		if role == viewer.Residual {
			return math.NaN()
		}
		return float64(st.SNR())
	})
	if ground, ok := s.Marks.Ground(); ok && ground.ID != m.ID {
		add(fmt.Sprintf(lang.L("CNR to %s"), wording.MarkName(ground)), func(_ measure.Stats, role viewer.Role) float64 { return float64(cnr[role]) })
	}
	st := f.Stats[viewer.Original]
	note = fmt.Sprintf("%s, %s mm². ", wording.Counted(st.N, lang.L("1 voxel"), lang.L("%d voxels")), wording.Figure(f.Area, ""))
	switch st.N {
	case 0:
		note = lang.L("No voxel of the series lies in it. ")
	case 1:
		note += lang.L("One voxel has no SD. ")
	}
	if f.Stats[viewer.Denoised].N == 0 && st.N > 0 {
		note += fmt.Sprintf(lang.L("Slice %d is not filtered yet. "), m.Index+1)
	}
	estimated, known := s.Document().Estimated()
	sigma, _, err := s.Marks.NoiseIn()
	switch {
	case st.N < 2:
	case err != nil:
		note += lang.L("Noise: ") + language.Error(err) + "."
	case known:
		note += fmt.Sprintf(lang.L("Noise, background slope removed: %s; estimated for the volume: %s."), wording.Figure(sigma, unit), wording.Figure(estimated.Noise.Sigma, unit))
	}
	if given := s.Document().GivenNoise(); given != nil {
		note += fmt.Sprintf(lang.L(" In use: %s of %s."), wording.Figure(given.Sigma, unit), given.From)
	}
	return rows, note
}

// lineRows returns the table of a line.
func lineRows(s *session.Session, m workbench.Mark, unit string) (rows []Row, note string) {
	f, names := s.Marks.Figures(m), wording.PaneNames(s)
	rows = append(rows, Row{Values: [3]string{names[0], names[1], ""}})
	width, height := Row{Label: lang.L("Edge 10–90 %, mm")}, Row{Label: lang.L("Edge height") + ", " + unit}
	if unit == "" {
		height.Label = lang.L("Edge height")
	}
	for _, role := range []viewer.Role{viewer.Original, viewer.Denoised} {
		e := f.Edge[role]
		width.Values[role], height.Values[role] = "–", "–"
		if e.Why.IsZero() {
			text := wording.Edge(e.Edge)
			width.Values[role] = text[:len(text)-len(" mm")]
			height.Values[role] = wording.Figure(e.Height, "")
		}
	}
	rows = append(rows, width, height)
	note = language.Sprintf(lang.L("Length %.1f mm. "), f.Length)
	a, b := language.Of(f.Edge[viewer.Original].Why), language.Of(f.Edge[viewer.Denoised].Why)
	switch {
	case a != "" && a == b:
		note += a
	case a != "" && b != "":
		note += lang.L("Original: ") + a + " " + lang.L("Denoised: ") + b
	case a != "":
		note += lang.L("Original: ") + a
	case b != "":
		note += lang.L("Denoised: ") + b
	default:
		note += lang.L("The width is right where the line crosses the edge at a right angle.")
	}
	return rows, note
}

package ui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/measure"
	"quell/ui/language"
	"quell/ui/markpanel"
	"quell/ui/plotpanel"
	"quell/ui/session"
	"quell/ui/session/marks"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/volume"
)

// The IDs of the commands that take a tool.
var toolIDs = map[marks.Tool]string{
	marks.EllipseTool: "tool-ellipse", marks.RectangleTool: "tool-rectangle", marks.FreehandTool: "tool-freehand", marks.LineTool: "tool-line",
}

// markCommands returns the commands of marks and their figures.
func (w *Workbench) markCommands() []Command {
	s := w.session
	tool := func(t marks.Tool, title, help string, chords []Chord) Command {
		return Command{
			ID: toolIDs[t], Title: title, Help: help, Menu: menuMeasure, Chords: chords, Enabled: w.open,
			Checked: func() bool { return s.Marks.Tool() == t },
			Run: func() {
				if s.Marks.Tool() == t {
					s.Marks.SetTool(marks.NoTool)
					return
				}
				s.Marks.SetTool(t)
				w.card.selectTab(tabMarks)
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
	return []Command{
		tool(marks.EllipseTool, "Elliptical ROI", drag+"mean, SD, SNR and CNR in every pane", key(fyne.KeyE)),
		tool(marks.RectangleTool, "Rectangular ROI", drag+"mean, SD, SNR and CNR in every pane", with(fyne.KeyModifierShift, fyne.KeyE)),
		tool(marks.FreehandTool, "Freehand ROI", drag+"mean, SD, SNR and CNR in every pane", key(fyne.KeyU)),
		tool(marks.LineTool, "Line", drag+"its length, the profile along it and the width of an edge across it", key(fyne.KeyL)),
		{ID: markpanel.Window, Title: "Window of the ROI", Menu: menuMeasure, Gap: true, Run: s.Marks.SetWindow, Enabled: roi, Chords: key(fyne.KeyV),
			Help: "window width and level that hold the values in it"},
		{ID: markpanel.Ground, Title: "Contrast to the ROI", Menu: menuMeasure, Run: s.Marks.SetGround, Enabled: roi,
			Help: "the CNR of the others is measured against it"},
		{ID: markpanel.Noise, Title: "Use the noise in the ROI", Menu: menuMeasure, Run: s.Marks.UseNoise, Enabled: roi,
			Help: "for strengths that count in sigmas, in the place of the estimate"},
		{ID: markpanel.Estimate, Title: "Use the estimated noise", Menu: menuMeasure, Run: s.Marks.EstimateNoise,
			Enabled: func() bool { return w.open() && s.Document().GivenNoise() != nil }},
		{ID: "spectrum", Title: "Noise power spectrum, MTF", Menu: menuMeasure, Enabled: roi,
			Help: "in an even rectangle the spectrum; across a straight edge or in an ellipse around a disc the MTF, with f50 and f10",
			Run: func() {
				w.showColumn(true)
				w.card.selectTab(tabHistogram)
				w.plot.ShowSpectrum()
			}},
		{ID: markpanel.Delete, Title: "Delete the ROI or line", Menu: menuMeasure, Gap: true, Run: s.Marks.Delete, Enabled: selected,
			Chords: []Chord{{Key: fyne.KeyDelete}, {Key: fyne.KeyBackspace}}},
		{ID: "marks-delete", Title: "Delete all ROIs and lines", Menu: menuMeasure, Run: s.Marks.DeleteAll, Enabled: some},
		{ID: markpanel.Copy, Title: "Copy the table (CSV)", Menu: menuMeasure, Run: w.copyMarks, Enabled: some,
			Help: "all ROIs and lines in every pane, for a spreadsheet"},
		{ID: "judge-slices", Title: "Judge all slices in the background", Menu: menuMeasure, Gap: true, Run: w.toggleJudgement, Checked: s.Strip.Judges,
			Help: "verdicts for the strip above the slices, on one core, while nothing else is in progress"},
	}
}

// toggleJudgement switches the verdicts on the slices that are not shown on or off, now and
// at the next start.
func (w *Workbench) toggleJudgement() {
	w.settings.LeaveSlices = w.session.Strip.Judges()
	w.session.Strip.Judge(!w.settings.LeaveSlices)
	w.saveSettings()
}

// copyMarks puts the table of all marks on the clipboard.
func (w *Workbench) copyMarks() {
	w.app.Clipboard().SetContent(w.session.Marks.CSV())
	w.status.note(fmt.Sprintf(lang.L("The figures of the marks (%d) are on the clipboard, as CSV."), len(w.session.Marks.List())))
}

// counted writes a number of things: one, "1 slice", or several, as "%d slices" has them.
func counted(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(several, n)
}

// showMarks adds the marks on the slice to the captions of the panes.
func showMarks(s *session.Session, captions *[viewer.Roles]sliceview.Caption) {
	if s.Series() == nil {
		return
	}
	here := s.Marks.Here()
	for role := range captions {
		if viewer.Role(role) == viewer.Original || s.Screen.Kept() == nil { // else the pane shows another slice
			captions[role].Marks = marksOf(s, here, viewer.Role(role), s.State().View())
		}
	}
}

// marksOf returns marks of a slice as a view shows them, with the figures of a role; the last
// ones, where they are many.
func marksOf(s *session.Session, here []app.Mark, role viewer.Role, view volume.View) (out []sliceview.Mark) {
	selected, _ := s.Marks.Selected()
	for _, m := range here[max(len(here)-maxShown, 0):] {
		out = append(out, sliceview.Mark{
			Outline: m.In(view, s.Series().Volume.Geometry), Selected: m.ID == selected.ID, Text: markText(s, s.Marks.Figures(m), role, s.Series().Volume.Unit),
		})
	}
	return out
}

// markName names a mark as the panel does; what is written has its name in English.
func markName(m app.Mark) string {
	if m.Shape == measure.Line {
		return fmt.Sprintf(lang.L("Line %d"), m.ID)
	}
	return m.Name()
}

// maxShown is how many marks of a slice are drawn; the list has all.
const maxShown = 50

// markText is what stands beside a mark in a pane: "2: 33.1 ± 4.9 HU, CNR 3.1".
func markText(s *session.Session, f marks.Figures, role viewer.Role, unit string) string {
	name := fmt.Sprintf("%d: ", f.Mark.ID)
	if f.Mark.Shape == measure.Line {
		text := name + language.Sprintf("%.1f mm", f.Length)
		if role != viewer.Residual && f.Edge[role].Why == "" {
			text += lang.L(", edge ") + edgeText(f.Edge[role].Edge)
		}
		return text
	}
	st := f.Stats[role]
	if st.N == 0 {
		if role == viewer.Original {
			return name + lang.L("no voxel")
		}
		return name + "–"
	}
	text := name + lang.L("mean ") + rounded(float64(st.Mean), st.SD, "") + " SD " + rounded(float64(st.SD), st.SD, unit)
	if cnr := s.Marks.CNR(f)[role]; cnr.Finite() {
		text += ", CNR " + figure(float64(cnr), "")
	}
	return text
}

// rounded writes a number with as many decimals as the SD that belongs to it needs for two
// digits, and its unit.
func rounded(x float64, sd measure.Float, unit string) string {
	if math.IsNaN(x) || !sd.Finite() || sd <= 0 {
		return figure(x, unit)
	}
	digits := min(max(1-int(math.Floor(math.Log10(float64(sd)))), 0), 9)
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" { // no minus before a zero
		text = strings.TrimPrefix(text, "-")
	}
	return strings.TrimSpace(language.Number(strings.Replace(text, "-", "−", 1)) + " " + unit)
}

// figure writes a number with its unit, "–" for none.
func figure(x float64, unit string) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	text := language.Quantity(x, unit)
	if text[0] == '-' {
		text = "−" + text[1:]
	}
	return text
}

// edgeText writes the width of an edge with its standard error: "2.3 ± 0.2 mm".
func edgeText(e measure.Edge) string {
	if e.Narrower {
		return language.Sprintf("< %.2g mm", e.Width)
	}
	digits := 1
	if e.Error < 0.1 {
		digits = 2
	}
	return language.Sprintf("%.*f ± %.*f mm", digits, e.Width, digits, e.Error)
}

// markSnapshot returns what the panel of marks shows.
func markSnapshot(s *session.Session) markpanel.Snapshot {
	if s.Series() == nil || arrives(s) {
		return markpanel.Snapshot{Note: lang.L("Open a series to measure in it.")}
	}
	snap := markpanel.Snapshot{Ready: true, Given: s.Document().GivenNoise() != nil}
	selected, chosen := s.Marks.Selected()
	unit := s.Series().Volume.Unit
	for _, m := range s.Marks.List() {
		f := s.Marks.Figures(m)
		where := fmt.Sprintf(lang.L(", slice %d: "), m.Index+1)
		if m.Plane != s.State().View().Plane {
			where = fmt.Sprintf(", %s %d: ", strings.ToLower(lang.L(planeName(m.Plane))), m.Index+1)
		}
		text := language.Sprintf("%.1f mm", f.Length)
		if m.Shape != measure.Line {
			st := f.Stats[viewer.Original]
			text = rounded(float64(st.Mean), st.SD, "") + " ± " + rounded(float64(st.SD), st.SD, unit)
		}
		snap.Entries = append(snap.Entries, markpanel.Entry{ID: m.ID, Text: markName(m) + where + text, Selected: chosen && m.ID == selected.ID})
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

func paneNames() [3]string {
	return [3]string{lang.L("Original"), lang.L("Denoised"), lang.L("Residual")}
}

// regionRows returns the table of an ROI.
func regionRows(s *session.Session, m app.Mark, unit string) (rows []markpanel.Row, note string) {
	f, cnr := s.Marks.Figures(m), s.Marks.CNR(s.Marks.Figures(m))
	rows = append(rows, markpanel.Row{Label: unit, Values: paneNames()})
	write := rounded
	add := func(label string, value func(st measure.Stats, role viewer.Role) float64) {
		r := markpanel.Row{Label: label}
		for role := range viewer.Roles {
			r.Values[role] = write(value(f.Stats[role], role), f.Stats[role].SD, "")
		}
		rows = append(rows, r)
	}
	add(lang.L("Mean"), func(st measure.Stats, _ viewer.Role) float64 { return float64(st.Mean) })
	add("SD", func(st measure.Stats, _ viewer.Role) float64 { return float64(st.SD) })
	add(lang.L("Least"), func(st measure.Stats, _ viewer.Role) float64 { return float64(st.Min) })
	add(lang.L("Most"), func(st measure.Stats, _ viewer.Role) float64 { return float64(st.Max) })
	write = func(x float64, _ measure.Float, unit string) string { return figure(x, unit) }
	add("SNR", func(st measure.Stats, role viewer.Role) float64 {
		if role == viewer.Residual {
			return math.NaN()
		}
		return float64(st.SNR())
	})
	if ground, ok := s.Marks.Ground(); ok && ground.ID != m.ID {
		add(fmt.Sprintf(lang.L("CNR to %s"), markName(ground)), func(_ measure.Stats, role viewer.Role) float64 { return float64(cnr[role]) })
	}
	st := f.Stats[viewer.Original]
	note = fmt.Sprintf("%s, %s mm². ", counted(st.N, lang.L("1 voxel"), lang.L("%d voxels")), figure(f.Area, ""))
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
		note += lang.L("Noise: ") + language.Sentence(err.Error()) + "."
	case known:
		note += fmt.Sprintf(lang.L("Noise, background slope removed: %s; estimated for the volume: %s."), figure(sigma, unit), figure(estimated.Noise.Sigma, unit))
	}
	if given := s.Document().GivenNoise(); given != nil {
		note += fmt.Sprintf(lang.L(" In use: %s of %s."), figure(given.Sigma, unit), given.From)
	}
	return rows, note
}

// lineRows returns the table of a line.
func lineRows(s *session.Session, m app.Mark, unit string) (rows []markpanel.Row, note string) {
	f, names := s.Marks.Figures(m), paneNames()
	rows = append(rows, markpanel.Row{Values: [3]string{names[0], names[1], ""}})
	width, height := markpanel.Row{Label: lang.L("Edge 10–90 %, mm")}, markpanel.Row{Label: lang.L("Edge height") + ", " + unit}
	if unit == "" {
		height.Label = lang.L("Edge height")
	}
	for _, role := range []viewer.Role{viewer.Original, viewer.Denoised} {
		e := f.Edge[role]
		width.Values[role], height.Values[role] = "–", "–"
		if e.Why == "" {
			text := edgeText(e.Edge)
			width.Values[role] = text[:len(text)-len(" mm")]
			height.Values[role] = figure(e.Height, "")
		}
	}
	rows = append(rows, width, height)
	note = language.Sprintf(lang.L("Length %.1f mm. "), f.Length)
	a, b := language.Sentence(f.Edge[viewer.Original].Why), language.Sentence(f.Edge[viewer.Denoised].Why)
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

// lineSelected says whether a line on the slice is profiled, in place of a row.
func lineSelected(s *session.Session) bool {
	return slices.ContainsFunc(s.Marks.Here(), func(m app.Mark) bool {
		selected, _ := s.Marks.Selected()
		return m.ID == selected.ID && m.Shape == measure.Line
	})
}

// markedOn returns what plots of a picture take from the selected mark.
func markedOn(s *session.Session, p *viewer.Picture) plotpanel.Marked {
	var out plotpanel.Marked
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
		out.Line, out.LineName = &outline, markName(m)
		out.LineNote = language.Sprintf("%.1f mm", f.Length)
		a, b := f.Edge[viewer.Original], f.Edge[viewer.Denoised]
		if a.Why == "" {
			out.LineNote += lang.L(", edge ") + edgeText(a.Edge)
		}
		if b.Why == "" {
			out.LineNote += lang.L(", denoised ") + edgeText(b.Edge)
		}
	default:
		out.Region, out.RegionName = &outline, markName(m)
		for _, other := range s.Marks.List() {
			if m.Shape == measure.Box && other.Shape == measure.Box && other.Plane == m.Plane && other.Index == m.Index {
				out.Rectangles = append(out.Rectangles, other.In(p.View, p.Source.Geometry))
			}
		}
	}
	return out
}

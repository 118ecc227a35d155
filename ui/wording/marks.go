package wording

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app/workbench"
	"quell/measure"
	"quell/ui/language"
	"quell/ui/session"
	"quell/ui/session/marks"
	"quell/ui/viewer"
)

// MarkName names a mark as the panel does; files have its name in English.
func MarkName(m workbench.Mark) string {
	if m.Shape == measure.Line {
		return fmt.Sprintf(lang.L("Line %d"), m.ID)
	}
	return m.Name()
}

// Mark is what stands beside a mark in a pane: "2: 33.1 ± 4.9 HU, CNR 3.1".
func Mark(s *session.Session, f marks.Figures, role viewer.Role, unit string) string {
	name := fmt.Sprintf("%d: ", f.Mark.ID)
	if f.Mark.Shape == measure.Line {
		text := name + language.Sprintf("%.1f mm", f.Length)
		if role != viewer.Residual && f.Edge[role].Why.IsZero() {
			text += lang.L(", edge ") + Edge(f.Edge[role].Edge)
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
	text := name + lang.L("mean ") + Rounded(float64(st.Mean), st.SD, "") + " SD " + Rounded(float64(st.SD), st.SD, unit)
	if cnr := s.Marks.CNR(f)[role]; cnr.Finite() {
		text += ", CNR " + Figure(float64(cnr), "")
	}
	return text
}

// Edge writes the width of an edge with its standard error: "2.3 ± 0.2 mm".
func Edge(e measure.Edge) string {
	if e.Narrower {
		return language.Sprintf("< %.2g mm", e.Width)
	}
	digits := 1
	if e.Error < 0.1 {
		digits = 2
	}
	return language.Sprintf("%.*f ± %.*f mm", digits, e.Width, digits, e.Error)
}

// PaneNames are the headings of a table with a value for each pane.
func PaneNames(s *session.Session) [3]string {
	if Compared(s) {
		names := Sides(s, true)
		return [3]string{names[0], names[1], lang.L("Difference")}
	}
	return [3]string{lang.L("Original"), lang.L("Denoised"), lang.L("Residual")}
}

// LineSelected says whether a line on the slice is profiled, in place of a row.
func LineSelected(s *session.Session) bool {
	return slices.ContainsFunc(s.Marks.Here(), func(m workbench.Mark) bool {
		selected, _ := s.Marks.Selected()
		return m.ID == selected.ID && m.Shape == measure.Line
	})
}

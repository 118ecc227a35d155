package pictures

import (
	"quell/app/workbench"
	"quell/ui/session"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/ui/wording"
	"quell/volume"
)

// showMarks adds the marks on the slice to the captions of the panes.
func showMarks(s *session.Session, captions *[viewer.Roles]sliceview.Caption) {
	if s.Series() == nil {
		return
	}
	here := s.Marks.Here()
	for role := range captions {
		if viewer.Role(role) == viewer.Original || s.Screen.Kept() == nil { // else the pane shows another slice
			captions[role].Marks = marksOf(s, here, viewer.Role(role), s.State().Cut().View())
		}
	}
}

// maxShown is how many marks of a slice are drawn; the list has all.
const maxShown = 50

// marksOf returns marks of a slice as a view shows them, with the figures of a role; the last
// ones, if they are many.
func marksOf(s *session.Session, here []workbench.Mark, role viewer.Role, view volume.View) (out []sliceview.Mark) {
	selected, _ := s.Marks.Selected()
	for _, m := range here[max(len(here)-maxShown, 0):] {
		out = append(out, sliceview.Mark{
			Outline: m.In(view, s.Series().Volume.Geometry), Selected: m.ID == selected.ID, Text: wording.Mark(s, s.Marks.Figures(m), role, s.Series().Volume.Unit),
		})
	}
	return out
}

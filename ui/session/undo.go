package session

import (
	"quell/app"
	"quell/ui/viewer"
	"quell/volume"
)

// chosen notes windows and places of the pictures that were chosen as one step of the history.
func (s *Session) chosen(g viewer.Gesture) {
	if s.doc == nil {
		return
	}
	edits := s.doc.Edits()
	present, next := s.edit(), s.withView(s.edit())
	from := placesOf(g.From)
	switch {
	case next.Places == from && next.Window == present.Window && next.Second == present.Second:
		return
	case g.Turning && edits.Turning() && present.Places == from:
		edits.Amend(next)
	default:
		if present.Places != from { // another plane fits its picture, which is no step
			present.Places = from
			edits.Amend(present)
		}
		push := edits.Push
		if g.Turning {
			push = edits.PushTurn
		}
		push(next)
	}
	s.listener.Changed()
}

// withView returns a step with the windows and places that are shown.
func (s *Session) withView(e app.Edit) app.Edit {
	e.Window, e.Second, e.Places = s.state.WindowOf(viewer.Original), s.state.Second(), placesOf(s.state.Placed())
	return e
}

func placesOf(planes [3]viewer.Placed) (out [3]app.Place) {
	for p, placed := range planes {
		out[p] = app.Place(placed)
	}
	return out
}

// Undo returns to the previous recipe, marks, noise, windows and places.
func (s *Session) Undo() { s.step((*app.History).Undo) }

// Redo is the inverse of Undo.
func (s *Session) Redo() { s.step((*app.History).Redo) }

// step shows the step that move makes the present.
func (s *Session) step(move func(*app.History) (app.Edit, bool)) {
	if s.doc == nil {
		return
	}
	before := s.edit()
	if after, ok := move(s.doc.Edits()); ok {
		s.returnTo(before, after)
	}
}

// returnTo shows a step; before is the one that was present. A step that placed the pictures
// of one plane shows that plane.
func (s *Session) returnTo(before, after app.Edit) {
	s.marking.drag = nil
	s.state.ShowWindows(after.Window, after.Second)
	if after.Places != before.Places {
		s.showPlaced(before, after)
	}
	s.setRecipe(after.Recipe)
}

// showPlaced places the pictures as after, and shows the plane where that differs from before,
// if it is one alone.
func (s *Session) showPlaced(before, after app.Edit) {
	var planes [3]viewer.Placed
	var changed []volume.Plane
	for p, place := range after.Places {
		planes[p] = viewer.Placed(place)
		if place != before.Places[p] {
			changed = append(changed, volume.Plane(p))
		}
	}
	if len(changed) == 1 && !s.showsPlanes() {
		s.state.SetPlane(changed[0])
	}
	s.state.Place(planes)
}

// showsPlanes says whether every plane has a pane of its own.
func (s *Session) showsPlanes() bool {
	if s.listener.PlanePanes == nil {
		return false
	}
	panes := s.listener.PlanePanes()
	return !panes[0].Hidden && panes[0].Width > 0
}

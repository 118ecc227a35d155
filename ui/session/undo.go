package session

import (
	"quell/app"
	"quell/ui/viewer"
	"quell/volume"
)

// History goes back and forth in the edits of the series that is shown.
type History struct{ s *Session }

// chosen notes windows and places of the pictures that were chosen as one step of the history.
func (hi *History) chosen(g viewer.Gesture) {
	if hi.s.doc == nil {
		return
	}
	edits := hi.s.doc.Edits()
	present, next := hi.s.edit(), hi.withView(hi.s.edit())
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
	hi.s.listener.Changed()
}

// withView returns a step with the windows and places that are shown.
func (hi *History) withView(e app.Edit) app.Edit {
	e.Window, e.Second, e.Places = hi.s.state.WindowOf(viewer.Original), hi.s.state.Second(), placesOf(hi.s.state.Placed())
	return e
}

func placesOf(planes [3]viewer.Placed) (out [3]app.Place) {
	for p, placed := range planes {
		out[p] = app.Place(placed)
	}
	return out
}

// Undo returns to the previous recipe, marks, noise, windows and places.
func (hi *History) Undo() { hi.step((*app.History).Undo) }

// Redo is the inverse of Undo.
func (hi *History) Redo() { hi.step((*app.History).Redo) }

// step shows the step that move makes the present.
func (hi *History) step(move func(*app.History) (app.Edit, bool)) {
	if hi.s.doc == nil {
		return
	}
	before := hi.s.edit()
	if after, ok := move(hi.s.doc.Edits()); ok {
		hi.returnTo(before, after)
	}
}

// returnTo shows a step; before is the one that was present. A step that placed the pictures
// of one plane shows that plane.
func (hi *History) returnTo(before, after app.Edit) {
	hi.s.marking.drag = nil
	hi.s.state.ShowWindows(after.Window, after.Second)
	if after.Places != before.Places {
		hi.showPlaced(before, after)
	}
	hi.s.Tuning.change(after.Recipe)
}

// showPlaced places the pictures as after, and shows the plane where that differs from before,
// if it is one alone.
func (hi *History) showPlaced(before, after app.Edit) {
	var planes [3]viewer.Placed
	var changed []volume.Plane
	for p, place := range after.Places {
		planes[p] = viewer.Placed(place)
		if place != before.Places[p] {
			changed = append(changed, volume.Plane(p))
		}
	}
	if len(changed) == 1 && !hi.showsPlanes() {
		hi.s.state.SetPlane(changed[0])
	}
	hi.s.state.Place(planes)
}

// showsPlanes says whether every plane has a pane of its own.
func (hi *History) showsPlanes() bool {
	if hi.s.listener.PlanePanes == nil {
		return false
	}
	panes := hi.s.listener.PlanePanes()
	return !panes[0].Hidden && panes[0].Width > 0
}

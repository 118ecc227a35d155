package session

import (
	"quell/app/workbench"
	"quell/ui/session/desk"
	"quell/ui/session/marks"
	"quell/ui/session/tuning"
	"quell/ui/viewer"
	"quell/volume"
)

// History goes back and forth in the edits of the series that is shown.
type History struct {
	desk   *desk.Desk
	tuning *tuning.Tuning
	marks  *marks.Marks
}

// chosen notes windows and places of the pictures that were chosen as one step of the history.
func (hi *History) chosen(g viewer.Gesture) {
	if hi.desk.Doc == nil {
		return
	}
	edits := hi.desk.Doc.Edits()
	present, next := hi.desk.Edit(), hi.desk.WithView(hi.desk.Edit())
	from := desk.PlacesOf(g.From)
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
	hi.desk.Changed()
}

// Undo returns to the previous recipe, marks, noise, windows and places.
func (hi *History) Undo() { hi.step((*workbench.History).Undo) }

// Redo is the inverse of Undo.
func (hi *History) Redo() { hi.step((*workbench.History).Redo) }

// step shows the step that move makes the present.
func (hi *History) step(move func(*workbench.History) (workbench.Edit, bool)) {
	if hi.desk.Doc == nil {
		return
	}
	before := hi.desk.Edit()
	if after, ok := move(hi.desk.Doc.Edits()); ok {
		hi.returnTo(before, after)
	}
}

// returnTo shows a step; before is the one that was present. A step that placed the pictures
// of one plane shows that plane.
func (hi *History) returnTo(before, after workbench.Edit) {
	hi.marks.Drop()
	hi.desk.State.Windows.Show(after.Window, after.Second)
	if after.Places != before.Places {
		hi.showPlaced(before, after)
	}
	hi.tuning.Change(after.Recipe)
}

// showPlaced places the pictures as after, and shows the plane if that differs from before, if
// it is one alone.
func (hi *History) showPlaced(before, after workbench.Edit) {
	var planes [3]viewer.Placed
	var changed []volume.Plane
	for p, place := range after.Places {
		planes[p] = viewer.Placed(place)
		if place != before.Places[p] {
			changed = append(changed, volume.Plane(p))
		}
	}
	if len(changed) == 1 && !hi.showsPlanes() {
		hi.desk.State.SetPlane(changed[0])
	}
	hi.desk.State.Place(planes)
}

// showsPlanes says whether every plane has a pane of its own.
func (hi *History) showsPlanes() bool {
	if hi.desk.PlanePanes == nil {
		return false
	}
	panes := hi.desk.PlanePanes()
	return !panes[0].Hidden && panes[0].Width > 0
}

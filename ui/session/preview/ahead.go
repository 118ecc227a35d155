package preview

import (
	"quell/app/workbench"
	"quell/ui/session/desk"
)

// ahead filters the neighbours of the slice on the screen while nothing else is asked
// for: first the next in the direction in which the user scrolled last. When the user
// scrolls they come before the numbers of the slice, which take long; when the recipe
// changes they come after them. The zero value has not begun.
type ahead struct {
	running *workbench.PreviewRequest // in progress; nil for none
	failed  *workbench.PreviewRequest // the last that failed, which is not repeated

	at        workbench.PreviewRequest // what the screen showed last
	scrolled  bool                     // the last change was a change of the slice
	backwards bool                     // to a lower index
}

// takes says whether a request is in progress already.
func (a *ahead) takes(q workbench.PreviewRequest) bool {
	return a.running != nil && desk.SameRequest(*a.running, q)
}

// follow notes what the screen shows.
func (a *ahead) follow(q workbench.PreviewRequest) {
	if q.Plane == a.at.Plane && q.Index != a.at.Index {
		a.scrolled, a.backwards = true, q.Index < a.at.Index
	} else if !q.Recipe.Equal(a.at.Recipe) {
		a.scrolled = false
	}
	a.at = q
}

// steps returns the way to the next slices.
func (a *ahead) steps() [2]int {
	if a.backwards {
		return [2]int{-1, 1}
	}
	return [2]int{1, -1}
}

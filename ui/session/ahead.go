package session

import "quell/app"

// ahead filters the slices beside the one on the screen while nothing else is asked for:
// first the next in the direction in which the user scrolled last. Where the user scrolls
// they come before the numbers of the slice, which take long; where the recipe changes
// they come after them. The zero value has not begun.
type ahead struct {
	running *app.PreviewRequest // in progress; nil for none
	failed  *app.PreviewRequest // the last that failed, which is not repeated

	at        app.PreviewRequest // what the screen showed last
	scrolled  bool               // the last change was that of the slice
	backwards bool               // to a lower index
}

// takes says whether a request is in progress already.
func (a *ahead) takes(q app.PreviewRequest) bool {
	return a.running != nil && sameRequest(*a.running, q)
}

// beforeNumbers says whether the numbers of the slice wait.
func (a *ahead) beforeNumbers() bool { return a.running != nil && a.scrolled }

// follow notes what the screen shows.
func (a *ahead) follow(q app.PreviewRequest) {
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

// filterAhead filters the next slice beside the one on the screen, where that one is
// previewed by the current recipe and nothing else is in progress; else it ends what it
// has begun.
func (pv *Preview) filterAhead() {
	result, _, status := pv.shown()
	measured := pv.s.Measures.slice.answered && pv.s.Measures.slice.newest.picture.Result == result
	if pv.auto && status == Slice && !pv.s.Tasks.Busy() && (pv.ahead.scrolled || measured) {
		for _, step := range pv.ahead.steps() {
			q := pv.s.Tuning.request()
			q.Index, q.Ahead = q.Index+step, true
			_, exact, _ := pv.s.previews.find(q)
			if exact || q.Index < 0 || q.Index >= pv.s.state.View().Size[2] || pv.ahead.failed != nil && sameRequest(*pv.ahead.failed, q) {
				continue
			}
			if !pv.ahead.takes(q) {
				pv.ahead.running = &q
				pv.previewer.Request(q)
			}
			return
		}
	}
	if pv.ahead.running != nil {
		pv.previewer.Cancel()
		pv.ahead.running = nil
	}
}

// filteredAhead keeps the preview of a slice that is not on the screen. Its error is shown
// when that slice is asked for.
func (pv *Preview) filteredAhead(p app.Preview) {
	pv.ahead.running = nil
	defer pv.s.Strip.follow()
	if p.Err != nil {
		pv.s.reportPanic(p.Err)
		pv.ahead.failed = &p.Request
		pv.s.Measures.want()
		return
	}
	pv.s.previews = pv.s.previews.add(p)
	pv.filterAhead()
	pv.s.Measures.want()
}

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
func (s *Session) filterAhead() {
	result, _, status := s.shown()
	measured := s.slice.answered && s.slice.newest.picture.Result == result
	if s.autoPreview && status == Slice && !s.Busy() && (s.ahead.scrolled || measured) {
		for _, step := range s.ahead.steps() {
			q := s.request()
			q.Index, q.Ahead = q.Index+step, true
			_, exact, _ := s.previews.find(q)
			if exact || q.Index < 0 || q.Index >= s.state.View().Size[2] || s.ahead.failed != nil && sameRequest(*s.ahead.failed, q) {
				continue
			}
			if !s.ahead.takes(q) {
				s.ahead.running = &q
				s.previewer.Request(q)
			}
			return
		}
	}
	if s.ahead.running != nil {
		s.previewer.Cancel()
		s.ahead.running = nil
	}
}

// filteredAhead keeps the preview of a slice that is not on the screen. Its error is shown
// when that slice is asked for.
func (s *Session) filteredAhead(p app.Preview) {
	s.ahead.running = nil
	defer s.followStrip()
	if p.Err != nil {
		s.reportPanic(p.Err)
		s.ahead.failed = &p.Request
		s.wantMeasures()
		return
	}
	s.previews = s.previews.add(p)
	s.filterAhead()
	s.wantMeasures()
}

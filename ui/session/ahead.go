package session

import (
	"quell/app"
	"quell/volume"
)

// ahead filters the slices beside the one on the screen while nothing else is asked for:
// first the next in the direction in which the user scrolled last. The zero value has not
// begun.
type ahead struct {
	running *app.PreviewRequest // in progress; nil for none
	failed  *app.PreviewRequest // the last that failed, which is not repeated

	plane     volume.Plane
	index     int // the slice on the screen before
	backwards bool
}

// takes says whether a request is in progress already.
func (a *ahead) takes(q app.PreviewRequest) bool {
	return a.running != nil && sameRequest(*a.running, q)
}

// follow notes the slice on the screen.
func (a *ahead) follow(plane volume.Plane, index int) {
	if plane == a.plane && index != a.index {
		a.backwards = index < a.index
	}
	a.plane, a.index = plane, index
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
	_, _, status := s.shown()
	if s.autoPreview && status == Slice && !s.Busy() {
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
	if p.Err != nil {
		s.reportPanic(p.Err)
		s.ahead.failed = &p.Request
		return
	}
	s.previews = s.previews.add(p)
	s.filterAhead()
}

package session

import (
	"context"

	"quell/app"
	"quell/denoise"
	"quell/internal/parallel"
)

// neighbourhoods are those of the slice on the screen, found on another goroutine, as
// whole maps are read for them.
type neighbourhoods struct {
	request app.PreviewRequest
	at      func(x, y, z int) (denoise.Lengths, bool) // nil before they are found, and where there are none
}

// Neighbourhood returns the neighbourhood that the current recipe's filter chooses
// around the voxel under the pointer. ok is false where the filter chooses none, where
// the view does not show the slices that it filters, and until those of the slice are
// found.
func (s *Session) Neighbourhood() (l denoise.Lengths, ok bool) {
	voxel, pointed := s.state.Cursor()
	if s.doc == nil || !pointed {
		return l, false
	}
	if _, known := s.doc.Facts(); !known || s.state.View().Plane != s.doc.Series().Volume.Acquired() {
		return l, false
	}
	q := s.request()
	if !q.ChoosesNeighbourhoods() {
		return l, false
	}
	if !sameRequest(q, s.neighbourhoods.request) {
		s.neighbourhoods = neighbourhoods{request: q}
		s.neighbours.Request(q)
	}
	slice := q.Region()
	for c, i := range voxel { // a pointer that has not followed the slice yet
		if i < slice.Min[c] || i >= slice.Max[c] {
			return l, false
		}
	}
	if s.neighbourhoods.at == nil {
		return l, false
	}
	return s.neighbourhoods.at(voxel[0], voxel[1], voxel[2])
}

// findNeighbourhoods finds those of a slice.
func (s *Session) findNeighbourhoods(q app.PreviewRequest) neighbourhoods {
	found := neighbourhoods{request: q}
	// A panic is reported, and there are none.
	_ = s.protect(func() error {
		found.at = q.Neighbourhoods(parallel.Sparing(context.Background(), 1))
		return nil
	})
	return found
}

// foundNeighbourhoods takes those of the slice on the screen.
func (s *Session) foundNeighbourhoods(found neighbourhoods) {
	if sameRequest(found.request, s.neighbourhoods.request) {
		s.neighbourhoods = found
		s.listener.Changed()
	}
}

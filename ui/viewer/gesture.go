package viewer

// Gesture is what the user did to the windows or the places of the pictures in one go.
type Gesture struct {
	From [3]Placed // the places before, by plane
	// Turning says that more of the same may follow, as of a wheel, which has no end.
	Turning bool
}

// gesture is one that has not ended.
type gesture struct {
	on   bool
	from [3]Placed
}

// begin notes that a gesture changes windows or places. It ends by chosen or EndDrag.
func (s *shared) begin() {
	if !s.gesture.on {
		s.gesture = gesture{true, s.places}
	}
}

// chosen says that windows and places are as the user wants them.
func (s *shared) chosen(turning bool) {
	s.begin()
	g := Gesture{s.gesture.from, turning}
	if s.gesture = (gesture{}); s.Chosen != nil {
		s.Chosen(g)
	}
}

// EndDrag ends a drag.
func (s *State) EndDrag() {
	if s.gesture.on {
		s.chosen(false)
	}
}

// Place places every plane as Placed returned it; it is not reported as chosen.
func (s *State) Place(planes [3]Placed) {
	if s.volume == nil {
		return
	}
	s.gesture = gesture{}
	s.place(planes)
	s.changed()
}

// Fit shows the whole picture in the centre of its pane, in every plane.
func (s *State) Fit() {
	s.begin()
	for p := range s.places {
		s.places[p].fit()
	}
	s.chosen(false)
	s.changed()
}

package viewer

import (
	"math"

	"quell/volume"
)

// Window returns the grey-scale window of the original and the denoised picture; if each
// has its own, the window of the one last pointed at.
func (s *State) Window() volume.Window { return s.WindowOf(s.Attended()) }

// Attended returns which of original and denoised picture was pointed at last.
func (s *State) Attended() Role {
	if s.root().first {
		return Original
	}
	return Denoised
}

// WindowOf returns the window of the pane of a role. Both sides of a comparison in the
// denoised pane have the window of the pane, so that the filter alone makes them
// differ.
func (s *State) WindowOf(role Role) volume.Window {
	if own := s.Second(); role == Denoised && own.Width > 0 {
		return own
	}
	return s.root().window
}

// Second returns the window that the denoised pane has for itself, without a width if it
// has the window of the original.
func (s *State) Second() volume.Window { return s.root().second }

// Unlinked says whether original and denoised picture have their own windows.
func (s *State) Unlinked() bool { return s.Second().Width > 0 }

// ToggleLink gives original and denoised picture their own windows, which begin alike, or one
// again: the window of the picture last pointed at.
func (s *State) ToggleLink() {
	r := s.root()
	switch {
	case r.volume == nil:
		return
	case r.Unlinked():
		r.window, r.second = r.Window(), volume.Window{}
	default:
		r.second = r.window
	}
	s.chosen(false)
	s.changed()
}

// Attend notes that the pane of a role is pointed at: Window is about it from then on. The
// panes of fixed planes go with the denoised one, which is the comparison next to them.
func (s *State) Attend(role Role) {
	first := role == Original && s.of == nil
	if r := s.root(); role != Residual && r.first != first {
		r.first = first
		if r.Unlinked() {
			s.pointed()
		}
	}
}

// ShowWindows sets the window of both pictures, or if second has a width the window of
// the original alone; it is not reported as chosen.
func (s *State) ShowWindows(both, second volume.Window) {
	r := s.root()
	if both.Width > 0 {
		r.window = both
	}
	r.second = volume.Window{}
	if second.Width > 0 {
		r.second = second
	}
	s.changed()
}

// setWindow sets what Window returns.
func (s *State) setWindow(w volume.Window) {
	if s.Unlinked() && !s.first {
		s.second = w
	} else {
		s.window = w
	}
}

// SetWindow sets what Window returns; a width that is not positive is ignored.
func (s *State) SetWindow(w volume.Window) {
	if !(w.Width > 0) {
		return
	}
	s.root().setWindow(w)
	s.chosen(false)
	s.changed()
}

// Automatic returns the window computed from percentiles of the volume.
func (s *State) Automatic() volume.Window { return s.auto }

// SetInvertLevel selects whether dragging down darkens (on) or brightens, in which
// viewers differ.
func (s *State) SetInvertLevel(on bool) { s.darken = on }

// AutoWindow sets the window computed from percentiles.
func (s *State) AutoWindow() { s.SetWindow(s.auto) }

// DragWindow changes width (dx > 0 widens) and level (dy > 0 brightens) by a drag in
// screen units, until EndDrag, of what Window returns. The gain is proportional to the width, for narrow brain
// windows and wide bone windows alike.
func (s *State) DragWindow(dx, dy float64) {
	r := s.root()
	if r.volume == nil {
		return
	}
	s.begin()
	w := r.Window()
	w.Name = ""
	smallest := r.auto.Width / 2000
	w.Width = min(max(w.Width*math.Exp(dx/dragOctave), smallest), 20*r.auto.Width)
	if r.darken {
		dy = -dy
	}
	w.Center -= dy / dragOctave * w.Width / 2
	r.setWindow(w)
	s.changed()
}

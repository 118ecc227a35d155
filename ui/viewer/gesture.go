package viewer

import "quell/volume"

// EndDrag ends a drag.
func (s *State) EndDrag() {
	if s.root().gesture.on {
		s.chosen(false)
	}
}

// Place places every plane as Placed returned it; it is not reported as chosen.
func (s *State) Place(planes [3]Placed) {
	r := s.root()
	if r.volume == nil {
		return
	}
	r.gesture = gesture{}
	for p, placed := range planes {
		r.cuts[p] = cut{placed.Zoom, placed.Pan}
		r.turns[p], r.views[p] = placed.Turn, r.volume.View(volume.Plane(p)).Turned(placed.Turn)
	}
	s.changed()
}

// ZoomAt multiplies the zoom; the point (x, y) of a w x h pane does not move.
func (s *State) ZoomAt(factor, x, y, w, h float64) {
	if s.zoom(factor, x, y, w, h) {
		s.chosen(true)
		s.changed()
	}
}

// DragZoom is ZoomAt as part of a drag, until EndDrag.
func (s *State) DragZoom(factor, x, y, w, h float64) {
	if s.zoom(factor, x, y, w, h) {
		s.changed()
	}
}

// zoom multiplies the zoom, and says whether that changed it.
func (s *State) zoom(factor, x, y, w, h float64) bool {
	c := s.cut()
	zoom := min(max(c.zoom*factor, MinZoom), MaxZoom)
	if s.Volume() == nil || zoom == c.zoom || !(w > 0 && h > 0) {
		return false
	}
	s.begin()
	before := s.Transform(w, h)
	k := zoom / c.zoom
	// The point's distance from the picture's centre grows by k; in mm of the
	// new scale that leaves the pan below.
	dx, dy := (x-w/2)/before.Scale, (y-h/2)/before.Scale
	c.pan[0] = dx/k - (dx - c.pan[0])
	c.pan[1] = dy/k - (dy - c.pan[1])
	c.zoom = zoom
	return true
}

// Actual shows every voxel as one device pixel, if panes are w x h of them; along the
// axis along which voxels are farther apart, they are larger.
func (s *State) Actual(w, h int) {
	if s.Volume() != nil && w > 0 && h > 0 {
		x, y := float64(w), float64(h)
		s.ZoomAt(1/s.Transform(x, y).Magnification(), x/2, y/2, x, y)
	}
}

// PanBy moves the picture by (dx, dy) screen units of a w x h pane, until EndDrag. The distance is
// limited to half the picture's size, so that part of it stays visible.
func (s *State) PanBy(dx, dy, w, h float64) {
	if s.Volume() == nil || !(w > 0 && h > 0) {
		return
	}
	s.begin()
	scale, view, cut := s.Transform(w, h).Scale, s.View(), s.cut()
	for c, d := range [2]float64{dx, dy} {
		limit := float64(view.Size[c]) * view.Pixel[c] / 2
		cut.pan[c] = min(max(cut.pan[c]+d/scale, -limit), limit)
	}
	s.changed()
}

// Fit shows the whole picture in the centre of its pane, in every plane.
func (s *State) Fit() {
	s.begin()
	s.resetCuts()
	s.chosen(false)
	s.changed()
}

package viewer

// Cursor returns the voxel under the pointer, if the pointer is on one.
func (s *State) Cursor() (voxel [3]int, ok bool) {
	if cursor := s.root().cursor; cursor != nil {
		return *cursor, true
	}
	return voxel, false
}

// Focus returns the last voxel pointed at, in the slice shown; initially the middle
// one.
func (s *State) Focus() [3]int { return s.root().last }

// PointAt sets the cursor to the voxel under point (x, y) of a w x h pane; a point
// outside the picture clears it.
func (s *State) PointAt(x, y, w, h float64) {
	voxel, ok := s.voxelAt(x, y, w, h)
	if !ok {
		s.PointAway()
		return
	}
	r := s.root()
	if r.cursor != nil && *r.cursor == voxel {
		return
	}
	r.cursor, r.last = &voxel, voxel
	s.pointed()
}

// voxelAt returns the voxel under point (x, y) of a w x h pane.
func (s *State) voxelAt(x, y, w, h float64) (voxel [3]int, ok bool) {
	view := s.View()
	if s.Volume() == nil {
		return voxel, false
	}
	col, row := s.Transform(w, h).Pixel(x, y)
	if col < 0 || row < 0 || col >= view.Size[0] || row >= view.Size[1] {
		return voxel, false
	}
	return view.Voxel(col, row, s.Index()), true
}

// PointAway clears the cursor: the pointer left the pictures.
func (s *State) PointAway() {
	if r := s.root(); r.cursor != nil {
		r.cursor = nil
		s.pointed()
	}
}

// Crosshair returns the voxel in which the slices of the three planes meet, and whether it
// is marked.
func (s *State) Crosshair() (voxel [3]int, marked bool) { return s.root().point, s.root().crosshair }

// MarkCrosshair marks the crosshair, or does not. It begins at the voxel under the pointer,
// if the pointer is on one.
func (s *State) MarkCrosshair(on bool) {
	if on && !s.crosshair && s.cursor != nil {
		s.point = *s.cursor
	}
	s.crosshair = on
	s.changed()
}

// MoveCrosshair moves the crosshair, if it is marked, to the voxel under point (x, y) of a
// w x h pane: every plane shows its slice through that voxel.
func (s *State) MoveCrosshair(x, y, w, h float64) {
	r := s.root()
	voxel, ok := s.voxelAt(x, y, w, h)
	if !ok || !r.crosshair || voxel == r.point {
		return
	}
	r.point, r.last = voxel, voxel
	s.changed()
}

package viewer

// Cursor returns the voxel under the pointer, if the pointer is on one.
func (s *State) Cursor() (voxel [3]int, ok bool) {
	if s.cursor != nil {
		return *s.cursor, true
	}
	return voxel, false
}

// Focus returns the last voxel pointed at, in the slice shown; initially the middle
// one.
func (s *State) Focus() [3]int { return s.last }

// PointAway clears the cursor: the pointer left the pictures.
func (s *State) PointAway() {
	if s.cursor != nil {
		s.cursor = nil
		s.pointed()
	}
}

// Crosshair returns the voxel in which the slices of the three planes meet, and whether it
// is marked.
func (s *State) Crosshair() (voxel [3]int, marked bool) { return s.point, s.crosshair }

// MarkCrosshair marks the crosshair, or does not. It begins at the voxel under the pointer,
// if the pointer is on one.
func (s *State) MarkCrosshair(on bool) {
	if on && !s.crosshair && s.cursor != nil {
		s.point = *s.cursor
	}
	s.crosshair = on
	s.changed()
}

// ShowVoxel shows the slice through a voxel, in the present plane, and marks the
// voxel as if it were pointed at; voxels outside the volume are ignored.
func (s *State) ShowVoxel(voxel [3]int) {
	if s.volume == nil {
		return
	}
	for c, n := range s.volume.Dims {
		if voxel[c] < 0 || voxel[c] >= n {
			return
		}
	}
	s.point, s.last, s.cursor = voxel, voxel, &voxel
	s.changed()
}

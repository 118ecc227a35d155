package viewer

import "quell/volume"

// Look is how a State shows its volume, to show it so again later: zoom and pan of the plane
// that is chosen, and the slices of all.
type Look struct {
	Plane    volume.Plane  `json:"plane"`
	Index    int           `json:"index"`
	Point    [3]int        `json:"point"` // a voxel of the slices of all planes
	Zoom     float64       `json:"zoom"`
	Pan      [2]float64    `json:"pan"` // mm
	Window   volume.Window `json:"window"`
	Inverted bool          `json:"inverted,omitempty"`
	Sigmas   float64       `json:"sigmas"`
}

// Look returns how the volume is shown.
func (s *State) Look() Look {
	return Look{Plane: s.plane, Index: s.Index(), Point: s.point, Zoom: s.Zoom(), Pan: s.Pan(), Window: s.window, Inverted: s.invert, Sigmas: s.sigmas}
}

// SetLook shows the volume as l says; values that are not possible are left out.
func (s *State) SetLook(l Look) {
	if s.volume == nil {
		return
	}
	s.ShowVoxel(l.Point)
	s.cursor = nil // it is not pointed at
	if l.Plane >= volume.Axial && l.Plane <= volume.Sagittal {
		s.SetPlane(l.Plane)
	}
	s.SetIndex(l.Index)
	if l.Zoom >= MinZoom && l.Zoom <= MaxZoom {
		s.cut().zoom = l.Zoom
	}
	view := s.View()
	for c, mm := range l.Pan {
		limit := float64(view.Size[c]) * view.Pixel[c] / 2
		s.cut().pan[c] = min(max(mm, -limit), limit)
	}
	if l.Sigmas >= minSigmas && l.Sigmas <= maxSigmas {
		s.sigmas = l.Sigmas
	}
	s.invert = l.Inverted
	if l.Window.Width > 0 {
		s.window = l.Window
	}
	s.changed()
}

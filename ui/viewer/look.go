package viewer

import "quell/volume"

// Look is how a State shows its volume, to show it so again later: zoom, pan and slice of
// every plane.
type Look struct {
	Plane    volume.Plane  `json:"plane"`
	Index    int           `json:"index"`
	Point    [3]int        `json:"point"` // a voxel of the slices of all planes
	Planes   [3]Placed     `json:"planes"`
	Window   volume.Window `json:"window"`
	Second   volume.Window `json:"second,omitzero"` // of the denoised picture; no width while it has Window
	Inverted bool          `json:"inverted,omitempty"`
	Sigmas   float64       `json:"sigmas"`
}

// Look returns how the volume is shown.
func (s *State) Look() Look {
	return Look{Plane: s.plane, Index: s.Index(), Point: s.point, Window: s.window, Second: s.second, Inverted: s.invert, Sigmas: s.sigmas, Planes: s.Placed()}
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
	planes := s.Placed()
	for p, placed := range l.Planes {
		turn := volume.Turn{Mirrored: placed.Mirrored, Quarters: (placed.Quarters%4 + 4) % 4}
		planes[p].Turn = turn
		if placed.Zoom >= MinZoom && placed.Zoom <= MaxZoom {
			planes[p].Zoom = placed.Zoom
		}
		view := s.volume.View(volume.Plane(p)).Turned(turn)
		for c, mm := range placed.Pan {
			limit := float64(view.Size[c]) * view.Pixel[c] / 2
			planes[p].Pan[c] = min(max(mm, -limit), limit)
		}
	}
	s.Place(planes)
	if l.Sigmas >= minSigmas && l.Sigmas <= maxSigmas {
		s.sigmas = l.Sigmas
	}
	s.invert = l.Inverted
	s.ShowWindows(l.Window, l.Second)
}

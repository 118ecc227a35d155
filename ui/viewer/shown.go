package viewer

import "quell/volume"

// Shown is how a volume is shown: a copy shows it so again, see State.Resume.
type Shown struct {
	volume *volume.Volume
	plane  volume.Plane
	views  [3]volume.View // by plane
	places [3]Placed      // by plane; the views are turned so
	point  [3]int         // a voxel of the slices of all planes; the crosshair
	last   [3]int         // the voxel that stays visible when the plane changes
	window volume.Window  // of both pictures, or of the original alone
	second volume.Window  // of the denoised picture; no width while both have one
	auto   volume.Window  // from percentiles of the volume; the scale of a drag
	invert bool
	sigmas float64 // the residual's scale
}

// Placed is how a plane is placed in its panes.
type Placed struct {
	Zoom float64    `json:"zoom"`
	Pan  [2]float64 `json:"pan"` // mm of the picture's centre to the right of and below the pane's

	volume.Turn
}

// fit fits the picture into its pane, turned as it is.
func (p *Placed) fit() { p.Zoom, p.Pan = 1, [2]float64{} }

// Volume returns the volume shown, or nil before the first is open.
func (s *Shown) Volume() *volume.Volume { return s.volume }

// Placed returns how every plane is placed in its panes.
func (s *Shown) Placed() [3]Placed { return s.places }

// place places every plane.
func (s *Shown) place(planes [3]Placed) {
	s.places = planes
	for p, placed := range planes {
		if s.volume != nil {
			s.views[p] = s.volume.View(volume.Plane(p)).Turned(placed.Turn)
		}
	}
}

// reset places every plane as it is at first, and sets the windows: w for both, or the
// automatic one if w has no width.
func (s *Shown) reset(w volume.Window) {
	s.place([3]Placed{{Zoom: 1}, {Zoom: 1}, {Zoom: 1}})
	s.invert, s.sigmas = false, DefaultSigmas
	s.window, s.second = w, volume.Window{}
	if !(w.Width > 0) {
		s.window = s.auto
	}
}

// index returns the slice of a plane.
func (s *Shown) index(p volume.Plane) int {
	_, _, index := s.views[p].Locate(s.point)
	return index
}

// Look is the part of Shown that is kept for a later start: zoom, pan and slice of every plane.
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
func (s *Shown) Look() Look {
	return Look{Plane: s.plane, Index: s.index(s.plane), Point: s.point, Window: s.window, Second: s.second, Inverted: s.invert, Sigmas: s.sigmas, Planes: s.places}
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
	s.Cut().SetIndex(l.Index)
	planes := s.places
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
	s.Windows.Show(l.Window, l.Second)
}

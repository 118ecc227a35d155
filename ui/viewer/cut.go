package viewer

import "quell/volume"

// Limits of the zoom; 1 fits the picture into its pane.
const (
	MinZoom = 0.02 // one to one for 64 voxels on a 4K screen
	MaxZoom = 40
)

// Cut is the slices of one plane, as panes show them.
type Cut struct {
	state *State
	plane volume.Plane
}

// Cut returns the cut in the plane that is shown now.
func (s *State) Cut() Cut { return s.In(s.plane) }

// In returns the cut in plane p, which stays in it.
func (s *State) In(p volume.Plane) Cut { return Cut{s, p} }

// View returns the cut through the volume.
func (c Cut) View() volume.View { return c.state.views[c.plane] }

// Index returns the slice shown, counted along View from 0.
func (c Cut) Index() int { return c.state.index(c.plane) }

// Zoom returns the magnification; 1 fits the picture into its pane.
func (c Cut) Zoom() float64 { return c.state.places[c.plane].Zoom }

// Pan returns by how many mm the picture's centre is to the right of and below the
// pane's.
func (c Cut) Pan() [2]float64 { return c.state.places[c.plane].Pan }

// Turned returns how the picture stands relative to the radiological convention.
func (c Cut) Turned() volume.Turn { return c.state.places[c.plane].Turn }

// Transform places the picture in a pane of w x h screen units.
func (c Cut) Transform(w, h float64) Transform {
	return Place(w, h, c.View(), c.Zoom(), c.Pan())
}

// Scroll moves by n slices, at most to the first or last.
func (c Cut) Scroll(n int) { c.SetIndex(c.Index() + n) }

// SetIndex shows slice i, or the nearest one.
func (c Cut) SetIndex(i int) {
	s, view := c.state, c.View()
	i = min(max(i, 0), max(view.Size[2]-1, 0))
	if s.volume == nil || i == c.Index() {
		return
	}
	through := view.Axis[2]
	s.point[through] = view.Voxel(0, 0, i)[through]
	s.last[through] = s.point[through]
	if s.cursor != nil {
		s.cursor[through] = s.point[through]
	}
	s.changed()
}

// turn shows the picture another way up.
func (c Cut) turn(t volume.Turn) {
	s := c.state
	if s.volume == nil {
		return
	}
	s.begin()
	planes := s.places
	planes[c.plane].Turn, planes[c.plane].Pan = t, [2]float64{}
	s.place(planes)
	s.chosen(false)
	s.changed()
}

// Mirror mirrors the picture: left to right, or top to bottom if upright is
// false.
func (c Cut) Mirror(upright bool) { c.turn(c.Turned().Mirror(upright)) }

// Clockwise turns the picture by a quarter.
func (c Cut) Clockwise() { c.turn(c.Turned().Clockwise()) }

// ZoomAt multiplies the zoom; the point (x, y) of a w x h pane does not move.
func (c Cut) ZoomAt(factor, x, y, w, h float64) {
	if c.zoom(factor, x, y, w, h) {
		c.state.chosen(true)
		c.state.changed()
	}
}

// DragZoom is ZoomAt as part of a drag, until EndDrag.
func (c Cut) DragZoom(factor, x, y, w, h float64) {
	if c.zoom(factor, x, y, w, h) {
		c.state.changed()
	}
}

// zoom multiplies the zoom, and says whether that changed it.
func (c Cut) zoom(factor, x, y, w, h float64) bool {
	place := &c.state.places[c.plane]
	zoom := min(max(place.Zoom*factor, MinZoom), MaxZoom)
	if c.state.volume == nil || zoom == place.Zoom || !(w > 0 && h > 0) {
		return false
	}
	c.state.begin()
	before := c.Transform(w, h)
	k := zoom / place.Zoom
	// The point's distance from the picture's centre grows by k; in mm of the
	// new scale that leaves the pan below.
	dx, dy := (x-w/2)/before.Scale, (y-h/2)/before.Scale
	place.Pan[0] = dx/k - (dx - place.Pan[0])
	place.Pan[1] = dy/k - (dy - place.Pan[1])
	place.Zoom = zoom
	return true
}

// Actual shows every voxel as one device pixel, if panes are w x h of them; along the
// axis along which voxels are farther apart, they are larger.
func (c Cut) Actual(w, h int) {
	if c.state.volume != nil && w > 0 && h > 0 {
		x, y := float64(w), float64(h)
		c.ZoomAt(1/c.Transform(x, y).Magnification(), x/2, y/2, x, y)
	}
}

// PanBy moves the picture by (dx, dy) screen units of a w x h pane, until EndDrag. The distance is
// limited to half the picture's size, so that part of it stays visible.
func (c Cut) PanBy(dx, dy, w, h float64) {
	if c.state.volume == nil || !(w > 0 && h > 0) {
		return
	}
	c.state.begin()
	scale, view, pan := c.Transform(w, h).Scale, c.View(), &c.state.places[c.plane].Pan
	for i, d := range [2]float64{dx, dy} {
		limit := float64(view.Size[i]) * view.Pixel[i] / 2
		pan[i] = min(max(pan[i]+d/scale, -limit), limit)
	}
	c.state.changed()
}

// voxelAt returns the voxel under point (x, y) of a w x h pane.
func (c Cut) voxelAt(x, y, w, h float64) (voxel [3]int, ok bool) {
	view := c.View()
	if c.state.volume == nil {
		return voxel, false
	}
	col, row := c.Transform(w, h).Pixel(x, y)
	if col < 0 || row < 0 || col >= view.Size[0] || row >= view.Size[1] {
		return voxel, false
	}
	return view.Voxel(col, row, c.Index()), true
}

// PointAt sets the cursor to the voxel under point (x, y) of a w x h pane; a point
// outside the picture clears it.
func (c Cut) PointAt(x, y, w, h float64) {
	s := c.state
	voxel, ok := c.voxelAt(x, y, w, h)
	if !ok {
		s.PointAway()
		return
	}
	if s.cursor != nil && *s.cursor == voxel {
		return
	}
	s.cursor, s.last = &voxel, voxel
	s.pointed()
}

// MoveCrosshair moves the crosshair, if it is marked, to the voxel under point (x, y) of a
// w x h pane: every plane shows its slice through that voxel.
func (c Cut) MoveCrosshair(x, y, w, h float64) {
	s := c.state
	voxel, ok := c.voxelAt(x, y, w, h)
	if !ok || !s.crosshair || voxel == s.point {
		return
	}
	s.point, s.last = voxel, voxel
	s.changed()
}

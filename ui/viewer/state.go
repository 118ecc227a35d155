package viewer

import (
	"math"

	"quell/volume"
)

// Overlay says how much text is on the pictures. The pane's label and the
// orientation letters are never hidden, since a picture cannot be read safely
// without them.
type Overlay int

// The overlay states, in the order in which one key cycles through them.
const (
	OverlayFull    Overlay = iota // everything
	OverlayMinimal                // label, letters, slice and window
	OverlayBare                   // label and letters
	overlayStates
)

// DefaultSigmas is the initial scale of the residual. Noise stays within three
// sigmas, so that what saturates is probably structure.
const DefaultSigmas = 3

// Limits of the residual's scale, in sigmas.
const (
	minSigmas = 0.25
	maxSigmas = 50
)

// Limits of the zoom; 1 fits the picture into its pane.
const (
	MinZoom = 0.02 // one to one for 64 voxels on a 4K screen
	MaxZoom = 40
)

// State is what all panes of a comparison have in common: plane, slice, zoom, pan,
// window. The panes share one State.
//
// Its methods are for the UI goroutine. Every method that changes something
// calls Changed or Pointed once.
type State struct {
	Changed func() // called when the pictures must be redrawn; nil is allowed
	Pointed func() // called when only the pointer moved to another voxel; nil is allowed

	volume     *volume.Volume
	view       volume.View
	index      int
	zoom       float64
	pan        [2]float64 // mm of the picture's centre to the right of and below the pane's
	window     volume.Window
	auto       volume.Window // from percentiles of the volume; the scale of a drag
	invert     bool
	overlay    Overlay
	pixelated  bool
	sigmas     float64 // the residual's scale
	comparison Comparison
	darken     bool    // dragging down darkens
	cursor     *[3]int // the voxel under the pointer
	last       [3]int  // the voxel that stays visible when the plane changes
}

// Open shows the middle acquired slice of a volume, with window w.
func (s *State) Open(v *volume.Volume, w volume.Window) {
	*s = State{
		Changed: s.Changed, Pointed: s.Pointed, overlay: s.overlay, pixelated: s.pixelated, darken: s.darken,
		volume: v, zoom: 1, sigmas: DefaultSigmas, comparison: s.comparison,
	}
	s.view = v.View(v.Acquired())
	s.index = s.view.Size[2] / 2
	s.last = s.view.Voxel(s.view.Size[0]/2, s.view.Size[1]/2, s.index)
	s.auto = volume.AutoWindow(v)
	s.window = w
	if !(w.Width > 0) {
		s.window = s.auto
	}
	s.changed()
}

// Resume shows a volume as a copy of the state was when it showed it. What is chosen for
// all volumes stays as it is.
func (s *State) Resume(kept State) {
	kept.Changed, kept.Pointed, kept.overlay, kept.pixelated, kept.darken = s.Changed, s.Pointed, s.overlay, s.pixelated, s.darken
	kept.comparison = s.comparison
	kept.cursor = nil
	*s = kept
	s.changed()
}

// Close shows no volume.
func (s *State) Close() {
	s.Resume(State{})
}

// Replace shows other voxels on the same grid; the view does not change.
func (s *State) Replace(v *volume.Volume) {
	s.volume, s.auto = v, volume.AutoWindow(v)
	s.changed()
}

// Volume returns the volume shown, or nil before the first Open.
func (s *State) Volume() *volume.Volume { return s.volume }

// View returns the cut through the volume that is shown.
func (s *State) View() volume.View { return s.view }

// Index returns the slice shown, counted along View from 0.
func (s *State) Index() int { return s.index }

// Zoom returns the magnification; 1 fits the picture into its pane.
func (s *State) Zoom() float64 { return s.zoom }

// Pan returns by how many mm the picture's centre is to the right of and below the
// pane's.
func (s *State) Pan() [2]float64 { return s.pan }

// Window returns the grey-scale window of the original and denoised panes.
func (s *State) Window() volume.Window { return s.window }

// Inverted says whether black and white are exchanged.
func (s *State) Inverted() bool { return s.invert }

// Sigmas returns the residual's scale: the multiple of the noise's sigma at
// which its colours saturate.
func (s *State) Sigmas() float64 { return s.sigmas }

// Overlay returns how much text is shown.
func (s *State) Overlay() Overlay { return s.overlay }

// Pixelated says whether magnified voxels are shown as squares.
func (s *State) Pixelated() bool { return s.pixelated }

// Cursor returns the voxel under the pointer, if the pointer is on one.
func (s *State) Cursor() (voxel [3]int, ok bool) {
	if s.cursor == nil {
		return voxel, false
	}
	return *s.cursor, true
}

// Focus returns the last voxel pointed at, in the slice shown; initially the middle
// one.
func (s *State) Focus() [3]int { return s.last }

// Transform places the picture in a pane of w x h screen units.
func (s *State) Transform(w, h float64) Transform {
	return Place(w, h, s.view, s.zoom, s.pan)
}

func (s *State) changed() {
	if s.Changed != nil {
		s.Changed()
	}
}

func (s *State) pointed() {
	if s.Pointed != nil {
		s.Pointed()
	}
}

// Scroll moves by n slices, at most to the first or last.
func (s *State) Scroll(n int) { s.SetIndex(s.index + n) }

// SetIndex shows slice i, or the nearest one.
func (s *State) SetIndex(i int) {
	i = min(max(i, 0), max(s.view.Size[2]-1, 0))
	if s.volume == nil || i == s.index {
		return
	}
	s.index = i
	through := s.view.Axis[2]
	s.last[through] = s.view.Voxel(0, 0, i)[through]
	if s.cursor != nil {
		s.cursor[through] = s.last[through]
	}
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
	_, _, s.index = s.view.Locate(voxel)
	s.cursor, s.last = &voxel, voxel
	s.changed()
}

// SetPlane shows another plane through the last voxel pointed at.
func (s *State) SetPlane(p volume.Plane) {
	if s.volume == nil || p == s.view.Plane {
		return
	}
	s.view = s.volume.View(p)
	_, _, s.index = s.view.Locate(s.last)
	s.zoom, s.pan, s.cursor = 1, [2]float64{}, nil
	s.changed()
}

// ZoomAt multiplies the zoom; the point (x, y) of a w x h pane does not move.
func (s *State) ZoomAt(factor, x, y, w, h float64) {
	zoom := min(max(s.zoom*factor, MinZoom), MaxZoom)
	if s.volume == nil || zoom == s.zoom || !(w > 0 && h > 0) {
		return
	}
	before := s.Transform(w, h)
	k := zoom / s.zoom
	// The point's distance from the picture's centre grows by k; in mm of the
	// new scale that leaves the pan below.
	dx, dy := (x-w/2)/before.Scale, (y-h/2)/before.Scale
	s.pan[0] = dx/k - (dx - s.pan[0])
	s.pan[1] = dy/k - (dy - s.pan[1])
	s.zoom = zoom
	s.changed()
}

// Actual shows every voxel as one device pixel, where panes are w x h of them; along the
// axis where voxels are farther apart, they are larger.
func (s *State) Actual(w, h int) {
	if s.volume != nil && w > 0 && h > 0 {
		x, y := float64(w), float64(h)
		s.ZoomAt(1/s.Transform(x, y).Magnification(), x/2, y/2, x, y)
	}
}

// PanBy moves the picture by (dx, dy) screen units of a w x h pane. The distance is
// limited to half the picture's size, so that part of it stays visible.
func (s *State) PanBy(dx, dy, w, h float64) {
	if s.volume == nil || !(w > 0 && h > 0) {
		return
	}
	scale := s.Transform(w, h).Scale
	for c, d := range [2]float64{dx, dy} {
		limit := float64(s.view.Size[c]) * s.view.Pixel[c] / 2
		s.pan[c] = min(max(s.pan[c]+d/scale, -limit), limit)
	}
	s.changed()
}

// Fit shows the whole picture in the centre of its pane.
func (s *State) Fit() {
	s.zoom, s.pan = 1, [2]float64{}
	s.changed()
}

// SetWindow sets the grey-scale window; a width that is not positive is
// ignored.
func (s *State) SetWindow(w volume.Window) {
	if !(w.Width > 0) {
		return
	}
	s.window = w
	s.changed()
}

// Automatic returns the window computed from percentiles of the volume.
func (s *State) Automatic() volume.Window { return s.auto }

// SetInvertLevel selects whether dragging down darkens (on) or brightens, in which
// viewers differ.
func (s *State) SetInvertLevel(on bool) { s.darken = on }

// AutoWindow sets the window computed from percentiles.
func (s *State) AutoWindow() { s.SetWindow(s.auto) }

// dragOctave is the drag, in screen units, that changes the width by a factor of e
// and the level by half the width.
const dragOctave = 200

// DragWindow changes width (dx > 0 widens) and level (dy > 0 brightens) by a drag in
// screen units. The gain is proportional to the width, for narrow brain windows
// and wide bone windows alike.
func (s *State) DragWindow(dx, dy float64) {
	if s.volume == nil {
		return
	}
	w := s.window
	w.Name = ""
	smallest := s.auto.Width / 2000
	w.Width = min(max(w.Width*math.Exp(dx/dragOctave), smallest), 20*s.auto.Width)
	if s.darken {
		dy = -dy
	}
	w.Center -= dy / dragOctave * w.Width / 2
	s.SetWindow(w)
}

// DragResidual widens (dx > 0) or narrows the scale of the residual by a drag in
// screen units.
func (s *State) DragResidual(dx float64) {
	if s.volume == nil {
		return
	}
	s.sigmas = min(max(s.sigmas*math.Exp(dx/dragOctave), minSigmas), maxSigmas)
	s.changed()
}

// ToggleInvert exchanges black and white.
func (s *State) ToggleInvert() {
	s.invert = !s.invert
	s.changed()
}

// CycleOverlay selects the next overlay state.
func (s *State) CycleOverlay() {
	s.overlay = (s.overlay + 1) % overlayStates
	s.changed()
}

// TogglePixelated switches between smooth magnification and squares.
func (s *State) TogglePixelated() {
	s.pixelated = !s.pixelated
	s.changed()
}

// Reset restores zoom, pan, inversion and the residual's scale, and sets window w,
// or the automatic one where w has no width.
func (s *State) Reset(w volume.Window) {
	s.zoom, s.pan, s.invert, s.sigmas = 1, [2]float64{}, false, DefaultSigmas
	if w.Width > 0 {
		s.window = w
	} else {
		s.window = s.auto
	}
	s.changed()
}

// PointAt sets the cursor to the voxel under point (x, y) of a w x h pane; a point
// outside the picture clears it.
func (s *State) PointAt(x, y, w, h float64) {
	if s.volume == nil {
		return
	}
	col, row := s.Transform(w, h).Pixel(x, y)
	if col < 0 || row < 0 || col >= s.view.Size[0] || row >= s.view.Size[1] {
		s.PointAway()
		return
	}
	voxel := s.view.Voxel(col, row, s.index)
	if s.cursor != nil && *s.cursor == voxel {
		return
	}
	s.cursor, s.last = &voxel, voxel
	s.pointed()
}

// PointAway clears the cursor: the pointer left the pictures.
func (s *State) PointAway() {
	if s.cursor == nil {
		return
	}
	s.cursor = nil
	s.pointed()
}

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
// window. The panes share one State; panes of fixed planes have one of In, which differs
// from it in the plane alone.
//
// Its methods are for the UI goroutine. Every method that changes something
// calls Changed or Pointed once.
type State struct {
	Changed func() // called when the pictures must be redrawn; nil is allowed
	Pointed func() // called when only the pointer moved to another voxel; nil is allowed
	// Chosen is called when windows or places of the pictures were chosen, and at the end of a
	// drag that changed them, before Changed; nil is allowed.
	Chosen func(Gesture)

	of         *State // what a state of In belongs to; nil for the shared one, which alone uses the fields below plane
	plane      volume.Plane
	comparison Comparison

	volume    *volume.Volume
	views     [3]volume.View // by plane
	turns     [3]volume.Turn // by plane; of the views
	cuts      [3]cut         // by plane
	point     [3]int         // a voxel of the slices of all planes; the crosshair
	crosshair bool           // it is marked, and moved by a click
	magnifies bool           // a lens follows the pointer
	window    volume.Window  // of both pictures, or of the original alone
	second    volume.Window  // of the denoised picture; no width while both have one
	first     bool           // the original was pointed at last, not the denoised picture
	auto      volume.Window  // from percentiles of the volume; the scale of a drag
	invert    bool
	overlay   Overlay
	pixelated bool
	sigmas    float64 // the residual's scale
	darken    bool    // dragging down darkens
	gesture   gesture // that has not ended
	cursor    *[3]int // the voxel under the pointer
	last      [3]int  // the voxel that stays visible when the plane changes
}

// cut is how a plane is placed in its panes.
type cut struct {
	zoom float64
	pan  [2]float64 // mm of the picture's centre to the right of and below the pane's
}

// In returns a state of plane p: it shares everything with s but the plane, and shows one
// side alone.
func (s *State) In(p volume.Plane) *State { return &State{of: s.root(), plane: p} }

// root returns the shared state.
func (s *State) root() *State {
	if s.of != nil {
		return s.of
	}
	return s
}

// cut returns how the plane is placed.
func (s *State) cut() *cut { return &s.root().cuts[s.plane] }

// Open shows the middle acquired slice of a volume, with window w.
func (s *State) Open(v *volume.Volume, w volume.Window) {
	*s = State{
		Changed: s.Changed, Pointed: s.Pointed, Chosen: s.Chosen, overlay: s.overlay, pixelated: s.pixelated, darken: s.darken,
		volume: v, sigmas: DefaultSigmas, comparison: s.comparison, crosshair: s.crosshair, magnifies: s.magnifies, first: s.first, plane: v.Acquired(),
	}
	for p := range s.views {
		s.views[p] = v.View(volume.Plane(p))
	}
	s.resetCuts()
	view := s.View()
	s.point = view.Voxel(view.Size[0]/2, view.Size[1]/2, view.Size[2]/2)
	s.last = s.point
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
	kept.Changed, kept.Pointed, kept.Chosen = s.Changed, s.Pointed, s.Chosen
	kept.overlay, kept.pixelated, kept.darken = s.overlay, s.pixelated, s.darken
	kept.comparison, kept.crosshair, kept.magnifies, kept.first = s.comparison, s.crosshair, s.magnifies, s.first
	kept.cursor, kept.gesture = nil, gesture{}
	*s = kept
	s.changed()
}

// Close shows no volume.
func (s *State) Close() {
	s.Resume(State{})
}

// resetCuts fits every plane into its panes.
func (s *State) resetCuts() { s.root().cuts = [3]cut{{zoom: 1}, {zoom: 1}, {zoom: 1}} }

// Replace shows other voxels on the same grid; the view does not change.
func (s *State) Replace(v *volume.Volume) {
	s.volume, s.auto = v, volume.AutoWindow(v)
	s.changed()
}

// Volume returns the volume shown, or nil before the first Open.
func (s *State) Volume() *volume.Volume { return s.root().volume }

// View returns the cut through the volume that is shown.
func (s *State) View() volume.View { return s.root().views[s.plane] }

// Index returns the slice shown, counted along View from 0.
func (s *State) Index() int {
	_, _, index := s.View().Locate(s.root().point)
	return index
}

// Zoom returns the magnification; 1 fits the picture into its pane.
func (s *State) Zoom() float64 { return s.cut().zoom }

// Pan returns by how many mm the picture's centre is to the right of and below the
// pane's.
func (s *State) Pan() [2]float64 { return s.cut().pan }

// Inverted says whether black and white are exchanged.
func (s *State) Inverted() bool { return s.root().invert }

// Sigmas returns the residual's scale: the multiple of the noise's sigma at
// which its colours saturate.
func (s *State) Sigmas() float64 { return s.root().sigmas }

// Overlay returns how much text is shown.
func (s *State) Overlay() Overlay { return s.root().overlay }

// Pixelated says whether magnified voxels are shown as squares.
func (s *State) Pixelated() bool { return s.root().pixelated }

// Transform places the picture in a pane of w x h screen units.
func (s *State) Transform(w, h float64) Transform {
	return Place(w, h, s.View(), s.Zoom(), s.Pan())
}

func (s *State) changed() {
	if f := s.root().Changed; f != nil {
		f()
	}
}

func (s *State) pointed() {
	if f := s.root().Pointed; f != nil {
		f()
	}
}

// Scroll moves by n slices, at most to the first or last.
func (s *State) Scroll(n int) { s.SetIndex(s.Index() + n) }

// SetIndex shows slice i, or the nearest one.
func (s *State) SetIndex(i int) {
	r, view := s.root(), s.View()
	i = min(max(i, 0), max(view.Size[2]-1, 0))
	if r.volume == nil || i == s.Index() {
		return
	}
	through := view.Axis[2]
	r.point[through] = view.Voxel(0, 0, i)[through]
	r.last[through] = r.point[through]
	if r.cursor != nil {
		r.cursor[through] = r.point[through]
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
	s.point, s.last, s.cursor = voxel, voxel, &voxel
	s.changed()
}

// SetPlane shows another plane through the crosshair, or if that is not marked through
// the last voxel pointed at.
func (s *State) SetPlane(p volume.Plane) {
	if s.volume == nil || p == s.plane {
		return
	}
	if !s.crosshair {
		s.point = s.last
	}
	s.gesture = gesture{}
	s.plane, s.cuts[p], s.cursor = p, cut{zoom: 1}, nil
	s.changed()
}

// Turned returns how the picture stands relative to the radiological convention.
func (s *State) Turned() volume.Turn { return s.root().turns[s.plane] }

// turn shows the picture of the plane another way up.
func (s *State) turn(t volume.Turn) {
	r := s.root()
	if r.volume == nil {
		return
	}
	s.begin()
	r.turns[s.plane], r.cuts[s.plane].pan = t, [2]float64{}
	r.views[s.plane] = r.volume.View(s.plane).Turned(t)
	s.chosen(false)
	s.changed()
}

// Mirror mirrors the picture of the plane: left to right, or top to bottom if upright is
// false.
func (s *State) Mirror(upright bool) { s.turn(s.Turned().Mirror(upright)) }

// Clockwise turns the picture of the plane by a quarter.
func (s *State) Clockwise() { s.turn(s.Turned().Clockwise()) }

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

// Reset restores zoom, pan, the radiological convention, inversion and the residual's
// scale, and sets window w for both pictures, or the automatic one if w has no width.
func (s *State) Reset(w volume.Window) {
	s.begin()
	s.resetCuts()
	s.turns = [3]volume.Turn{}
	for p := range s.views {
		if s.volume != nil {
			s.views[p] = s.volume.View(volume.Plane(p))
		}
	}
	s.invert, s.sigmas = false, DefaultSigmas
	s.window, s.second = w, volume.Window{}
	if !(w.Width > 0) {
		s.window = s.auto
	}
	s.chosen(false)
	s.changed()
}

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

// Placed is how a plane is placed in its panes.
type Placed struct {
	Zoom float64    `json:"zoom"`
	Pan  [2]float64 `json:"pan"` // mm

	volume.Turn
}

// begin notes that a gesture changes windows or places. It ends by chosen or EndDrag.
func (s *State) begin() {
	if r := s.root(); !r.gesture.on {
		r.gesture = gesture{true, r.Placed()}
	}
}

// chosen says that windows and places are as the user wants them.
func (s *State) chosen(turning bool) {
	r := s.root()
	s.begin()
	g := Gesture{r.gesture.from, turning}
	if r.gesture = (gesture{}); r.Chosen != nil {
		r.Chosen(g)
	}
}

// Placed returns how every plane is placed in its panes.
func (s *State) Placed() (out [3]Placed) {
	r := s.root()
	for p, cut := range r.cuts {
		out[p] = Placed{Zoom: cut.zoom, Pan: cut.pan, Turn: r.turns[p]}
	}
	return out
}

// dragOctave is the drag, in screen units, that changes the width by a factor of e
// and the level by half the width.
const dragOctave = 200

package viewer

import "quell/volume"

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

// State is what all panes of a comparison have in common. Their windows are in Windows, the
// slices of a plane in a Cut. Create it with New.
//
// The methods of the three are for the UI goroutine. Every method that changes something
// calls Changed or Pointed once.
type State struct {
	*shared
	Windows Windows

	comparison Comparison
	crosshair  bool // it is marked, and moved by a click
	magnifies  bool // a lens follows the pointer
	overlay    Overlay
	pixelated  bool
	cursor     *[3]int // the voxel under the pointer
}

// shared is the common part of a State and its Windows.
type shared struct {
	Changed func() // called when the pictures must be redrawn; nil is allowed
	Pointed func() // called when only the pointer moved to another voxel; nil is allowed
	// Chosen is called when windows or places of the pictures were chosen, and at the end of a
	// drag that changed them, before Changed; nil is allowed.
	Chosen func(Gesture)

	Shown
	gesture gesture // that has not ended
}

// New returns a state that shows no volume.
func New() *State {
	s := &shared{}
	return &State{shared: s, Windows: Windows{shared: s}}
}

// Open shows the middle acquired slice of a volume, with window w.
func (s *State) Open(v *volume.Volume, w volume.Window) {
	s.Shown, s.cursor, s.gesture = Shown{volume: v, plane: v.Acquired(), auto: volume.AutoWindow(v)}, nil, gesture{}
	s.reset(w)
	view := s.Cut().View()
	s.point = view.Voxel(view.Size[0]/2, view.Size[1]/2, view.Size[2]/2)
	s.last = s.point
	s.changed()
}

// Resume shows a volume as it was shown. Choices for all volumes stay as they are.
func (s *State) Resume(kept Shown) {
	s.Shown, s.cursor, s.gesture = kept, nil, gesture{}
	s.changed()
}

// Close shows no volume.
func (s *State) Close() { s.Resume(Shown{}) }

// Replace shows other voxels on the same grid; the view does not change.
func (s *State) Replace(v *volume.Volume) {
	s.volume, s.auto = v, volume.AutoWindow(v)
	s.changed()
}

// Reset restores zoom, pan, the radiological convention, inversion and the residual's
// scale, and sets window w for both pictures, or the automatic one if w has no width.
func (s *State) Reset(w volume.Window) {
	s.begin()
	s.reset(w)
	s.chosen(false)
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
	s.plane, s.cursor, s.gesture = p, nil, gesture{}
	s.places[p].fit()
	s.changed()
}

// Overlay returns how much text is shown.
func (s *State) Overlay() Overlay { return s.overlay }

// CycleOverlay selects the next overlay state.
func (s *State) CycleOverlay() {
	s.overlay = (s.overlay + 1) % overlayStates
	s.changed()
}

// Pixelated says whether magnified voxels are shown as squares.
func (s *State) Pixelated() bool { return s.pixelated }

// TogglePixelated switches between smooth magnification and squares.
func (s *State) TogglePixelated() {
	s.pixelated = !s.pixelated
	s.changed()
}

func (s *shared) changed() {
	if s.Changed != nil {
		s.Changed()
	}
}

func (s *shared) pointed() {
	if s.Pointed != nil {
		s.Pointed()
	}
}

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

// begin notes that a gesture changes windows or places. It ends by chosen or EndDrag.
func (s *shared) begin() {
	if !s.gesture.on {
		s.gesture = gesture{true, s.places}
	}
}

// chosen says that windows and places are as the user wants them.
func (s *shared) chosen(turning bool) {
	s.begin()
	g := Gesture{s.gesture.from, turning}
	if s.gesture = (gesture{}); s.Chosen != nil {
		s.Chosen(g)
	}
}

// EndDrag ends a drag.
func (s *State) EndDrag() {
	if s.gesture.on {
		s.chosen(false)
	}
}

// Place places every plane as Placed returned it; it is not reported as chosen.
func (s *State) Place(planes [3]Placed) {
	if s.volume == nil {
		return
	}
	s.gesture = gesture{}
	s.place(planes)
	s.changed()
}

// Fit shows the whole picture in the centre of its pane, in every plane.
func (s *State) Fit() {
	s.begin()
	for p := range s.places {
		s.places[p].fit()
	}
	s.chosen(false)
	s.changed()
}

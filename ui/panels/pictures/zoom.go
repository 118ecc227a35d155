package pictures

import (
	"fyne.io/fyne/v2"

	"quell/ui/command"
	"quell/ui/wording"
	"quell/volume"
)

func (v *Panel) planeCommands() (out []command.Command) {
	state := v.h.Session.State()
	for p := volume.Axial; p <= volume.Sagittal; p++ {
		name := p.String()
		out = append(out, command.Command{
			ID: name, Title: wording.Plane(p) + " plane", Menu: command.ViewMenu, Chords: command.Key([]fyne.KeyName{fyne.KeyA, fyne.KeyC, fyne.KeyS}[p]),
			Run: func() { state.SetPlane(p) }, Enabled: v.h.IsOpen,
			Checked: func() bool { return v.h.IsOpen() && state.Cut().View().Plane == p },
		})
	}
	return out
}

func (v *Panel) pictureCommands() []command.Command {
	s, state := v.h.Session, v.h.Session.State()
	turned := func(how func(t volume.Turn) bool) func() bool {
		return func() bool { return v.h.IsOpen() && how(state.Cut().Turned()) }
	}
	return []command.Command{
		{ID: "fit", Title: "Fit to pane", Menu: command.PictureMenu, Chords: command.Key(fyne.KeyF), Run: state.Fit, Enabled: v.h.IsOpen},
		{ID: "zoom-in", Title: "Zoom in", Menu: command.PictureMenu, Run: func() { v.zoom(1.25) }, Enabled: v.h.IsOpen,
			Chords: append(command.With(command.Ctrl, fyne.KeyPlus, fyne.KeyEqual), command.With(command.Ctrl|fyne.KeyModifierShift, fyne.KeyEqual)...)},
		{ID: "zoom-out", Title: "Zoom out", Menu: command.PictureMenu, Chords: command.With(command.Ctrl, fyne.KeyMinus), Run: func() { v.zoom(1 / 1.25) }, Enabled: v.h.IsOpen},
		{ID: "actual", Title: "One to one", Menu: command.PictureMenu, Chords: command.With(command.Ctrl, fyne.Key1), Run: v.actualSize, Enabled: v.h.IsOpen,
			Help: "every voxel is one pixel of the screen"},
		{ID: "reset", Title: "Reset view", Menu: command.PictureMenu, Chords: command.Key(fyne.KeyR), Enabled: v.h.IsOpen,
			Run: func() { state.Reset(s.Screen.OwnWindow()) }},
		{ID: "mirror-across", Title: "Mirror left and right", Menu: command.PictureMenu, Gap: true, Chords: command.With(fyne.KeyModifierShift, fyne.KeyH), Enabled: v.h.IsOpen,
			Help: "this plane, on the screen alone; the letters at the edges follow",
			Run:  func() { state.Cut().Mirror(true) }, Checked: turned(func(t volume.Turn) bool { return t.Mirrored })},
		{ID: "mirror-down", Title: "Mirror top and bottom", Menu: command.PictureMenu, Chords: command.With(fyne.KeyModifierShift, fyne.KeyV), Enabled: v.h.IsOpen,
			Help: "this plane, on the screen alone; the letters at the edges follow", Run: func() { state.Cut().Mirror(false) }},
		{ID: "turn", Title: "Turn by a quarter", Menu: command.PictureMenu, Chords: command.With(fyne.KeyModifierShift, fyne.KeyR), Enabled: v.h.IsOpen,
			Help: "this plane clockwise, on the screen alone; Reset view turns it back",
			Run:  func() { state.Cut().Clockwise() }, Checked: turned(func(t volume.Turn) bool { return t.Quarters != 0 })},
		{ID: "crosshair", Title: "Crosshair", Help: "a click moves it; every plane shows its slice through it", Menu: command.PictureMenu, Gap: true, Chords: command.Key(fyne.KeyX),
			Run:     func() { _, on := state.Crosshair(); state.MarkCrosshair(!on) },
			Checked: func() bool { _, on := state.Crosshair(); return on }, Enabled: v.h.IsOpen},
		{ID: "magnifier", Title: "Magnifier", Help: "a lens under the pointer, in every pane at the same place", Menu: command.PictureMenu, Chords: command.Key(fyne.KeyZ),
			Run: state.ToggleMagnifier, Checked: state.Magnifies, Enabled: v.h.IsOpen},
		{ID: "pixels", Title: "Show voxels as squares", Menu: command.PictureMenu, Run: state.TogglePixelated, Checked: state.Pixelated},
	}
}

// actualSize shows one voxel as one pixel of the screen.
func (v *Panel) actualSize() {
	for _, p := range v.Sizes() {
		if !p.Hidden {
			v.h.Session.State().Cut().Actual(p.Width, p.Height)
			return
		}
	}
}

// zoom magnifies about the centre of the panes.
func (v *Panel) zoom(factor float64) {
	const size = 100 // the centre is the same point at every size
	v.h.Session.State().Cut().ZoomAt(factor, size/2, size/2, size, size)
}

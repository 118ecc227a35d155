package pictures

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/ui/command"
	"quell/ui/viewer"
	"quell/ui/wording"
	"quell/volume"
)

func (v *Panel) windowCommands() []command.Command {
	state := v.h.Session.State()
	return []command.Command{
		{ID: "window-auto", Title: "Automatic window", Menu: command.WindowMenu, Chords: command.Key(fyne.Key0), Run: state.Windows.SetAutomatic, Enabled: v.h.IsOpen},
		{ID: "window-own", Title: "The series' own window", Menu: command.WindowMenu, Chords: command.Key(fyne.Key1), Run: v.ownWindow, Enabled: v.h.IsOpen},
		{ID: "invert", Title: "Invert grey", Menu: command.WindowMenu, Chords: command.Key(fyne.KeyN), Run: state.Windows.ToggleInvert,
			Checked: state.Windows.Inverted},
		{ID: "window-link", Title: "Own windows for original and denoised", Menu: command.WindowMenu, Chords: command.Key(fyne.KeyJ), Enabled: v.h.IsOpen,
			Help: "drags, keys and presets change the picture last pointed at; once more, and that one's window is the window of both",
			Run:  v.toggleLink, Checked: state.Windows.Unlinked},
	}
}

// presetKeys are the keys of the first presets of a series.
var presetKeys = []fyne.KeyName{fyne.Key2, fyne.Key3, fyne.Key4, fyne.Key5, fyne.Key6, fyne.Key7, fyne.Key8, fyne.Key9}

// presetID is the ID of the command of preset i.
func presetID(i int) string { return fmt.Sprintf("window-%d", i+2) }

// presetCommands returns the list of the windows that suit the series, and the keys of the
// first ones, which the help sheet calls by the windows of CT and of other series.
func (v *Panel) presetCommands() []command.Command {
	out := []command.Command{{ID: "windows", Title: "Presets", Menu: command.WindowMenu, Gap: true, List: v.windowList}}
	ct, others := volume.Presets("CT"), []string{"tissue", "narrow", "bright", "dark"}
	for i, k := range presetKeys {
		title := fmt.Sprintf("%s  %s / %s", ct[i].Name, wording.Short(ct[i].Width), wording.Short(ct[i].Center))
		if i < len(others) {
			title += "; not CT: " + others[i]
		}
		out = append(out, command.Command{
			ID: presetID(i), Title: title, Section: command.WindowMenu, Chords: command.Key(k),
			Run:     func() { v.h.Session.State().Windows.Set(v.h.Session.Screen.WindowPresets()[i]) },
			Enabled: func() bool { return i < len(v.h.Session.Screen.WindowPresets()) },
		})
	}
	return out
}

// windowList sets one of the windows that suit the series.
func (v *Panel) windowList() (out []command.Command) {
	for i, preset := range v.h.Session.Screen.WindowPresets() {
		c := command.Command{
			Title: fmt.Sprintf("%s  %s / %s", wording.Window(preset), wording.Short(preset.Width), wording.Short(preset.Center)),
			Run:   func() { v.h.Session.State().Windows.Set(preset) },
		}
		if i < len(presetKeys) {
			c.Chords = v.h.Command(presetID(i)).Chords
		}
		out = append(out, c)
	}
	return out
}

func (v *Panel) ownWindow() {
	if own := v.h.Session.Screen.OwnWindow(); own.Width > 0 {
		v.h.Session.State().Windows.Set(own)
		return
	}
	v.h.Note(lang.L("The series has no window width and level of its own."))
}

// toggleLink gives original and denoised picture their own windows, or one again.
func (v *Panel) toggleLink() {
	state := v.h.Session.State()
	if state.Windows.ToggleLink(); state.Windows.Unlinked() {
		v.h.Note(lang.L("Original and denoised have their own windows: what you set is for the one last pointed at."))
	} else {
		v.h.Note(lang.L("Original and denoised have one window."))
	}
}

func (v *Panel) overlayCommands() []command.Command {
	s, state := v.h.Session, v.h.Session.State()
	return []command.Command{
		{ID: "overlay", Title: "More or less text", Menu: command.ViewMenu, Gap: true, Chords: command.Key(fyne.KeyI), Run: state.CycleOverlay},
		{ID: "identity", Title: "Hide the patient's identity", Menu: command.ViewMenu, Chords: command.Key(fyne.KeyH), Run: v.toggleIdentity,
			Help:    "names, dates and files in the corners and in the title",
			Checked: func() bool { return v.h.Settings.HideIdentity }},
		{ID: "residual", Title: "Residual pane", Menu: command.ViewMenu, Chords: command.Key(fyne.KeyD), Run: v.toggleResidual,
			Help:    "what was removed: the original minus the denoised picture",
			Checked: func() bool { return v.showsPane(viewer.Residual) }},
		{ID: "inset", Title: "Small residual over the picture", Menu: command.ViewMenu, Chords: command.With(fyne.KeyModifierShift, fyne.KeyD), Run: v.toggleInset,
			Help:    "where the residual has no pane",
			Checked: func() bool { return !v.h.Settings.HideInset }},
		{ID: "noise-map", Title: "Noise map", Menu: command.ViewMenu, Chords: command.Key(fyne.KeyM), Run: s.Noise.ToggleMap,
			Help:    "colours over the original show how strong the noise is at every place",
			Enabled: s.Noise.CanMap,
			Checked: func() bool { return s.Noise.Map() != nil }},
		{ID: "structure", Title: "Anatomy in the residual", Menu: command.ViewMenu, Chords: command.Key(fyne.KeyT), Run: s.Structures.Toggle,
			Help:    "marks in green what was removed and is not noise",
			Enabled: v.h.IsOpen, Checked: s.Structures.Marked},
		{ID: "picture", Title: "Save a picture …", Menu: command.FileMenu, Chords: command.With(command.Ctrl, fyne.KeyS), Run: v.askPicture, Enabled: v.h.IsOpen,
			Help: "of the panes as they are, as PNG or TIFF, with filter and window burned in"},
		{ID: "save-cine", Title: "Save the cine …", Menu: command.FileMenu, Run: v.askCine,
			Help:    "all slices as the panes show them, as animated PNG, or as a video where ffmpeg is installed",
			Enabled: func() bool { return v.h.Idle() && s.State().Cut().View().Size[2] > 1 }},
		{ID: "corners", Title: "In the corners", Menu: command.ViewMenu, List: v.cornerCommands},
	}
}

// toggleIdentity hides the patient's identity, or shows it again, now and at the next
// start.
func (v *Panel) toggleIdentity() {
	v.h.Settings.HideIdentity = !v.h.Settings.HideIdentity
	v.h.SaveSettings()
	v.h.Changed()
}

// toggleInset shows the residual small over the denoised picture, or does not, now and at
// the next start.
func (v *Panel) toggleInset() {
	v.h.Settings.HideInset = !v.h.Settings.HideInset
	v.h.SaveSettings()
	v.arrange()
}

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

package pictures

import (
	"fyne.io/fyne/v2"

	"quell/ui/command"
	"quell/ui/viewer"
)

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
		{ID: "structure", Title: "Structure in the residual", Menu: command.ViewMenu, Chords: command.Key(fyne.KeyT), Run: s.Structures.Toggle,
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

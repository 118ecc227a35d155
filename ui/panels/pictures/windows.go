package pictures

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/ui/command"
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

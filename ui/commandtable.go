package ui

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/ui/viewer"
	"quell/volume"
)

// open says whether a series is open.
func (w *Workbench) open() bool { return w.session.Series() != nil }

// idle says whether a series is open and no task in progress, which another would replace.
func (w *Workbench) idle() bool { return w.open() && !w.session.Tasks.Busy() }

func (w *Workbench) fileCommands() []Command {
	s := w.session
	return []Command{
		{ID: "open-folder", Title: "Open folder …", Menu: menuFile, Chords: with(ctrl, fyne.KeyO), Run: func() { w.askFolder(lang.L("Open a folder"), w.Open) }},
		{ID: "open-file", Title: "Open file …", Menu: menuFile, Chords: with(ctrl|fyne.KeyModifierShift, fyne.KeyO), Run: func() { w.askFile(lang.L("Open a file"), w.Open) }},
		{ID: "open-path", Title: "Open a path …", Menu: menuFile, Chords: with(ctrl, fyne.KeyL), Run: w.askPath},
		{ID: "open-bundled", Title: "Open the bundled series", Menu: menuFile, Run: w.OpenBundled},
		{ID: "open-recent", Title: "Open recent", Menu: menuFile, List: w.recentCommands},
		{ID: "reference-file", Title: "Load reference file …", Menu: menuFile, Gap: true, Enabled: w.idle,
			Run: func() { w.askFile(lang.L("Load a reference"), s.Reader.SetReference) }},
		{ID: "reference-folder", Title: "Load reference folder …", Menu: menuFile, Enabled: w.idle,
			Run: func() { w.askFolder(lang.L("Load a reference"), s.Reader.SetReference) }},
		{ID: "no-reference", Title: "Remove the reference", Menu: menuFile, Run: w.clearReference,
			Enabled: func() bool { return w.idle() && s.Document().Reference() != nil }},
		{ID: "export", Title: "Export …", Menu: menuFile, Gap: true, Chords: with(ctrl, fyne.KeyE), Run: w.askExport,
			Enabled: func() bool { return w.idle() && s.Results.Exportable() != nil }},
		{ID: "send", Title: "Send to PACS …", Menu: menuFile, Run: w.askSend,
			Enabled: func() bool { return !s.Tasks.Busy() && w.sendable != "" }},
		{ID: "report", Title: "Save a report …", Menu: menuFile, Run: w.askReport,
			Help:    "on the result of the volume: verdict, measures, ROIs and pictures, as one HTML file",
			Enabled: func() bool { return w.idle() && s.Results.Exportable() != nil }},
		{ID: "picture", Title: "Save a picture …", Menu: menuFile, Chords: with(ctrl, fyne.KeyS), Run: w.askPicture, Enabled: w.open,
			Help: "of the panes as they are, as PNG, with filter and window burned in"},
		{ID: "presentation", Title: "Save a presentation state …", Menu: menuFile, Run: w.askPresentation, Enabled: w.presentable,
			Help: "window, area and marks as a DICOM object for other viewers"},
	}
}

func (w *Workbench) endCommands() []Command {
	return []Command{{ID: quitID, Title: "Quit", Menu: menuFile, Gap: true, Chords: with(ctrl, fyne.KeyQ), Run: w.Quit}}
}

func (w *Workbench) editCommands() []Command {
	s := w.session
	history := func(can func() bool) func() bool {
		return func() bool { return s.Document() != nil && can() }
	}
	return []Command{
		{ID: "undo", Title: "Undo", Menu: menuEdit, Chords: with(ctrl, fyne.KeyZ), Run: s.History.Undo,
			Enabled: history(func() bool { return s.Document().Edits().CanUndo() })},
		{ID: "redo", Title: "Redo", Menu: menuEdit, Run: s.History.Redo,
			Chords:  []Chord{{fyne.KeyY, ctrl}, {fyne.KeyZ, ctrl | fyne.KeyModifierShift}},
			Enabled: history(func() bool { return s.Document().Edits().CanRedo() })},
		{ID: "forget-paths", Title: "Clear recent series", Menu: menuEdit, Gap: true, Run: w.forgetPaths},
		{ID: "keep-paths", Title: "Keep a list of recent series", Menu: menuEdit, Run: w.toggleKeepPaths,
			Checked: func() bool { return w.settings.KeepRecent }},
		{ID: "invert-level", Title: "Dragging down darkens", Menu: menuEdit, Run: w.toggleLevelDirection,
			Checked: func() bool { return w.settings.InvertLevel }},
	}
}

func (w *Workbench) planeCommands() (out []Command) {
	state := w.session.State()
	for p := volume.Axial; p <= volume.Sagittal; p++ {
		name := p.String()
		out = append(out, Command{
			ID: name, Title: planeName(p) + " plane", Menu: menuView, Chords: key([]fyne.KeyName{fyne.KeyA, fyne.KeyC, fyne.KeyS}[p]),
			Run: func() { state.SetPlane(p) }, Enabled: w.open,
			Checked: func() bool { return w.open() && state.View().Plane == p },
		})
	}
	return out
}

func (w *Workbench) pictureCommands() []Command {
	s, state := w.session, w.session.State()
	turned := func(how func(t volume.Turn) bool) func() bool {
		return func() bool { return w.open() && how(state.Turned()) }
	}
	return []Command{
		{ID: "fit", Title: "Fit to pane", Menu: menuPicture, Chords: key(fyne.KeyF), Run: state.Fit, Enabled: w.open},
		{ID: "zoom-in", Title: "Zoom in", Menu: menuPicture, Run: func() { w.zoom(1.25) }, Enabled: w.open,
			Chords: []Chord{{fyne.KeyPlus, ctrl}, {fyne.KeyEqual, ctrl}, {fyne.KeyEqual, ctrl | fyne.KeyModifierShift}}},
		{ID: "zoom-out", Title: "Zoom out", Menu: menuPicture, Chords: with(ctrl, fyne.KeyMinus), Run: func() { w.zoom(1 / 1.25) }, Enabled: w.open},
		{ID: "actual", Title: "One to one", Menu: menuPicture, Chords: with(ctrl, fyne.Key1), Run: w.actualSize, Enabled: w.open,
			Help: "every voxel is one pixel of the screen"},
		{ID: "reset", Title: "Reset view", Menu: menuPicture, Chords: key(fyne.KeyR), Enabled: w.open,
			Run: func() { state.Reset(s.Screen.OwnWindow()) }},
		{ID: "mirror-across", Title: "Mirror left and right", Menu: menuPicture, Gap: true, Chords: with(fyne.KeyModifierShift, fyne.KeyH), Enabled: w.open,
			Help: "this plane, on the screen alone; the letters at the edges follow",
			Run:  func() { state.Mirror(true) }, Checked: turned(func(t volume.Turn) bool { return t.Mirrored })},
		{ID: "mirror-down", Title: "Mirror top and bottom", Menu: menuPicture, Chords: with(fyne.KeyModifierShift, fyne.KeyV), Enabled: w.open,
			Help: "this plane, on the screen alone; the letters at the edges follow", Run: func() { state.Mirror(false) }},
		{ID: "turn", Title: "Turn by a quarter", Menu: menuPicture, Chords: with(fyne.KeyModifierShift, fyne.KeyR), Enabled: w.open,
			Help: "this plane clockwise, on the screen alone; Reset view turns it back",
			Run:  state.Clockwise, Checked: turned(func(t volume.Turn) bool { return t.Quarters != 0 })},
		{ID: "crosshair", Title: "Crosshair", Help: "a click moves it; every plane shows its slice through it", Menu: menuPicture, Gap: true, Chords: key(fyne.KeyX),
			Run:     func() { _, on := state.Crosshair(); state.MarkCrosshair(!on) },
			Checked: func() bool { _, on := state.Crosshair(); return on }, Enabled: w.open},
		{ID: "magnifier", Title: "Magnifier", Help: "a lens under the pointer, in every pane at the same place", Menu: menuPicture, Chords: key(fyne.KeyZ),
			Run: state.ToggleMagnifier, Checked: state.Magnifies, Enabled: w.open},
		{ID: "pixels", Title: "Show voxels as squares", Menu: menuPicture, Run: state.TogglePixelated, Checked: state.Pixelated},
		{ID: "cine", Title: "Cine", Help: "plays the slices", Menu: menuPicture, Gap: true, Chords: key(fyne.KeyY),
			Run: w.toggleCine, Checked: func() bool { return w.cine.stop != nil }, Enabled: w.open},
		{ID: "cine-back", Title: "Cine back and forth", Help: "turns back at the last slice, in place of a jump to the first", Menu: menuPicture,
			Run: w.toggleCineBack, Checked: func() bool { return w.settings.CineBack }},
	}
}

func (w *Workbench) viewCommands() []Command {
	s, state := w.session, w.session.State()
	return []Command{
		{ID: "overlay", Title: "More or less text", Menu: menuView, Gap: true, Chords: key(fyne.KeyI), Run: state.CycleOverlay},
		{ID: "identity", Title: "Hide the patient's identity", Menu: menuView, Chords: key(fyne.KeyH), Run: w.toggleIdentity,
			Help:    "names, dates and files in the corners and in the title",
			Checked: func() bool { return w.settings.HideIdentity }},
		{ID: "residual", Title: "Residual pane", Menu: menuView, Chords: key(fyne.KeyD), Run: w.toggleResidual,
			Help:    "what was removed: the original minus the denoised picture",
			Checked: func() bool { return w.showsPane(viewer.Residual) }},
		{ID: "inset", Title: "Small residual over the picture", Menu: menuView, Chords: with(fyne.KeyModifierShift, fyne.KeyD), Run: w.toggleInset,
			Help:    "where the residual has no pane",
			Checked: func() bool { return !w.settings.HideInset }},
		{ID: "strip", Title: "Filter, measures and plots", Menu: menuView, Chords: key(fyne.KeyP), Run: func() { w.showColumn(!w.showsColumn()) },
			Help:    "hidden at first where it would leave the pictures less than 80 % of the workbench",
			Checked: w.showsColumn},
		{ID: "noise-map", Title: "Noise map", Menu: menuView, Chords: key(fyne.KeyM), Run: s.Noise.ToggleMap,
			Help:    "colours over the original show how strong the noise is at every place",
			Enabled: s.Noise.CanMap,
			Checked: func() bool { return s.Noise.Map() != nil }},
		{ID: "structure", Title: "Structure in the residual", Menu: menuView, Chords: key(fyne.KeyT), Run: s.Structures.Toggle,
			Help:    "marks in green what was removed and is not noise",
			Enabled: w.open, Checked: s.Structures.Marked},
		{ID: "fullscreen", Title: "Full screen", Menu: menuView, Gap: true, Chords: key(fyne.KeyF11), Run: w.toggleFullScreen},
		{ID: "corners", Title: "In the corners", Menu: menuView, List: w.cornerCommands},
		{ID: "language", Title: "Language", Menu: menuView, List: w.languageCommands},
		{ID: "scale", Title: "Size of the interface", Menu: menuView, List: w.scaleCommands},
	}
}

func (w *Workbench) windowCommands() []Command {
	state := w.session.State()
	return []Command{
		{ID: "window-auto", Title: "Automatic window", Menu: menuWindow, Chords: key(fyne.Key0), Run: state.AutoWindow, Enabled: w.open},
		{ID: "window-own", Title: "The series' own window", Menu: menuWindow, Chords: key(fyne.Key1), Run: w.ownWindow, Enabled: w.open},
		{ID: "invert", Title: "Invert grey", Menu: menuWindow, Chords: key(fyne.KeyN), Run: state.ToggleInvert,
			Checked: state.Inverted},
		{ID: "window-link", Title: "Own windows for original and denoised", Menu: menuWindow, Chords: key(fyne.KeyJ), Enabled: w.open,
			Help: "drags, keys and presets change the picture last pointed at; once more, and that one's window is the window of both",
			Run:  w.toggleLink, Checked: state.Unlinked},
	}
}

// presetKeys are the keys of the first presets of a series.
var presetKeys = []fyne.KeyName{fyne.Key2, fyne.Key3, fyne.Key4, fyne.Key5, fyne.Key6, fyne.Key7, fyne.Key8, fyne.Key9}

// presetID is the ID of the command of preset i.
func presetID(i int) string { return fmt.Sprintf("window-%d", i+2) }

// presetCommands returns the list of the windows that suit the series, and the keys of the
// first ones, which the help sheet calls by those of CT and of other series.
func (w *Workbench) presetCommands() []Command {
	out := []Command{{ID: "windows", Title: "Presets", Menu: menuWindow, Gap: true, List: w.windowList}}
	ct, others := volume.Presets("CT"), []string{"tissue", "narrow", "bright", "dark"}
	for i, k := range presetKeys {
		title := fmt.Sprintf("%s  %s / %s", ct[i].Name, short(ct[i].Width), short(ct[i].Center))
		if i < len(others) {
			title += "; not CT: " + others[i]
		}
		out = append(out, Command{
			ID: presetID(i), Title: title, Section: menuWindow, Chords: key(k),
			Run:     func() { w.session.State().SetWindow(w.session.Screen.WindowPresets()[i]) },
			Enabled: func() bool { return i < len(w.session.Screen.WindowPresets()) },
		})
	}
	return out
}

// windowList sets one of the windows that suit the series.
func (w *Workbench) windowList() (out []Command) {
	for i, preset := range w.session.Screen.WindowPresets() {
		c := Command{
			Title: fmt.Sprintf("%s  %s / %s", windowName(preset), short(preset.Width), short(preset.Center)),
			Run:   func() { w.session.State().SetWindow(preset) },
		}
		if i < len(presetKeys) {
			c.Chords = w.command(presetID(i)).Chords
		}
		out = append(out, c)
	}
	return out
}

func (w *Workbench) toolCommands() []Command {
	s := w.session
	return []Command{
		{ID: "apply", Title: "Apply to volume", Menu: menuTools, Run: w.apply,
			Chords:  []Chord{{fyne.KeyReturn, ctrl}, {fyne.KeyEnter, ctrl}},
			Enabled: func() bool { return w.idle() && !s.Results.Applied() }},
		{ID: "best-strength", Title: "Find the best strength", Menu: menuTools, Chords: key(fyne.KeyB), Run: w.findStrength,
			Help:    "searches for the least estimated error (SURE) and plots the error over the strength",
			Enabled: s.Strength.CanFind},
		{ID: "compare-filters", Title: "Compare all filters …", Menu: menuTools, Chords: key(fyne.KeyG), Run: w.compareFilters,
			Help:    "every filter at its best automatic setting on this slice, side by side, to choose one",
			Enabled: s.Galleries.CanCompare},
		{ID: "follow-noise", Title: "Filter by the noise map", Menu: menuTools, Run: s.Noise.ToggleFollow,
			Help:    "the filter removes more where the noise map is higher, for noise that differs from place to place",
			Enabled: s.Noise.CanFollow,
			Checked: s.Noise.Follows},
		{ID: "presets", Title: "Presets", Menu: menuTools, List: w.recipeCommands, Enabled: w.open},
		{ID: "keep-preset", Title: "Keep as a preset", Menu: menuTools, Run: w.keepPreset, Enabled: w.open,
			Help:    "the filter and its parameters, for every series",
			Checked: func() bool { return w.settings.KeepsPreset(s.Tuning.Recipe()) }},
		{ID: "load-recipe", Title: "Load a recipe …", Menu: menuTools, Chords: with(ctrl, fyne.KeyR), Enabled: w.open,
			Help: "a recipe, or the record beside an output",
			Run:  func() { w.askFile(lang.L("Load a recipe"), w.loadRecipe) }},
		{ID: "results", Title: "Results", Menu: menuTools, List: w.resultCommands},
		{ID: cancelID, Title: "Cancel", Menu: menuTools, Chords: key(fyne.KeyEscape), Run: w.cancel},
		{ID: "add-noise", Title: "Add noise …", Menu: menuTools, Gap: true, Run: w.askNoise, Enabled: w.idle},
		{ID: "remove-noise", Title: "Remove added noise", Menu: menuTools, Run: w.clearReference,
			Enabled: func() bool { return w.idle() && w.noisy() }},
	}
}

func (w *Workbench) helpCommands() []Command {
	return []Command{
		{ID: "shortcuts", Title: "Keys and mouse", Menu: menuHelp, Chords: key(fyne.KeyF1), Run: w.showShortcuts},
		{ID: "change-key", Title: "Change a key …", Menu: menuHelp, Run: w.changeKeys},
		{ID: "findings", Title: "Findings on this series", Menu: menuHelp, Run: w.showFindings, Enabled: w.open},
		{ID: "engines", Title: "Engines and devices", Menu: menuHelp, Run: w.showEngines},
		{ID: "about", Title: "About Quell", Menu: menuHelp, Run: w.showAbout},
	}
}

// sliceCommands are in no menu.
func (w *Workbench) sliceCommands() []Command {
	state := w.session.State()
	return []Command{
		{ID: "next", Title: "Next slice", Run: func() { state.Scroll(1) }, Chords: []Chord{{Key: fyne.KeyDown}, {Key: fyne.KeyPageDown}}},
		{ID: "previous", Title: "Previous slice", Run: func() { state.Scroll(-1) }, Chords: []Chord{{Key: fyne.KeyUp}, {Key: fyne.KeyPageUp}}},
		{ID: "next-10", Title: "Ten slices on", Run: func() { state.Scroll(10) },
			Chords: []Chord{{fyne.KeyDown, fyne.KeyModifierShift}, {fyne.KeyPageDown, fyne.KeyModifierShift}}},
		{ID: "previous-10", Title: "Ten slices back", Run: func() { state.Scroll(-10) },
			Chords: []Chord{{fyne.KeyUp, fyne.KeyModifierShift}, {fyne.KeyPageUp, fyne.KeyModifierShift}}},
		{ID: "first", Title: "First slice", Chords: key(fyne.KeyHome), Run: func() { state.SetIndex(0) }},
		{ID: "last", Title: "Last slice", Chords: key(fyne.KeyEnd), Run: func() { state.SetIndex(state.View().Size[2] - 1) }},
		{ID: "next-volume", Title: "Next 4-D volume", Chords: key(fyne.KeyRightBracket), Run: func() { w.stepVolume(1) }},
		{ID: "previous-volume", Title: "Previous 4-D volume", Chords: key(fyne.KeyLeftBracket), Run: func() { w.stepVolume(-1) }},
	}
}

package ui

import (
	"fmt"
	"runtime"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/volume"
)

// Chord is a key with its modifiers.
type Chord struct {
	Key fyne.KeyName
	Mod fyne.KeyModifier
}

// ctrl is Ctrl, and Command on a Mac.
const ctrl = fyne.KeyModifierShortcutDefault

// String returns a chord as it is labelled on keyboards: "Ctrl+Shift+Z".
func (c Chord) String() string {
	var parts []string
	if c.Mod&ctrl != 0 {
		name := "Ctrl"
		if runtime.GOOS == "darwin" {
			name = "Cmd"
		}
		parts = append(parts, name)
	}
	if c.Mod&fyne.KeyModifierShift != 0 {
		parts = append(parts, "Shift")
	}
	names := map[fyne.KeyName]string{
		fyne.KeyPageUp: "Page Up", fyne.KeyPageDown: "Page Down", fyne.KeyReturn: "Return",
		fyne.KeyEscape: "Esc", fyne.KeyUp: "↑", fyne.KeyDown: "↓",
		fyne.KeyPlus: "+", fyne.KeyMinus: "−", fyne.KeyEqual: "=", fyne.KeyEnter: "Enter",
	}
	key, ok := names[c.Key]
	if !ok {
		key = string(c.Key)
	}
	return strings.Join(append(parts, key), "+")
}

// shortcut returns the chord as Fyne's menus and canvas expect it. Fyne has types
// of its own for undo and redo.
func (c Chord) shortcut() fyne.Shortcut {
	switch c {
	case Chord{fyne.KeyZ, ctrl}:
		return &fyne.ShortcutUndo{}
	case Chord{fyne.KeyY, ctrl}:
		return &fyne.ShortcutRedo{}
	}
	return &desktop.CustomShortcut{KeyName: c.Key, Modifier: c.Mod}
}

// plain says whether Fyne delivers the chord as a typed key, not as a shortcut.
func (c Chord) plain() bool { return c.Mod&^fyne.KeyModifierShift == 0 }

// Command is one action of the user. The table of commands is the only place that
// knows keys: canvas, menus and help sheet read it.
type Command struct {
	ID      string
	Title   string
	Help    string // what it does, where the title does not say it; for tooltips
	Menu    string // the menu it is in; "" for keys only
	Chords  []Chord
	Run     func()
	Hold    func(on bool) // while the key is held; Run is for the menu then
	Enabled func() bool   // nil: always
	Checked func() bool   // nil: no check mark
	Gap     bool          // a separator precedes it in the menu
}

// The menus, in their order.
const (
	menuFile   = "File"
	menuEdit   = "Edit"
	menuView   = "View"
	menuWindow = "Window/Level"
	menuTools  = "Tools"
	menuHelp   = "Help"
)

var menuOrder = []string{menuFile, menuEdit, menuView, menuWindow, menuTools, menuHelp}

func key(k fyne.KeyName) []Chord                      { return []Chord{{Key: k}} }
func with(m fyne.KeyModifier, k fyne.KeyName) []Chord { return []Chord{{Key: k, Mod: m}} }

// commands returns the table.
func (w *Workbench) commands() []Command {
	s, state := w.session, w.session.State()
	open := func() bool { return s.Series() != nil }
	idle := func() bool { return open() && !s.Busy() } // a task would be replaced otherwise
	history := func(can func() bool) func() bool {
		return func() bool { return s.Document() != nil && can() }
	}
	table := []Command{
		{ID: "open-folder", Title: "Open folder …", Menu: menuFile, Chords: with(ctrl, fyne.KeyO), Run: func() { w.askFolder(w.Open) }},
		{ID: "open-file", Title: "Open file …", Menu: menuFile, Chords: with(ctrl|fyne.KeyModifierShift, fyne.KeyO), Run: func() { w.askFile(w.Open) }},
		{ID: "open-path", Title: "Open a path …", Menu: menuFile, Chords: with(ctrl, fyne.KeyL), Run: w.askPath},
		{ID: "open-bundled", Title: "Open the bundled series", Menu: menuFile, Run: w.OpenBundled},
		{ID: "reference-file", Title: "Load reference file …", Menu: menuFile, Gap: true, Enabled: idle,
			Run: func() { w.askFile(s.SetReference) }},
		{ID: "reference-folder", Title: "Load reference folder …", Menu: menuFile, Enabled: idle,
			Run: func() { w.askFolder(s.SetReference) }},
		{ID: "no-reference", Title: "Remove the reference", Menu: menuFile, Run: w.clearReference,
			Enabled: func() bool { return idle() && s.Document().Reference() != nil }},
		{ID: "export", Title: "Export …", Menu: menuFile, Gap: true, Chords: with(ctrl, fyne.KeyE), Run: w.askExport,
			Enabled: func() bool { return idle() && s.Exportable() != nil }},
		{ID: "quit", Title: "Quit", Menu: menuFile, Gap: true, Chords: with(ctrl, fyne.KeyQ), Run: w.Quit},

		{ID: "undo", Title: "Undo parameters", Menu: menuEdit, Chords: with(ctrl, fyne.KeyZ), Run: s.Undo,
			Enabled: history(func() bool { return s.Document().Recipes().CanUndo() })},
		{ID: "redo", Title: "Redo parameters", Menu: menuEdit, Run: s.Redo,
			Chords:  []Chord{{fyne.KeyY, ctrl}, {fyne.KeyZ, ctrl | fyne.KeyModifierShift}},
			Enabled: history(func() bool { return s.Document().Recipes().CanRedo() })},
		{ID: "forget-paths", Title: "Clear recent series", Menu: menuEdit, Gap: true, Run: w.forgetPaths},
		{ID: "keep-paths", Title: "Keep a list of recent series", Menu: menuEdit, Run: w.toggleKeepPaths,
			Checked: func() bool { return w.settings.KeepRecent }},
		{ID: "invert-level", Title: "Dragging down darkens", Menu: menuEdit, Run: w.toggleLevelDirection,
			Checked: func() bool { return w.settings.InvertLevel }},
	}
	for p := volume.Axial; p <= volume.Sagittal; p++ {
		name := p.String()
		table = append(table, Command{
			ID: name, Title: strings.ToUpper(name[:1]) + name[1:] + " plane", Menu: menuView, Chords: key([]fyne.KeyName{fyne.KeyA, fyne.KeyC, fyne.KeyS}[p]),
			Run: func() { state.SetPlane(p) }, Enabled: open,
			Checked: func() bool { return open() && state.View().Plane == p },
		})
	}
	table = append(table, w.layoutCommands()...)
	table = append(table,
		Command{ID: "fit", Title: "Fit to pane", Menu: menuView, Gap: true, Chords: key(fyne.KeyF), Run: state.Fit, Enabled: open},
		Command{ID: "zoom-in", Title: "Zoom in", Menu: menuView, Run: func() { w.zoom(1.25) }, Enabled: open,
			Chords: []Chord{{fyne.KeyPlus, ctrl}, {fyne.KeyEqual, ctrl}, {fyne.KeyEqual, ctrl | fyne.KeyModifierShift}}},
		Command{ID: "zoom-out", Title: "Zoom out", Menu: menuView, Chords: with(ctrl, fyne.KeyMinus), Run: func() { w.zoom(1 / 1.25) }, Enabled: open},
		Command{ID: "actual", Title: "One to one", Menu: menuView, Chords: with(ctrl, fyne.Key1), Run: w.actualSize, Enabled: open,
			Help: "every voxel is one pixel of the screen"},
		Command{ID: "reset", Title: "Reset view", Menu: menuView, Chords: key(fyne.KeyR), Enabled: open,
			Run: func() { state.Reset(s.OwnWindow()) }},
		Command{ID: "overlay", Title: "More or less text", Menu: menuView, Gap: true, Chords: key(fyne.KeyI), Run: state.CycleOverlay},
		Command{ID: "identity", Title: "Hide the patient's identity", Menu: menuView, Chords: key(fyne.KeyH), Run: w.toggleIdentity,
			Help:    "names, dates and files in the corners and in the title",
			Checked: func() bool { return w.settings.HideIdentity }},
		Command{ID: "residual", Title: "Residual pane", Menu: menuView, Chords: key(fyne.KeyD), Run: w.toggleResidual,
			Checked: func() bool { return w.residualShown }},
		Command{ID: "strip", Title: "Filter, measures and plots", Menu: menuView, Chords: key(fyne.KeyP), Run: w.toggleColumn,
			Checked: func() bool { return w.columnShown }},
		Command{ID: "noise-map", Title: "Noise map", Menu: menuView, Chords: key(fyne.KeyM), Run: s.ToggleNoiseMap,
			Help:    "colours over the original show how strong the noise is at every place",
			Enabled: s.CanMapNoise,
			Checked: func() bool { return s.NoiseMap() != nil }},
		Command{ID: "structure", Title: "Structure in the residual", Menu: menuView, Chords: key(fyne.KeyT), Run: s.ToggleStructure,
			Help:    "marks in green what was removed and is not noise",
			Enabled: open, Checked: s.MarksStructure},
		Command{ID: "pixels", Title: "Show voxels as squares", Menu: menuView, Run: state.TogglePixelated, Checked: state.Pixelated},
		Command{ID: "before", Title: "Original in the denoised pane (hold the key)", Menu: menuView, Chords: key(fyne.KeySpace), Hold: s.HoldBefore,
			Run: func() { s.HoldBefore(!s.HoldsBefore()) }, Checked: s.HoldsBefore, Enabled: open},
		Command{ID: "fullscreen", Title: "Full screen", Menu: menuView, Gap: true, Chords: key(fyne.KeyF11), Run: w.toggleFullScreen},

		Command{ID: "window-auto", Title: "Automatic window", Menu: menuWindow, Chords: key(fyne.Key0), Run: state.AutoWindow, Enabled: open},
		Command{ID: "window-own", Title: "The series' own window", Menu: menuWindow, Chords: key(fyne.Key1), Run: w.ownWindow, Enabled: open},
	)
	table = append(table, w.presetCommands()...)
	table = append(table,
		Command{ID: "invert", Title: "Invert grey", Menu: menuWindow, Gap: true, Chords: key(fyne.KeyN), Run: state.ToggleInvert,
			Checked: state.Inverted},

		Command{ID: "apply", Title: "Apply to volume", Menu: menuTools, Run: w.apply,
			Chords:  []Chord{{fyne.KeyReturn, ctrl}, {fyne.KeyEnter, ctrl}},
			Enabled: func() bool { return idle() && !s.Applied() }},
		Command{ID: "best-strength", Title: "Find the best strength", Menu: menuTools, Chords: key(fyne.KeyB), Run: w.findStrength,
			Help:    "searches for the least estimated error (SURE) and plots the error over the strength",
			Enabled: s.CanFindStrength},
		Command{ID: "compare-filters", Title: "Compare all filters …", Menu: menuTools, Chords: key(fyne.KeyG), Run: w.compareFilters,
			Help:    "every filter at its best automatic setting on this slice, side by side, to choose one",
			Enabled: s.CanCompare},
		Command{ID: "follow-noise", Title: "Filter by the noise map", Menu: menuTools, Run: s.ToggleFollowNoise,
			Help:    "the filter removes more where the noise map is higher, for noise that differs from place to place",
			Enabled: s.CanFollowNoise,
			Checked: s.FollowsNoise},
		Command{ID: cancelID, Title: "Cancel", Menu: menuTools, Chords: key(fyne.KeyEscape), Run: w.cancel},
		Command{ID: "add-noise", Title: "Add noise …", Menu: menuTools, Gap: true, Run: w.askNoise, Enabled: idle},
		Command{ID: "remove-noise", Title: "Remove added noise", Menu: menuTools, Run: w.clearReference,
			Enabled: func() bool { return idle() && w.noisy() }},
	)
	table = append(table, w.engineCommands()...)
	return append(table,
		Command{ID: "shortcuts", Title: "Keys and mouse", Menu: menuHelp, Chords: key(fyne.KeyF1), Run: w.showShortcuts},
		Command{ID: "findings", Title: "Findings on this series", Menu: menuHelp, Run: w.showFindings, Enabled: open},
		Command{ID: "engines", Title: "Engines and devices", Menu: menuHelp, Run: w.showEngines},
		Command{ID: "about", Title: "About Quell", Menu: menuHelp, Run: w.showAbout},

		Command{ID: "next", Title: "Next slice", Run: func() { state.Scroll(1) }, Chords: []Chord{{Key: fyne.KeyDown}, {Key: fyne.KeyPageDown}}},
		Command{ID: "previous", Title: "Previous slice", Run: func() { state.Scroll(-1) }, Chords: []Chord{{Key: fyne.KeyUp}, {Key: fyne.KeyPageUp}}},
		Command{ID: "next-10", Title: "Ten slices on", Run: func() { state.Scroll(10) },
			Chords: []Chord{{fyne.KeyDown, fyne.KeyModifierShift}, {fyne.KeyPageDown, fyne.KeyModifierShift}}},
		Command{ID: "previous-10", Title: "Ten slices back", Run: func() { state.Scroll(-10) },
			Chords: []Chord{{fyne.KeyUp, fyne.KeyModifierShift}, {fyne.KeyPageUp, fyne.KeyModifierShift}}},
		Command{ID: "first", Title: "First slice", Chords: key(fyne.KeyHome), Run: func() { state.SetIndex(0) }},
		Command{ID: "last", Title: "Last slice", Chords: key(fyne.KeyEnd), Run: func() { state.SetIndex(state.View().Size[2] - 1) }},
	)
}

// presetCommands returns the commands of the CT windows. The first eight have the
// keys 2 to 9.
func (w *Workbench) presetCommands() []Command {
	keys := []fyne.KeyName{fyne.Key2, fyne.Key3, fyne.Key4, fyne.Key5, fyne.Key6, fyne.Key7, fyne.Key8, fyne.Key9}
	var out []Command
	for i, preset := range volume.Presets("CT") {
		c := Command{
			ID:    fmt.Sprintf("window-%d", i+2),
			Title: fmt.Sprintf("%s window  %s / %s", preset.Name, short(preset.Width), short(preset.Center)), Menu: menuWindow, Gap: i == 0,
			Run: func() { w.session.State().SetWindow(preset) }, Enabled: w.isCT,
		}
		if i < len(keys) {
			c.Chords = key(keys[i])
		}
		out = append(out, c)
	}
	return out
}

// gestures is the part of the help sheet for the mouse.
var gestures = [][2]string{
	{"Wheel", "Slices"},
	{"Shift + wheel", "Five slices at a time"},
	{"Ctrl + wheel", "Zoom at the pointer"},
	{"Left drag", "Window (across) and level (up and down); on the residual its scale"},
	{"Middle drag, Shift + left drag", "Pan"},
	{"Right drag", "Zoom about the point where the drag began"},
	{"Right click", "Menu"},
	{"Double click", "One pane alone, and back"},
	{"Point", "The value in every pane"},
	{"Drop a file or folder", "Open it"},
}

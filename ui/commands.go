package ui

import (
	"fmt"
	"runtime"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/volume"
)

// Chord is a key with modifiers.
type Chord struct {
	Key fyne.KeyName
	Mod fyne.KeyModifier
}

// ctrl is Ctrl, and Command on a Mac.
const ctrl = fyne.KeyModifierShortcutDefault

// String writes a chord as on a key cap: "Ctrl+Shift+Z".
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

// shortcut returns the chord in the form Fyne's menus and canvas match. Undo
// and redo arrive as types of their own.
func (c Chord) shortcut() fyne.Shortcut {
	switch c {
	case Chord{fyne.KeyZ, ctrl}:
		return &fyne.ShortcutUndo{}
	case Chord{fyne.KeyY, ctrl}:
		return &fyne.ShortcutRedo{}
	}
	return &desktop.CustomShortcut{KeyName: c.Key, Modifier: c.Mod}
}

// plain says whether Fyne delivers the chord as a typed key and not as a
// shortcut.
func (c Chord) plain() bool { return c.Mod&^fyne.KeyModifierShift == 0 }

// Command is one thing the user can ask for. The table of commands is the only
// place that knows keys: the canvas, the menus and the help sheet read it.
type Command struct {
	ID      string
	Title   string
	Menu    string // the menu it is in; "" for keys only
	Chords  []Chord
	Run     func()
	Hold    func(on bool) // instead of Run: while the key is held
	Enabled func() bool   // nil: always
	Checked func() bool   // nil: no check mark
	Gap     bool          // a separator stands before it
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
func (w *Window) commands() []Command {
	s, state := w.session, w.session.State()
	open := func() bool { return s.Series() != nil }
	history := func(can func() bool) func() bool {
		return func() bool { return s.Document() != nil && can() }
	}
	table := []Command{
		{ID: "open-folder", Title: "Open folder …", Menu: menuFile, Chords: with(ctrl, fyne.KeyO), Run: func() { w.askFolder(w.Open) }},
		{ID: "open-file", Title: "Open file …", Menu: menuFile, Chords: with(ctrl|fyne.KeyModifierShift, fyne.KeyO), Run: func() { w.askFile(w.Open) }},
		{ID: "open-bundled", Title: "Open the bundled series", Menu: menuFile, Run: w.OpenBundled},
		{ID: "reference-file", Title: "Load reference file …", Menu: menuFile, Gap: true, Enabled: open,
			Run: func() { w.askFile(s.SetReference) }},
		{ID: "reference-folder", Title: "Load reference folder …", Menu: menuFile, Enabled: open,
			Run: func() { w.askFolder(s.SetReference) }},
		{ID: "no-reference", Title: "Forget the reference", Menu: menuFile, Run: s.ClearReference,
			Enabled: func() bool { return open() && s.Document().Reference() != nil }},
		{ID: "export", Title: "Export …", Menu: menuFile, Gap: true, Chords: with(ctrl, fyne.KeyE), Run: w.askExport, Enabled: open},
		{ID: "quit", Title: "Quit", Menu: menuFile, Gap: true, Chords: with(ctrl, fyne.KeyQ), Run: w.Close},

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
	table = append(table,
		Command{ID: "fit", Title: "Fit to pane", Menu: menuView, Gap: true, Chords: key(fyne.KeyF), Run: state.Fit, Enabled: open},
		Command{ID: "zoom-in", Title: "Zoom in", Menu: menuView, Run: func() { w.zoom(1.25) }, Enabled: open,
			Chords: []Chord{{fyne.KeyPlus, ctrl}, {fyne.KeyEqual, ctrl}, {fyne.KeyEqual, ctrl | fyne.KeyModifierShift}}},
		Command{ID: "zoom-out", Title: "Zoom out", Menu: menuView, Chords: with(ctrl, fyne.KeyMinus), Run: func() { w.zoom(1 / 1.25) }, Enabled: open},
		Command{ID: "reset", Title: "Reset view", Menu: menuView, Chords: key(fyne.KeyR), Enabled: open,
			Run: func() { state.Reset(s.OwnWindow()) }},
		Command{ID: "overlay", Title: "Less text, more text", Menu: menuView, Gap: true, Chords: key(fyne.KeyI), Run: state.CycleOverlay},
		Command{ID: "residual", Title: "Residual pane", Menu: menuView, Chords: key(fyne.KeyD), Run: w.toggleResidual,
			Checked: func() bool { return w.residualShown }},
		Command{ID: "strip", Title: "Plot and measures", Menu: menuView, Chords: key(fyne.KeyP), Run: w.toggleStrip,
			Checked: func() bool { return w.stripShown }},
		Command{ID: "pixels", Title: "Show voxels as squares", Menu: menuView, Run: state.TogglePixelated, Checked: state.Pixelated},
		Command{ID: "before", Title: "Show the original in the denoised pane (hold)", Menu: "", Chords: key(fyne.KeySpace), Hold: s.HoldBefore},
		Command{ID: "fullscreen", Title: "Full screen", Menu: menuView, Gap: true, Chords: key(fyne.KeyF11), Run: w.toggleFullScreen},

		Command{ID: "window-auto", Title: "Automatic window", Menu: menuWindow, Chords: key(fyne.Key0), Run: state.AutoWindow, Enabled: open},
		Command{ID: "window-own", Title: "The series' own window", Menu: menuWindow, Chords: key(fyne.Key1), Run: w.ownWindow, Enabled: open},
	)
	table = append(table, w.presetCommands()...)
	table = append(table,
		Command{ID: "invert", Title: "Invert grey", Menu: menuWindow, Gap: true, Chords: key(fyne.KeyN), Run: state.ToggleInvert,
			Checked: state.Inverted},

		Command{ID: "apply", Title: "Apply to volume", Menu: menuTools, Run: s.Apply,
			Chords:  []Chord{{fyne.KeyReturn, ctrl}, {fyne.KeyEnter, ctrl}},
			Enabled: func() bool { return open() && !s.Applied() }},
		Command{ID: "cancel", Title: "Cancel", Menu: menuTools, Chords: key(fyne.KeyEscape), Run: w.escape},
		Command{ID: "add-noise", Title: "Add noise …", Menu: menuTools, Gap: true, Run: w.askNoise, Enabled: open},
		Command{ID: "remove-noise", Title: "Remove added noise", Menu: menuTools, Run: s.ClearReference, Enabled: w.noisy},
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

// presetCommands gives the CT windows their keys, 2 to 9, as far as they go.
func (w *Window) presetCommands() []Command {
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

// gestures is the mouse's half of the help sheet.
var gestures = [][2]string{
	{"Wheel", "Slices"},
	{"Shift + wheel", "Five slices at a time"},
	{"Ctrl + wheel", "Zoom at the pointer"},
	{"Left drag", "Window (across) and level (up and down); on the residual its scale"},
	{"Middle drag, Shift + left drag", "Pan"},
	{"Right drag", "Zoom about the point where it began"},
	{"Right click", "Menu"},
	{"Double click", "One pane alone, and back"},
	{"Point", "The value in every pane"},
	{"Drop a file or folder", "Open it"},
}

// bindKeys makes the table's chords work on the window.
func (w *Window) bindKeys() {
	canvas := w.win.Canvas()
	plain := map[Chord]Command{}
	held := map[fyne.KeyName]Command{}
	for _, c := range w.table {
		for _, chord := range c.Chords {
			switch {
			case c.Hold != nil:
				held[chord.Key] = c
			case chord.plain():
				plain[chord] = c
			default:
				canvas.AddShortcut(chord.shortcut(), func(fyne.Shortcut) { w.run(c) })
			}
		}
	}
	canvas.SetOnTypedKey(func(e *fyne.KeyEvent) {
		if c, ok := plain[Chord{e.Name, w.modifiers() & fyne.KeyModifierShift}]; ok {
			w.run(c)
		}
	})
	if keys, ok := canvas.(desktop.Canvas); ok {
		keys.SetOnKeyDown(func(e *fyne.KeyEvent) { hold(held, e.Name, true) })
		keys.SetOnKeyUp(func(e *fyne.KeyEvent) { hold(held, e.Name, false) })
	}
}

func hold(held map[fyne.KeyName]Command, k fyne.KeyName, on bool) {
	if c, ok := held[k]; ok {
		c.Hold(on)
	}
}

// run carries out a command, unless it has no meaning now or a dialog is open.
func (w *Window) run(c Command) {
	if w.win.Canvas().Overlays().Top() != nil && c.ID != "cancel" {
		return
	}
	if c.Enabled != nil && !c.Enabled() {
		return
	}
	c.Run()
}

// modifiers returns the modifier keys held now; none where the driver, as in
// tests, does not know.
func (w *Window) modifiers() fyne.KeyModifier {
	if d, ok := fyne.CurrentApp().Driver().(desktop.Driver); ok {
		return d.CurrentKeyModifiers()
	}
	return 0
}

package ui

import (
	"runtime"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
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
		fyne.KeyEscape: "Esc", fyne.KeyUp: "↑", fyne.KeyDown: "↓", fyne.KeyLeft: "←", fyne.KeyRight: "→",
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
// knows keys: canvas, menus, tooltips and help sheet read it.
type Command struct {
	ID      string
	Title   string
	Help    string // what it does, where the title does not say it; for tooltips
	Menu    string // the menu it is in; "" for keys only
	Section string // of the help sheet, for keys only: a menu; "" for the slices
	Chords  []Chord
	Run     func()
	Hold    func(on bool) // while the key is held; Run is for the menu then
	Enabled func() bool   // nil: always
	Checked func() bool   // nil: no check mark
	Gap     bool          // a separator precedes it in the menu
	// List returns what a submenu holds, in place of Run and Chords; nil for a command.
	// It is read again whenever the menus are refreshed, and greyed while it is empty.
	List func() []Command
}

// keys returns the chords of a command in words.
func (c Command) keys() string {
	var names []string
	for _, chord := range c.Chords {
		names = append(names, chord.String())
	}
	return strings.Join(names, ", ")
}

// The menus, in their order.
const (
	menuFile    = "File"
	menuEdit    = "Edit"
	menuView    = "View"
	menuPicture = "Picture"
	menuWindow  = "Window/Level"
	menuCompare = "Compare"
	menuMeasure = "Measure"
	menuTools   = "Tools"
	menuHelp    = "Help"
)

// menuOrder is the order of the menus; one without commands is left out.
var menuOrder = []string{menuFile, menuEdit, menuView, menuPicture, menuWindow, menuCompare, menuMeasure, menuTools, menuHelp}

func key(k fyne.KeyName) []Chord                      { return []Chord{{Key: k}} }
func with(m fyne.KeyModifier, k fyne.KeyName) []Chord { return []Chord{{Key: k, Mod: m}} }

// commands returns the table, in English. Each part is a menu, or the commands of one feature.
func (w *Workbench) commands() []Command {
	return slices.Concat(
		w.fileCommands(),
		w.documentCommands(),
		w.endCommands(),
		w.editCommands(),
		w.planeCommands(),
		w.layoutCommands(),
		w.pictureCommands(),
		w.viewCommands(),
		w.compareCommands(),
		w.windowCommands(),
		w.presetCommands(),
		w.markCommands(),
		w.toolCommands(),
		w.engineCommands(),
		w.helpCommands(),
		w.sliceCommands(),
	)
}

// translated translates what a table says. What a list holds, it translates itself.
func translated(table []Command) []Command {
	for i, c := range table {
		table[i].Title = lang.L(c.Title)
		if c.Help != "" {
			table[i].Help = lang.L(c.Help)
		}
	}
	return table
}

// gestures is the part of the help sheet for the mouse.
var gestures = [][2]string{
	{"Wheel", "Slices"},
	{"Shift + wheel", "Five slices at a time"},
	{"Ctrl + wheel", "Zoom at the pointer"},
	{"Left drag", "Window and level"},
	{"Left drag, residual", "Its scale"},
	{"Middle or Shift + left drag", "Pan"},
	{"Right drag", "Zoom about where it began"},
	{"Drag the line of a curtain", "More of one side"},
	{"Click the name of a pane", "Another run in its place"},
	{"Right click", "Menu"},
	{"Click, with the crosshair", "All planes go there"},
	{"Double click", "One pane alone, and back"},
	{"Point", "The value in every pane"},
	{"Drop a file or folder", "Open it"},
}

// Package command is the table of what the user can do: one entry for each command feeds
// keys, menus, tooltips and the help sheet. Panels contribute entries, see package panel.
//
//	command.go  commands, chords, menus      chord.go  the user's own keys
//	order.go    the order of the table       menu.go   the main menu and pop-up menus
//
// It imports Fyne only. Everything is for the UI goroutine.
package command

import (
	"runtime"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// Chord is a key with its modifiers.
type Chord struct {
	Key fyne.KeyName
	Mod fyne.KeyModifier
}

// Ctrl is Ctrl, and Command on a Mac.
const Ctrl = fyne.KeyModifierShortcutDefault

// String returns a chord as it is labelled on keyboards: "Ctrl+Shift+Z".
func (c Chord) String() string {
	var parts []string
	if c.Mod&Ctrl != 0 {
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

// Shortcut returns the chord as Fyne's menus and canvas expect it. Fyne has types
// of its own for undo and redo.
func (c Chord) Shortcut() fyne.Shortcut {
	switch c {
	case Chord{fyne.KeyZ, Ctrl}:
		return &fyne.ShortcutUndo{}
	case Chord{fyne.KeyY, Ctrl}:
		return &fyne.ShortcutRedo{}
	}
	return &desktop.CustomShortcut{KeyName: c.Key, Modifier: c.Mod}
}

// Plain says whether Fyne delivers the chord as a typed key, not as a shortcut.
func (c Chord) Plain() bool { return c.Mod&^fyne.KeyModifierShift == 0 }

// Command is one action of the user. The table of commands is the only place that
// knows keys: canvas, menus, tooltips and help sheet read it.
type Command struct {
	ID      string
	Title   string
	Help    string // what it does, if the title does not say it; for tooltips
	Menu    string // the menu it is in; "" for keys only
	Section string // of the help sheet, for keys only: a menu; "" for the slices
	Chords  []Chord
	Run     func()
	Hold    func(on bool) // while the key is held; Run is for the menu then
	Enabled func() bool   // nil: always
	Checked func() bool   // nil: no check mark
	Gap     bool          // a separator precedes it in the menu
	// List returns the entries of a submenu, in place of Run and Chords; nil for a command.
	// It is read again whenever the menus are refreshed, and greyed while it is empty.
	List func() []Command
}

// Keys returns the chords of a command in words.
func (c Command) Keys() string {
	var names []string
	for _, chord := range c.Chords {
		names = append(names, chord.String())
	}
	return strings.Join(names, ", ")
}

// The commands that a dialog and a panel in the place of all others leave enabled.
const (
	Cancel = "cancel" // the command of Escape
	Quit   = "quit"
)

// Always says whether a command is enabled whatever covers the workbench.
func (c Command) Always() bool { return c.ID == Cancel || c.ID == Quit }

// Hint is the text of a tooltip: "Noise map (M): the noise of every place ...".
func (c Command) Hint() string {
	text := c.Title
	if len(c.Chords) > 0 {
		text += " (" + c.Chords[0].String() + ")"
	}
	if c.Help != "" {
		text += ": " + c.Help
	}
	return text
}

// The menus, in their order.
const (
	FileMenu    = "File"
	EditMenu    = "Edit"
	ViewMenu    = "View"
	PictureMenu = "Picture"
	WindowMenu  = "Window/Level"
	CompareMenu = "Compare"
	MeasureMenu = "Measure"
	ToolsMenu   = "Tools"
	HelpMenu    = "Help"
)

// Menus is the order of the menus; one without commands is left out.
var Menus = []string{FileMenu, EditMenu, ViewMenu, PictureMenu, WindowMenu, CompareMenu, MeasureMenu, ToolsMenu, HelpMenu}

// Key returns keys alone, as the chords of a command.
func Key(keys ...fyne.KeyName) []Chord { return With(0, keys...) }

// With returns keys with modifiers, as the chords of a command.
func With(m fyne.KeyModifier, keys ...fyne.KeyName) (chords []Chord) {
	for _, k := range keys {
		chords = append(chords, Chord{k, m})
	}
	return chords
}

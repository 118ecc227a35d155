package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
)

// keyNames are the keys that a command can have, by their names as a person writes them, in lower case. Keys
// that operate a control or end something, such as Tab and Esc, are not among them.
var keyNames = func() map[string]fyne.KeyName {
	all := map[string]fyne.KeyName{
		"space": fyne.KeySpace, "home": fyne.KeyHome, "end": fyne.KeyEnd, "page up": fyne.KeyPageUp, "page down": fyne.KeyPageDown,
		"up": fyne.KeyUp, "down": fyne.KeyDown, "left": fyne.KeyLeft, "right": fyne.KeyRight,
		"↑": fyne.KeyUp, "↓": fyne.KeyDown, "←": fyne.KeyLeft, "→": fyne.KeyRight,
		"delete": fyne.KeyDelete, "backspace": fyne.KeyBackspace, "insert": fyne.KeyInsert, "return": fyne.KeyReturn,
		"plus": fyne.KeyPlus, "minus": fyne.KeyMinus, "−": fyne.KeyMinus,
	}
	for _, k := range strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789[],./;'`-=", "") {
		all[strings.ToLower(k)] = fyne.KeyName(k)
	}
	for i := 1; i <= 12; i++ {
		all[fmt.Sprintf("f%d", i)] = fyne.KeyName(fmt.Sprintf("F%d", i))
	}
	return all
}()

// ParseChord reads a chord as Chord.String writes it: "Ctrl+Shift+K", "F", "Page Up".
func ParseChord(text string) (Chord, error) {
	var c Chord
	parts := strings.Split(text, "+")
	for i, part := range parts {
		name := strings.ToLower(strings.TrimSpace(part))
		switch {
		case i == len(parts)-1:
			k, ok := keyNames[name]
			if !ok {
				return Chord{}, fmt.Errorf(lang.L("%q is not a key for a command; write one such as K, F5 or Page Up, alone or after Ctrl+ and Shift+"), strings.TrimSpace(part))
			}
			c.Key = k
		case name == "ctrl" || name == "cmd":
			c.Mod |= Ctrl
		case name == "shift":
			c.Mod |= fyne.KeyModifierShift
		default:
			return Chord{}, fmt.Errorf(lang.L("%q is not a modifier key; use Ctrl and Shift"), strings.TrimSpace(part))
		}
	}
	if c.Key == fyne.KeyReturn && c.Mod == 0 {
		return Chord{}, errors.New(lang.L("the key Return alone operates the control that has the focus"))
	}
	return c, nil
}

// Changeable says whether the user may give the command another key.
func (c Command) Changeable() bool { return c.List == nil && c.ID != Cancel }

// CheckChord returns why a command of the table cannot have a chord.
func CheckChord(table []Command, id string, chord Chord) error {
	for _, c := range table {
		if c.ID == id && c.Hold != nil && chord.Mod != 0 {
			return fmt.Errorf(lang.L("%s lasts while its key is held, so the key cannot have Ctrl or Shift"), c.Title)
		}
		if c.ID != id && slices.Contains(c.Chords, chord) {
			return fmt.Errorf(lang.L("%s is the key of %q"), chord, c.Title)
		}
	}
	return nil
}

// WithKeys lays the user's keys over those of a table: by the IDs of commands, "" for no key.
// A text that is no key, or is the key of another command, leaves its command without a key.
func WithKeys(table []Command, keys map[string]string) []Command {
	for i, c := range table {
		if _, changed := keys[c.ID]; changed && c.Changeable() {
			table[i].Chords = nil
		}
	}
	for i, c := range table {
		text, changed := keys[c.ID]
		if !changed || !c.Changeable() {
			continue
		}
		if chord, err := ParseChord(text); err == nil && CheckChord(table, c.ID, chord) == nil {
			table[i].Chords = []Chord{chord}
		}
	}
	return table
}

package ui_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"quell/app/workbench"
	"quell/ui/command"
	"quell/ui/control"
)

// Every key of the table can be written as it is shown, except keys that no command can be
// given.
func TestChordsAreReadAsTheyAreShown(t *testing.T) {
	b := newBench(t, large)
	for _, c := range b.workbench.Commands() {
		for _, chord := range c.Chords {
			got, err := command.ParseChord(chord.String())
			fixed := chord.Key == fyne.KeyEscape || chord.Key == fyne.KeyEnter || chord.Key == fyne.KeyTab || chord.Key == fyne.KeyPlus
			if !fixed && (err != nil || got != chord) {
				t.Errorf("%s is read as %v (%v)", chord, got, err)
			}
		}
	}
	for text, want := range map[string]command.Chord{
		"k": {Key: fyne.KeyK}, " shift + page up ": {Key: fyne.KeyPageUp, Mod: fyne.KeyModifierShift}, "F12": {Key: fyne.KeyF12},
		"Ctrl+Shift+=": {Key: fyne.KeyEqual, Mod: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift}, "cmd+plus": {Key: fyne.KeyPlus, Mod: fyne.KeyModifierShortcutDefault},
	} {
		if got, err := command.ParseChord(text); err != nil || got != want {
			t.Errorf("%q is %v (%v)", text, got, err)
		}
	}
	for _, text := range []string{"", "Esc", "Tab", "F13", "Alt+K", "K+Ctrl", "Return", "KK", "Ctrl+"} {
		if got, err := command.ParseChord(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func (b *bench) keysOf(id string) string {
	var names []string
	for _, c := range b.command(id).Chords {
		names = append(names, c.String())
	}
	return strings.Join(names, ", ")
}

// The user's keys replace the keys of the table; a text that is no key, or the key of another
// command, leaves a command without one. Exchanged keys are the keys of both.
func TestKeysOfTheUser(t *testing.T) {
	b := newBenchWith(t, large, func(s *workbench.Settings) {
		s.Keys = map[string]string{
			"fit": "R", "reset": "F", "undo": "Ctrl+U", "noise-map": "D", "invert": "", "axial": "nonsense", "cancel": "X", "before": "Shift+B", "no such": "Z",
		}
	})
	for id, want := range map[string]string{
		"fit": "R", "reset": "F", "undo": "Ctrl+U", "noise-map": "", "residual": "D", "invert": "", "axial": "", "cancel": "Esc", "before": "", "redo": "Ctrl+Y, Ctrl+Shift+Z",
	} {
		if got := b.keysOf(id); got != want {
			t.Errorf("%s has %q; want %q", id, got, want)
		}
	}
}

// A key is changed in the dialog, works at once in the place of the old one, and is kept.
func TestAKeyIsChanged(t *testing.T) {
	b := newBench(t, large)
	change := func(title, text string) (problem bool) {
		b.command("change-key").Run()
		top := b.canvas().Overlays().Top()
		if top == nil {
			t.Fatal("no dialog")
		}
		for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
			switch x := o.(type) {
			case *control.Select:
				for _, option := range x.Options {
					if strings.HasPrefix(option, title) {
						x.SetSelected(option)
					}
				}
			case *control.Entry:
				x.SetText(text)
			}
		}
		for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
			if x, ok := o.(*control.Button); ok && x.Text == "Set the key" && x.Disabled() {
				b.tap("Cancel")
				return true
			}
		}
		b.tap("Set the key")
		return false
	}
	if !change("Coronal plane", "A") || !change("Coronal plane", "Alt") {
		t.Fatal("the key of another command, or none, was taken")
	}
	if change("Coronal plane", "f9") {
		t.Fatal("F9 was refused")
	}
	b.key(fyne.KeyC)
	if plane := b.state().Cut().View().Plane; plane != 0 {
		t.Errorf("the old key gives plane %v", plane)
	}
	b.key(fyne.KeyF9)
	if plane := b.state().Cut().View().Plane; plane != 1 {
		t.Errorf("the new key gives plane %v", plane)
	}
	if change("Undo", "Ctrl+U") {
		t.Fatal("Ctrl+U was refused")
	}
	start := b.session().Tuning.Recipe()
	changed := start
	changed.Dims = 2
	b.session().Tuning.Set(changed, true)
	if keys, ok := b.canvas().(interface{ TypedShortcut(fyne.Shortcut) }); ok {
		if keys.TypedShortcut(&fyne.ShortcutUndo{}); !b.session().Tuning.Recipe().Equal(changed) {
			t.Error("the old key undoes")
		}
		if keys.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyU, Modifier: fyne.KeyModifierShortcutDefault}); !b.session().Tuning.Recipe().Equal(start) {
			t.Error("the new key does not undo")
		}
	}
	if keys := workbench.LoadSettings(b.settingsPath).Keys; keys["coronal"] != "f9" || keys["undo"] != "Ctrl+U" {
		t.Errorf("kept: %v", keys)
	}
	if label := b.menuItem("View", "Coronal plane").Shortcut; label == nil {
		t.Error("the menu has no key")
	}
	b.command("change-key").Run()
	b.tap("Restore all keys")
	if got := b.keysOf("coronal") + " " + b.keysOf("undo"); got != "C Ctrl+Z" || len(workbench.LoadSettings(b.settingsPath).Keys) != 0 {
		t.Errorf("restored: %s", got)
	}
}

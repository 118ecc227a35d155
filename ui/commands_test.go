package ui_test

import (
	"testing"

	"fyne.io/fyne/v2"

	"quell/ui/command"
)

func TestNoTwoCommandsShareAKey(t *testing.T) {
	b := newBench(t, large)
	owner := map[command.Chord]string{}
	ids := map[string]bool{}
	for _, c := range b.workbench.Commands() {
		if ids[c.ID] || c.ID == "" || c.Title == "" {
			t.Errorf("command %q (%s): the name is missing or taken", c.ID, c.Title)
		}
		ids[c.ID] = true
		if (c.Run == nil) == (c.List == nil) {
			t.Errorf("%s does nothing, or is a command and a list", c.ID)
		}
		for _, chord := range c.Chords {
			if other, taken := owner[chord]; taken {
				t.Errorf("%s is the key of %s and of %s", chord, other, c.ID)
			}
			owner[chord] = c.ID
		}
	}
}

func TestThePromisedKeysAreThere(t *testing.T) {
	b := newBench(t, large)
	got := map[string]string{}
	for _, c := range b.workbench.Commands() {
		for _, chord := range c.Chords {
			got[chord.String()] = c.ID
		}
	}
	for chord, id := range map[string]string{
		"↑": "previous", "↓": "next", "Page Up": "previous", "Page Down": "next", "Home": "first", "End": "last",
		"0": "window-auto", "1": "window-own", "2": "window-2", "9": "window-9",
		"F": "fit", "M": "noise-map", "B": "best-strength", "T": "structure", "R": "reset", "I": "overlay", "N": "invert", "D": "residual", "Space": "before",
		"W": "compare-swipe", "K": "compare-blink", "O": "compare-fade", "Q": "compare-checkerboard", "←": "share-less", "→": "share-more",
		"A": "axial", "C": "coronal", "S": "sagittal", "F1": "shortcuts", "Esc": "cancel",
		"J": "window-link", "Ctrl+R": "load-recipe", "Ctrl+O": "open-folder", "Ctrl+E": "export", "Ctrl+S": "picture", "Ctrl+Return": "apply",
		"Shift+H": "mirror-across", "Shift+V": "mirror-down", "Shift+R": "turn",
		"Ctrl+Z": "undo", "Ctrl+Y": "redo", "Ctrl+Shift+Z": "redo",
	} {
		if got[chord] != id {
			t.Errorf("%s gives %q; want %q", chord, got[chord], id)
		}
	}
}

func TestEveryMenuCommandIsInItsMenu(t *testing.T) {
	b := newBench(t, large)
	items := map[string]map[string]bool{}
	for _, m := range b.workbench.Menu().Items {
		items[m.Label] = map[string]bool{}
		for _, i := range m.Items {
			items[m.Label][titled(i)] = true
		}
	}
	for _, c := range b.workbench.Commands() {
		if c.Menu != "" && !items[c.Menu][c.Title] {
			t.Errorf("%s is not in the menu %s", c.Title, c.Menu)
		}
	}
	for label, of := range items {
		if len(of) == 0 {
			t.Errorf("the menu %s is empty", label)
		}
	}
}

func TestUndoByKey(t *testing.T) {
	b := newBench(t, large)
	start := b.session().Tuning.Recipe()
	changed := start
	changed.Dims = 2
	b.session().Tuning.Set(changed, true)
	b.shortcut(&fyne.ShortcutUndo{})
	if !b.session().Tuning.Recipe().Equal(start) {
		t.Error("Ctrl+Z does not undo")
	}
	b.shortcut(&fyne.ShortcutRedo{})
	if !b.session().Tuning.Recipe().Equal(changed) {
		t.Error("Ctrl+Y does not redo")
	}
}

// A view that a key shows while it is held, the menu switches on and off.
func TestTheMenuHoldsTheOriginal(t *testing.T) {
	b := newBench(t, large)
	c := b.command("before")
	for _, want := range []bool{true, false} {
		c.Run()
		b.drain()
		if b.session().Screen.HoldsBefore() != want || c.Checked() != want {
			t.Errorf("the original is shown: %t; want %t", b.session().Screen.HoldsBefore(), want)
		}
	}
}

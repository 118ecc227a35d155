package ui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/session/desk"
	"quell/volume"
)

// press types a key as Fyne's driver does: into what has the focus, or else into
// the canvas.
func (b *bench) press(name fyne.KeyName) {
	if focused := b.canvas().Focused(); focused != nil {
		focused.TypedKey(&fyne.KeyEvent{Name: name})
		b.drain()
		return
	}
	b.key(name)
}

// focusable returns the visible, enabled controls of the workbench.
func (b *bench) focusable() (all []fyne.Focusable) {
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		f, ok := o.(fyne.Focusable)
		if d, can := o.(fyne.Disableable); ok && o.Visible() && !(can && d.Disabled()) {
			all = append(all, f)
		}
	}
	return all
}

func TestKeysWorkWhereverTheFocusIs(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.drain()
	all := b.focusable()
	if len(all) < 15 {
		t.Fatalf("%d controls were found; want all of tool bar, filter, plot and slices", len(all))
	}
	for i, control := range all {
		name := fmt.Sprintf("control %d, %T", i, control)
		b.state().SetPlane(volume.Axial)
		b.state().Cut().SetIndex(2)
		b.state().Windows.SetAutomatic()
		b.canvas().Focus(control)
		b.press(fyne.KeyDown)
		if b.state().Cut().Index() != 3 {
			t.Errorf("%s: Down does not show the next slice", name)
		}
		if _, field := control.(fyne.Shortcutable); field { // which letters and digits go into
			b.press(fyne.KeyEscape)
			if b.canvas().Focused() != nil {
				t.Errorf("%s: Escape does not leave the field", name)
			}
		}
		b.press(fyne.Key8)
		if b.state().Windows.Current().Name != "Bone" {
			t.Errorf("%s: 8 does not set the bone window", name)
		}
		b.session().Reader.OpenWith(waits)
		b.press(fyne.KeyEscape)
		if b.session().Tasks.Progress().Kind != desk.Idle {
			t.Fatalf("%s: Escape does not cancel the task", name)
		}
		b.canvas().Unfocus()
		b.drain()
	}
}

// typeChord types a chord as Fyne's driver for desktops does: one with Ctrl is offered to the menu,
// to the control that has the focus, and to the canvas; a key is pressed, typed and released.
func (b *bench) typeChord(c command.Chord) {
	focused := b.canvas().Focused()
	if c.Mod&fyne.KeyModifierShortcutDefault != 0 {
		shortcut := c.Shortcut()
		for _, menu := range b.workbench.Menu().Items {
			for _, item := range menu.Items {
				if item.Shortcut != nil && item.Shortcut.ShortcutName() == shortcut.ShortcutName() {
					item.Action()
					return
				}
			}
		}
		if takes, ok := focused.(fyne.Shortcutable); ok {
			takes.TypedShortcut(shortcut)
			return
		}
		b.shortcut(shortcut)
		return
	}
	e := &fyne.KeyEvent{Name: c.Key}
	if held, ok := focused.(desktop.Keyable); ok {
		held.KeyDown(e)
		focused.TypedKey(e)
		held.KeyUp(e)
	} else {
		focused.TypedKey(e)
	}
}

// Every key of the help sheet does what it says wherever the focus is, but for those with which
// the control that has the focus is operated.
func TestEveryKeyWorksWhereverTheFocusIs(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.drain()
	all := b.focusable()
	var ran []string
	b.workbench.Record(func(id string) { ran = append(ran, id) })
	kinds := map[string]bool{}
	for _, focused := range all {
		own := []fyne.KeyName{fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter}
		_, field := focused.(fyne.Shortcutable)
		switch focused.(type) {
		case *control.Button, *control.Check:
		case *control.List:
			own = append(own, fyne.KeyUp, fyne.KeyDown)
		case *control.Slider:
			own = []fyne.KeyName{fyne.KeyLeft, fyne.KeyRight}
		default:
			own = append(own, fyne.KeyLeft, fyne.KeyRight)
		}
		b.canvas().Unfocus()
		b.canvas().Focus(focused)
		kind := fmt.Sprintf("%T", focused)
		if b.canvas().Focused() != focused { // what holds it is hidden
			continue
		}
		kinds[kind] = true
		for _, c := range b.workbench.Commands() {
			for _, chord := range c.Chords {
				plain := chord.Mod&fyne.KeyModifierShortcutDefault == 0
				function := len(chord.Key) > 1 && chord.Key[0] == 'F'
				scrolls := chord.Key == fyne.KeyUp || chord.Key == fyne.KeyDown || chord.Key == fyne.KeyPageUp || chord.Key == fyne.KeyPageDown
				switch {
				case c.ID == "cancel", c.Hold != nil, chord.Mod&fyne.KeyModifierShift != 0 && plain: // see other tests; a test has neither Shift nor held keys
					continue
				case plain && slices.Contains(own, chord.Key):
					continue
				case plain && field && !function && !scrolls:
					continue
				}
				b.canvas().Focus(focused)
				ran = nil
				b.typeChord(chord)
				b.drain()
				if !slices.Contains(ran, c.ID) {
					t.Errorf("%s with the focus on %s ran %v; want %s", chord, kind, ran, c.ID)
				}
			}
		}
	}
	if len(kinds) < 6 {
		t.Errorf("only %v have had the focus", kinds)
	}
}

// Escape takes one step at a time.
func TestEscapeClosesAMenuBeforeItCancels(t *testing.T) {
	b := newBench(t, large)
	b.session().Reader.OpenWith(waits)
	widget.ShowPopUpMenuAtPosition(fyne.NewMenu("", fyne.NewMenuItem("Fit", func() {})), b.canvas(), fyne.NewPos(50, 50))
	b.press(fyne.KeyEscape)
	if b.canvas().Overlays().Top() != nil || b.session().Tasks.Progress().Kind != desk.Loading {
		t.Fatalf("the menu is open: %v, task %v; want the menu closed and the task in progress",
			b.canvas().Overlays().Top() != nil, b.session().Tasks.Progress().Kind)
	}
	b.canvas().Unfocus()
	b.press(fyne.KeyEscape)
	if b.session().Tasks.Progress().Kind != desk.Idle {
		t.Error("the second Escape does not cancel the task")
	}
}

func TestEscapeClosesEveryDialog(t *testing.T) {
	b := newBench(t, large)
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	for _, id := range []string{"export", "add-noise", "shortcuts", "findings", "engines", "about", "quit"} {
		b.command(id).Run()
		b.drain()
		if b.canvas().Overlays().Top() == nil {
			t.Errorf("%s opens no dialog", id)
			continue
		}
		if b.canvas().Focused() == nil {
			t.Errorf("%s: no control of the dialog has the focus", id)
		}
		b.press(fyne.KeyEscape)
		if b.canvas().Overlays().Top() != nil {
			t.Errorf("%s: Escape does not close the dialog", id)
			b.canvas().Overlays().Remove(b.canvas().Overlays().Top())
		}
	}
}

// A field keeps its focus only while it holds text that is not committed.
func TestThePointerFreesTheKeys(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	for _, control := range b.focusable() {
		field, ok := control.(interface {
			fyne.Focusable
			SetText(string)
			Editing() bool
		})
		if !ok {
			continue
		}
		b.canvas().Focus(field)
		field.SetText("2")
		b.workbench.Panes()[0].MouseIn(mouseAt(50, 60))
		if !field.Editing() || b.canvas().Focused() == nil {
			t.Error("the pointer took the focus from a field with new text")
		}
		field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		b.canvas().Focus(field)
		b.workbench.Panes()[0].MouseIn(mouseAt(50, 60))
		if b.canvas().Focused() != nil {
			t.Error("a field that was not changed keeps the keys when the pointer is on a picture")
		}
		return
	}
	t.Fatal("there is no field")
}

// Every focusable control of the window and of its dialogs has an accessibility label.
func TestEveryControlHasASpokenName(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	found := 0
	speaks := func(where string, root fyne.CanvasObject) {
		for _, o := range test.LaidOutObjects(root) {
			if _, ok := o.(fyne.Focusable); !ok || !o.Visible() {
				continue
			}
			found++
			if a, ok := o.(fyne.Accessible); !ok || strings.TrimSpace(a.AccessibilityLabel()) == "" {
				t.Errorf("%s: %T at %v says nothing", where, o, o.Position())
			}
		}
	}
	speaks("window", b.canvas().Content())
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	for _, c := range b.workbench.Commands() {
		if c.Run == nil || c.ID == "quit" || c.ID == "fullscreen" || c.Enabled != nil && !c.Enabled() {
			continue
		}
		c.Run()
		b.drain()
		for _, o := range b.canvas().Overlays().List() {
			speaks(c.ID, o)
			b.canvas().Overlays().Remove(o)
		}
	}
	if found < 100 {
		t.Errorf("%d controls were found; want those of the window and of all dialogs", found)
	}
}

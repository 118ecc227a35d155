package control_test

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// keys records what reaches the canvas.
type keys struct{ typed []fyne.KeyName }

// onCanvas shows an object in a window and records the keys that it passes on.
func onCanvas(t *testing.T, o fyne.CanvasObject) *keys {
	t.Helper()
	k := &keys{}
	test.NewTempWindow(t, o).Canvas().SetOnTypedKey(func(e *fyne.KeyEvent) { k.typed = append(k.typed, e.Name) })
	return k
}

var everyKey = []fyne.KeyName{
	fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter, fyne.KeyLeft, fyne.KeyRight, fyne.KeyUp, fyne.KeyDown,
	fyne.KeyPageUp, fyne.KeyEscape, fyne.KeyF5, fyne.KeyB,
}

// check types every key and compares the keys that are passed on with everyKey less uses.
func (k *keys) check(t *testing.T, o fyne.Focusable, uses ...fyne.KeyName) {
	t.Helper()
	k.typed = nil
	var want []fyne.KeyName
	for _, name := range everyKey {
		o.TypedKey(&fyne.KeyEvent{Name: name})
		if !slices.Contains(uses, name) {
			want = append(want, name)
		}
	}
	if !slices.Equal(k.typed, want) {
		t.Errorf("%T passes on %v; want %v", o, k.typed, want)
	}
}

var activating = []fyne.KeyName{fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter}

func TestKeysOfAButton(t *testing.T) {
	test.NewTempApp(t)
	taps := 0
	b := control.NewButton("b", nil, func() { taps++ })
	k := onCanvas(t, b)
	k.check(t, b, activating...)
	if taps != 3 {
		t.Errorf("%d taps; want one for each of Space, Return and Enter", taps)
	}
	b.Disable()
	if k.check(t, b, activating...); taps != 3 {
		t.Error("a disabled button was pressed")
	}
}

func TestKeysOfACheck(t *testing.T) {
	test.NewTempApp(t)
	changes := 0
	c := control.NewCheck("c", func(bool) { changes++ })
	k := onCanvas(t, c)
	k.check(t, c, activating...)
	if changes != 2 || c.Checked { // Space arrives as a rune
		t.Errorf("%d changes; want one for Return and one for Enter", changes)
	}
	if c.TypedRune(' '); changes != 3 || !c.Checked {
		t.Errorf("%d changes after Space; want 3", changes)
	}
}

func TestKeysOfASelect(t *testing.T) {
	test.NewTempApp(t)
	s := control.NewSelect("a choice", []string{"a", "b", "c"}, nil)
	k := onCanvas(t, s)
	s.SetSelected("b")
	press := func(name fyne.KeyName, want string) {
		t.Helper()
		if s.TypedKey(&fyne.KeyEvent{Name: name}); s.Selected != want {
			t.Errorf("%s chooses %q; want %q", name, s.Selected, want)
		}
	}
	press(fyne.KeyRight, "c")
	press(fyne.KeyLeft, "b")
	press(fyne.KeyDown, "b")
	press(fyne.KeyUp, "b")
	k.check(t, s, append([]fyne.KeyName{fyne.KeyLeft, fyne.KeyRight}, activating...)...)
	for _, name := range activating {
		s := control.NewSelect("a choice", []string{"a"}, nil)
		c := test.NewTempWindow(t, s).Canvas()
		if s.TypedKey(&fyne.KeyEvent{Name: name}); c.Overlays().Top() == nil {
			t.Errorf("%s does not open the list", name)
		}
	}
}

func TestKeysOfASlider(t *testing.T) {
	test.NewTempApp(t)
	s := control.NewSlider("a number", 2, 9)
	k := onCanvas(t, s)
	s.SetValue(5)
	s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	if s.Value != 6 || s.Min != 2 || s.Max != 9 {
		t.Errorf("%g in %g to %g; want 6 in 2 to 9", s.Value, s.Min, s.Max)
	}
	s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
	if s.Value != 5 {
		t.Errorf("%g; want 5", s.Value)
	}
	k.check(t, s, fyne.KeyLeft, fyne.KeyRight)
	k.typed = nil
	if s.Pass(&fyne.KeyEvent{Name: fyne.KeyLeft}); len(k.typed) != 1 {
		t.Error("Pass does not pass on")
	}
}

func TestKeysOfAList(t *testing.T) {
	test.NewTempApp(t)
	l := control.NewList("a list", func() int { return 3 }, func() fyne.CanvasObject { return widget.NewLabel("") }, func(widget.ListItemID, fyne.CanvasObject) {})
	var selected []int
	l.OnSelected = func(id widget.ListItemID) { selected = append(selected, id) }
	k := onCanvas(t, l)
	l.FocusGained()
	for _, name := range []fyne.KeyName{fyne.KeyDown, fyne.KeyReturn, fyne.KeyDown, fyne.KeySpace, fyne.KeyUp, fyne.KeyEnter} {
		l.TypedKey(&fyne.KeyEvent{Name: name})
	}
	if !slices.Equal(selected, []int{1, 2, 1}) {
		t.Errorf("selected %v; want 1, 2, 1", selected)
	}
	k.check(t, l, append([]fyne.KeyName{fyne.KeyUp, fyne.KeyDown}, activating...)...)
}

func TestKeysOfAnEntry(t *testing.T) {
	test.NewTempApp(t)
	e := control.NewEntry("a text")
	k := onCanvas(t, e)
	e.SetText("ab")
	e.CursorColumn = 2
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyBackspace})
	if e.Text != "a" || len(k.typed) > 0 {
		t.Errorf("text %q, passed on %v; want the key used", e.Text, k.typed)
	}
	for _, name := range []fyne.KeyName{
		fyne.KeyEscape, fyne.KeyUp, fyne.KeyDown, fyne.KeyPageUp, fyne.KeyPageDown, fyne.KeyF1, fyne.KeyF9, fyne.KeyF12,
	} {
		k.typed = nil
		if e.TypedKey(&fyne.KeyEvent{Name: name}); !slices.Equal(k.typed, []fyne.KeyName{name}) {
			t.Errorf("%s is not passed on", name)
		}
	}
	for _, name := range []fyne.KeyName{fyne.KeyF, fyne.KeyLeft, fyne.KeyHome, fyne.KeyEnd, fyne.KeyDelete, fyne.KeySpace} {
		k.typed = nil
		if e.TypedKey(&fyne.KeyEvent{Name: name}); len(k.typed) > 0 {
			t.Errorf("%s is passed on", name)
		}
	}
	k.typed = nil
	if e.Pass(&fyne.KeyEvent{Name: fyne.KeyLeft}); len(k.typed) != 1 {
		t.Error("Pass does not pass on")
	}
}

// A double click selects a number as a whole, of other texts a word.
func TestADoubleClickSelectsANumber(t *testing.T) {
	test.NewTempApp(t)
	for text, want := range map[string]string{"2.376": "2.376", "-0.5": "-0.5", "1e-3": "1e-3", "one two": "two", "": ""} {
		e := control.NewEntry("a text")
		onCanvas(t, e)
		e.SetText(text)
		e.CursorColumn = len(text)
		e.DoubleTapped(&fyne.PointEvent{})
		if got := e.SelectedText(); got != want {
			t.Errorf("%q is selected of %q; want %q", got, text, want)
		}
	}
}

// TestRadioReturnAndDisabledArrows checks Return on an option, and arrows while disabled.
func TestRadioReturnAndDisabledArrows(t *testing.T) {
	r, items, chosen := radio(t)
	press := func(i int, name fyne.KeyName) { items[i].TypedKey(&fyne.KeyEvent{Name: name}) }
	press(1, fyne.KeySpace) // arrives as a rune
	items[1].TypedRune('x')
	if len(*chosen) != 0 {
		t.Errorf("chosen %v; want none", *chosen)
	}
	press(1, fyne.KeyReturn)
	press(2, fyne.KeyEnter)
	r.Disable()
	press(2, fyne.KeyLeft)
	if !slices.Equal(*chosen, []string{"b", "c"}) || !r.Disabled() {
		t.Errorf("chosen %v; want b and c", *chosen)
	}
	column := control.NewRadioColumn([]string{"x", "y"}, nil)
	test.NewTempWindow(t, column)
	column.SetSelected("y")
	if size := column.MinSize(); column.Selected() != "y" || size.Height <= r.MinSize().Height {
		t.Errorf("selected %q, %v; want the options one below the other", column.Selected(), size)
	}
}

package control

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
)

// shows compares what the options of a row look like with states: 'x' chosen, '-' not,
// each in capitals if it is enabled.
func shows(t *testing.T, what string, r *Radio, states string) {
	t.Helper()
	got := ""
	for _, item := range r.items {
		state := map[bool]rune{true: 'x', false: '-'}[item.Checked]
		if !item.Disabled() {
			state = map[bool]rune{true: 'X', false: '_'}[item.Checked]
		}
		got += string(state)
	}
	if got != states || len(r.row.Objects) != len(r.items) {
		t.Errorf("%s: the %d options on the screen are %s; want %s", what, len(r.row.Objects), got, states)
	}
}

// TestOptionsShowTheChoice follows the drawn options through every change.
func TestOptionsShowTheChoice(t *testing.T) {
	test.NewTempApp(t)
	r := NewRadio([]string{"a", "b"}, nil)
	w := test.NewTempWindow(t, r)
	shows(t, "new", r, "__")
	r.SetSelected("b")
	shows(t, "chosen", r, "_X")
	r.SetSelected("a")
	shows(t, "chosen again", r, "X_")
	first := r.items[0]
	r.SetOptions([]string{"a", "b"})
	if r.items[0] != first {
		t.Error("the same options were made anew")
	}
	r.SetOptions([]string{"c", "a", "d"})
	shows(t, "other options", r, "_X_")
	if size := r.items[1].Size(); size.Width <= 0 || size.Height <= 0 {
		t.Errorf("the new options have the size %v", size)
	}
	r.Disable()
	shows(t, "disabled", r, "---")
	r.SetSelected("d")
	shows(t, "chosen while disabled", r, "---")
	r.SetOptions([]string{"d", "e"})
	shows(t, "other options while disabled", r, "--")
	r.Enable()
	shows(t, "enabled", r, "X_")
	if r.Disabled() {
		t.Error("it is still disabled")
	}
	r.SetOptions([]string{"e", "d"})
	shows(t, "other options once enabled", r, "_X")
	r.items[0].Tapped(nil)
	shows(t, "tapped", r, "X_")
	if w.Canvas().Focused() != fyne.Focusable(r.items[0]) {
		t.Error("the option that was tapped does not have the focus")
	}
}

// TestOptionsAreDrawnAsRadioButtons compares the icons of both themes.
func TestOptionsAreDrawnAsRadioButtons(t *testing.T) {
	test.NewTempApp(t)
	for name, want := range map[fyne.ThemeIconName]fyne.ThemeIconName{
		theme.IconNameCheckButton:        theme.IconNameRadioButton,
		theme.IconNameCheckButtonChecked: theme.IconNameRadioButtonChecked,
		theme.IconNameCheckButtonFill:    theme.IconNameRadioButtonFill,
		theme.IconNameHome:               theme.IconNameHome,
	} {
		if got := (radioTheme{}).Icon(name); got.Name() != current().Icon(want).Name() {
			t.Errorf("%s is drawn as %s; want %s", name, got.Name(), want)
		}
	}
}

// TestControlsExtendFynes: a control is the widget that its Fyne part works on, so that
// the focus of a tap is the control's and its keys follow the package's rule.
func TestControlsExtendFynes(t *testing.T) {
	test.NewTempApp(t)
	check, slider := NewCheck("c", nil), NewSlider("n", 0, 9)
	for _, o := range []interface {
		fyne.CanvasObject
		fyne.Focusable
		fyne.Tappable
	}{check, slider} {
		w := test.NewTempWindow(t, o)
		w.Resize(fyne.NewSize(200, 60))
		o.Tapped(&fyne.PointEvent{Position: fyne.NewPos(10, 10)})
		if got := w.Canvas().Focused(); got != fyne.Focusable(o) {
			t.Errorf("a tap on %T gives the focus to %T", o, got)
		}
	}
	if s := NewSelect("s", []string{"a"}, nil); s.PlaceHolder != "(choose)" {
		t.Errorf("nothing chosen is shown as %q", s.PlaceHolder)
	}
}

// TestAHoveredButtonLooksSo captures a button with and without the pointer on it.
func TestAHoveredButtonLooksSo(t *testing.T) {
	test.NewTempApp(t)
	b := NewButton("b", nil, nil)
	w := test.NewTempWindow(t, b)
	look := func() string { return test.RenderToMarkup(w.Canvas()) }
	plain := look()
	b.MouseIn(nil)
	hovered := look()
	b.MouseOut()
	if left := look(); hovered == plain || left != plain {
		t.Errorf("the look changes when the pointer enters: %v, and back when it leaves: %v", hovered != plain, left == plain)
	}
}

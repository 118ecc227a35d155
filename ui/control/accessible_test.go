package control_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// Accessibility labels hold the name and the state of a control; without a name they are empty.
func TestSpokenLabels(t *testing.T) {
	test.NewTempApp(t)
	expect := func(want string, a fyne.Accessible) {
		t.Helper()
		if got := a.AccessibilityLabel(); got != want {
			t.Errorf("%T says %q; want %q", a, got, want)
		}
	}
	b := control.NewButton("Fit", nil, nil)
	expect("Fit", b)
	control.SetPressed(b, true)
	b.Disable()
	expect("Fit, on, not available", b)
	control.SetPressed(b, false)
	b.Named = func() string { return "Whole picture" }
	expect("Whole picture, not available", b)
	expect("", control.NewButton("", nil, nil)) // Fyne's own fails without an icon

	c := control.NewCheck("Auto", nil)
	expect("Auto, off", c)
	c.SetChecked(true)
	expect("Auto, on", c)

	s := control.NewSelect("Filter", []string{"Median"}, nil)
	expect("Filter", s)
	s.SetSelectedIndex(0)
	expect("Filter, Median", s)
	expect("", control.NewSelect("", []string{"Median"}, nil))

	n := control.NewSlider("Strength", 0, 10)
	n.SetValue(7)
	expect("Strength, 7", n)

	e := control.NewEntry("Secret")
	e.SetText("open")
	expect("Secret, open", e)
	e.Password = true
	expect("Secret", e)

	expect("Files", control.NewList("Files", func() int { return 0 }, func() fyne.CanvasObject { return widget.NewLabel("") }, nil))

	r := control.NewRadio([]string{"2-D", "3-D"}, nil)
	r.SetSelected("3-D")
	r.Names = func(option string) string { return option + " filter" }
	var labels []string
	for _, o := range test.LaidOutObjects(r) {
		if a, ok := o.(fyne.Accessible); ok && o != fyne.CanvasObject(r) {
			if _, focusable := o.(fyne.Focusable); focusable {
				labels = append(labels, a.AccessibilityLabel())
			}
		}
	}
	if len(labels) != 2 || labels[0] != "2-D filter" || labels[1] != "3-D filter, chosen" {
		t.Errorf("the options say %q", labels)
	}
}

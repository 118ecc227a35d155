package control_test

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/ui/control"
)

// item is an option of a Radio.
type item interface {
	fyne.Tappable
	fyne.Focusable
}

// radio shows a group of three options and returns the choice in it.
func radio(t *testing.T) (r *control.Radio, items []item, chosen *[]string) {
	t.Helper()
	test.NewTempApp(t)
	chosen = &[]string{}
	r = control.NewRadio([]string{"a", "b", "c"}, func(option string) { *chosen = append(*chosen, option) })
	test.NewTempWindow(t, r)
	for _, o := range test.LaidOutObjects(r) {
		if i, ok := o.(item); ok {
			items = append(items, i)
		}
	}
	if len(items) != 3 {
		t.Fatalf("%d options are shown; want 3", len(items))
	}
	return r, items, chosen
}

func TestRadioHasOneChoice(t *testing.T) {
	r, items, chosen := radio(t)
	test.Tap(items[1])
	test.Tap(items[1]) // does not clear it
	items[2].TypedRune(' ')
	r.SetSelected("c")
	r.SetSelected("none of them")
	if want := []string{"b", "c"}; !slices.Equal(*chosen, want) || r.Selected() != "c" {
		t.Errorf("chosen %v, selected %q; want %v", *chosen, r.Selected(), want)
	}
}

func TestArrowKeysChooseTheNeighbour(t *testing.T) {
	r, items, chosen := radio(t)
	passed := 0
	fyne.CurrentApp().Driver().CanvasForObject(r).SetOnTypedKey(func(*fyne.KeyEvent) { passed++ })
	test.Tap(items[0])
	press := func(i int, k fyne.KeyName, want string) {
		t.Helper()
		items[i].TypedKey(&fyne.KeyEvent{Name: k})
		if r.Selected() != want {
			t.Errorf("%s on option %d chooses %q; want %q", k, i, r.Selected(), want)
		}
	}
	press(0, fyne.KeyLeft, "a") // there is none
	press(0, fyne.KeyRight, "b")
	press(1, fyne.KeyRight, "c")
	press(2, fyne.KeyRight, "c") // there is none
	press(2, fyne.KeyLeft, "b")
	press(1, fyne.KeyLeft, "a")
	press(0, fyne.KeyRight, "b")
	if want := []string{"a", "b", "c", "b", "a", "b"}; !slices.Equal(*chosen, want) {
		t.Errorf("chosen %v; want %v", *chosen, want)
	}
	press(1, fyne.KeyDown, "b")
	if passed != 1 {
		t.Errorf("%d keys were passed on; want Down alone", passed)
	}
}

func TestADisabledRadioKeepsItsChoice(t *testing.T) {
	r, items, chosen := radio(t)
	test.Tap(items[0])
	r.Disable()
	test.Tap(items[1])
	items[1].TypedRune(' ')
	r.SetOptions([]string{"a", "d"})
	r.Enable()
	if len(*chosen) != 1 || r.Selected() != "a" || !slices.Equal(r.Options(), []string{"a", "d"}) {
		t.Errorf("chosen %v, selected %q of %v; want a alone", *chosen, r.Selected(), r.Options())
	}
}

// Return is the main button's of a dialog on the chosen option, and chooses another one.
func TestReturnOnAChosenOptionSubmits(t *testing.T) {
	r, items, _ := radio(t)
	enter := &fyne.KeyEvent{Name: fyne.KeyReturn}
	submitted := 0
	r.OnSubmitted = func() { submitted++ }
	items[1].TypedKey(enter)
	if r.Selected() != "b" || submitted != 0 {
		t.Errorf("selected %q, submitted %d times", r.Selected(), submitted)
	}
	items[1].TypedKey(enter)
	if r.Selected() != "b" || submitted != 1 {
		t.Errorf("selected %q, submitted %d times", r.Selected(), submitted)
	}
	c := control.NewCheck("box", nil)
	c.TypedKey(enter)
	c.OnSubmitted = func() { submitted++ }
	c.TypedKey(enter)
	if !c.Checked || submitted != 2 {
		t.Errorf("checked %v, submitted %d times", c.Checked, submitted)
	}
}

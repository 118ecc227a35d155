package control_test

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	_ "quell/internal/locale" // English
	"quell/ui/control"
)

// The canvas of Fyne's tests knows no keys that are held. These take its place.
type (
	heldApp struct {
		fyne.App
		driver fyne.Driver
	}
	heldDriver struct {
		fyne.Driver
		canvas  fyne.Canvas // of every object; nil for none
		windows []fyne.Window
	}
	heldCanvas struct {
		fyne.Canvas
		down, up func(*fyne.KeyEvent)
	}
)

func (a heldApp) Driver() fyne.Driver { return a.driver }

func (d heldDriver) CanvasForObject(fyne.CanvasObject) fyne.Canvas { return d.canvas }
func (d heldDriver) AllWindows() []fyne.Window                     { return d.windows }

func (c *heldCanvas) OnKeyDown() func(*fyne.KeyEvent)     { return c.down }
func (c *heldCanvas) OnKeyUp() func(*fyne.KeyEvent)       { return c.up }
func (c *heldCanvas) SetOnKeyDown(f func(*fyne.KeyEvent)) { c.down = f }
func (c *heldCanvas) SetOnKeyUp(f func(*fyne.KeyEvent))   { c.up = f }

// onHeldCanvas replaces the app's canvas until the test ends.
func onHeldCanvas(t *testing.T, d heldDriver) {
	t.Helper()
	app := fyne.CurrentApp()
	d.Driver = app.Driver()
	fyne.SetCurrentApp(heldApp{app, d})
	t.Cleanup(func() { fyne.SetCurrentApp(app) })
}

// TestHeldKeysArePassedOn: presses and releases of the keys that a control does not use
// reach the canvas, each as what it is.
func TestHeldKeysArePassedOn(t *testing.T) {
	test.NewTempApp(t)
	controls := map[desktop.Keyable][]fyne.KeyName{ // and what each uses
		control.NewButton("b", nil, nil):                       activating,
		control.NewCheck("c", nil):                             activating,
		control.NewSelect("a choice", []string{"a", "b"}, nil): activating,
		control.NewSlider("a number", 0, 9):                    nil,
	}
	c := &heldCanvas{}
	onHeldCanvas(t, heldDriver{canvas: c})
	var down, up []fyne.KeyName
	for o, uses := range controls {
		c.down, c.up = nil, nil // there is no listener
		o.KeyDown(&fyne.KeyEvent{Name: fyne.KeyB})
		o.KeyUp(&fyne.KeyEvent{Name: fyne.KeyB})
		c.down = func(e *fyne.KeyEvent) { down = append(down, e.Name) }
		c.up = func(e *fyne.KeyEvent) { up = append(up, e.Name) }
		down, up = nil, nil
		var want []fyne.KeyName
		for _, name := range everyKey {
			if !slices.Contains(uses, name) {
				want = append(want, name)
			}
			o.KeyDown(&fyne.KeyEvent{Name: name})
		}
		if !slices.Equal(down, want) || len(up) > 0 {
			t.Errorf("%T passes on presses of %v and releases of %v; want presses of %v", o, down, up, want)
		}
		down = nil
		for _, name := range everyKey {
			o.KeyUp(&fyne.KeyEvent{Name: name})
		}
		if !slices.Equal(up, want) || len(down) > 0 {
			t.Errorf("%T passes on releases of %v and presses of %v; want releases of %v", o, up, down, want)
		}
	}
}

// TestKeysWithoutACanvas: a control that is on none uses the canvas of the first
// window, and without a window a key is lost.
func TestKeysWithoutACanvas(t *testing.T) {
	test.NewTempApp(t)
	b := control.NewButton("b", nil, nil)
	k := &keys{}
	w := test.NewTempWindow(t, b)
	w.Canvas().SetOnTypedKey(func(e *fyne.KeyEvent) { k.typed = append(k.typed, e.Name) })
	onHeldCanvas(t, heldDriver{})
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	b.KeyDown(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if len(k.typed) != 0 {
		t.Errorf("%v without a window", k.typed)
	}
	onHeldCanvas(t, heldDriver{windows: []fyne.Window{w}})
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	b.KeyDown(&fyne.KeyEvent{Name: fyne.KeyEscape}) // this canvas knows no held keys
	if !slices.Equal(k.typed, []fyne.KeyName{fyne.KeyEscape}) {
		t.Errorf("%v reached the first window", k.typed)
	}
}

// TestHoveringOverAButton reports when the pointer enters and leaves.
func TestHoveringOverAButton(t *testing.T) {
	test.NewTempApp(t)
	var seen []bool
	b := control.NewButton("b", nil, nil)
	onCanvas(t, b)
	b.MouseIn(&desktop.MouseEvent{})
	b.MouseOut()
	b.OnHover = func(in bool) { seen = append(seen, in) }
	b.MouseIn(&desktop.MouseEvent{})
	b.MouseOut()
	if !slices.Equal(seen, []bool{true, false}) {
		t.Errorf("the pointer is over the button: %v; want true, then false", seen)
	}
}

package sliceview_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/volume"
)

// bench is a pane in a window, over a state of 8 x 8 x 40 voxels.
type bench struct {
	pane      *sliceview.Pane
	state     *viewer.State
	mods      fyne.KeyModifier
	maximized []viewer.Role
	menus     int
}

func newBench(t *testing.T, role viewer.Role) *bench {
	t.Helper()
	test.NewTempApp(t)
	v := volume.New(volume.NewGeometry([3]int{8, 8, 40}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = float32(i % 100)
	}
	b := &bench{state: &viewer.State{}}
	b.state.Open(v, volume.Window{Center: 50, Width: 100})
	b.pane = sliceview.New(role, b.state, sliceview.Events{
		Maximize:  func(r viewer.Role) { b.maximized = append(b.maximized, r) },
		Menu:      func(viewer.Role, fyne.Position) { b.menus++ },
		Modifiers: func() fyne.KeyModifier { return b.mods },
		Notch:     25,
	})
	w := test.NewTempWindow(t, b.pane)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(400, 440))
	return b
}

func (b *bench) wheel(dx, dy float32) {
	e := &fyne.ScrollEvent{Scrolled: fyne.NewDelta(dx, dy)}
	e.Position = fyne.NewPos(200, 240)
	b.pane.Scrolled(e)
}

func (b *bench) press(button desktop.MouseButton, mods fyne.KeyModifier, x, y float32) {
	e := &desktop.MouseEvent{Button: button, Modifier: mods}
	e.Position = fyne.NewPos(x, y)
	b.pane.MouseDown(e)
}

func (b *bench) drag(dx, dy float32) {
	b.pane.Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(dx, dy)})
}

func (b *bench) move(button desktop.MouseButton, x, y float32) {
	e := &desktop.MouseEvent{Button: button}
	e.Position = fyne.NewPos(x, y)
	b.pane.MouseMoved(e)
}

func TestWheelScrollsSlices(t *testing.T) {
	b := newBench(t, viewer.Original)
	b.wheel(0, -25)
	if b.state.Index() != 21 {
		t.Errorf("one notch down shows slice %d; want 21", b.state.Index())
	}
	b.wheel(0, 75)
	if b.state.Index() != 18 {
		t.Errorf("three notches up show slice %d; want 18", b.state.Index())
	}
	b.mods = fyne.KeyModifierShift
	b.wheel(-25, 0) // some systems turn the wheel sideways under Shift
	if b.state.Index() != 23 {
		t.Errorf("a notch with Shift shows slice %d; want 23", b.state.Index())
	}
}

func TestTouchpadStepsAddUp(t *testing.T) {
	b := newBench(t, viewer.Original)
	for range 9 {
		b.wheel(0, -5)
	}
	if b.state.Index() != 21 {
		t.Errorf("nine fifths of a notch show slice %d; want 21", b.state.Index())
	}
	for range 5 {
		b.wheel(0, 5)
	}
	if b.state.Index() != 20 {
		t.Errorf("five fifths back show slice %d; want 20: a change of direction drops the remainder", b.state.Index())
	}
	b.wheel(0, -1e6) // an accelerated driver
	if b.state.Index() != 28 {
		t.Errorf("one very long scroll shows slice %d; want 28, eight notches at most", b.state.Index())
	}
}

func TestControlWheelZooms(t *testing.T) {
	b := newBench(t, viewer.Original)
	b.mods = fyne.KeyModifierControl
	b.wheel(0, 25)
	if b.state.Zoom() <= 1 || b.state.Index() != 20 {
		t.Errorf("zoom %g, slice %d; want a larger zoom on the same slice", b.state.Zoom(), b.state.Index())
	}
}

func TestLeftDragSetsTheWindow(t *testing.T) {
	b := newBench(t, viewer.Denoised)
	b.press(desktop.MouseButtonPrimary, 0, 100, 100)
	b.drag(40, 0)
	if w := b.state.Window(); w.Width <= 100 || w.Center != 50 {
		t.Errorf("window %v; want it wider", w)
	}
	b.drag(0, -40)
	if w := b.state.Window(); w.Center <= 50 {
		t.Errorf("window %v; want the level higher", w)
	}
	if b.state.Pan() != [2]float64{} {
		t.Error("the left button panned")
	}
}

func TestMiddleAndShiftedLeftDragPan(t *testing.T) {
	for name, press := range map[string]func(*bench){
		"middle":     func(b *bench) { b.press(desktop.MouseButtonTertiary, 0, 100, 100) },
		"Shift+left": func(b *bench) { b.press(desktop.MouseButtonPrimary, fyne.KeyModifierShift, 100, 100) },
	} {
		b := newBench(t, viewer.Original)
		press(b)
		b.drag(30, -20)
		if pan := b.state.Pan(); !(pan[0] > 0 && pan[1] < 0) {
			t.Errorf("%s: pan %v; want right and up", name, pan)
		}
		if w := b.state.Window(); w.Width != 100 {
			t.Errorf("%s: the window changed to %v", name, w)
		}
	}
}

func TestDragOnTheResidualSetsItsScale(t *testing.T) {
	b := newBench(t, viewer.Residual)
	b.press(desktop.MouseButtonPrimary, 0, 100, 100)
	b.drag(40, 0)
	if b.state.Sigmas() <= viewer.DefaultSigmas || b.state.Window().Width != 100 {
		t.Errorf("scale %g, window %v; want a wider scale and the same window", b.state.Sigmas(), b.state.Window())
	}
}

func TestRightDragZoomsAndRightClickOpensTheMenu(t *testing.T) {
	b := newBench(t, viewer.Original)
	b.press(desktop.MouseButtonSecondary, 0, 200, 240)
	b.move(desktop.MouseButtonSecondary, 201, 239) // a hand is never quite still
	b.pane.TappedSecondary(&fyne.PointEvent{})
	if b.menus != 1 || b.state.Zoom() != 1 {
		t.Errorf("%d menus, zoom %g after a click; want 1 and 1", b.menus, b.state.Zoom())
	}
	b.press(desktop.MouseButtonSecondary, 0, 200, 240)
	b.move(desktop.MouseButtonSecondary, 200, 180)
	b.pane.TappedSecondary(&fyne.PointEvent{})
	if b.menus != 1 || b.state.Zoom() <= 1 {
		t.Errorf("%d menus, zoom %g after a drag up; want still 1 and a larger zoom", b.menus, b.state.Zoom())
	}
}

func TestPointingProbes(t *testing.T) {
	b := newBench(t, viewer.Original)
	// The heading takes 40 of 440; the picture of 8 x 8 fills 400 x 400.
	b.move(0, 25, 40+75)
	if voxel, ok := b.state.Cursor(); !ok || voxel != [3]int{0, 1, 20} {
		t.Errorf("the pointer is on %v, %v; want 0, 1, 20", voxel, ok)
	}
	b.pane.MouseOut()
	if _, ok := b.state.Cursor(); ok {
		t.Error("the probe stays when the pointer leaves")
	}
}

func TestDoubleClickMaximizesThePane(t *testing.T) {
	b := newBench(t, viewer.Denoised)
	test.DoubleTap(b.pane)
	if len(b.maximized) != 1 || b.maximized[0] != viewer.Denoised {
		t.Errorf("maximized %v; want the denoised pane", b.maximized)
	}
}

func TestPixelsFollowTheSize(t *testing.T) {
	b := newBench(t, viewer.Original)
	if p := b.pane.Pixels(); p.Width != 400 || p.Height != 400 || p.Hidden {
		t.Errorf("%+v; want 400 x 400 below the heading", p)
	}
}

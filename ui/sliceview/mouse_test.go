package sliceview_test

import (
	"math"
	"slices"
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
	moved     int
}

func newBench(t *testing.T, role viewer.Role) *bench {
	t.Helper()
	test.NewTempApp(t)
	v := volume.New(volume.NewGeometry([3]int{8, 8, 40}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = float32(i % 100)
	}
	b := &bench{state: viewer.New()}
	b.state.Open(v, volume.Window{Center: 50, Width: 100})
	b.pane = sliceview.New(role, b.state, sliceview.Events{
		Maximize:  func(r viewer.Role) { b.maximized = append(b.maximized, r) },
		Menu:      func(viewer.Role, fyne.Position) { b.menus++ },
		Modifiers: func() fyne.KeyModifier { return b.mods },
		Moved:     func() { b.moved++ },
		Notch:     25,
	})
	w := test.NewTempWindow(t, b.pane)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(400, 400))
	return b
}

func (b *bench) wheel(dx, dy float32) {
	e := &fyne.ScrollEvent{Scrolled: fyne.NewDelta(dx, dy)}
	e.Position = fyne.NewPos(200, 200)
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
	if b.state.Cut().Index() != 21 {
		t.Errorf("one notch down shows slice %d; want 21", b.state.Cut().Index())
	}
	b.wheel(0, 75)
	if b.state.Cut().Index() != 18 {
		t.Errorf("three notches up show slice %d; want 18", b.state.Cut().Index())
	}
	b.mods = fyne.KeyModifierShift
	b.wheel(-25, 0) // some systems turn the wheel sideways under Shift
	if b.state.Cut().Index() != 23 {
		t.Errorf("a notch with Shift shows slice %d; want 23", b.state.Cut().Index())
	}
}

func TestTouchpadStepsAddUp(t *testing.T) {
	b := newBench(t, viewer.Original)
	for range 9 {
		b.wheel(0, -5)
	}
	if b.state.Cut().Index() != 21 {
		t.Errorf("nine fifths of a notch show slice %d; want 21", b.state.Cut().Index())
	}
	for range 5 {
		b.wheel(0, 5)
	}
	if b.state.Cut().Index() != 20 {
		t.Errorf("five fifths back show slice %d; want 20: a change of direction drops the remainder", b.state.Cut().Index())
	}
	b.wheel(0, -1e6) // an accelerated driver
	if b.state.Cut().Index() != 28 {
		t.Errorf("one very long scroll shows slice %d; want 28, eight notches at most", b.state.Cut().Index())
	}
}

func TestControlWheelZooms(t *testing.T) {
	b := newBench(t, viewer.Original)
	b.mods = fyne.KeyModifierControl
	b.wheel(0, 25)
	if b.state.Cut().Zoom() <= 1 || b.state.Cut().Index() != 20 {
		t.Errorf("zoom %g, slice %d; want a larger zoom on the same slice", b.state.Cut().Zoom(), b.state.Cut().Index())
	}
}

func TestLeftDragSetsTheWindow(t *testing.T) {
	b := newBench(t, viewer.Denoised)
	b.press(desktop.MouseButtonPrimary, 0, 100, 100)
	b.drag(40, 0)
	if w := b.state.Windows.Current(); w.Width <= 100 || w.Center != 50 {
		t.Errorf("window %v; want it wider", w)
	}
	b.drag(0, -40)
	if w := b.state.Windows.Current(); w.Center <= 50 {
		t.Errorf("window %v; want the level higher", w)
	}
	if b.state.Cut().Pan() != [2]float64{} {
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
		if pan := b.state.Cut().Pan(); !(pan[0] > 0 && pan[1] < 0) {
			t.Errorf("%s: pan %v; want right and up", name, pan)
		}
		if w := b.state.Windows.Current(); w.Width != 100 {
			t.Errorf("%s: the window changed to %v", name, w)
		}
	}
}

func TestDragOnTheResidualSetsItsScale(t *testing.T) {
	b := newBench(t, viewer.Residual)
	b.press(desktop.MouseButtonPrimary, 0, 100, 100)
	b.drag(40, 0)
	if b.state.Windows.Sigmas() <= viewer.DefaultSigmas || b.state.Windows.Current().Width != 100 {
		t.Errorf("scale %g, window %v; want a wider scale and the same window", b.state.Windows.Sigmas(), b.state.Windows.Current())
	}
}

func TestRightDragZoomsAndRightClickOpensTheMenu(t *testing.T) {
	b := newBench(t, viewer.Original)
	b.press(desktop.MouseButtonSecondary, 0, 200, 200)
	b.move(desktop.MouseButtonSecondary, 201, 199) // a hand is never quite still
	b.pane.TappedSecondary(&fyne.PointEvent{})
	if b.menus != 1 || b.state.Cut().Zoom() != 1 {
		t.Errorf("%d menus, zoom %g after a click; want 1 and 1", b.menus, b.state.Cut().Zoom())
	}
	b.press(desktop.MouseButtonSecondary, 0, 200, 200)
	b.move(desktop.MouseButtonSecondary, 200, 140)
	b.pane.TappedSecondary(&fyne.PointEvent{})
	if b.menus != 1 || b.state.Cut().Zoom() <= 1 {
		t.Errorf("%d menus, zoom %g after a drag up; want still 1 and a larger zoom", b.menus, b.state.Cut().Zoom())
	}
}

func TestPointingProbes(t *testing.T) {
	b := newBench(t, viewer.Original)
	// The picture of 8 x 8 fills 400 x 400.
	b.move(0, 25, 75)
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
		t.Errorf("%+v; want 400 x 400", p)
	}
}

// TestGainsOfWheelAndDrag pins the zoom of a notch and of a right drag, and that the point
// under the pointer, or at which the button was pressed, does not move.
func TestGainsOfWheelAndDrag(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-5 }
	for name, mods := range map[string]fyne.KeyModifier{"Control": fyne.KeyModifierControl, "Super": fyne.KeyModifierSuper} {
		b := newBench(t, viewer.Original)
		b.mods = mods
		b.wheel(0, 50)
		if !near(b.state.Cut().Zoom(), 1.15*1.15) || b.state.Cut().Pan() != [2]float64{} {
			t.Errorf("%s: zoom %g, pan %v after two notches in the middle; want 1.15^2 and none", name, b.state.Cut().Zoom(), b.state.Cut().Pan())
		}
		b.wheel(0, -1e6)
		if !near(b.state.Cut().Zoom(), max(math.Pow(1.15, 2-8), viewer.MinZoom)) {
			t.Errorf("%s: zoom %g after a very long scroll; want eight notches", name, b.state.Cut().Zoom())
		}
	}
	b := newBench(t, viewer.Original)
	b.press(desktop.MouseButtonSecondary, 0, 200, 200)
	b.move(desktop.MouseButtonSecondary, 200, 200+75)
	if !near(b.state.Cut().Zoom(), math.Exp(-0.5)) || math.Abs(b.state.Cut().Pan()[1]) > 1e-6 {
		t.Errorf("zoom %g, pan %v after a drag of 75 down; want e^-0.5 about the middle", b.state.Cut().Zoom(), b.state.Cut().Pan())
	}
	b.move(desktop.MouseButtonSecondary, 200, 200)
	if !near(b.state.Cut().Zoom(), 1) {
		t.Errorf("zoom %g after the way back; want 1", b.state.Cut().Zoom())
	}
	b.pane.MouseUp(&desktop.MouseEvent{})
	b.move(desktop.MouseButtonSecondary, 200, 100)
	if !near(b.state.Cut().Zoom(), 1) {
		t.Error("a move after the release zooms")
	}
}

// TestAClickMayTravel checks both sides of the distance within which a press and release is
// a click.
func TestAClickMayTravel(t *testing.T) {
	for travel, menus := range map[float32]int{3.9: 1, 4: 0} {
		b := newBench(t, viewer.Original)
		b.press(desktop.MouseButtonSecondary, 0, 100, 100)
		b.move(desktop.MouseButtonSecondary, 100+travel, 100)
		if b.pane.TappedSecondary(&fyne.PointEvent{}); b.menus != menus {
			t.Errorf("%d menus after %g units; want %d", b.menus, travel, menus)
		}
	}
}

// The pane of a plane scrolls its own plane, shares the windows, and goes with the denoised
// pane; it has no divider.
func TestAPaneOfAPlane(t *testing.T) {
	b := newBench(t, viewer.Original)
	b.pane = sliceview.NewPlane(volume.Coronal, b.state, sliceview.Events{Notch: 25})
	b.pane.Resize(fyne.NewSize(400, 400))
	b.wheel(0, -25)
	if own := b.state.In(volume.Coronal); own.Index() != 5 || b.state.Cut().Index() != 20 || b.state.Cut().View().Plane != volume.Axial {
		t.Errorf("one notch shows slice %d of the plane, %d of the other", own.Index(), b.state.Cut().Index())
	}
	b.state.Windows.ToggleLink()
	b.state.Windows.Attend(viewer.Original)
	b.pane.MouseIn(&desktop.MouseEvent{})
	b.press(desktop.MouseButtonPrimary, 0, 200, 200)
	b.drag(50, 0)
	if of := b.state.Windows.Of; of(viewer.Original).Width != 100 || !(of(viewer.Denoised).Width > 100) {
		t.Errorf("a drag made the widths %g and %g", of(viewer.Original).Width, of(viewer.Denoised).Width)
	}
	b.state.Compare(viewer.Swipe)
	b.move(0, 200, 200)
	if b.pane.Cursor() != desktop.CrosshairCursor {
		t.Error("a plane compares")
	}
}

// TestPointerEntersAndLeaves checks the events of a pane and that gestures without
// listeners are harmless.
func TestPointerEntersAndLeaves(t *testing.T) {
	test.NewTempApp(t)
	state := viewer.New()
	state.Open(volume.New(volume.NewGeometry([3]int{8, 8, 4}, [3]float64{1, 1, 1})), volume.Window{Width: 1})
	entered, resized := 0, 0
	p := sliceview.New(viewer.Original, state, sliceview.Events{Entered: func() { entered++ }, Resized: func() { resized++ }})
	p.Resize(fyne.NewSize(400, 400))
	p.Resize(fyne.NewSize(400, 400))
	e := &desktop.MouseEvent{}
	e.Position = fyne.NewPos(10, 10)
	p.MouseIn(e)
	if voxel, ok := state.Cursor(); entered != 1 || resized != 1 || !ok || voxel != [3]int{0, 0, 2} {
		t.Errorf("%d entered, %d resized, on %v", entered, resized, voxel)
	}
	p.DoubleTapped(nil)
	p.TappedSecondary(&fyne.PointEvent{})
	p.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -1000)})
	if state.Cut().Index() != 3 || p.Cursor() != desktop.CrosshairCursor {
		t.Errorf("slice %d; want the last", state.Cut().Index())
	}
	p.Hide()
	if !p.Pixels().Hidden {
		t.Error("a hidden pane is drawn")
	}
}

// Each notch of the wheel with Ctrl may be followed by another; a drag of the middle or the
// right button ends when the button is let go.
func TestZoomAndPanAreGestures(t *testing.T) {
	b := newBench(t, viewer.Original)
	var gestures []bool
	b.state.Chosen = func(g viewer.Gesture) { gestures = append(gestures, g.Turning) }
	b.mods = fyne.KeyModifierControl
	b.wheel(0, 25)
	b.wheel(0, 25)
	b.mods = 0
	b.press(desktop.MouseButtonSecondary, 0, 100, 100)
	b.move(desktop.MouseButtonSecondary, 100, 60)
	b.move(desktop.MouseButtonSecondary, 100, 40)
	if len(gestures) != 2 {
		t.Errorf("%v before the button is let go", gestures)
	}
	b.pane.MouseUp(&desktop.MouseEvent{Button: desktop.MouseButtonSecondary})
	b.press(desktop.MouseButtonTertiary, 0, 100, 100)
	b.drag(5, 0)
	b.drag(5, 0)
	b.pane.DragEnd()
	if want := []bool{true, true, false, false}; !slices.Equal(gestures, want) {
		t.Errorf("gestures %v; want %v", gestures, want)
	}
}

// The pane that the pointer enters is the one with the window that is set from then
// on.
func TestThePointedPaneHasTheWindow(t *testing.T) {
	for _, role := range []viewer.Role{viewer.Original, viewer.Denoised} {
		b := newBench(t, role)
		b.state.Windows.ToggleLink()
		b.state.Windows.Attend(viewer.Denoised - role)
		b.pane.MouseIn(&desktop.MouseEvent{})
		b.state.Windows.Set(volume.Window{Width: 7})
		if b.state.Windows.Of(role).Width != 7 || b.state.Windows.Of(viewer.Denoised-role).Width == 7 {
			t.Errorf("%v: widths %g and %g", role, b.state.Windows.Of(viewer.Original).Width, b.state.Windows.Of(viewer.Denoised).Width)
		}
	}
}

// Every gesture that changes the pictures says so after the change.
func TestGesturesSayThatTheyMoved(t *testing.T) {
	b := newBench(t, viewer.Original)
	for i, gesture := range []func(){
		func() { b.wheel(0, -25) },
		func() { b.press(desktop.MouseButtonPrimary, 0, 100, 100); b.drag(5, 0) },
	} {
		gesture()
		if b.moved != i+1 {
			t.Errorf("gesture %d: %d times", i, b.moved)
		}
	}
}

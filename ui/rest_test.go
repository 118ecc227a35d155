package ui_test

import (
	"testing"

	"fyne.io/fyne/v2"
)

// animated is an app with a driver that knows which animations run; the driver of the tests runs
// none.
type animated struct {
	fyne.App
	driver *animatedDriver
}

func (a *animated) Driver() fyne.Driver { return a.driver }

type animatedDriver struct {
	fyne.Driver
	running map[*fyne.Animation]bool
}

func (d *animatedDriver) StartAnimation(a *fyne.Animation) { d.running[a] = true }
func (d *animatedDriver) StopAnimation(a *fyne.Animation)  { delete(d.running, a) }

// endless counts the animations that run and have no end.
func (d *animatedDriver) endless() (n int) {
	for a := range d.running {
		if a.RepeatCount == fyne.AnimationRepeatForever {
			n++
		}
	}
	return n
}

// A closed dialog leaves nothing that is painted again and again, whichever of its controls
// had the focus: a window at rest draws nothing.
func TestClosedDialogsLeaveNoAnimation(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	driver := &animatedDriver{Driver: fyne.CurrentApp().Driver(), running: map[*fyne.Animation]bool{}}
	fyne.SetCurrentApp(&animated{App: b.app, driver: driver})
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.drain()
	canvas := b.canvas()
	dialogs, blinked := 0, 0
	for _, c := range b.workbench.Commands() {
		if c.Run == nil || c.ID == "quit" || c.ID == "fullscreen" {
			continue
		}
		// Again with the focus on every control of its dialog.
		for steps := range 6 {
			if c.Enabled != nil && !c.Enabled() {
				break
			}
			c.Run()
			b.drain()
			if canvas.Overlays().Top() == nil {
				break
			}
			dialogs++
			for range steps {
				canvas.FocusNext()
			}
			blinked += driver.endless()
			focus := canvas.Focused()
			for range 5 {
				if canvas.Overlays().Top() != nil {
					b.key(fyne.KeyEscape)
				}
			}
			if canvas.Overlays().Top() != nil {
				t.Fatalf("%s: Escape does not close the dialog", c.ID)
			}
			if n := driver.endless(); n > 0 {
				t.Fatalf("%s: %d animations run on after its dialog was closed from %T", c.ID, n, focus)
			}
		}
	}
	if dialogs < 40 || blinked < 10 {
		t.Errorf("%d dialogs were opened, %d cursors blinked; the test has seen too few", dialogs, blinked)
	}
}

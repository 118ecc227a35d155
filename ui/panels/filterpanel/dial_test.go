package filterpanel

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/denoise"

	_ "quell/internal/locale" // English
)

// line is a dial that shows the snapshot of an owner.
func line(t *testing.T, filter string) (o *owner, d *Dial, opened *int) {
	t.Helper()
	o = newOwner(t, filter)
	opened = new(int)
	d = NewDial(o.panel.hooks, func() { *opened++ }, func(fyne.CanvasObject, bool) {})
	test.NewTempWindow(t, d).Resize(fyne.NewSize(700, 40))
	d.Display(o.snap)
	return o, d, opened
}

// The line has the dial alone, with its bound, and runs and cancels.
func TestTheLineSetsTheStrengthAndRuns(t *testing.T) {
	for _, f := range denoise.Filters() {
		_, d, _ := line(t, f.Name)
		if want := denoise.MixStrength; d.name.Text != want.Label || d.row.param.Name != want.Name {
			t.Errorf("%s: the line sets %q", f.Name, d.name.Text)
		}
	}
	o, d, opened := line(t, "nlm")
	slide := object[*slider](d)
	slide.Tapped(&fyne.PointEvent{Position: fyne.NewPos(slide.Size().Width/2, 5)})
	if len(o.finals) != 1 || !(o.finals[0].Get("strength").Float() < 100) || !o.finals[0].Get("h").IsAuto() {
		t.Fatalf("a click on the slider set %v", o.finals)
	}
	d.Display(o.snap)
	if text := format(d.row.param, o.finals[0].Get("strength")); !written(d, text+" %") {
		t.Errorf("the value %s is not shown", text)
	}
	test.Tap(d.name)
	test.Tap(d.apply)
	if *opened != 1 || o.applied != 1 || o.cancels != 0 || d.apply.Text != "Apply" {
		t.Errorf("opened %d, applied %d, cancelled %d, %q", *opened, o.applied, o.cancels, d.apply.Text)
	}
	o.snap.Running, o.snap.Busy = true, true
	d.Display(o.snap)
	test.Tap(d.apply)
	if o.cancels != 1 || o.applied != 1 || d.apply.Text != "Cancel" {
		t.Errorf("during a run: applied %d, cancelled %d, %q", o.applied, o.cancels, d.apply.Text)
	}
	o.snap.Running = false
	for _, c := range []struct{ ready, busy, applied, enabled bool }{{true, false, false, true}, {false, false, false, false}, {true, true, false, false}, {true, false, true, false}} {
		o.snap.Ready, o.snap.Busy, o.snap.Applied = c.ready, c.busy, c.applied
		d.Display(o.snap)
		if d.apply.Disabled() == c.enabled {
			t.Errorf("%+v: Apply is disabled %t", c, d.apply.Disabled())
		}
	}
}

// object returns the first object of a type in a widget.
func object[T fyne.CanvasObject](in fyne.CanvasObject) (found T) {
	for _, o := range test.LaidOutObjects(in) {
		if x, ok := o.(T); ok {
			return x
		}
	}
	return found
}

// written says whether a label with a text is shown.
func written(in fyne.CanvasObject, text string) bool {
	for _, o := range test.LaidOutObjects(in) {
		if l, ok := o.(*widget.Label); ok && l.Text == text && l.Visible() {
			return true
		}
	}
	return false
}

package ui_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"quell/ui/control"
	"quell/ui/viewer"
	"quell/volume"
)

// J gives both panes their own windows: their labels say so however little text is shown, and
// each pane names its window.
func TestOwnWindowsAreMarked(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	panes := b.workbench.Panes()
	b.key(fyne.KeyJ)
	b.state().Windows.Attend(viewer.Denoised)
	b.state().Windows.Set(volume.Window{Center: 40, Width: 200})
	b.drain()
	for role, want := range map[viewer.Role]string{viewer.Original: "W 90  L 40", viewer.Denoised: "W 200  L 40"} {
		c := panes[role].Caption()
		if c.Title != role.String()+", OWN WINDOW" || !strings.Contains(strings.Join(c.Corner, "|"), want) {
			t.Errorf("%v has the label %q and %q; want %s", role, c.Title, c.Corner, want)
		}
	}
	if c := panes[viewer.Residual].Caption(); strings.Contains(c.Title, "WINDOW") {
		t.Errorf("the residual has the label %q", c.Title)
	}
	list := func() string {
		for _, o := range test.LaidOutObjects(b.canvas().Content()) {
			if l, ok := o.(*control.Select); ok && len(l.Options) > 0 && strings.Contains(l.Options[0], "90 / 40") {
				return l.Options[0] + "; " + l.PlaceHolder
			}
		}
		return ""
	}
	if got := list(); got != "Denoised: Series  90 / 40; Denoised: W 200  L 40" {
		t.Errorf("the list of windows says %q", got)
	}
	b.state().Windows.Attend(viewer.Original)
	b.drain()
	if got := list(); !strings.HasPrefix(got, "Original: Series  90 / 40") {
		t.Errorf("for the original the list of windows says %q", got)
	}
	b.state().Windows.Attend(viewer.Denoised)
	b.workbench.Session().Screen.HoldBefore(true)
	b.drain()
	if c := panes[viewer.Denoised].Caption(); c.Title != "ORIGINAL, OWN WINDOW" {
		t.Errorf("with the original in it, the label is %q", c.Title)
	}
	b.workbench.Session().Screen.HoldBefore(false)
	b.key(fyne.KeyJ)
	if got := list(); strings.Contains(got, ":") {
		t.Errorf("linked again, the list says %q", got)
	}
	if c := panes[viewer.Original].Caption(); c.Title != "" || !strings.Contains(strings.Join(c.Corner, "|"), "W 200") {
		t.Errorf("linked again, the original has the label %q and %q", c.Title, c.Corner)
	}
	b.key(fyne.KeyJ)
	if b.key(fyne.KeyR); b.state().Windows.Unlinked() {
		t.Error("R leaves the windows apart")
	}
}

// The three planes have the window of the comparison next to them.
func TestPlanesHaveTheWindowOfTheComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.key(fyne.KeyF5)
	b.key(fyne.KeyJ)
	b.state().Windows.Attend(viewer.Original)
	b.workbench.Planes()[volume.Coronal].MouseIn(&desktop.MouseEvent{})
	b.state().Windows.Set(volume.Window{Center: 40, Width: 200})
	b.drain()
	if w := b.state().Windows.Of(viewer.Denoised); w.Width != 200 || b.state().Windows.Of(viewer.Original).Width == 200 {
		t.Errorf("the comparison has a width of %g", w.Width)
	}
	for _, pane := range b.workbench.Planes() {
		if corner := strings.Join(pane.Caption().Corner, "|"); !strings.Contains(corner, "W 200  L 40") {
			t.Errorf("a plane names its window as %q", corner)
		}
	}
}

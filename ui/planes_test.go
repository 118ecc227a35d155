package ui_test

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/app/workbench"
	"quell/denoise"
	"quell/ui"
	"quell/ui/host"
	"quell/ui/viewer"
	"quell/volume"
)

// The layout of 2 x 2 shows the planes through the crosshair, and the comparison under a
// swipe; another layout is as before.
func TestTheThreePlanes(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	b.key(fyne.KeyF5)
	planes := b.workbench.Planes()
	b.until("the planes are drawn", func() bool {
		return planes[0].Frame().Image != nil && planes[1].Frame().Image != nil && planes[2].Frame().Image != nil
	})
	b.drain()
	if got := b.visible(); !slices.Equal(got, []viewer.Role{viewer.Denoised}) || b.row("2×2").Selected() != "2×2" {
		t.Errorf("panes %v", got)
	}
	size := planes[0].Size()
	comparison := b.workbench.Panes()[viewer.Denoised]
	for i, o := range []fyne.CanvasObject{planes[0], planes[1], planes[2], comparison} {
		if want := fyne.NewPos(float32(i%2)*(size.Width+2), float32(i/2)*(size.Height+2)); o.Position() != want || o.Size() != size {
			t.Errorf("pane %d lies at %v, %v; want %v", i, o.Position(), o.Size(), want)
		}
	}
	if _, marked := b.state().Crosshair(); !marked || b.state().Comparison().Mode != viewer.Swipe {
		t.Error("there is no crosshair, or no comparison")
	}
	for p, letters := range [3][4]string{{"R", "L", "A", "P"}, {"R", "L", "H", "F"}, {"A", "P", "H", "F"}} {
		c := planes[p].Caption()
		if want := strings.ToUpper(volume.Plane(p).String()) + ", ORIGINAL"; c.Title != want || c.Letters != letters || c.Detail != "until the volume is filtered" {
			t.Errorf("plane %d: %q, %q, letters %v", p, c.Title, c.Detail, c.Letters)
		}
	}
	b.state().In(volume.Coronal).SetIndex(9)
	b.state().Cut().PointAt(150, 150, 300, 300) // in the slice of the comparison
	b.drain()
	if c := planes[1].Caption().Corner; c[2] != "10 / 36" || !strings.HasSuffix(c[3], " HU") || planes[0].Caption().Corner[3] != c[3] {
		t.Errorf("the coronal plane says %v", c)
	}
	b.command("apply").Run()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.drain()
	if c := planes[2].Caption(); c.Title != "SAGITTAL, DENOISED" || !strings.HasPrefix(c.Detail, "Non-local means ") {
		t.Errorf("after the run: %q, %q", c.Title, c.Detail)
	}
	b.session().Screen.HoldBefore(true)
	b.drain()
	if c := planes[2].Caption(); c.Title != "SAGITTAL, ORIGINAL" || c.Detail != "" {
		t.Errorf("while Space is held: %q, %q", c.Title, c.Detail)
	}
	b.session().Screen.HoldBefore(false)
	b.key(fyne.KeyD)
	if got := b.visible(); !slices.Equal(got, []viewer.Role{viewer.Residual}) {
		t.Errorf("D shows %v; want the residual in the place of the comparison", got)
	}
	b.key(fyne.KeyD)
	planes[1].DoubleTapped(nil)
	b.drain()
	if got := b.visible(); !slices.Equal(got, []viewer.Role{viewer.Denoised}) || planes[0].Visible() || b.state().Cut().View().Plane != volume.Coronal || b.state().Cut().Index() != 9 {
		t.Error("a double click does not show the comparison of its plane alone")
	}
	b.key(fyne.KeyEscape)
	if !planes[0].Visible() {
		t.Error("Escape does not show the planes again")
	}
	b.key(fyne.KeyF4)
	if _, marked := b.state().Crosshair(); marked || planes[0].Visible() || b.state().Comparison().Mode != viewer.Plain || len(b.visible()) != 3 {
		t.Error("the layout before is not as it was")
	}
}

// What the user has chosen before stays after the layout of 2 x 2.
func TestThePlanesKeepWhatWasChosen(t *testing.T) {
	b := newBench(t, large)
	b.key(fyne.KeyX)
	b.key(fyne.KeyQ)
	b.key(fyne.KeyF5)
	if b.state().Comparison().Mode != viewer.Checkerboard {
		t.Error("the mode of comparison is another")
	}
	b.key(fyne.KeyF3)
	if _, marked := b.state().Crosshair(); !marked || b.state().Comparison().Mode != viewer.Checkerboard {
		t.Error("crosshair or comparison are not as before")
	}
	b.key(fyne.KeyX)
	if _, marked := b.state().Crosshair(); marked || b.command("crosshair").Checked() {
		t.Error("X does not take the crosshair off")
	}
}

// A run that is side A is shown by the planes, too.
func TestPlanesShowARunAsSideA(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.command("apply").Run()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.session().Results.CompareWith(0)
	r := b.session().Tuning.Recipe()
	r.Dims = 3
	b.session().Tuning.Set(r, true)
	b.key(fyne.KeyF5)
	b.drain()
	if c := b.workbench.Planes()[0].Caption(); c.Title != "AXIAL, RUN 1" || !strings.HasPrefix(c.Detail, "Non-local means 2-D") {
		t.Errorf("%q, %q", c.Title, c.Detail)
	}
}

// The layout is kept for the next start.
func TestTheLayoutIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.key(fyne.KeyF5)
	b.key(fyne.KeyP)
	b.workbench.Close()
	kept := workbench.LoadSettings(b.settingsPath)
	if kept.Layout != "2×2" || kept.Column != "hidden" {
		t.Fatalf("layout %q, column %q", kept.Layout, kept.Column)
	}
	start := func() *ui.Workbench {
		w := ui.New(b.app, host.Options{Settings: kept, Engine: b.engine, Do: func(func()) {}})
		t.Cleanup(w.Close)
		return w
	}
	next := start()
	if !next.Planes()[0].Visible() || next.ColumnShown() {
		t.Error("the next start shows another layout")
	}
	kept.Layout = "7×9"
	other := start()
	if other.Planes()[0].Visible() || !other.Panes()[viewer.Original].Visible() || other.Panes()[viewer.Residual].Visible() && !other.InsetShown() {
		t.Error("a layout that does not exist is not replaced by that of the size")
	}
}

// An ROI is drawn, shown, measured and moved on the plane of its pane, by the voxels
// that the pane shows.
func TestROIsOnThePlanes(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.key(fyne.KeyF5)
	b.drain()
	planes := b.workbench.Planes()
	drag := func(p volume.Plane, from, to [2]float32) {
		size := planes[p].Size()
		down := &desktop.MouseEvent{Button: desktop.MouseButtonPrimary}
		down.Position = fyne.NewPos(from[0]*size.Width, from[1]*size.Height)
		planes[p].MouseDown(down)
		move := &fyne.DragEvent{}
		move.Position = fyne.NewPos(to[0]*size.Width, to[1]*size.Height)
		planes[p].Dragged(move)
		planes[p].DragEnd()
		b.drain()
	}
	for p := range planes {
		b.key(fyne.KeyE)
		drag(volume.Plane(p), [2]float32{0.4, 0.4}, [2]float32{0.6, 0.55})
		m, _ := b.session().Marks.Selected()
		if cut := b.state().In(volume.Plane(p)); m.Plane != volume.Plane(p) || m.Index != cut.Index() || b.state().Cut().View().Plane != volume.Axial {
			t.Errorf("plane %d: the ROI lies on slice %d of plane %v", p, m.Index, m.Plane)
		}
		for q, pane := range planes {
			if marks := pane.Caption().Marks; len(marks) != min(1, max(p-q+1, 0)) {
				t.Errorf("after the ROI on plane %d the pane of plane %d has %v", p, q, marks)
			}
		}
	}
	if marks := b.workbench.Panes()[viewer.Denoised].Caption().Marks; len(marks) != 1 {
		t.Errorf("the comparison has %d ROIs; want that of its plane", len(marks))
	}
	text := func(p volume.Plane) string { return planes[p].Caption().Marks[0].Text }
	before := text(volume.Sagittal)
	if !strings.HasPrefix(before, "3: mean ") {
		t.Errorf("the ROI reads %q", before)
	}
	b.session().Tuning.Set(b.session().Tuning.Recipe().With("h", denoise.Number(40)), true)
	b.command("apply").Run()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.drain()
	if text(volume.Sagittal) == before {
		t.Errorf("the figures are not those of the result, which the pane shows: %q", before)
	}
	points := b.session().Marks.In(volume.Coronal)[0].Points
	drag(volume.Coronal, [2]float32{0.4, 0.4}, [2]float32{0.3, 0.3}) // a corner
	moved := b.session().Marks.In(volume.Coronal)[0].Points
	if slices.Equal(moved, points) || b.session().Marks.In(volume.Sagittal)[0].ID != 3 {
		t.Errorf("the corner at %v does not follow the pointer: %v", points, moved)
	}
	b.state().In(volume.Coronal).Scroll(1)
	b.drain()
	if len(planes[volume.Coronal].Caption().Marks) != 0 || len(planes[volume.Axial].Caption().Marks) != 1 {
		t.Error("an ROI is on another slice of its plane, or gone from another plane")
	}
}

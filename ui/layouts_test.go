package ui_test

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/app/workbench"
	"quell/ui/control"
	"quell/ui/panels/plotpanel"
	"quell/ui/viewer"
)

// visible returns the roles of the panes that are shown, without an inset.
func (b *bench) visible() (roles []viewer.Role) {
	for role, pane := range b.workbench.Panes() {
		if pane.Visible() && (viewer.Role(role) != viewer.Residual || !b.workbench.InsetShown()) {
			roles = append(roles, viewer.Role(role))
		}
	}
	return roles
}

// row returns the row of options with a name among them.
func (b *bench) row(option string) *control.Radio {
	b.t.Helper()
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		if r, ok := o.(*control.Radio); ok && slices.Contains(r.Options(), option) {
			return r
		}
	}
	b.t.Fatalf("there is no option %q", option)
	return nil
}

// A layout is a number of panes; the tool bar, the menu and the keys show the same one.
func TestLayouts(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	row := b.row("1×2")
	expect := func(what, layout string, roles ...viewer.Role) {
		t.Helper()
		b.drain()
		if got := b.visible(); !slices.Equal(got, roles) || row.Selected() != layout || !b.command("layout-"+layout).Checked() {
			t.Errorf("%s: panes %v, layout %q; want %v, %q", what, got, row.Selected(), roles, layout)
		}
	}
	expect("at first", "1×3", viewer.Original, viewer.Denoised, viewer.Residual)
	row.SetSelected("1×2")
	expect("two", "1×2", viewer.Original, viewer.Denoised)
	row.SetSelected("1")
	expect("one", "1", viewer.Denoised)
	b.command("layout-1×3").Run()
	expect("three", "1×3", viewer.Original, viewer.Denoised, viewer.Residual)
	b.key(fyne.KeyD)
	expect("D", "1×2", viewer.Original, viewer.Denoised)
	b.workbench.Panes()[viewer.Original].DoubleTapped(nil)
	expect("double click", "1", viewer.Original)
	b.key(fyne.KeyEscape)
	expect("Escape", "1×2", viewer.Original, viewer.Denoised)
	b.key(fyne.KeyF2)
	expect("F2", "1", viewer.Denoised)
	b.key(fyne.KeyF4)
	expect("F4", "1×3", viewer.Original, viewer.Denoised, viewer.Residual)
}

// Full screen is the pictures and nothing else; Escape leaves it.
func TestFullScreenIsThePicturesAlone(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	sum := func() (width float32) {
		for _, p := range b.workbench.Panes() {
			width += p.Size().Width
		}
		return width
	}
	tall := b.workbench.Panes()[viewer.Original].Size().Height
	notice := func(shown []string) bool { return slices.Contains(shown, "Not for clinical use") }
	if notice(b.workbench.Panes()[viewer.Original].Caption().How) {
		t.Error("the notice on clinical use is on the picture and in the status bar")
	}
	b.key(fyne.KeyF11)
	if !notice(b.workbench.Panes()[viewer.Original].Caption().How) || notice(b.workbench.Panes()[viewer.Denoised].Caption().How) {
		t.Error("the notice on clinical use is not on one picture")
	}
	size := b.canvas().Size()
	if w, h := sum(), b.workbench.Panes()[viewer.Original].Size().Height; w < 0.98*size.Width || h < 0.98*size.Height {
		t.Errorf("the pictures are %g x %g of %v", w, h, size)
	}
	b.key(fyne.KeyDown)
	b.key(fyne.KeyEscape)
	if b.workbench.Panes()[viewer.Original].Size().Height != tall || b.workbench.MainMenu() == nil {
		t.Error("Escape does not leave full screen")
	}
}

// The card shows measures or a plot; the search for a strength shows its curve, in a
// column that was hidden.
func TestTheCardHasTabs(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.drain()
	tabs := b.row("Metrics")
	if tabs.Selected() != "Metrics" || b.workbench.PlotShown() {
		t.Error("at first the card does not show the measures")
	}
	for name, kind := range map[string]plotpanel.Kind{"Histogram": plotpanel.Histogram, "Profile": plotpanel.Profile, "Strength": plotpanel.Strength} {
		tabs.SetSelected(name)
		b.drain()
		if !b.workbench.PlotShown() || b.workbench.PlotKind() != kind {
			t.Errorf("%s shows plot %v", name, b.workbench.PlotKind())
		}
		if profile := b.workbench.Panes()[0].Caption().Profile; profile != (name == "Profile") {
			t.Errorf("%s: the row of the profile is marked: %t", name, profile)
		}
	}
	tabs.SetSelected("Metrics")
	b.key(fyne.KeyP)
	b.key(fyne.KeyB)
	if !b.workbench.ColumnShown() || tabs.Selected() != "Strength" || !b.workbench.PlotShown() {
		t.Error("the search does not show its curve")
	}
	b.key(fyne.KeyEscape)
}

// The picture of a plane is mirrored and turned from the menu; the panes say so, and marks
// stay at the place at which they were drawn.
func TestMirrorAndTurnFromTheMenu(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.key(fyne.KeyE)
	b.dragOn(viewer.Original, [2]float32{0.3, 0.5}, [2]float32{0.4, 0.6})
	place := func() float64 {
		p := b.workbench.Panes()[viewer.Original]
		return p.Caption().Marks[0].Points[0][0] / float64(b.state().Cut().View().Size[0])
	}
	left := place()
	corner := func() string { return b.workbench.Panes()[viewer.Denoised].Caption().Corner[2] }
	if corner() != "4 / 7" || b.command("mirror-across").Checked() {
		t.Errorf("the corner reads %q", corner())
	}
	for _, step := range []struct{ id, corner, letters string }{
		{"mirror-across", "4 / 7, mirrored", "LRAP"}, {"turn", "4 / 7, mirrored, turned 90°", "PALR"}, {"mirror-down", "4 / 7, turned 90°", "PARL"},
	} {
		b.command(step.id).Run()
		b.drain()
		letters := b.workbench.Panes()[viewer.Residual].Caption().Letters
		if letters := strings.Join(letters[:], ""); corner() != step.corner || letters != step.letters {
			t.Errorf("%s: the corner reads %q, the letters %s", step.id, corner(), letters)
		}
		if step.id == "mirror-across" && (place() <= left || !b.command("mirror-across").Checked() || b.command("turn").Checked()) {
			t.Errorf("the mark is at %.2f, and was at %.2f", place(), left)
		}
	}
	b.command("layout-2×2").Run()
	b.drain()
	if marks := b.workbench.Planes()[0].Caption().Marks; len(marks) != 1 || marks[0].Points[0] != b.workbench.Panes()[viewer.Denoised].Caption().Marks[0].Points[0] {
		t.Errorf("the plane shows the marks %+v", marks)
	}
	b.key(fyne.KeyR)
	if corner() != "4 / 7" || place() != left {
		t.Errorf("after Reset the corner reads %q, the mark is at %g", corner(), place())
	}
}

// If the residual has no pane it is an inset in the lower right corner of the denoised
// picture, which D or a double click enlarges, and Shift+D leaves out, also at the next start.
func TestTheInsetOfTheResidual(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBenchWith(t, large, func(s *workbench.Settings) { s.Layout = "1×2" })
	panes := b.workbench.Panes()
	inset, under := panes[viewer.Residual], panes[viewer.Denoised]
	b.until("the inset is drawn", func() bool { return inset.Frame().Image != nil })
	b.drain()
	size := inset.Size()
	lo, hi := inset.Position(), inset.Position().Add(size)
	if !b.workbench.InsetShown() || !inset.Visible() || size.Width != size.Height || size.Width < 0.2*under.Size().Height || size.Width > 0.26*under.Size().Height ||
		lo.X < under.Position().X || hi.X != under.Position().X+under.Size().Width-6 || hi.Y != under.Size().Height-6 {
		t.Errorf("the inset is %v at %v, the pane %v at %v", size, lo, under.Size(), under.Position())
	}
	if c := inset.Caption(); !c.Small || c.Title != "RESIDUAL ±3 σ" || c.Place != "D enlarges" || c.Badge != "" || under.Caption().Aside != size.Width+6 || panes[viewer.Original].Caption().Aside != 0 {
		t.Errorf("caption %+v", c)
	}
	expect := func(what string, insetShown bool, roles ...viewer.Role) {
		t.Helper()
		b.drain()
		if got := b.visible(); b.workbench.InsetShown() != insetShown || !slices.Equal(got, roles) || b.command("residual").Checked() != slices.Contains(roles, viewer.Residual) {
			t.Errorf("%s: inset %t, panes %v", what, b.workbench.InsetShown(), got)
		}
	}
	b.key(fyne.KeyD)
	expect("D", false, viewer.Original, viewer.Denoised, viewer.Residual)
	if inset.Caption().Small || under.Caption().Aside != 0 {
		t.Error("the pane has the caption of an inset")
	}
	b.key(fyne.KeyD)
	expect("D again", true, viewer.Original, viewer.Denoised)
	inset.DoubleTapped(nil)
	expect("a double click on the inset", false, viewer.Original, viewer.Denoised, viewer.Residual)
	inset.DoubleTapped(nil)
	expect("a double click on the pane", false, viewer.Residual)
	b.key(fyne.KeyD)
	expect("D with one pane", true, viewer.Denoised)
	b.key(fyne.KeyD)
	expect("D again", false, viewer.Residual)
	b.key(fyne.KeyF3)
	panes[viewer.Original].DoubleTapped(nil)
	expect("the original alone", false, viewer.Original)
	b.key(fyne.KeyD)
	expect("D there", false, viewer.Residual)
	b.key(fyne.KeyF5)
	expect("the planes", false, viewer.Denoised)
	under.DoubleTapped(nil)
	expect("the comparison in one plane alone", true, viewer.Denoised)
	b.key(fyne.KeyF3)
	b.command("inset").Run()
	expect("Shift+D", false, viewer.Original, viewer.Denoised)
	if !workbench.LoadSettings(b.settingsPath).HideInset || b.command("inset").Checked() || inset.Visible() {
		t.Error("it is not left out at the next start")
	}
	b.command("inset").Run()
	expect("Shift+D again", true, viewer.Original, viewer.Denoised)
	b.resize(3840, 2160)
	b.key(fyne.KeyF2)
	if got := inset.Size().Width; got != 400 {
		t.Errorf("on a large screen the inset is %g wide", got)
	}
}

package ui_test

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/ui/viewer"
)

// The row of modes, the menu and the keys set the same mode; the panes say what they show.
func TestModesHaveRowKeysAndLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.drain()
	row := b.row("Swipe")
	denoised := b.workbench.Panes()[viewer.Denoised]
	expect := func(what, mode, title string, sides bool) {
		t.Helper()
		b.drain()
		c := denoised.Caption()
		if row.Selected() != mode || !b.command("compare-"+strings.ToLower(mode)).Checked() || c.Title != title || (c.Sides[0] == "ORIGINAL" && c.Sides[1] == "DENOISED") != sides {
			t.Errorf("%s: mode %q, title %q, sides %v; want %q, %q", what, row.Selected(), c.Title, c.Sides, mode, title)
		}
	}
	expect("at first", "Off", "", false)
	b.key(fyne.KeyW)
	expect("W", "Swipe", "ORIGINAL | DENOISED", true)
	b.key(fyne.KeyRight)
	b.key(fyne.KeyRight)
	b.key(fyne.KeyLeft)
	if got := b.state().Comparison().Share; got < 0.549 || got > 0.551 {
		t.Errorf("after two steps right and one left the divider is at %g", got)
	}
	row.SetSelected("Fade")
	expect("the row", "Fade", "ORIGINAL 45 % + DENOISED 55 %", true)
	b.command("compare-checkerboard").Run()
	expect("the menu", "Checkerboard", "ORIGINAL / DENOISED", true)
	if b.command("share-more").Enabled() {
		t.Error("a checkerboard has a divider")
	}
	b.state().Cut().PointAt(150, 150, 300, 300)
	b.drain()
	corner := denoised.Caption().Corner
	if got := corner[len(corner)-1]; strings.Count(got, " HU") != 2 || !strings.Contains(got, " | ") {
		t.Errorf("the probe says %q; want the values of both sides", got)
	}
	b.session().Screen.HoldBefore(true)
	b.drain()
	if c := denoised.Caption(); c.Title != "ORIGINAL" || c.Badge != "SHOWING THE ORIGINAL" || c.Sides[0] != "" {
		t.Errorf("while Space is held: %+v", c)
	}
	b.session().Screen.HoldBefore(false)
	b.key(fyne.KeyQ)
	expect("the same key again", "Off", "", false)
}

// If the pane of the comparison is hidden, a mode shows all panes again.
func TestAModeShowsThePaneOfTheComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.workbench.Panes()[viewer.Residual].DoubleTapped(nil)
	b.key(fyne.KeyW)
	if got := b.visible(); len(got) != 3 {
		t.Errorf("panes %v", got)
	}
	b.workbench.Panes()[viewer.Denoised].DoubleTapped(nil)
	b.key(fyne.KeyQ)
	if got := b.visible(); len(got) != 1 || got[0] != viewer.Denoised {
		t.Errorf("panes %v; want the comparison alone, as before", got)
	}
}

// A comparison that blinks shows one side after the other, until another mode is set or
// the workbench is closed.
func TestBlinking(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.drain()
	title := func() string { return b.workbench.Panes()[viewer.Denoised].Caption().Title }
	b.key(fyne.KeyK)
	tick := b.ticks()
	if tick == nil || b.interval != 600*time.Millisecond {
		t.Fatalf("nothing ticks every %v", b.interval)
	}
	for _, want := range []string{"ORIGINAL", "DENOISED", "ORIGINAL"} {
		tick()
		b.drain()
		if title() != want {
			t.Errorf("the title is %q; want %q", title(), want)
		}
	}
	b.key(fyne.KeyW)
	if b.ticks() != nil {
		t.Error("it blinks under a swipe")
	}
	tick() // one that was on its way
	b.drain()
	if title() != "ORIGINAL | DENOISED" {
		t.Errorf("the title is %q", title())
	}
	b.key(fyne.KeyK)
	b.workbench.Close()
	if b.ticks() != nil {
		t.Error("it blinks after the end")
	}
}

// Runs are chosen as sides in the menu and in the headings, and labelled.
func TestRunsAreSides(t *testing.T) {
	b := newBench(t, large)
	if b.workbench.Panes()[viewer.Original].Caption().Choice {
		t.Error("the heading offers a choice before the first run")
	}
	for _, dims := range []int{2, 3} {
		r := b.session().Tuning.Recipe()
		r.Dims = dims
		b.session().Tuning.Set(r, true)
		b.command("apply").Run()
		b.until("the volume is filtered", b.session().Results.Applied)
		b.drain()
	}
	items := b.menuItem("Compare", "Compare with").ChildMenu.Items
	if len(items) != 3 || items[0].Label != "Original" || !items[0].Checked || !strings.HasPrefix(items[1].Label, "Run 1: Non-local means 2-D") || !strings.HasPrefix(items[2].Label, "Run 2: Non-local means 3-D") {
		t.Fatalf("%d items, first %q", len(items), items[0].Label)
	}
	items[1].Action()
	b.drain()
	panes := b.workbench.Panes()
	for role, want := range [viewer.Roles][2]string{{"RUN 1", "Non-local means 2-D"}, {"RUN 2", "Non-local means 3-D"}, {"DIFFERENCE", "run 1 − run 2"}} {
		if c := panes[role].Caption(); c.Title != want[0] || !strings.HasPrefix(c.Detail, want[1]) {
			t.Errorf("pane %d: %q, %q; want %v", role, c.Title, c.Detail, want)
		}
	}
	if !panes[viewer.Original].Caption().Choice || !panes[viewer.Denoised].Caption().Choice || panes[viewer.Residual].Caption().Choice {
		t.Error("the headings do not show which of them offer a choice")
	}
	b.key(fyne.KeyW)
	if c := panes[viewer.Denoised].Caption(); c.Sides != [2]string{"RUN 1", "RUN 2"} || c.Title != "RUN 1 | RUN 2" {
		t.Errorf("under a swipe: %+v", c)
	}
	// The heading offers the same.
	panes[viewer.Original].Tapped(&fyne.PointEvent{Position: fyne.NewPos(9, 9)})
	if b.canvas().Overlays().Top() == nil {
		t.Fatal("the heading opens no menu")
	}
	b.canvas().Overlays().Top().Hide()
	panes[viewer.Residual].Tapped(&fyne.PointEvent{Position: fyne.NewPos(9, 9)})
	if b.canvas().Overlays().Top() != nil {
		t.Error("the residual has a choice")
	}
	b.menuItem("Compare", "Compare with").ChildMenu.Items[0].Action()
	b.drain()
	if c := panes[viewer.Original].Caption(); c.Title != "" || c.Badge != "" {
		t.Errorf("the original again: %+v", c)
	}
}

// The options of a row say what they do, and by what key.
func TestModesHaveTooltips(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	row := b.row("Swipe")
	row.OnHover("Swipe", row, true)
	if text, _, _ := b.workbench.Tooltip(); !strings.HasPrefix(text, "Swipe (W): ") {
		t.Errorf("tooltip %q", text)
	}
	row.OnHover("Swipe", row, false)
	if text, _, _ := b.workbench.Tooltip(); text != "" {
		t.Errorf("tooltip %q after the pointer left", text)
	}
	if len(test.LaidOutObjects(row)) == 0 {
		t.Error("the row is empty")
	}
}

// The slider of a comparison is there for the modes that it sets, and no other.
func TestTheSliderOfAComparison(t *testing.T) {
	b := newBench(t, fyne.NewSize(1600, 900))
	if b.workbench.ShareShown() {
		t.Error("without a comparison there is a slider")
	}
	for _, step := range []struct {
		key   fyne.KeyName
		shown bool
	}{{fyne.KeyW, true}, {fyne.KeyK, false}, {fyne.KeyO, true}, {fyne.KeyQ, false}, {fyne.KeyW, true}, {fyne.KeyW, false}} {
		if b.key(step.key); b.workbench.ShareShown() != step.shown {
			t.Errorf("%s: the slider is shown: %t", step.key, !step.shown)
		}
	}
}

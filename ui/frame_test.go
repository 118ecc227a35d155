package ui_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/app/workbench"
	"quell/denoise"
	"quell/ui/control"
	"quell/ui/session/desk"
	"quell/ui/viewer"
)

// menuHeight is the height of the main menu on the desktop, which the driver of tests
// leaves out.
const menuHeight = 25

// resize gives the workbench the size of a whole window on the desktop.
func (b *bench) resize(width, height float32) {
	b.workbench.Window().Resize(fyne.NewSize(width, height-menuHeight))
	b.drain()
}

// share returns the part of a window of a size that the panes cover.
func (b *bench) share(width, height float32) float32 {
	sum := float32(0)
	for role, p := range b.workbench.Panes() {
		if p.Visible() && (viewer.Role(role) != viewer.Residual || !b.workbench.InsetShown()) { // which lies over another
			sum += p.Size().Width * p.Size().Height
		}
	}
	for _, p := range b.workbench.Planes() {
		if p.Visible() {
			sum += p.Size().Width * p.Size().Height
		}
	}
	return sum / (width * height)
}

// From 1400 units of width on the column of filter and measures is in sight until P hides it; without
// it the pictures have four fifths of the workbench at every size and in every layout.
func TestTheColumnIsInSightFromAWidthOn(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBenchWith(t, large, func(*workbench.Settings) {})
	for _, size := range []struct {
		width, height float32
		column        bool
	}{{1280, 720, false}, {1399, 900, false}, {1400, 900, true}, {1440, 900, true}, {1440, 599 + menuHeight, false}, {1440, 600 + menuHeight, true}, {1600, 1000, true}, {1920, 1080, true}, {3840, 2160, true}} {
		b.resize(size.width, size.height)
		for _, layout := range []string{"1", "1×2", "1×3", "2×2"} {
			b.command("layout-" + layout).Run()
			b.drain()
			if b.workbench.ColumnShown() != size.column {
				t.Errorf("%g x %g, layout %s: column shown %t", size.width, size.height, layout, b.workbench.ColumnShown())
			}
			if share := b.share(size.width, size.height); size.height >= 720 && share < 0.8 && !size.column {
				t.Errorf("%g x %g, layout %s: pictures have %.1f %%", size.width, size.height, layout, 100*share)
			}
		}
		if b.workbench.QuickShown() == size.column {
			t.Errorf("%g x %g: the line of the strength is shown %t", size.width, size.height, !size.column)
		}
	}
	b.resize(1600, 1000)
	b.key(fyne.KeyP)
	if share := b.share(1600, 1000); b.workbench.ColumnShown() || share < 0.8 || workbench.LoadSettings(b.settingsPath).Column != "hidden" {
		t.Errorf("P does not hide the column, or not at the next start; pictures have %.1f %%", 100*share)
	}
	again := newBenchWith(t, fyne.NewSize(1600, 1000), func(s *workbench.Settings) { s.Column = workbench.LoadSettings(b.settingsPath).Column })
	if again.workbench.ColumnShown() {
		t.Error("a column that P hid is there at the next start")
	}
	b.key(fyne.KeyP)
	b.resize(1280, 720)
	if !b.workbench.ColumnShown() || b.workbench.QuickShown() || b.share(1280, 720) > 0.62 || workbench.LoadSettings(b.settingsPath).Column != "shown" {
		t.Errorf("P does not show the column, or it is not kept for the next start: %q", workbench.LoadSettings(b.settingsPath).Column)
	}
	b.resize(3840, 2160)
	b.key(fyne.KeyP)
	if b.workbench.ColumnShown() || workbench.LoadSettings(b.settingsPath).Column != "hidden" {
		t.Error("P does not hide the column")
	}
	b.resize(1280, 720)
	b.resize(640, 600)
	if size := b.canvas().Size(); size.Width != 640 || b.workbench.QuickShown() || b.share(640, 600) < 0.75 {
		t.Errorf("a narrow workbench is %v, the line of the strength is shown %t, pictures have %.2f", size, b.workbench.QuickShown(), b.share(640, 600))
	}
	b.resize(1280, 720)
	b.key(fyne.KeyF11)
	if b.workbench.QuickShown() {
		t.Error("full screen shows the line of the strength")
	}
	b.key(fyne.KeyF11)
}

// Without the column the strength, the verdict and the run are in the line of the slices,
// and what the column warns of is in the status bar.
func TestTheLineOfTheStrength(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBenchWith(t, large, func(*workbench.Settings) {})
	b.until("the slice is judged", func() bool { return b.session().Measures.Slice().Known })
	b.drain()
	if b.workbench.ColumnShown() || b.workbench.VerdictText() != b.session().Measures.Slice().Judgement.Message().String() {
		t.Fatalf("the verdict reads %q", b.workbench.VerdictText())
	}
	var run, name *control.Button
	for _, o := range test.LaidOutObjects(b.workbench.Dial()) {
		if button, ok := o.(*control.Button); ok && button.Text == "Apply" {
			run = button
		} else if ok {
			name = button
		}
	}
	name.MouseIn(nil)
	if text, at, size := b.workbench.Tooltip(); !strings.HasPrefix(text, "Filter, metrics and plots (P)") || at.Y+size.Height > b.canvas().Size().Height {
		t.Errorf("the tooltip %q lies at %v, %v", text, at, size)
	}
	test.Tap(name)
	if text, _, _ := b.workbench.Tooltip(); text != "" || !b.workbench.ColumnShown() {
		t.Errorf("after a click the tooltip says %q, column shown %t", text, b.workbench.ColumnShown())
	}
	b.key(fyne.KeyP)
	test.Tap(run)
	b.drain()
	if p := b.session().Tasks.Progress(); p.Kind == desk.Applying && b.workbench.Status() != p.Text {
		t.Errorf("during the run the status bar reads %q", b.workbench.Status())
	}
	b.until("the volume is filtered", b.session().Results.Applied)
	b.drain()
	if !run.Disabled() {
		t.Error("the volume can be filtered twice with the same parameters")
	}
	b.session().Tuning.Set(b.session().Tuning.Recipe().With("patch-radius", denoise.Number(2)), true)
	b.show(head())
	b.until("the status bar says what comes from an earlier series", func() bool {
		return b.workbench.Status() == "From an earlier series: Patch radius. “Defaults” sets everything back."
	})
	b.key(fyne.KeyP)
	b.until("the status bar is that of the series beside the column, which says it", func() bool { return b.workbench.Status() == exampleStatus })
}

// Nine series keep their pictures, names and badges in the list on every window, and the one on the screen is in sight.
func TestTheListOfSeriesKeepsItsPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBenchWith(t, large, func(*workbench.Settings) {})
	const series = 9
	b.openFiles(series)
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	for _, size := range []fyne.Size{fyne.NewSize(1600, 1000), fyne.NewSize(1280, 720), fyne.NewSize(640, 600)} {
		b.resize(size.Width, size.Height)
		b.drain()
		for i, cell := range b.workbench.Rail() {
			if cell.Size().Width < 80 || cell.Size().Height < 100 || cell.Name() == "" || (cell.Badge() == "result") != (i == series-1) {
				t.Errorf("%v: cell %d is %v, with the name %q and the badge %q", size, i, cell.Size(), cell.Name(), cell.Badge())
			}
		}
		for _, shown := range []int{0, series - 1, 4} {
			b.session().Documents.Show(shown)
			b.drain()
			at := fyne.CurrentApp().Driver().AbsolutePositionForObject(b.workbench.Rail()[shown].Thumbnail)
			list := b.workbench.RailList()
			from := fyne.CurrentApp().Driver().AbsolutePositionForObject(list)
			if at.Y < from.Y || at.Y+b.workbench.Rail()[shown].Size().Height > from.Y+list.Size().Height {
				t.Errorf("%v: series %d lies at %v of the list from %v, %v high", size, shown, at, from, list.Size().Height)
			}
		}
	}
}

// The column is filled in when it appears.
func TestTheColumnAppearsFilledIn(t *testing.T) {
	b := newBenchWith(t, large, func(*workbench.Settings) {})
	b.canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyP}) // and nothing that is queued
	strength := false
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		if s, ok := o.(*control.Select); ok && s.Selected == "Non-local means" {
			strength = true
		}
	}
	if !b.workbench.ColumnShown() || !strength {
		t.Error("the column is empty at first")
	}
}

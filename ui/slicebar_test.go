package ui_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/app/job"
	"quell/internal/nii4d"
	"quell/ui/control"
	"quell/volume"
)

// volumeSlider returns the slider along a 4-D series and its text; nil if none is shown.
func (b *bench) volumeSlider() (slider *control.Slider, text string) {
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		if l, ok := o.(*widget.Label); ok && l.Visible() && strings.HasSuffix(l.Text, " of 3)") {
			text = l.Text
		}
		if s, ok := o.(*control.Slider); ok && s.Visible() && s.Max == 3 {
			slider = s
		}
	}
	if text == "" {
		return nil, ""
	}
	return slider, text
}

// The slider below the slider of the slices shows the volumes of a 4-D series, and
// keys step through them; a result asks before it is lost.
func TestSliderOfVolumes(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, fyne.NewSize(1200, 800))
	b.openBundled()
	if s, text := b.volumeSlider(); s != nil || text != "" {
		t.Fatal("a series alone has volumes")
	}
	path := filepath.Join(t.TempDir(), "dynamic.nii")
	s := head()
	g := s.Volume.Geometry
	g.Dims[2] *= 3
	all := volume.New(g)
	copy(all.Data, slices.Concat(s.Volume.Data, s.Volume.Data, s.Volume.Data))
	s.Volume = all
	if _, err := app.DoOn(t.Context(), app.On{Series: s}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	if err := nii4d.Fold(path, 3, 2); err != nil {
		t.Fatal(err)
	}
	b.workbench.Open(path)
	b.until("the first volume is shown", func() bool { _, text := b.volumeSlider(); return text == "time 0 s (1 of 3)" })
	// Its line has a place of its own above the status bar, without a change of the window's size.
	slider, _ := b.volumeSlider()
	driver := fyne.CurrentApp().Driver()
	if foot := driver.AbsolutePositionForObject(slider).Y + slider.Size().Height; foot > b.workbench.StatusTop() {
		t.Errorf("the slider of volumes ends at %g, below the top of the status bar at %g", foot, b.workbench.StatusTop())
	}
	shown := func(want int, text string) {
		t.Helper()
		b.until(text, func() bool {
			_, index := b.session().Documents.Group()
			s, now := b.volumeSlider()
			return index == want-1 && now == text && s != nil && s.Value == float64(want) && !b.session().Tasks.Busy()
		})
	}
	slider, _ = b.volumeSlider()
	slider.SetValue(3)
	shown(3, "time 4 s (3 of 3)")
	b.press(fyne.KeyLeftBracket)
	shown(2, "time 2 s (2 of 3)")
	b.press(fyne.KeyRightBracket)
	shown(3, "time 4 s (3 of 3)")
	b.press(fyne.KeyRightBracket) // there is none
	shown(3, "time 4 s (3 of 3)")

	b.command("apply").Run()
	b.until("the volume is filtered", func() bool { return b.session().Results.Exportable() != nil && !b.session().Tasks.Busy() })
	slider, _ = b.volumeSlider()
	slider.SetValue(1)
	b.drain()
	if q := b.question(); !strings.Contains(q, "not been exported") {
		t.Fatalf("the result is lost without a question: %q", q)
	}
	if slider.Value != 1 {
		t.Error("the slider moved back before the answer")
	}
	b.tap("Keep working")
	shown(3, "time 4 s (3 of 3)")
	slider.SetValue(1)
	b.drain()
	b.tap("Discard")
	shown(1, "time 0 s (1 of 3)")

	b.openBundled()
	b.until("the slider is gone", func() bool { s, _ := b.volumeSlider(); return s == nil })
}

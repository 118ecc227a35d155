package ui_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"quell/app/job"
	"quell/app/workbench"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/ui/screen"
	"quell/ui/session/preview"
)

// At 1280×720 every filter shows its parameters without a scroll, above measures that need
// none either, with a reference as well.
func TestTheColumnFitsALowScreen(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBenchWith(t, fyne.NewSize(1280, 720-menuHeight), func(s *workbench.Settings) { s.Column, s.Layout = "shown", "1×2" })
	b.app.Settings().SetTheme(screen.Theme{})
	b.show(tissue(t))
	fits := func(what string) {
		for _, f := range denoise.Filters() {
			r, err := denoise.NewRecipe(f.Name, 0)
			if err != nil {
				t.Fatal(err)
			}
			b.session().Tuning.Set(r, true)
			b.until("the slice is filtered", func() bool {
				return b.status() == preview.Slice && b.session().Measures.Slice().Known && b.session().Measures.Slice().Current
			})
			b.drain()
			scrolls := 0
			for _, o := range test.LaidOutObjects(b.canvas().Content()) {
				s, ok := o.(*container.Scroll)
				if !ok || s.Size().Height == 0 { // such as the list of one series
					continue
				}
				scrolls++
				if needed, there := s.Content.MinSize().Height, s.Size().Height; needed > there {
					t.Errorf("%s%s: scroll %d needs a height of %g; there are %g", f.Name, what, scrolls, needed, there)
				}
			}
			if scrolls < 2 {
				t.Fatalf("%d parts can scroll; want the parameters and the measures", scrolls)
			}
		}
	}
	fits("")
	b.session().Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 4, Seed: 1})
	b.until("noise was added", func() bool { return b.session().Document().Reference() != nil })
	fits(", with a reference")
}

// At 1280×720 the help sheet shows every key without a scroll.
func TestTheHelpSheetFitsALowScreen(t *testing.T) {
	b := newBench(t, fyne.NewSize(1280, 720-menuHeight))
	b.app.Settings().SetTheme(screen.Theme{})
	b.key(fyne.KeyF1)
	scrolls := 0
	for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
		s, ok := o.(*container.Scroll)
		if !ok {
			continue
		}
		scrolls++
		if needed, there := s.Content.MinSize(), s.Size(); needed.Width > there.Width || needed.Height > there.Height {
			t.Errorf("the keys need %v; there are %v", needed, there)
		}
	}
	if scrolls != 1 {
		t.Fatalf("%d parts of the help sheet can scroll; want the one of the keys", scrolls)
	}
}

// The help on a parameter that the column has no room for lies next to it, in lines that can
// be read, and goes with the pointer.
func TestTheHelpOnAParameterLiesBesideALowColumn(t *testing.T) {
	b := newBench(t, fyne.NewSize(1280, 720-menuHeight))
	b.app.Settings().SetTheme(screen.Theme{})
	found := false
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		h, ok := o.(desktop.Hoverable)
		if !ok {
			continue
		}
		h.MouseIn(&desktop.MouseEvent{})
		text, at, size := b.workbench.Tooltip()
		h.MouseOut()
		if !strings.HasPrefix(text, "Strength: ") {
			continue
		}
		found = true
		if at.X+size.Width > 1280-340 || size.Width > 500 || size.Height < 30 {
			t.Errorf("the help %q lies at %v with a size of %v", text, at, size)
		}
		if text, _, _ := b.workbench.Tooltip(); text != "" {
			t.Errorf("the help %q stays", text)
		}
	}
	if !found {
		t.Error("there is no help on the strength")
	}
}

package ui_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"quell/ui/screen"
)

// The dialog shows the noise before and after with charts, says why there is no d', and ends its work with Escape.
func TestThePhysicsOfASlice(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, fyne.NewSize(1280, 800))
	b.app.Settings().SetTheme(screen.Theme{})
	b.show(tissue(t))
	b.command("physics").Run()
	b.until("the slice is measured", func() bool { return b.session().Physics.Now().Figures != nil })
	b.drain()
	var texts []string
	for _, l := range inDialog[*widget.Label](b) {
		texts = append(texts, l.Text)
	}
	all := strings.Join(texts, "|")
	for _, want := range []string{"Noise σ, HU|", "Mean frequency of the noise, 1/mm|", "Slice 2. Homogeneous regions (green): ", "Denoised|", "|× 0."} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in %q", want, all)
		}
	}
	b.until("slice and spectra are drawn", func() bool {
		drawn := 0
		for _, m := range inDialog[*canvas.Image](b) {
			if m.Image != nil {
				drawn++
			}
		}
		return drawn == 2
	})
	b.command("cancel").Run()
	if b.canvas().Overlays().Top() != nil || b.session().Physics.Now().Measuring {
		t.Error("the dialog or its work goes on")
	}
}

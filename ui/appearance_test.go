package ui_test

import (
	"image"
	"image/color"
	"testing"

	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"quell/app/workbench"
	"quell/ui/palette"
	"quell/ui/screen"
	"quell/ui/viewer"
)

// chartGround returns the ground of the chart that is shown.
func (b *bench) chartGround() (ground color.NRGBA) {
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		i, ok := o.(*canvas.Image)
		if !ok || !i.Visible() || i.Image == nil {
			continue
		}
		corner := color.NRGBAModel.Convert(i.Image.At(i.Image.Bounds().Min.X, i.Image.Bounds().Min.Y)).(color.NRGBA)
		if _, drawn := i.Image.(*image.RGBA); drawn && (corner == palette.Dark.ChartGround || corner == palette.Light.ChartGround) {
			ground = corner
		}
	}
	return ground
}

// The appearance changes at once, of charts and strips too, and is kept for the next start; pictures stay on black.
func TestTheAppearanceChangesAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBenchWith(t, large, func(s *workbench.Settings) { s.Column = "shown" })
	b.show(tissue(t))
	b.workbench.SelectTab("Histogram")
	b.until("the histogram is drawn", func() bool { return b.chartGround() == palette.Dark.ChartGround })
	choose := func(label string) {
		for _, item := range b.menuItem("View", "Appearance").ChildMenu.Items {
			if item.Label == label {
				item.Action()
			}
		}
	}
	for _, c := range []struct {
		label, saved string
		colors       *palette.Colors
	}{{"Light", workbench.Light, palette.Light}, {"Dark", workbench.Dark, palette.Dark}} {
		choose(c.label)
		b.until("the histogram is drawn anew", func() bool { return b.chartGround() == c.colors.ChartGround })
		if screen.Colors() != c.colors || workbench.LoadSettings(b.settingsPath).Appearance != c.saved {
			t.Errorf("%s: the settings say %q", c.label, workbench.LoadSettings(b.settingsPath).Appearance)
		}
		for _, item := range b.menuItem("View", "Appearance").ChildMenu.Items {
			if item.Checked != (item.Label == c.label) {
				t.Errorf("%s is chosen; the check mark of %s is %v", c.label, item.Label, item.Checked)
			}
		}
		for _, o := range test.WidgetRenderer(b.workbench.Panes()[viewer.Original]).Objects()[:1] {
			if ground, ok := o.(*canvas.Rectangle); !ok || ground.FillColor != color.Color(palette.Picture.Ground) {
				t.Errorf("%s: a pane begins with %v, not with a black ground", c.label, o)
			}
		}
	}
}

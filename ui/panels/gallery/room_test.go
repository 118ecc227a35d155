package gallery

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/ui/control"
	"quell/ui/session/tuning"
	"quell/ui/tile"

	_ "quell/internal/locale" // English
)

// On windows of every usual size a row of tiles is in sight as a whole, two if they are not small then, and neither the order nor
// the hint is cut.
func TestTheGalleryUsesItsRoom(t *testing.T) {
	test.NewTempApp(t)
	for _, c := range []struct {
		size   fyne.Size
		rows   float32
		height float32 // of pictures
	}{
		{fyne.NewSize(1200, 590), 1, 300}, {fyne.NewSize(1500, 860), 2, 240}, {fyne.NewSize(3600, 1900), 2, 700}, {fyne.NewSize(1000, 420), 1, 150},
	} {
		g := NewWidget(tile.Place{}, Hooks{Sort: func(tuning.Order) {}})
		w := test.NewTempWindow(t, g)
		w.SetPadded(false)
		w.Resize(c.size)
		cells := []Cell{{ID: -1, Title: "Original"}}
		for i := range 8 {
			cells = append(cells, Cell{ID: i, Title: "Non-local means, 2-D", Picture: &tile.Picture{}, Lines: []string{
				"estimated error 0.65 σ, noise left 1.59 HU", "19 ms", "small discs keep 40 % of their contrast; in even tissue 45 % of the noise is left, texture 0.77",
			}, Take: func() {}})
		}
		g.Display(cells, nil, true)
		g.ShowSlice("Slice 15 / 28")
		row := g.grid.Objects[0].Size().Height
		if got := g.tiles[1].Size(); got.Height < c.height || got.Height > got.Width+8 || c.rows*row > g.scroll.Size().Height+8 {
			t.Errorf("%v: a picture is %v, a row %g of %g", c.size, got, row, g.scroll.Size().Height)
		}
		if c.size.Height > 500 && g.hint.MinSize().Height > g.hint.Size().Height {
			t.Errorf("%v: the hint is cut: %v of %v", c.size, g.hint.Size(), g.hint.MinSize())
		}
	}
	g := NewWidget(tile.Place{}, Hooks{Sort: func(tuning.Order) {}})
	w := test.NewTempWindow(t, g)
	w.Resize(fyne.NewSize(1200, 590))
	for _, o := range test.LaidOutObjects(g) {
		if order, ok := o.(*control.Select); ok {
			for _, option := range order.Options {
				if text := fyne.MeasureText(option, order.Theme().Size("text"), fyne.TextStyle{}).Width; order.Size().Width < text+40 {
					t.Errorf("%q is cut: %g of %g", option, order.Size().Width, text)
				}
			}
		}
	}
}

package frame

import (
	"image/color"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	_ "quell/internal/locale" // English
	"quell/ui/panel"
)

// The card has what its rows need, of a low column what the filter leaves it, at least a share.
func TestTheCardHasItsShareOfTheColumn(t *testing.T) {
	for _, c := range []struct {
		height, filter, needs, want float32
	}{
		{900, 300, 400, 400}, {900, 300, 490, 490},
		{701, 300, 400, 400}, {699, 300, 400, 399}, {600, 300, 400, 300}, {590, 300, 400, 295}, // what the filter leaves, at least half
		{791, 300, 490, 490}, {789, 300, 490, 489}, {600, 300, 490, 300}, {590, 300, 490, 295},
	} {
		filter, card := canvas.NewRectangle(nil), canvas.NewRectangle(nil)
		l := columnLayout{func() columnNeeds { return columnNeeds{c.filter, c.needs} }}
		l.Layout([]fyne.CanvasObject{filter, card}, fyne.NewSize(sideWidth, c.height))
		got := card.Size().Height
		if d := got - c.want; d*d > 1e-4 || card.Position().Y != c.height-got || filter.Size().Height != c.height-got {
			t.Errorf("of %g, the filter %g, of %g needed: the card has %g at %g, the filter %g; want %g", c.height, c.filter, c.needs, got, card.Position().Y, filter.Size().Height, c.want)
		}
	}
}

// A tab that is chosen is seen, also if the tabs are wider than the card.
func TestTheChosenTabIsSeen(t *testing.T) {
	test.NewTempApp(t)
	var panels []panel.Panel
	titles := []string{"Measures", "Lesions", "Histogram", "Profile", "Strength", "ROI", "Another"}
	for _, title := range titles {
		panels = append(panels, tabbed{title: title, object: canvas.NewRectangle(color.Black)})
	}
	c := newCard(panels, func() {})
	w := test.NewTempWindow(t, c.content)
	w.Resize(fyne.NewSize(sideWidth, 300))
	if c.tabs.MinSize().Width <= c.bar.Size().Width {
		t.Fatal("the tabs fit")
	}
	for _, title := range []string{"Another", "Measures", "ROI", "Lesions", "Profile"} {
		c.selectTab(title)
		from, to := c.tabs.Span()
		if x := c.bar.Offset.X; from < x || to > x+c.bar.Size().Width {
			t.Errorf("%s is at %g to %g; the card shows %g to %g", title, from, to, x, x+c.bar.Size().Width)
		}
	}
}

// tabbed is a panel of one tab.
type tabbed struct {
	panel.Base
	title  string
	object fyne.CanvasObject
}

func (p tabbed) Dock() panel.Dock {
	return panel.Dock{Area: panel.Card, Object: p.object, Tabs: []string{p.title}}
}

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
		wants                       float32 // of the filter; 0 for all
	}{
		{900, 300, 400, 400, 0}, {900, 300, 490, 490, 0},
		{701, 300, 400, 400, 0}, {699, 300, 400, 399, 0}, {600, 300, 400, 300, 0}, {590, 300, 400, 295, 0}, // what the filter leaves, at least half
		{791, 300, 490, 490, 0}, {789, 300, 490, 489, 0}, {600, 300, 490, 300, 0}, {590, 300, 490, 295, 0},
		{900, 300, 400, 400, 500}, {900, 300, 400, 401, 499}, {900, 300, 400, 500, 400}, // what the filter has no use for
		{900, 300, 400, 600, 501}, {600, 300, 400, 300, 400}, // its help has no room
	} {
		filter, card := canvas.NewRectangle(nil), canvas.NewRectangle(nil)
		l := columnLayout{func() columnNeeds {
			return columnNeeds{column: c.filter, least: c.filter, most: c.wants, card: c.needs}
		}}
		l.Layout([]fyne.CanvasObject{filter, card}, fyne.NewSize(sideWidth, c.height))
		got := card.Size().Height
		if d := got - c.want; d*d > 1e-4 || card.Position().Y != c.height-got || filter.Size().Height != c.height-got {
			t.Errorf("of %g, the filter %g, of %g needed: the card has %g at %g, the filter %g; want %g", c.height, c.filter, c.needs, got, card.Position().Y, filter.Size().Height, c.want)
		}
	}
}

// All tabs are seen, in as many lines as they need.
func TestEveryTabIsSeen(t *testing.T) {
	test.NewTempApp(t)
	for lines, titles := range map[int][]string{
		1: {"Metrics", "Lesions"},
		2: {"Metrics", "Lesions", "Histogram", "Profile", "Resolution", "Strength", "ROI"},
	} {
		var panels []panel.Panel
		for _, title := range titles {
			panels = append(panels, tabbed{title: title, object: canvas.NewRectangle(color.Black)})
		}
		c := newCard(panels, func() {})
		w := test.NewTempWindow(t, c.content)
		w.Resize(fyne.NewSize(cardWidth, 300))
		one := newCard(panels[:1], func() {}).tabs.MinSize().Height
		if height := c.tabs.MinSize().Height; height < one*float32(lines) || height > (one+2)*float32(lines) || c.tabs.MinSize().Width > cardWidth {
			t.Errorf("%d tabs take %v; want %d lines of %g", len(titles), c.tabs.MinSize(), lines, one)
		}
		for _, title := range titles {
			if c.selectTab(title); c.title != title {
				t.Errorf("%s is shown, want %s", c.title, title)
			}
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

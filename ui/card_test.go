package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// The card has what its rows need, of a low column what the filter leaves it, at least a share,
// which is larger where there are rows about a reference.
func TestTheCardHasItsShareOfTheColumn(t *testing.T) {
	for _, c := range []struct {
		height, filter float32
		referenced     bool
		want           float32
	}{
		{900, 300, false, 350}, {900, 300, true, 440},
		{651, 300, false, 350}, {649, 300, false, 349}, {600, 300, false, 300}, {590, 300, false, 295}, // what the filter leaves, at least half
		{630, 300, true, 440}, {600, 300, true, 420}, {600, 170, true, 430},
	} {
		filter, card := canvas.NewRectangle(nil), canvas.NewRectangle(nil)
		l := columnLayout{func() columnNeeds { return columnNeeds{c.filter, c.referenced} }}
		l.Layout([]fyne.CanvasObject{filter, card}, fyne.NewSize(sideWidth, c.height))
		got := card.Size().Height
		if d := got - c.want; d*d > 1e-4 || card.Position().Y != c.height-got || filter.Size().Height != c.height-got {
			t.Errorf("of %g, the filter %g, reference %t: the card has %g at %g, the filter %g; want %g", c.height, c.filter, c.referenced, got, card.Position().Y, filter.Size().Height, c.want)
		}
	}
}

package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// The card has what its rows need, of a low column what the filter leaves it, at least a share.
func TestTheCardHasItsShareOfTheColumn(t *testing.T) {
	for _, c := range []struct {
		height, filter float32
		referenced     bool
		want           float32
	}{
		{900, 300, false, 400}, {900, 300, true, 490},
		{701, 300, false, 400}, {699, 300, false, 399}, {600, 300, false, 300}, {590, 300, false, 295}, // what the filter leaves, at least half
		{791, 300, true, 490}, {789, 300, true, 489}, {600, 300, true, 300}, {590, 300, true, 295},
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

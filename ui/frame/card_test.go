package frame

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	_ "quell/internal/locale" // English
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

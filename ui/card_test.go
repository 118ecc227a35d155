package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// The card has what its rows need, of a low column a share, which is larger where there are
// rows about a reference.
func TestTheCardHasItsShareOfTheColumn(t *testing.T) {
	for _, c := range []struct {
		height     float32
		referenced bool
		want       float32
	}{
		{900, false, 350}, {900, true, 440}, {700, false, 350}, {600, false, 330}, {630, true, 440}, {600, true, 420},
	} {
		filter, card := canvas.NewRectangle(nil), canvas.NewRectangle(nil)
		l := columnLayout{func() bool { return c.referenced }}
		l.Layout([]fyne.CanvasObject{filter, card}, fyne.NewSize(sideWidth, c.height))
		got := card.Size().Height
		if d := got - c.want; d*d > 1e-4 || card.Position().Y != c.height-got || filter.Size().Height != c.height-got {
			t.Errorf("of %g, reference %t: the card has %g at %g, the filter %g; want %g", c.height, c.referenced, got, card.Position().Y, filter.Size().Height, c.want)
		}
	}
}

package noise

import "testing"

// Orders that fall by more than 0.8 share noise, whether a correlation was found or not; others stay.
func TestFallOfOrders(t *testing.T) {
	for falls, shared := range map[float64]bool{0.81: false, 0.79: true} {
		order := func(weights []float64, x float64) evenOrder {
			f := evenFigures{x, x, x, x, x}
			return evenOrder{weights: weights, narrow: f, wide: f}
		}
		w := evenWindows{orders: []evenOrder{order(evenOrders[0], 1), order(evenOrders[1], 1), order(evenOrders[3], falls)}}
		w.correctOverlap()
		if w.overlap != shared || (w.orders[2].narrow[evenLowest] > falls) != shared || w.orders[0].narrow[evenLowest] != 1 {
			t.Errorf("falls to %g: shared %v, %+v", falls, w.overlap, w.orders)
		}
	}
}

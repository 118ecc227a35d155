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

// Orders that fall by more than 0.8 with more anatomy than the highest has may share noise: the high end of the interval reaches
// there, and no further if they do not fall.
func TestFallByAnatomy(t *testing.T) {
	for falls, may := range map[float64]bool{0.81: false, 0.79: true} {
		order := func(weights []float64, x, scatter float64) evenOrder {
			f := evenFigures{x, x, x, x, x}
			f[evenQuarter] = x * (1 + scatter)
			return evenOrder{weights: weights, narrow: f, wide: f, count: 1000}
		}
		w := evenWindows{orders: []evenOrder{order(evenOrders[1], 1, 0.5), order(evenOrders[3], falls, 0)}}
		w.correctOverlap()
		if w.overlap || (w.mayShare > 1) != may || w.orders[1].narrow[evenLowest] != falls {
			t.Errorf("falls to %g: may share %g, %+v", falls, w.mayShare, w.orders)
		}
	}
}

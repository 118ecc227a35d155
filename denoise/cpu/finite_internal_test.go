package cpu

import (
	"math"
	"testing"
)

func TestFinite(t *testing.T) {
	inf := float32(math.Inf(1))
	for n := range 11 {
		row := make([]float32, n)
		for i := range row {
			row[i] = math.MaxFloat32
		}
		if !finite(row) {
			t.Errorf("%d finite values are not", n)
		}
		for i := range row {
			for _, v := range []float32{inf, -inf, inf - inf} {
				row[i] = v
				if finite(row) {
					t.Errorf("%d values with %g at %d are finite", n, v, i)
				}
			}
			row[i] = 1
		}
	}
}

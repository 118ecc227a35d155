package volume_test

import (
	"math"
	"testing"

	"quell/volume"
)

func TestFinite(t *testing.T) {
	inf := float32(math.Inf(1))
	for n := range 35 {
		values := make([]float32, n)
		for i := range values {
			values[i] = math.MaxFloat32
		}
		if !volume.Finite(values) {
			t.Errorf("%d finite values are not", n)
		}
		for i := range values {
			for _, v := range []float32{inf, -inf, inf - inf} {
				values[i] = v
				if volume.Finite(values) {
					t.Errorf("%d values with %g at %d are finite", n, v, i)
				}
			}
			values[i] = 1
		}
	}
}

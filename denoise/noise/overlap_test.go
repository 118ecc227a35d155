package noise_test

import (
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// Noise that slices share, as they overlap or were interpolated, is read as a whole; independent noise reads as before.
func TestNoiseThatSlicesShare(t *testing.T) {
	g := volume.Geometry{Dims: [3]int{96, 96, 12}, Spacing: [3]float64{1, 1, 1}}
	for _, x := range []struct {
		part float64 // of the noise of each neighbouring slice
		off  float64 // that is allowed
	}{{0, 0.05}, {0.25, 0.12}, {0.5, 0.15}} {
		v := noisy(t, volume.New(g), noise.Gaussian, 1, 11)
		shareSlices(v, x.part)
		squares := 0.0
		for _, a := range v.Data {
			squares += float64(a) * float64(a)
		}
		v = scaled(v, 10)
		sigma := 10 * math.Sqrt(squares/float64(len(v.Data)))
		for i := range v.Data { // a gradient over tissue, as coils make it
			v.Data[i] += 400 + float32(i%g.Dims[0])
		}
		e := estimate(t, v)
		if e.Sigma < sigma*(1-x.off) || e.Sigma > sigma*(1+x.off) || e.Low > sigma || e.High < sigma {
			t.Errorf("slices share %g: sigma %.2f (%.2f to %.2f), want %.2f", x.part, e.Sigma, e.Low, e.High, sigma)
		}
	}
}

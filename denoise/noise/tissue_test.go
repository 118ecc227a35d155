package noise_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// tissueOf returns even tissue of 40 HU with white noise; its sigma differs from one half
// of the columns to the other.
func tissueOf(t *testing.T, left, right float32) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{128, 96, 3}, [3]float64{0.6, 0.6, 2}))
	v.Unit = "HU"
	for i := range v.Data {
		sigma := left
		if i%128 >= 64 {
			sigma = right
		}
		v.Data[i] = 40 + sigma*float32(noise.Normal(5, uint64(i), 0))
	}
	return v
}

// The noise of a part of a CT is the noise of its even windows; elsewhere, and if these
// are few, the noise of the volume.
func TestNoiseWithinAPart(t *testing.T) {
	v := tissueOf(t, 5, 6.5)
	e, err := noise.Of(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	within := func(e noise.Estimate, x0, x1 int) float64 {
		s, err := e.Within(t.Context(), v, volume.Region{Min: [3]int{x0, 10, 0}, Max: [3]int{x1, 80, 3}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if a, b := within(e, 4, 60), within(e, 68, 124); math.Abs(a/5-1) > 0.05 || math.Abs(b/6.5-1) > 0.05 {
		t.Errorf("%.2f and %.2f of 5 and 6.5", a, b)
	}
	// Of a few columns, with what lies next to them.
	if a, b := within(e, 10, 14), within(e, 114, 118); math.Abs(a/5-1) > 0.05 || math.Abs(b/6.5-1) > 0.05 {
		t.Errorf("of a few columns: %.2f and %.2f of 5 and 6.5", a, b)
	}
	if a := within(noise.Known(3), 4, 60); a != 3 {
		t.Errorf("of white noise: %g, want 3", a)
	}
	// Structure is left out.
	for i := range v.Data {
		if x, y := i%128, i/128%96; x < 64 && y%24 == 0 {
			v.Data[i] += 60
		}
	}
	if a := within(e, 4, 60); math.Abs(a/5-1) > 0.08 {
		t.Errorf("beside lines: %.2f of 5", a)
	}
	// If there is no tissue nearby, the figure of the volume.
	for i := range v.Data {
		if i%128 >= 30 {
			v.Data[i] += 500
		}
	}
	if a := within(e, 60, 120); a != e.Sigma {
		t.Errorf("in bone: %g, want the %g of the volume", a, e.Sigma)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Within(ctx, v, v.Bounds()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

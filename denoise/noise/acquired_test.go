package noise_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// Noise of zero-filled k-space is read at the resolution that was acquired, from slices so thick that neither
// differences across them nor within them show it.
func TestNoiseAtTheAcquiredResolution(t *testing.T) {
	truth := thick(mrPhantom(t, [3]int{180, 168, 36}, [3]float64{1.1, 1.1, 2}), 3)
	const sigma = 12
	for i, c := range []struct {
		k    kspace
		want noise.Acquisition
	}{
		{kspace{"zero-filled", func(fx, fy float64) float64 { return box(fx, 0.7) * box(fy, 0.7) }}, noise.Acquisition{Matrix: [2]int{127, 117}}},
		{scanners[1], noise.Acquisition{Matrix: [2]int{180, 101}}},
		{kspace{"readout 80 %", func(fx, _ float64) float64 { return box(fx, 0.8) }}, noise.Acquisition{Matrix: [2]int{145, 168}}},
		{scanners[2], noise.Acquisition{Matrix: [2]int{180, 168}, Elliptical: true}},
	} {
		v := scan(truth, c.k, sigma, uint64(200+i))
		m, e, err := noise.Map(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if e.Acquired == nil || e.Confidence != noise.High && e.Confidence != noise.Fair {
			t.Errorf("%s: %+v, acquired %v", c.k.name, e.Figure, e.Acquired)
			continue
		}
		c.want.Of = [2]int{180, 168}
		for axis := range 2 {
			if off := e.Acquired.Matrix[axis] - c.want.Matrix[axis]; off < -6 || off > 2 || !c.want.Elliptical && off < 0 {
				t.Errorf("%s: %v, not %v", c.k.name, e.Acquired, c.want)
			}
		}
		if e.Acquired.Elliptical != c.want.Elliptical {
			t.Errorf("%s: %v", c.k.name, e.Acquired)
		}
		if off := e.Sigma/sigma - 1; math.Abs(off) > 0.06 {
			t.Errorf("%s: sigma is %.2f, %.0f %% off", c.k.name, e.Sigma, 100*off)
		}
		for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 3}, {4, -4}} {
			if got, want := e.Correlation.Rho(d[0], d[1], 0), c.k.rho(d[0], d[1]); math.Abs(got-want) > 0.03 {
				t.Errorf("%s: the correlation at %v is %.3f, not %.3f", c.k.name, d, got, want)
			}
		}
		if off := medianOf(asFloats(m.Data))/sigma - 1; math.Abs(off) > 0.1 {
			t.Errorf("%s: the map is %.0f %% off", c.k.name, 100*off)
		}
		for z, f := range e.PerSlice {
			if math.Abs(f.Sigma/sigma-1) > 0.2 || f.Confidence == noise.High {
				t.Errorf("%s: slice %d reads %.2f, %s", c.k.name, z, f.Sigma, f.Confidence)
			}
		}
	}
}

func asFloats(values []float32) []float64 {
	all := make([]float64, len(values))
	for i, a := range values {
		all[i] = float64(a)
	}
	return all
}

// What was not zero-filled has no acquired resolution, whatever its noise is.
func TestNoAcquiredResolution(t *testing.T) {
	truth := thick(mrPhantom(t, [3]int{150, 144, 36}, [3]float64{1.3, 1.3, 2}), 3)
	for i, k := range scanners[3:7] {
		e, err := noise.Of(t.Context(), scan(truth, k, 8, uint64(300+i)))
		if err != nil || e.Acquired != nil {
			t.Errorf("%s: %v, %v", k.name, e.Acquired, err)
		}
	}
	for name, v := range map[string]*volume.Volume{
		"no noise":                 scan(truth, scanners[0], 0, 1),
		"two slices":               slab(scan(truth, scanners[0], 8, 1), 5, 7),
		"noise of separate pixels": noisy(t, truth, noise.Rician, 8, 3),
	} {
		if e, err := noise.Of(t.Context(), v); err != nil || e.Acquired != nil {
			t.Errorf("%s: %v, %v", name, e.Acquired, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := noise.Of(ctx, truth); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

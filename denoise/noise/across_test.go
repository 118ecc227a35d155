package noise_test

import (
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/denoise/noise/noisetest"
	"quell/phantom"
	"quell/volume"
)

func mrPhantom(t *testing.T, dims [3]int, spacing [3]float64) *volume.Volume {
	t.Helper()
	p, err := phantom.New("mr", phantom.Size{Dims: dims, Spacing: spacing})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Noise that k-space coloured is read with its strength and its correlation.
func TestNoiseOfScanners(t *testing.T) {
	truth := mrPhantom(t, [3]int{144, 144, 20}, [3]float64{1.3, 1.3, 2})
	const sigma = 10
	for i, k := range noisetest.Scanners {
		e, err := noise.Of(t.Context(), k.Scan(truth, sigma, uint64(100+i)))
		if err != nil {
			t.Fatal(err)
		}
		if off := e.Sigma/sigma - 1; math.Abs(off) > 0.08 {
			t.Errorf("%s: sigma is %.2f, %.0f %% off", k.Name, e.Sigma, 100*off)
		}
		if e.Confidence != noise.High && e.Confidence != noise.Fair || e.Negligible || e.AtMost != 0 {
			t.Errorf("%s: %+v", k.Name, e.Figure)
		}
		for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 3}} {
			if got, want := e.Correlation.Rho(d[0], d[1], 0), k.Rho(d[0], d[1]); math.Abs(got-want) > 0.08 {
				t.Errorf("%s: the correlation at %v is %.3f, not %.3f", k.Name, d, got, want)
			}
		}
		if len(e.PerSlice) != truth.Dims[2] {
			t.Fatalf("%s: %d slices", k.Name, len(e.PerSlice))
		}
		for z, f := range e.PerSlice {
			if math.Abs(f.Sigma/sigma-1) > 0.2 || f.Confidence != noise.Fair {
				t.Errorf("%s: slice %d reads %.2f, %s", k.Name, z, f.Sigma, f.Confidence)
			}
		}
	}
}

// Where slices share the noise, or are so thick that anatomy differs from one to the next, the method says
// nothing, rather than too little or too much.
func TestNoiseAcrossSlicesIsDoubted(t *testing.T) {
	truth := mrPhantom(t, [3]int{144, 144, 20}, [3]float64{1.3, 1.3, 2})
	v := noisetest.Scanners[3].Scan(truth, 10, 5)
	shared := v.Clone()
	n := v.SliceVoxels()
	for i := range shared.Data {
		if z := i / n; z > 0 && z < v.Dims[2]-1 {
			shared.Data[i] = (v.Data[i-n] + 2*v.Data[i] + v.Data[i+n]) / 4
		}
	}
	e, err := noise.Of(t.Context(), shared)
	if err != nil {
		t.Fatal(err)
	}
	if e.Method == "differences across slices" {
		t.Errorf("slices share the noise: %+v", e.Figure)
	}
	if e, err = noise.Of(t.Context(), slab(v, 7, 13)); err != nil || e.Method == "differences across slices" {
		t.Errorf("six slices: %s, %+v, %v", e.Method, e.Figure, err)
	}
	white := noisetest.KSpace{Response: func(_, _ float64) float64 { return 1 }}.Scan(truth, 10, 6)
	if e, err = noise.Of(t.Context(), white); err != nil || e.Method != "differences" || e.Correlation != nil {
		t.Errorf("white noise: %s, %v", e.Method, err)
	}
}

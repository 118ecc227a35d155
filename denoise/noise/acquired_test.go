package noise_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/denoise/noise/noisetest"
	"quell/volume"
)

// Noise of zero-filled k-space is read at the resolution that was acquired, from slices so thick that neither
// differences across them nor within them show it.
func TestNoiseAtTheAcquiredResolution(t *testing.T) {
	truth := noisetest.Thick(mrPhantom(t, [3]int{180, 168, 36}, [3]float64{1.1, 1.1, 2}), 3)
	const sigma = 12
	for i, c := range []struct {
		k    noisetest.KSpace
		want noise.Acquisition
	}{
		{noisetest.KSpace{Name: "zero-filled", Response: func(fx, fy float64) float64 { return noisetest.Box(fx, 0.7) * noisetest.Box(fy, 0.7) }}, noise.Acquisition{Matrix: [2]int{127, 117}}},
		{noisetest.Scanners[1], noise.Acquisition{Matrix: [2]int{180, 101}}},
		{noisetest.KSpace{Name: "readout 80 %", Response: func(fx, _ float64) float64 { return noisetest.Box(fx, 0.8) }}, noise.Acquisition{Matrix: [2]int{145, 168}}},
	} {
		v := c.k.Scan(truth, sigma, uint64(200+i))
		m, e, err := noise.Map(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if e.Acquired == nil || e.Confidence != noise.High && e.Confidence != noise.Fair {
			t.Errorf("%s: %+v, acquired %v", c.k.Name, e.Figure, e.Acquired)
			continue
		}
		c.want.Of = [2]int{180, 168}
		for axis := range 2 {
			if off := e.Acquired.Matrix[axis] - c.want.Matrix[axis]; off < -6 || off > 2 || off < 0 {
				t.Errorf("%s: %v, not %v", c.k.Name, e.Acquired, c.want)
			}
		}
		if off := e.Sigma/sigma - 1; math.Abs(off) > 0.06 {
			t.Errorf("%s: sigma is %.2f, %.0f %% off", c.k.Name, e.Sigma, 100*off)
		}
		for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 3}, {4, -4}} {
			if got, want := e.Correlation.Rho(d[0], d[1], 0), c.k.Rho(d[0], d[1]); math.Abs(got-want) > 0.03 {
				t.Errorf("%s: the correlation at %v is %.3f, not %.3f", c.k.Name, d, got, want)
			}
		}
		if off := medianOf(asFloats(m.Data))/sigma - 1; math.Abs(off) > 0.1 {
			t.Errorf("%s: the map is %.0f %% off", c.k.Name, 100*off)
		}
		for z, f := range e.PerSlice {
			if math.Abs(f.Sigma/sigma-1) > 0.2 {
				t.Errorf("%s: slice %d reads %.2f, %s", c.k.Name, z, f.Sigma, f.Confidence)
			}
		}
	}
}

// What a file states of k-space makes no figure and changes none that it agrees with. If it contradicts the data,
// the figure is fair or another way's.
func TestTheFileAgreesWithTheData(t *testing.T) {
	truth := mrPhantom(t, [3]int{136, 160, 20}, [3]float64{1.3, 1.2, 3})
	v := noisetest.Scanners[1].Scan(truth, 10, 41)
	v.Encoding = volume.Encoding{{136}, {96}}
	if e, err := noise.Of(t.Context(), v); err != nil || e.Acquired == nil {
		t.Errorf("it agrees: %+v, %v, %v", e.Figure, e.Acquired, err)
	}
	v.Encoding = volume.Encoding{{136}, {160}}
	if e, err := noise.Of(t.Context(), v); err != nil || e.Acquired != nil && e.Confidence != noise.Fair {
		t.Errorf("it contradicts: %+v, %v, %v", e.Figure, e.Acquired, err)
	}
	white := noisy(t, truth, noise.Rician, 10, 3)
	white.Encoding = volume.Encoding{{136}, {96}}
	if e, err := noise.Of(t.Context(), white); err != nil || e.Acquired != nil || e.Method != "differences" {
		t.Errorf("of white noise: %+v, %v", e.Figure, err)
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
	truth := noisetest.Thick(mrPhantom(t, [3]int{150, 144, 36}, [3]float64{1.3, 1.3, 2}), 3)
	for i, k := range noisetest.Scanners[3:7] {
		e, err := noise.Of(t.Context(), k.Scan(truth, 8, uint64(300+i)))
		if err != nil || e.Acquired != nil {
			t.Errorf("%s: %v, %v", k.Name, e.Acquired, err)
		}
	}
	for name, v := range map[string]*volume.Volume{
		"no noise":                 noisetest.Scanners[0].Scan(truth, 0, 1),
		"two slices":               slab(noisetest.Scanners[0].Scan(truth, 8, 1), 5, 7),
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

// TestTableOfAcquired measures zero-filled series on anatomies, supports and seeds that no limit was chosen on.
func TestTableOfAcquired(t *testing.T) {
	if !full() {
		t.Skip("minutes: QUELL_NOISE_TABLE=1 measures it")
	}
	to255 := func(v *volume.Volume) *volume.Volume {
		_, hi, _ := v.Range(t.Context())
		return scaled(v, 255/hi)
	}
	mni := to255(series(t, "template/mni152-2009-t1-1mm.nii.gz", -1))
	avg := to255(series(t, "nifti/niivue/avg152T1_RL_nifti.nii.gz", -1))
	coronal, sagittal := noisetest.Turned(mni, false, 48), noisetest.Turned(mni, true, 48)
	anatomies := []struct {
		name string
		v    *volume.Volume
	}{
		{"mni coronal", coronal},
		{"mni sagittal", sagittal},
		{"avg coronal", noisetest.Turned(avg, false, 36)},
		{"phantom", to255(mrPhantom(t, [3]int{160, 208, 24}, [3]float64{1.2, 1.2, 3}))},
		{"mni coronal, 3 mm", noisetest.Thick(coronal, 3)},
		{"mni sagittal, 5 mm", noisetest.Thick(sagittal, 5)},
	}
	kspaces := []noisetest.KSpace{
		{Name: "0.5 x 0.5", Response: func(fx, fy float64) float64 { return noisetest.Box(fx, 0.5) * noisetest.Box(fy, 0.5) }},
		{Name: "0.8 x 0.65", Response: func(fx, fy float64) float64 { return noisetest.Box(fx, 0.8) * noisetest.Box(fy, 0.65) }},
		{Name: "1 x 0.75", Response: func(_, fy float64) float64 { return noisetest.Box(fy, 0.75) }},
		{Name: "ellipse 0.8 x 0.6", Response: func(fx, fy float64) float64 { return noisetest.Box(math.Hypot(fx/0.8, fy/0.6), 1) }},
	}
	for _, a := range anatomies {
		for i, k := range kspaces {
			for _, sigma := range []float64{3, 6, 20} {
				e, err := noise.Of(t.Context(), k.Scan(a.v, sigma, uint64(5000+i)))
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%-20s %-18s %4.0f: %6.2f %+6.1f %% %-4s at most %4.1f neg %-5v %-38s %v", a.name, k.Name, sigma, e.Sigma, 100*(e.Sigma/sigma-1), e.Confidence, e.High, e.Negligible, e.Method, e.Acquired)
			}
		}
	}
}

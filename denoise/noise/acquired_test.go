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

// What a file states of k-space makes no figure and changes none that it agrees with. If it contradicts the data,
// the figure is fair or another way's.
func TestTheFileAgreesWithTheData(t *testing.T) {
	truth := mrPhantom(t, [3]int{136, 160, 20}, [3]float64{1.3, 1.2, 3})
	v := scan(truth, scanners[1], 10, 41)
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

// turned returns n sections of a volume of axial slices from the middle on: coronal ones, or sagittal ones.
func turned(v *volume.Volume, sagittal bool, n int) *volume.Volume {
	across := 1
	if sagittal {
		across = 0
	}
	g := v.Geometry
	g.Dims = [3]int{v.Dims[1-across], v.Dims[2], n}
	g.Spacing = [3]float64{v.Spacing[1-across], v.Spacing[2], v.Spacing[across]}
	out := volume.New(g)
	for i := range out.Data {
		at := [3]int{}
		at[1-across], at[2], at[across] = i%g.Dims[0], i/g.Dims[0]%g.Dims[1], v.Dims[across]/2+i/g.SliceVoxels()
		out.Data[i] = v.Data[v.Index(at[0], at[1], at[2])]
	}
	return out
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
	coronal, sagittal := turned(mni, false, 48), turned(mni, true, 48)
	anatomies := []struct {
		name string
		v    *volume.Volume
	}{
		{"mni coronal", coronal},
		{"mni sagittal", sagittal},
		{"avg coronal", turned(avg, false, 36)},
		{"phantom", to255(mrPhantom(t, [3]int{160, 208, 24}, [3]float64{1.2, 1.2, 3}))},
		{"mni coronal, 3 mm", thick(coronal, 3)},
		{"mni sagittal, 5 mm", thick(sagittal, 5)},
	}
	kspaces := []kspace{
		{"0.5 x 0.5", func(fx, fy float64) float64 { return box(fx, 0.5) * box(fy, 0.5) }},
		{"0.8 x 0.65", func(fx, fy float64) float64 { return box(fx, 0.8) * box(fy, 0.65) }},
		{"1 x 0.75", func(_, fy float64) float64 { return box(fy, 0.75) }},
		{"ellipse 0.8 x 0.6", func(fx, fy float64) float64 { return box(math.Hypot(fx/0.8, fy/0.6), 1) }},
	}
	for _, a := range anatomies {
		for i, k := range kspaces {
			for _, sigma := range []float64{3, 6, 20} {
				e, err := noise.Of(t.Context(), scan(a.v, k, sigma, uint64(5000+i)))
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%-20s %-18s %4.0f: %6.2f %+6.1f %% %-4s at most %4.1f neg %-5v %-38s %v", a.name, k.name, sigma, e.Sigma, 100*(e.Sigma/sigma-1), e.Confidence, e.AtMost, e.Negligible, e.Method, e.Acquired)
			}
		}
	}
}

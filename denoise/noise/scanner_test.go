package noise_test

import (
	"testing"

	"quell/denoise/noise"
	"quell/denoise/noise/noisetest"
	"quell/phantom"
	"quell/volume"
)

// TestTableOfScanners measures the noise of what scanners do to k-space.
func TestTableOfScanners(t *testing.T) {
	if !full() {
		t.Skip("several minutes: QUELL_NOISE_TABLE=1 measures it")
	}
	to255 := func(v *volume.Volume) *volume.Volume {
		_, hi, _ := v.Range(t.Context())
		return scaled(v, 255/hi)
	}
	anatomies := []struct {
		name string
		v    *volume.Volume
	}{
		{"t1", series(t, "template/t1-181x217x51-truth.nii.gz", -1)},
		{"mni", slab(to255(series(t, "template/mni152-2009-t1-1mm.nii.gz", -1)), 60, 110)},
		{"chris", slab(to255(series(t, "nifti/niivue/chris_t1.nii.gz", -1)), 60, 110)},
		{"avg", to255(series(t, "nifti/niivue/avg152T1_RL_nifti.nii.gz", -1))},
	}
	for _, spacing := range [][3]float64{{1, 1, 1}, {1, 1, 4}} {
		dims := [3]int{192, 192, 30}
		ph, err := phantom.New("mr", phantom.Size{Dims: dims, Spacing: spacing})
		if err != nil {
			t.Fatal(err)
		}
		exact, err := ph.Voxels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		name := "phantom"
		if spacing[2] > 1 {
			name = "phantom 4 mm"
		}
		anatomies = append(anatomies, struct {
			name string
			v    *volume.Volume
		}{name, to255(exact)})
	}
	for _, a := range anatomies[:3] {
		a.name, a.v = a.name+" 4 mm", noisetest.Thick(a.v, 4)
		anatomies = append(anatomies, a)
	}
	for _, a := range anatomies {
		show := func(k string, sigma float64, v *volume.Volume) {
			e, err := noise.Of(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			rho := 0.0
			if e.Correlation != nil {
				rho = e.Correlation.Rho(0, 1, 0)
			}
			t.Logf("%-13s %-15s %5.1f: %6.2f %+5.1f %% %-4s neg %-5v %-25s rho %.2f %s", a.name, k, sigma, e.Sigma, 100*(e.Sigma/sigma-1), e.Confidence, e.Negligible, e.Method, rho, e.Why)
		}
		show("none", 0, a.v)
		show("white", 6, noisetest.KSpace{Response: func(_, _ float64) float64 { return 1 }}.Scan(a.v, 6, 8))
		for _, k := range noisetest.Scanners {
			for _, sigma := range []float64{3, 6, 20} {
				show(k.Name, sigma, k.Scan(a.v, sigma, 8))
			}
		}
	}
}
